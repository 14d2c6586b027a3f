# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE_DIR=... -DFOLDER=... -P: what fivebar_git_version says about a repository that grows in FOLDER.
include(${SOURCE_DIR}/cmake/git_version.cmake)
find_package(Git REQUIRED)

function(git)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} -c user.name=nobody -c user.email=nobody -c commit.gpgsign=false ${ARGN}
    WORKING_DIRECTORY ${FOLDER}/work OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(expect folder pattern why)
  fivebar_git_version(version ${folder} 1.2.3)
  if(NOT version MATCHES "^${pattern}$")
    message(SEND_ERROR "${why}: expected ${pattern}, got ${version}")
  endif()
endfunction()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/work/inner)
expect(${FOLDER}/work "1\\.2\\.3" "a tarball has the plain version")
git(init -q)
expect(${FOLDER}/work "1\\.2\\.3" "so has a repository without a commit")
git(commit -q --allow-empty -m one)
set(digit "[0-9]")
string(REPEAT ${digit} 12 time)
string(REPEAT "[0-9a-f]" 7 commit)
expect(${FOLDER}/work "1\\.2\\.3~git${time}\\.${commit}" "before its tag it is not yet the version")
expect(${FOLDER}/work/inner "1\\.2\\.3" "the repository around a tarball is not its own")
git(tag v1.2.3)
expect(${FOLDER}/work "1\\.2\\.3" "the tag is the version")
git(commit -q --allow-empty -m two)
expect(${FOLDER}/work "1\\.2\\.3\\+git${time}\\.${commit}" "after its tag it is more than the version")
git(clone -q --depth 1 --branch v1.2.3 file://${FOLDER}/work ${FOLDER}/tag)
expect(${FOLDER}/tag "1\\.2\\.3" "a shallow clone of the tag is the version")
file(REMOVE_RECURSE ${FOLDER})
