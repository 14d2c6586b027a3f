# Other people's engines with our controller in the loop; each only where its engine is.
if(FIVEBAR_MUJOCO)
  fivebar_test(test_replay_mujoco
    SOURCES replay/test_mjcf_numbers.cpp replay/test_mujoco_engine.cpp
    LINK fivebar_daemon fivebar_planner fivebar_mujoco)
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
