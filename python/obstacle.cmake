# SPDX-License-Identifier: Apache-2.0
# Sets `obstacle` to the reason why the module cannot be built, or to nothing, and `instrumented`.
set(obstacle)
set(instrumented OFF)
if(FIVEBAR_SANITIZE OR FIVEBAR_COVERAGE)
  set(instrumented ON)
  set(obstacle "sanitizers and coverage need a Python that is built with them")
  return()
endif()

find_package(Python3 QUIET COMPONENTS Interpreter Development.Module)
if(NOT Python3_Interpreter_FOUND)
  set(obstacle "no Python 3 was found")
  return()
endif()
if(NOT Python3_Development.Module_FOUND)
  set(obstacle "${Python3_EXECUTABLE} has no headers (Debian: python3-dev)")
  return()
endif()
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import numpy"
  RESULT_VARIABLE no_numpy OUTPUT_QUIET ERROR_QUIET)
if(NOT no_numpy EQUAL 0)
  set(obstacle "${Python3_EXECUTABLE} has no numpy (Debian: python3-numpy)")
  return()
endif()

# Headers only: Python was found above.
set(PYBIND11_NOPYTHON ON)
find_package(pybind11 QUIET CONFIG)
if(NOT pybind11_FOUND)
  set(obstacle "pybind11 was not found (Debian: pybind11-dev)")
endif()
