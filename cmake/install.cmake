# What `cmake --install` (or colcon) puts in place besides libraries and headers.
install(DIRECTORY config DESTINATION ${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME})

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
    FILE fivebar_controlTargets.cmake)
  configure_package_config_file(cmake/fivebar_controlConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/fivebar_controlConfig.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/fivebar_controlConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fivebar_controlConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/fivebar_controlConfigVersion.cmake DESTINATION ${package_dir})
endif()
