# SPDX-License-Identifier: Apache-2.0
# Settings of the build that everyone gets: repeatable, and hard to misuse. Instrumented builds have
# their own.
option(FIVEBAR_HARDEN "Compile and link repeatably and with the usual defences" ON)
if(NOT FIVEBAR_HARDEN OR FIVEBAR_SANITIZE OR FIVEBAR_COVERAGE)
  return()
endif()

# The same sources give the same program, whatever the directory they lie in.
target_compile_options(fivebar_settings INTERFACE
  $<BUILD_INTERFACE:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.;-Wdate-time>)

include(CheckPIESupported)
check_pie_supported()
target_compile_options(fivebar_settings INTERFACE
  $<BUILD_INTERFACE:-fstack-protector-strong;-fstack-clash-protection>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(fivebar_settings INTERFACE $<BUILD_INTERFACE:-fcf-protection=full>)
endif()
# Needs optimisation; a level that the distribution's compiler has set gives way to ours.
target_compile_options(fivebar_settings INTERFACE
  $<BUILD_INTERFACE:$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>>)
target_link_options(fivebar_settings INTERFACE
  $<BUILD_INTERFACE:LINKER:-z,relro,-z,now,-z,noexecstack>)
