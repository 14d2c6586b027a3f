# What `fivebar --version` says, as one small source of its own: version and what is compiled in. The version is
# that of the package; in a Git work tree with commits since the tag v<version> (or since the beginning) and the
# commit added, as they were when CMake ran. What the program writes into files is the package version alone.
set(FIVEBAR_VERSION_STRING "" CACHE STRING "What `fivebar --version` says instead of the version from Git")

# fivebar_version(<variable>): the version of this source tree.
function(fivebar_version variable)
  set(${variable} ${PROJECT_VERSION} PARENT_SCOPE)
  if(FIVEBAR_VERSION_STRING)
    set(${variable} ${FIVEBAR_VERSION_STRING} PARENT_SCOPE)
    return()
  endif()
  find_package(Git QUIET)
  # The work tree must be ours: a tarball may lie within the repository of somebody else.
  if(NOT Git_FOUND OR NOT EXISTS ${PROJECT_SOURCE_DIR}/.git)
    return()
  endif()
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse HEAD
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    return()
  endif()
  string(SUBSTRING ${commit} 0 7 commit)  # not Git's own abbreviation, whose length differs between clones
  set(range HEAD)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --verify --quiet v${PROJECT_VERSION}^{commit}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE no_tag)
  if(NOT no_tag)
    set(range v${PROJECT_VERSION}..HEAD)
  endif()
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-list --count ${range}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --is-shallow-repository
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE shallow OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(shallow STREQUAL "true")
    set(${variable} ${PROJECT_VERSION}+g${commit} PARENT_SCOPE)  # the number of commits is not known
  elseif(NOT count STREQUAL "0")
    set(${variable} ${PROJECT_VERSION}+${count}.g${commit} PARENT_SCOPE)
  endif()
endfunction()

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

fivebar_version(version)
get_target_property(planner_definitions fivebar_planner COMPILE_DEFINITIONS)
set(avx2 OFF)
if("FIVEBAR_HAS_AVX2_KERNEL" IN_LIST planner_definitions)
  set(avx2 ON)
endif()
find_package(NLopt QUIET)
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
