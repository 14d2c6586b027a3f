# SPDX-License-Identifier: Apache-2.0
# NLopt as the target NLopt::nlopt. Some distributions have two packages of CMake files under the one name, of which the
# one that is found may only know the C++ variant of the library. Used here and by those who use the installed package.
find_package(NLopt REQUIRED)
if(NOT TARGET NLopt::nlopt AND TARGET NLopt::nlopt_cxx)
  add_library(NLopt::nlopt INTERFACE IMPORTED)
  set_property(TARGET NLopt::nlopt PROPERTY INTERFACE_LINK_LIBRARIES NLopt::nlopt_cxx)
endif()
