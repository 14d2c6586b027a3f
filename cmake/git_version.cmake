# SPDX-License-Identifier: Apache-2.0
# fivebar_git_version(<variable> <folder> <version>): the version of a source tree, such as 0.1.0+12.gabcdef0: with
# the number of commits since the tag v<version>, or since the beginning, and the commit. On the tag itself, and
# where there is no Git, it is <version>.
function(fivebar_git_version variable folder version)
  set(${variable} ${version} PARENT_SCOPE)
  find_package(Git QUIET)
  # The work tree must be ours: a tarball may lie within the repository of somebody else.
  if(NOT Git_FOUND OR NOT EXISTS ${folder}/.git)
    return()
  endif()
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse HEAD
    WORKING_DIRECTORY ${folder}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    return()
  endif()
  string(SUBSTRING ${commit} 0 7 commit)  # not Git's own abbreviation, whose length differs between clones
  set(range HEAD)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --verify --quiet v${version}^{commit}
    WORKING_DIRECTORY ${folder} OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE no_tag)
  if(NOT no_tag)
    set(range v${version}..HEAD)
  endif()
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-list --count ${range}
    WORKING_DIRECTORY ${folder}
    OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --is-shallow-repository
    WORKING_DIRECTORY ${folder}
    OUTPUT_VARIABLE shallow OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(count STREQUAL "0")
    return()
  elseif(shallow STREQUAL "true")
    set(${variable} ${version}+g${commit} PARENT_SCOPE)  # the number of commits is not known
  else()
    set(${variable} ${version}+${count}.g${commit} PARENT_SCOPE)
  endif()
endfunction()
