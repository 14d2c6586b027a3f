# SPDX-License-Identifier: Apache-2.0
# Manual pages and shell completion, which the program writes about itself. They are made with the program, so that
# `cmake --install` needs nothing else to be built; a program for another processor cannot be asked.
if(CMAKE_CROSSCOMPILING)
  message(STATUS "Cross build: no manual pages, no shell completion")
  return()
endif()
set(share ${CMAKE_CURRENT_BINARY_DIR}/share)
add_custom_command(TARGET fivebar POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}
  COMMAND fivebar man --folder ${share}/man1
  COMMAND fivebar completion bash --out ${share}/fivebar
  COMMAND fivebar completion zsh --out ${share}/_fivebar
  COMMAND fivebar completion fish --out ${share}/fivebar.fish
  COMMENT "Manual pages and shell completion" VERBATIM)
install(DIRECTORY ${share}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${share}/fivebar DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${share}/_fivebar DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${share}/fivebar.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
