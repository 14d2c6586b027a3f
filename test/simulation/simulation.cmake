# SPDX-License-Identifier: Apache-2.0
fivebar_test(test_simulation
  SOURCES simulation/test_open_loop.cpp simulation/test_outside_plant.cpp simulation/test_plant_effects.cpp simulation/test_plant_faults.cpp
    simulation/test_simulated_plant.cpp simulation/test_simulated_robot.cpp
  LINK fivebar_simulation)
target_compile_definitions(test_simulation PRIVATE $<$<BOOL:${FIVEBAR_MUJOCO}>:FIVEBAR_MUJOCO>)

# Other people's engines, also with our controller in the loop; each only where its engine is.
if(FIVEBAR_MUJOCO)
  fivebar_test(test_mujoco SOURCES simulation/test_mujoco.cpp LINK fivebar_simulation fivebar_mujoco)
  fivebar_test(test_simulation_mujoco
    SOURCES simulation/test_mjcf_numbers.cpp simulation/test_mujoco_engine.cpp
    LINK fivebar_daemon fivebar_planner fivebar_mujoco)

  fivebar_test(test_missing_libraries
    SOURCES simulation/test_missing_libraries.cpp ${PROJECT_SOURCE_DIR}/simulation/mujoco_library.cpp
      ${PROJECT_SOURCE_DIR}/simulation/mujoco_missing.cpp
    LINK fivebar_model fivebar_hardware fmt::fmt ${CMAKE_DL_LIBS})
  target_include_directories(test_missing_libraries PRIVATE ${PROJECT_SOURCE_DIR}/simulation
    ${PROJECT_SOURCE_DIR}/simulation/include)
  target_include_directories(test_missing_libraries SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
  target_compile_definitions(test_missing_libraries PRIVATE
    FIVEBAR_MUJOCO_FILE="libmujoco.so.missing")
endif()

include(${PROJECT_SOURCE_DIR}/cmake/simulators.cmake)
if(FIVEBAR_SDFORMAT)
  fivebar_test(test_gazebo_description
    SOURCES simulation/test_gazebo_description.cpp
    LINK fivebar_simulation ${FIVEBAR_SDFORMAT})
endif()
if(FIVEBAR_SDFORMAT AND FIVEBAR_DART)
  fivebar_test(test_simulation_dart
    SOURCES simulation/dart_engine.cpp simulation/test_dart.cpp
    LINK fivebar_daemon fivebar_planner ${FIVEBAR_SDFORMAT} ${FIVEBAR_DART})
endif()

# Gazebo's server in the test's process, through the library that the program loads.
if(FIVEBAR_GAZEBO_SIM)
  fivebar_test(test_simulation_gazebo
    SOURCES simulation/test_gazebo_engine.cpp
    LINK fivebar_daemon fivebar_planner)
  add_dependencies(test_simulation_gazebo fivebar_gazebo)
  add_dependencies(fivebar fivebar_gazebo)
endif()

fivebar_test(test_animation
  SOURCES report/test_animation.cpp
  LINK fivebar_animation)

fivebar_test(test_replay_commands
  SOURCES cli/test_replay_commands.cpp
  LINK nlohmann_json::nlohmann_json)
target_compile_definitions(test_replay_commands PRIVATE FIVEBAR_PROGRAM="$<TARGET_FILE:fivebar>"
  FIVEBAR_WITH_GAZEBO=$<BOOL:${FIVEBAR_GAZEBO_SIM}>
  FIVEBAR_WITH_MUJOCO=$<BOOL:${FIVEBAR_MUJOCO}> FIVEBAR_WITH_CAIRO=$<BOOL:${FIVEBAR_CAIRO}>)
add_dependencies(test_replay_commands fivebar)
