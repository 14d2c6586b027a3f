# SPDX-License-Identifier: Apache-2.0
# Headers that nearly every source reads, compiled once for all libraries, once for the program and once
# for all tests. Only time is saved: every source includes what it uses and builds without them.
# Sources with flags of their own must be left out (SKIP_PRECOMPILE_HEADERS).
set(precompiled_default OFF)
# clang gains less, and its tools cannot read what GCC has compiled.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT FIVEBAR_SANITIZE AND NOT FIVEBAR_COVERAGE)
  set(precompiled_default ON)
endif()
option(FIVEBAR_PRECOMPILED_HEADERS "Compile the headers that are used everywhere only once"
  ${precompiled_default})

if(FIVEBAR_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  # ccache keeps such objects only if it is told that no header looks at the clock (-Wdate-time sees
  # to that) or at macros that differ, and only if the preprocessed text names the compiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_CXX_COMPILER_LAUNCHER})
  target_compile_options(fivebar_settings INTERFACE
    $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>>)
endif()

set(precompiled_common
  <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional>
  <stdexcept> <string> <string_view> <utility> <vector> <Eigen/Dense> <fmt/format.h> <fmt/ranges.h>)

# fivebar_precompile(<target> FOR library|program|test): gives a target the headers of its kind. Libraries
# share theirs, and so do tests: what a kind shares is compiled by the target fivebar_<kind>_headers.
function(fivebar_precompile target)
  cmake_parse_arguments(ARG "" "FOR" "" ${ARGN})
  if(NOT FIVEBAR_PRECOMPILED_HEADERS)
    return()
  endif()
  # GCC's optimiser is less sure of precompiled headers and then warns of the standard library's own
  # code; the build without them takes these warnings for errors. A target whose flags differ after
  # all is built with the headers as they are (invalid-pch).
  foreach(warning array-bounds maybe-uninitialized restrict stringop-overflow stringop-overread
      invalid-pch)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-error=${warning}>)
  endforeach()
  if(ARG_FOR STREQUAL "program")
    target_precompile_headers(${target} PRIVATE
      ${precompiled_common} <CLI/CLI.hpp> <nlohmann/json.hpp>)
    return()
  endif()
  set(shared fivebar_${ARG_FOR}_headers)
  if(NOT TARGET ${shared})
    set(source ${PROJECT_BINARY_DIR}/${shared}.cpp)
    if(ARG_FOR STREQUAL "library")
      file(CONFIGURE OUTPUT ${source} CONTENT "")
      add_library(${shared} OBJECT EXCLUDE_FROM_ALL ${source})
      target_precompile_headers(${shared} PRIVATE ${precompiled_common})
    else()
      # A program, because programs are compiled as position-independent in another way.
      file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
      add_executable(${shared} EXCLUDE_FROM_ALL ${source})
      target_precompile_headers(${shared} PRIVATE
        ${precompiled_common} <fstream> <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
      target_link_libraries(${shared} PRIVATE GTest::gmock nlohmann_json::nlohmann_json)
    endif()
    target_link_libraries(${shared} PRIVATE fivebar_settings Eigen3::Eigen fmt::fmt)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${shared})
  if(ARG_FOR STREQUAL "test")  # what the headers need, which not every test does
    target_link_libraries(${target} PRIVATE Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json)
  endif()
endfunction()
