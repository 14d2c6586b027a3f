# SPDX-License-Identifier: Apache-2.0
# Run by CPack when everything is staged: what Debian wants of installed files and nobody else does.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/man*/*.[1-9])
if(pages)
  execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
file(GLOB_RECURSE libraries ${CPACK_TEMPORARY_DIRECTORY}/*/usr/lib/*.a)
if(libraries)
  execute_process(COMMAND strip --strip-debug --remove-section=.comment --enable-deterministic-archives
    ${libraries} COMMAND_ERROR_IS_FATAL ANY)
endif()
