# SPDX-License-Identifier: Apache-2.0
# The comfort of the command line: help, version, standard output, colours, check, init, completion, manual.
fivebar_test(test_command_line
  SOURCES cli/test_check_command.cpp cli/test_completion.cpp cli/test_help.cpp cli/test_init_command.cpp
    cli/test_manual.cpp cli/test_standard_output.cpp cli/test_terminal.cpp
  LINK nlohmann_json::nlohmann_json)
target_compile_definitions(test_command_line PRIVATE
  FIVEBAR_PROGRAM="$<TARGET_FILE:fivebar>" FIVEBAR_VERSION="${PROJECT_VERSION}")
add_dependencies(test_command_line fivebar)

# Excite, identify and learn, and what they refuse.
fivebar_test(test_learning_commands
  SOURCES cli/test_learning_commands.cpp LINK nlohmann_json::nlohmann_json)
target_compile_definitions(test_learning_commands PRIVATE FIVEBAR_PROGRAM="$<TARGET_FILE:fivebar>")
add_dependencies(test_learning_commands fivebar)

# The pendulum on the robot.
fivebar_test(test_balance_command
  SOURCES cli/test_balance_command.cpp LINK nlohmann_json::nlohmann_json)
target_compile_definitions(test_balance_command PRIVATE FIVEBAR_PROGRAM="$<TARGET_FILE:fivebar>")
add_dependencies(test_balance_command fivebar)

add_test(NAME Example.UnknownRobot
  COMMAND bash ${PROJECT_SOURCE_DIR}/examples/08_unknown_robot.sh ${CMAKE_CURRENT_BINARY_DIR}/unknown_robot)
set_tests_properties(Example.UnknownRobot PROPERTIES
  ENVIRONMENT "PATH=$<TARGET_FILE_DIR:fivebar>:$ENV{PATH}" TIMEOUT 300)

find_package(Git QUIET)
if(Git_FOUND)
  add_test(NAME Version.NamesTheCommitUnlessItIsTheTag
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/git_version
      -P ${CMAKE_CURRENT_SOURCE_DIR}/cli/test_git_version.cmake)
endif()

if(NOT CMAKE_CROSSCOMPILING)
  set(stage ${PROJECT_BINARY_DIR}/stage)
  add_test(NAME Package.HasManualPagesAndCompletion
    COMMAND ${CMAKE_COMMAND} -E cat
      ${stage}/${CMAKE_INSTALL_MANDIR}/man1/fivebar.1 ${stage}/${CMAKE_INSTALL_MANDIR}/man1/fivebar-plan.1
      ${stage}/${CMAKE_INSTALL_DATADIR}/bash-completion/completions/fivebar
      ${stage}/${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions/_fivebar
      ${stage}/${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/fivebar.fish)
  set_tests_properties(Package.HasManualPagesAndCompletion PROPERTIES FIXTURES_REQUIRED package_stage)
endif()
