# Other people's engines with our controller in the loop; each only where its engine is.
if(FIVEBAR_MUJOCO)
  fivebar_test(test_replay_mujoco
    SOURCES replay/test_mujoco_engine.cpp
    LINK fivebar_daemon fivebar_planner)
endif()
