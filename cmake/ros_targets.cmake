# SPDX-License-Identifier: Apache-2.0
# Helpers for the ROS targets of controller/ros, hardware/ros and planner/ros.

# fivebar_generated_headers(<target>...): headers that a generator wrote are not held to our warnings.
function(fivebar_generated_headers)
  foreach(target IN LISTS ARGN)
    get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
    set_property(TARGET ${target} APPEND PROPERTY
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}")
  endforeach()
endfunction()

# fivebar_parameters(<name>): the library <name>_parameters from <name>_parameters.yaml beside the
# calling CMakeLists.txt.
macro(fivebar_parameters name)
  generate_parameter_library(${name}_parameters ${name}_parameters.yaml)
  fivebar_generated_headers(${name}_parameters)
endmacro()

# fivebar_plugin(<name> SOURCES ... LINK ...): a shared library that pluginlib loads.
function(fivebar_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} SHARED ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC
    ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/support/ros)
  target_link_libraries(${name} PUBLIC fivebar_settings ${ARG_LINK})
  # Neighbours in the same folder, wherever that is.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${name} LIBRARY DESTINATION lib)
endfunction()
