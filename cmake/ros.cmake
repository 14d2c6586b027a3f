# SPDX-License-Identifier: Apache-2.0
# Decides whether this build is a ROS 2 (ament) package or plain CMake, and which ROS parts it has.
# Afterwards FIVEBAR_ROS is ON when ament_cmake is used, FIVEBAR_ROS_PLUGINS when everything is there
# that messages, plugins and nodes need.
set(FIVEBAR_ROS OFF)
set(FIVEBAR_ROS_PLUGINS OFF)
if(FIVEBAR_WITH_ROS STREQUAL "ON")
  find_package(ament_cmake REQUIRED)
  set(FIVEBAR_ROS ON)
elseif(FIVEBAR_WITH_ROS STREQUAL "AUTO")
  if(NOT DEFINED ENV{AMENT_PREFIX_PATH})
    # Found in an earlier run does not help: its tools need the sourced environment.
    unset(ament_cmake_DIR CACHE)
  endif()
  find_package(ament_cmake QUIET)
  if(ament_cmake_FOUND)
    set(FIVEBAR_ROS ON)
  endif()
elseif(NOT FIVEBAR_WITH_ROS STREQUAL "OFF")
  message(FATAL_ERROR "FIVEBAR_WITH_ROS must be AUTO, ON or OFF, not '${FIVEBAR_WITH_ROS}'")
endif()

if(FIVEBAR_ROS)
  message(STATUS "ROS 2: building as an ament package (ROS_DISTRO=$ENV{ROS_DISTRO})")
  set(missing)
  # generate_parameter_library of Jazzy asks for a package that is deprecated there; not ours to mend.
  set(CMAKE_WARN_DEPRECATED OFF)
  foreach(package IN ITEMS
      rosidl_default_generators std_msgs action_msgs diagnostic_msgs rclcpp rclcpp_action
      rclcpp_lifecycle controller_interface hardware_interface realtime_tools pluginlib
      generate_parameter_library diagnostic_updater control_msgs trajectory_msgs)
    find_package(${package} QUIET)
    if(NOT ${package}_FOUND)
      list(APPEND missing ${package})
    endif()
  endforeach()
  unset(CMAKE_WARN_DEPRECATED)
  if(missing)
    list(JOIN missing ", " missing_names)
    message(STATUS "ROS 2: messages, ros2_control plugins and nodes are left out; not found: ${missing_names}")
  else()
    set(FIVEBAR_ROS_PLUGINS ON)
    message(STATUS "ROS 2: messages, ros2_control plugins and nodes are built")
  endif()
else()
  message(STATUS "ROS 2: not used (FIVEBAR_WITH_ROS=${FIVEBAR_WITH_ROS}); building as plain CMake")
endif()
