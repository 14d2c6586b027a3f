# SPDX-License-Identifier: Apache-2.0
# Debian packages by CPack, one for each install component; scripts/package makes them, docs/packaging.md
# explains them. Only the preset 'package' has this on, so that no other build has anything to do with CPack.
option(FIVEBAR_DEBIAN_PACKAGES "Prepare Debian packages: documents, control files and CPack" OFF)
if(NOT FIVEBAR_DEBIAN_PACKAGES)
  return()
endif()
if(FIVEBAR_ROS)
  message(FATAL_ERROR "FIVEBAR_DEBIAN_PACKAGES: these packages are not for ROS; set FIVEBAR_WITH_ROS=OFF")
endif()

set(FIVEBAR_VERSION_STRING "" CACHE STRING "What `fivebar --version` says instead of the version from Git")
set(version ${PROJECT_VERSION})
if(FIVEBAR_VERSION_STRING)
  set(version ${FIVEBAR_VERSION_STRING})
endif()
set(maintainer "fivebar_control developers <developers@fivebar-control.invalid>")
set(packaging ${PROJECT_SOURCE_DIR}/packaging)

# Names and what is needed; libraries are found by dpkg-shlibdeps.
get_cmake_property(components COMPONENTS)
set(package_of_program fivebar-control)
set(package_of_development libfivebar-control-dev)
set(package_of_python python3-fivebar)

# fivebar_debian_package(<component> SECTION <section> SUMMARY <text> DESCRIPTION <text> [DEPENDS ...]
# [SUGGESTS ...] [DOCUMENTS ...]): sets CPack's variables for it, and installs what every package has.
macro(fivebar_debian_package component)
  cmake_parse_arguments(ARG "" "SECTION;SUMMARY;DESCRIPTION" "DEPENDS;SUGGESTS;DOCUMENTS" ${ARGN})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(name ${package_of_${component}})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${ARG_SECTION})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${ARG_SUMMARY}\n${ARG_DESCRIPTION}")
  list(JOIN ARG_DEPENDS ", " CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
  list(JOIN ARG_SUGGESTS ", " CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS)
  file(GLOB CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${packaging}/${component}/p*)
  set(documents ${CMAKE_INSTALL_DATADIR}/doc/${name})
  install(FILES ${packaging}/copyright ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz ${ARG_DOCUMENTS}
    DESTINATION ${documents} COMPONENT ${component})
  if(EXISTS ${packaging}/${component}/lintian-overrides)
    install(FILES ${packaging}/${component}/lintian-overrides COMPONENT ${component}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${name})
  endif()
endmacro()

# SOURCE_DATE_EPOCH, if set, is the date.
string(TIMESTAMP changed "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/changelog
  "fivebar-control (${version}) unstable; urgency=medium\n\n"
  "  * Packages of this version; its history is that of the repository.\n\n"
  " -- ${maintainer}  ${changed}\n")
execute_process(COMMAND gzip -9nf changelog WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
  COMMAND_ERROR_IS_FATAL ANY)

set(suggested ffmpeg)
if(FIVEBAR_MUJOCO)
  # Loaded when asked for, so dpkg-shlibdeps does not see it.
  file(REAL_PATH ${MUJOCO_LIBRARY} mujoco_file)
  execute_process(COMMAND dpkg-query --search ${mujoco_file}
    OUTPUT_VARIABLE mujoco_package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(mujoco_package MATCHES "^([a-z0-9.+-]+)(:[a-z0-9]+)?: ")
    list(APPEND suggested ${CMAKE_MATCH_1})
  endif()
endif()
fivebar_debian_package(program
  SECTION science
  SUMMARY "plans and plays motor voltages for a five-bar parallel robot"
  DESCRIPTION "A planner computes the voltages with which a model of the robot follows a
curve. A guarded real-time controller plays them as feedforward under a PD
loop, on the simulated robot or on real motors behind a serial board. The
same program compares, reports and animates runs.
.
This package has the program fivebar, its configuration files, a systemd unit
and a udev rule for the motor board."
  SUGGESTS ${suggested}
  DOCUMENTS README.md SECURITY.md)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package_of_program})

set(needed libeigen3-dev libyaml-cpp-dev libfmt-dev libboost-dev libnlopt-dev libnlopt-cxx-dev
  nlohmann-json3-dev)
if(COMEDI_FOUND)
  list(APPEND needed libcomedi-dev)
endif()
if(FIVEBAR_SUNDIALS)
  list(APPEND needed libsundials-dev)
endif()
fivebar_debian_package(development
  SECTION libdevel
  SUMMARY "five-bar robot: libraries, headers and firmware sources"
  DESCRIPTION "The rooms of fivebar-control as static libraries with headers and CMake
package files (find_package(fivebar_control)): model, planner, controller,
hardware, multibody mechanisms and reports.
.
The sources of the motor board's firmware core, in C99 without a
microcontroller, are in /usr/share/fivebar_control/firmware."
  DEPENDS ${needed}
  SUGGESTS "${package_of_program} (= ${version})")

if("python" IN_LIST components)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  math(EXPR next "${Python3_VERSION_MINOR} + 1")
  fivebar_debian_package(python
    SECTION python
    SUMMARY "five-bar robot: planning, running and comparing from Python"
    DESCRIPTION "The module fivebar plans curves, plays plans on the simulated robot and gives
models, plans and logs as numpy arrays, with the same code as the program
fivebar."
    # The module is compiled for one version of Python, and finds the robot's files in the program's package.
    DEPENDS "${package_of_program} (= ${version})" "python3 (>= 3.${Python3_VERSION_MINOR}~)"
      "python3 (<< 3.${next})" python3-numpy)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fivebar-control)
set(CPACK_PACKAGE_VERSION ${version})
set(CPACK_PACKAGE_CONTACT ${maintainer})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_PACKAGE_SOURCE fivebar-control)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_stage.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
