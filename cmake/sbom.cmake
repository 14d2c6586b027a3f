# The program's bill of materials, fivebar.cdx.json: which packages are in it, with versions and
# licences. Part of every build where dpkg can tell.
find_package(Python3 QUIET COMPONENTS Interpreter)
find_program(DPKG_QUERY dpkg-query)
if(NOT Python3_FOUND OR NOT DPKG_QUERY)
  message(STATUS "No dpkg-query: the bill of materials is not made")
  return()
endif()
set(sbom_options)
foreach(header eigen3/Eigen/Core CLI/CLI.hpp nlohmann/json.hpp boost/version.hpp)
  list(APPEND sbom_options --header /usr/include/${header})
endforeach()
if(FIVEBAR_MUJOCO)
  list(APPEND sbom_options --optional ${MUJOCO_LIBRARY})
endif()
set(sbom ${PROJECT_BINARY_DIR}/fivebar.cdx.json)
add_custom_command(OUTPUT ${sbom}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/sbom.py
    $<TARGET_FILE:fivebar> ${PROJECT_VERSION} ${sbom} ${sbom_options}
  DEPENDS fivebar ${PROJECT_SOURCE_DIR}/scripts/sbom.py
  COMMENT "Bill of materials" VERBATIM)
add_custom_target(sbom ALL DEPENDS ${sbom})
# Optional, so that the program can be installed when nothing but it was built.
install(FILES ${sbom} DESTINATION ${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME} OPTIONAL)
if(BUILD_TESTING)
  add_test(NAME Sbom.NamesEveryLibraryThatTheProgramLoads
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/test/cli/test_sbom.py
      $<TARGET_FILE:fivebar> ${sbom})
endif()
