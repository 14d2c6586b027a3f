# Other people's engines with our controller in the loop; each only where its engine is.
if(FIVEBAR_MUJOCO)
  fivebar_test(test_replay_mujoco
    SOURCES replay/test_mjcf_numbers.cpp replay/test_mujoco_engine.cpp
    LINK fivebar_daemon fivebar_planner fivebar_mujoco)

  fivebar_test(test_missing_libraries
    SOURCES replay/test_missing_libraries.cpp ${PROJECT_SOURCE_DIR}/hardware/mujoco_library.cpp
      ${PROJECT_SOURCE_DIR}/hardware/mujoco_missing.cpp
    LINK fivebar_model fmt::fmt ${CMAKE_DL_LIBS})
  target_include_directories(test_missing_libraries PRIVATE ${PROJECT_SOURCE_DIR}/hardware
    ${PROJECT_SOURCE_DIR}/hardware/include)
  target_include_directories(test_missing_libraries SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
  target_compile_definitions(test_missing_libraries PRIVATE
    FIVEBAR_MUJOCO_FILE="libmujoco.so.missing")
endif()

include(${PROJECT_SOURCE_DIR}/cmake/simulators.cmake)
if(FIVEBAR_SDFORMAT)
  fivebar_test(test_gazebo_description
    SOURCES replay/test_gazebo_description.cpp
    LINK fivebar_hardware ${FIVEBAR_SDFORMAT})
endif()
if(FIVEBAR_SDFORMAT AND FIVEBAR_DART)
  fivebar_test(test_replay_dart
    SOURCES replay/dart_engine.cpp replay/test_dart.cpp
    LINK fivebar_daemon fivebar_planner ${FIVEBAR_SDFORMAT} ${FIVEBAR_DART})
endif()

fivebar_test(test_animation
  SOURCES replay/test_animation.cpp
  LINK fivebar_animation)

fivebar_test(test_replay_commands
  SOURCES replay/test_replay_commands.cpp
  LINK nlohmann_json::nlohmann_json)
target_compile_definitions(test_replay_commands PRIVATE FIVEBAR_PROGRAM="$<TARGET_FILE:fivebar>"
  FIVEBAR_WITH_MUJOCO=$<BOOL:${FIVEBAR_MUJOCO}> FIVEBAR_WITH_CAIRO=$<BOOL:${FIVEBAR_CAIRO}>)
add_dependencies(test_replay_commands fivebar)
