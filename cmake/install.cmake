# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` (or colcon) puts in place besides libraries and headers.
install(DIRECTORY config DESTINATION ${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME})

# For a machine that drives a robot. systemd and udev look below /usr and /usr/local.
if(NOT FIVEBAR_ROS)
  configure_file(daemon/systemd/fivebar@.service.in fivebar@.service @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fivebar@.service DESTINATION lib/systemd/system)
  install(FILES daemon/systemd/sysusers.conf DESTINATION lib/sysusers.d RENAME fivebar-control.conf)
  install(FILES daemon/systemd/tmpfiles.conf DESTINATION lib/tmpfiles.d RENAME fivebar-control.conf)
  install(FILES hardware/udev/60-fivebar.rules DESTINATION lib/udev/rules.d)
endif()

if(FIVEBAR_ROS_PLUGINS)
  install(DIRECTORY launch description DESTINATION ${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME})
endif()

if(FIVEBAR_ROS)
  ament_export_targets(fivebar_control HAS_LIBRARY_TARGET)
  ament_export_dependencies(Eigen3 yaml-cpp fmt Boost NLopt nlohmann_json Threads)
  ament_package()
else()
  include(CMakePackageConfigHelpers)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${PROJECT_NAME})
  install(EXPORT fivebar_control NAMESPACE fivebar_control:: DESTINATION ${package_dir}
    FILE fivebar_controlTargets.cmake COMPONENT development)
  configure_package_config_file(cmake/fivebar_controlConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/fivebar_controlConfig.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/fivebar_controlConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fivebar_controlConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/fivebar_controlConfigVersion.cmake cmake/nlopt.cmake
    DESTINATION ${package_dir} COMPONENT development)
endif()
