# SPDX-License-Identifier: Apache-2.0
# The program's bill of materials, fivebar.cdx.json: which packages are in it, with versions and
# licences. Made where dpkg can tell, of the program as it was installed.
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
list(JOIN sbom_options "\" \"" sbom_options)
# Variables of an install script are seen by all that follow in it.
install(CODE "
  set(sbom_prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  set(sbom_folder \"\${sbom_prefix}/${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}\")
  set(sbom_program \"\${sbom_prefix}/${CMAKE_INSTALL_BINDIR}/fivebar\")
  if(NOT EXISTS \"\${sbom_program}\")  # colcon's links come later
    set(sbom_program \"$<TARGET_FILE:fivebar>\")
  endif()
  message(STATUS \"Installing: \${sbom_folder}/fivebar.cdx.json\")
  file(MAKE_DIRECTORY \"\${sbom_folder}\")
  execute_process(COMMAND \"${Python3_EXECUTABLE}\" \"${PROJECT_SOURCE_DIR}/scripts/sbom.py\"
    \"\${sbom_program}\" \"${PROJECT_VERSION}\" \"\${sbom_folder}/fivebar.cdx.json\" \"${sbom_options}\"
    COMMAND_ERROR_IS_FATAL ANY)")
if(BUILD_TESTING)
  # Of what the test package_stage installs.
  add_test(NAME Sbom.NamesEveryLibraryThatTheProgramLoads
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/test/cli/test_sbom.py
      ${PROJECT_BINARY_DIR}/stage/${CMAKE_INSTALL_BINDIR}/fivebar
      ${PROJECT_BINARY_DIR}/stage/${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}/fivebar.cdx.json)
  set_tests_properties(Sbom.NamesEveryLibraryThatTheProgramLoads PROPERTIES
    FIXTURES_REQUIRED package_stage)
endif()
