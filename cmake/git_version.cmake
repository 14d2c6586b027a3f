# SPDX-License-Identifier: Apache-2.0
# fivebar_git_version(<variable> <folder> <version>): the version of the sources in <folder>, such that newer ones
# sort later. In a Git work tree at the tag v<version>, and in sources without Git: <version>. After that tag
# <version>+gitTIME.COMMIT; before it <version>~gitTIME.COMMIT, which dpkg sorts before <version>. TIME is the
# commit's, in UTC. A work tree with changes adds .changed.
function(fivebar_git_version variable folder version)
  set(${variable} ${version} PARENT_SCOPE)
  find_package(Git QUIET)
  # The work tree must be ours: sources without Git may lie within the repository of somebody else.
  if(NOT Git_FOUND OR NOT EXISTS ${folder}/.git)
    return()
  endif()
  macro(fivebar_ask_git output)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env TZ=UTC ${GIT_EXECUTABLE} ${ARGN} WORKING_DIRECTORY ${folder}
      OUTPUT_VARIABLE ${output} OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  endmacro()
  fivebar_ask_git(commit rev-parse --verify --quiet HEAD)
  if(failed)
    return()
  endif()
  fivebar_ask_git(nothing diff --quiet HEAD)
  set(changed "")
  if(failed)
    set(changed .changed)
  endif()
  set(sign "+")
  fivebar_ask_git(tag rev-parse --verify --quiet v${version}^{commit})
  if(failed)
    set(sign "~")
  elseif(tag STREQUAL commit AND NOT changed)
    return()
  endif()
  fivebar_ask_git(time log -1 --format=%cd --date=format-local:%Y%m%d%H%M)
  string(SUBSTRING ${commit} 0 7 commit)  # not Git's own abbreviation, whose length differs between clones
  set(${variable} ${version}${sign}git${time}.${commit}${changed} PARENT_SCOPE)
endfunction()

# cmake -D FOLDER=... -P git_version.cmake: prints the version of the sources there.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  get_filename_component(FOLDER ${FOLDER} ABSOLUTE)
  file(STRINGS ${FOLDER}/CMakeLists.txt project REGEX "^project\\(fivebar_control VERSION ")
  string(REGEX REPLACE "^project\\(fivebar_control VERSION ([0-9.]+).*" "\\1" version "${project}")
  fivebar_git_version(version ${FOLDER} ${version})
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${version})
endif()
