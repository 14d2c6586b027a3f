# SPDX-License-Identifier: Apache-2.0
# Gazebo Harmonic's server library as FIVEBAR_GAZEBO_SIM and, with ROS 2, gz_ros2_control:
# FIVEBAR_GAZEBO_ROS. Both OFF where they are not.
set(FIVEBAR_GAZEBO_SIM OFF)
set(FIVEBAR_GAZEBO_ROS OFF)
find_package(gz-sim8 QUIET)
if(gz-sim8_FOUND)
  set(FIVEBAR_GAZEBO_SIM gz-sim8::core)
  message(STATUS "Gazebo: gz-sim ${gz-sim8_VERSION}; the backend 'gazebo' and its tests are built")
  # The program and the tests lie in neighbours of the folder that has the library which is loaded.
  list(APPEND CMAKE_BUILD_RPATH "$ORIGIN/../simulation/gazebo")
  list(APPEND CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
else()
  message(STATUS "Gazebo: gz-sim 8 (Harmonic) not found; the backend 'gazebo' will only say so, and "
    "its tests do not run")
endif()
if(FIVEBAR_GAZEBO_SIM AND FIVEBAR_ROS_PLUGINS)
  find_package(gz_ros2_control QUIET)
  if(gz_ros2_control_FOUND AND hardware_interface_VERSION VERSION_GREATER_EQUAL 4.18)
    set(FIVEBAR_GAZEBO_ROS ON)
    message(STATUS "Gazebo: gz_ros2_control ${gz_ros2_control_VERSION}; volts in Gazebo are built")
  else()
    message(STATUS "Gazebo: gz_ros2_control with ros2_control 4.18 or newer not found; efforts only")
  endif()
endif()
