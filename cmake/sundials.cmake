# SPDX-License-Identifier: Apache-2.0
# SUNDIALS IDA, when it is there (Debian: libsundials-dev, version 6 or newer): headers and sundials_libraries.
# FIVEBAR_SUNDIALS says whether it is. It is found by what it offers: the headers with contexts, a program that compiles.
include(CheckCXXSourceCompiles)
find_path(SUNDIALS_INCLUDE_DIR sundials/sundials_context.h)
set(FIVEBAR_SUNDIALS OFF)
set(sundials_libraries)
foreach(part ida nvecserial sunmatrixdense sunlinsoldense)
  find_library(SUNDIALS_${part} sundials_${part})
  list(APPEND sundials_libraries ${SUNDIALS_${part}})
endforeach()
find_library(SUNDIALS_core sundials_core)  # from version 7 on
if(SUNDIALS_core)
  list(APPEND sundials_libraries ${SUNDIALS_core})
endif()
if(SUNDIALS_INCLUDE_DIR AND NOT "${sundials_libraries}" MATCHES "NOTFOUND")
  set(CMAKE_REQUIRED_INCLUDES ${SUNDIALS_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${sundials_libraries})
  check_cxx_source_compiles("
    #include <ida/ida.h>
    #include <nvector/nvector_serial.h>
    #include <sunlinsol/sunlinsol_dense.h>
    int main()
    {
      SUNContext context = nullptr;
    #ifdef SUN_COMM_NULL
      SUNContext_Create(SUN_COMM_NULL, &context);
    #else
      SUNContext_Create(nullptr, &context);
    #endif
      N_Vector x = N_VNew_Serial(1, context);
      SUNMatrix a = SUNDenseMatrix(1, 1, context);
      return SUNLinSol_Dense(x, a, context) != nullptr && IDACreate(context) != nullptr ? 0 : 1;
    }" FIVEBAR_SUNDIALS_COMPILES)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(FIVEBAR_SUNDIALS ${FIVEBAR_SUNDIALS_COMPILES})
endif()
if(FIVEBAR_SUNDIALS)
  message(STATUS "SUNDIALS: ${SUNDIALS_ida}; the integrator 'bdf' and its tests are built")
else()
  message(STATUS "SUNDIALS: not found (IDA of the package libsundials-dev, version 6 or newer); "
    "the integrator 'bdf' will only say so, and its tests do not run")
endif()
