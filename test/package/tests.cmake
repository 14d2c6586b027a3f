# SPDX-License-Identifier: Apache-2.0
# Tests of what is installed and packaged; included by test/CMakeLists.txt, which installs to ${stage}.
find_package(Git QUIET)
if(Git_FOUND)
  add_test(NAME Scripts.GiveEveryCommitAPackageVersionThatSortsRight
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/scripts/test_package_version.sh
      ${CMAKE_CURRENT_BINARY_DIR}/package_version)
endif()

if(FIVEBAR_ROS)
  return()  # ament has files and components of its own
endif()
# Every file belongs to one component: the packages together are what an installation is.
add_test(NAME Package.ComponentsShareOutEverythingThatIsInstalled
  COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -D STAGE=${stage}
    -D COMPONENTS=${PROJECT_BINARY_DIR}/stage_of_component
    -P ${CMAKE_CURRENT_SOURCE_DIR}/package/components.cmake)
add_test(NAME Package.UnitStartsTheProgramWhereItIsInstalledByDefault
  COMMAND grep -q "^ExecStart=${CMAKE_INSTALL_FULL_BINDIR}/fivebar run "
    ${stage}/lib/systemd/system/fivebar@.service)
set_tests_properties(Package.ComponentsShareOutEverythingThatIsInstalled
  Package.UnitStartsTheProgramWhereItIsInstalledByDefault
  PROPERTIES FIXTURES_REQUIRED package_stage TIMEOUT 300)
