# SPDX-License-Identifier: Apache-2.0
# cpp-httplib as the target fivebar_httplib, when it is there. HTTPLIB_FOUND says whether it is.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(HTTPLIB QUIET IMPORTED_TARGET cpp-httplib)
endif()
# Its header calls OpenSSL inline, in versions from 0.15 on also for servers without TLS, and its .pc file does
# not say so to those who link the shared library.
if(HTTPLIB_FOUND AND "${HTTPLIB_CFLAGS}" MATCHES "CPPHTTPLIB_OPENSSL_SUPPORT")
  find_package(OpenSSL QUIET)
  if(NOT OPENSSL_FOUND)
    message(STATUS "cpp-httplib needs OpenSSL (package libssl-dev), which was not found")
    set(HTTPLIB_FOUND OFF)
  endif()
endif()
if(HTTPLIB_FOUND)
  add_library(fivebar_httplib INTERFACE)
  target_link_libraries(fivebar_httplib INTERFACE PkgConfig::HTTPLIB)
  if(OPENSSL_FOUND)
    target_link_libraries(fivebar_httplib INTERFACE OpenSSL::Crypto)
  endif()
endif()
