# SPDX-License-Identifier: Apache-2.0
# MuJoCo as the target fivebar_mujoco, when it is there (Debian: libmujoco-dev).
# FIVEBAR_MUJOCO says whether it is.
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
set(FIVEBAR_MUJOCO OFF)
if(MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY)
  set(FIVEBAR_MUJOCO ON)
  add_library(fivebar_mujoco INTERFACE)
  target_include_directories(fivebar_mujoco SYSTEM INTERFACE ${MUJOCO_INCLUDE_DIR})
  target_link_libraries(fivebar_mujoco INTERFACE ${MUJOCO_LIBRARY})
  message(STATUS "MuJoCo: ${MUJOCO_LIBRARY}; the backend 'mujoco' and its tests are built")
else()
  message(STATUS "MuJoCo: not found (mujoco/mujoco.h and libmujoco of the package libmujoco-dev); "
    "the backend 'mujoco' will only say so, and its tests do not run")
endif()
