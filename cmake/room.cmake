# SPDX-License-Identifier: Apache-2.0
# Compiler settings that all of our own targets share, and the helper that declares a room's library.
add_library(fivebar_settings INTERFACE)
target_compile_features(fivebar_settings INTERFACE cxx_std_20)
target_compile_options(fivebar_settings INTERFACE
  $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow>>
  $<BUILD_INTERFACE:$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${FIVEBAR_WARNINGS_AS_ERRORS}>>:-Werror>>)
# GCC's own warnings that we silence somewhere are unknown to clang.
target_compile_options(fivebar_settings INTERFACE
  $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-unknown-warning-option>>)
if(FIVEBAR_SANITIZE)
  target_compile_options(fivebar_settings INTERFACE
    $<BUILD_INTERFACE:-fsanitize=${FIVEBAR_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer;-g1>)
  target_link_options(fivebar_settings INTERFACE $<BUILD_INTERFACE:-fsanitize=${FIVEBAR_SANITIZE}>)
endif()
if(FIVEBAR_COVERAGE)
  # Threads count the same lines.
  target_compile_options(fivebar_settings INTERFACE
    $<BUILD_INTERFACE:--coverage;-O1;-fprofile-update=atomic>)
  target_link_options(fivebar_settings INTERFACE $<BUILD_INTERFACE:--coverage>)
endif()
install(TARGETS fivebar_settings EXPORT fivebar_control COMPONENT development)

# fivebar_room(<room> SOURCES ... LINK ... [PRIVATE_LINK ...]): the library fivebar_<room> of the
# folder <room>/, with its public headers in include/fivebar_control/<room>/.
function(fivebar_room room)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  if(ARG_SOURCES)
    add_library(fivebar_${room} ${ARG_SOURCES})
    fivebar_precompile(fivebar_${room} FOR library)
    set(scope PUBLIC)
  else()
    add_library(fivebar_${room} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(fivebar_control::fivebar_${room} ALIAS fivebar_${room})
  target_include_directories(fivebar_${room} ${scope}
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(fivebar_${room} ${scope} fivebar_settings ${ARG_LINK})
  if(ARG_PRIVATE_LINK)
    target_link_libraries(fivebar_${room} PRIVATE ${ARG_PRIVATE_LINK})
  endif()
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  install(TARGETS fivebar_${room} EXPORT fivebar_control
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
