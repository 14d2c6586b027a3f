# SPDX-License-Identifier: Apache-2.0
# fivebar_embed(<target> <namespace> <file>...): each file becomes a std::string_view in that namespace,
# named like the file with '_' for '.', so that the program needs no data files.
function(fivebar_embed target namespace)
  set(definitions "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} content)
    get_filename_component(name ${file} NAME)
    string(REPLACE "." "_" name ${name})
    string(APPEND definitions
      "extern const std::string_view ${name};\nconst std::string_view ${name} = R\"~~~(${content})~~~\";\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_pages.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
    "#include <string_view>\n\nnamespace ${namespace}\n{\n@definitions@}\n" @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()
