# SPDX-License-Identifier: Apache-2.0
# What `fivebar --version` says, as one small source of its own: version and what is compiled in. The version is
# that of the package; in a Git work tree with commits since the tag v<version> (or since the beginning) and the
# commit added, as they were when CMake ran. What the program writes into files is the package version alone.
set(FIVEBAR_VERSION_STRING "" CACHE STRING "What `fivebar --version` says instead of the version from Git")

include(${PROJECT_SOURCE_DIR}/cmake/git_version.cmake)

# fivebar_feature(<text variable> <name> <found> <version>): one line of the text.
function(fivebar_feature text name found version)
  if(NOT found)
    set(value no)
  elseif(version)
    set(value "yes (${version})")
  else()
    set(value yes)
  endif()
  set(${text} "${${text}}  ${name}: ${value}\n" PARENT_SCOPE)
endfunction()

if(FIVEBAR_VERSION_STRING)
  set(version ${FIVEBAR_VERSION_STRING})
else()
  fivebar_git_version(version ${PROJECT_SOURCE_DIR} ${PROJECT_VERSION})
endif()
get_target_property(planner_definitions fivebar_planner COMPILE_DEFINITIONS)
set(avx2 OFF)
if("FIVEBAR_HAS_AVX2_KERNEL" IN_LIST planner_definitions)
  set(avx2 ON)
endif()
set(features "")
fivebar_feature(features "MuJoCo" "${FIVEBAR_MUJOCO}" "")
if(HTTPLIB_VERSION)
  set(httplib "cpp-httplib ${HTTPLIB_VERSION}")
else()
  set(httplib cpp-httplib)
endif()
fivebar_feature(features "live view" "${HTTPLIB_FOUND}" "${httplib}")
fivebar_feature(features "cairo" "${CAIRO_FOUND}" "${CAIRO_VERSION}")
fivebar_feature(features "Comedi" "${COMEDI_FOUND}" "${COMEDI_VERSION}")
fivebar_feature(features "NLopt" "${NLopt_FOUND}" "${NLOPT_VERSION}")
fivebar_feature(features "AVX2 kernel" "${avx2}" "")
fivebar_feature(features "ROS 2" "${FIVEBAR_ROS}" "")
string(APPEND features "  compiler: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\n")
configure_file(version.cpp.in version.cpp @ONLY)
target_sources(fivebar PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/version.cpp)
set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/version.cpp PROPERTIES
  COMPILE_DEFINITIONS FIVEBAR_BUILD_TYPE="$<CONFIG>")
