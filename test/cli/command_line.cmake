# The comfort of the command line: help, version, standard output, colours, check, init, completion, manual.
fivebar_test(test_command_line
  SOURCES cli/test_check_command.cpp cli/test_completion.cpp cli/test_help.cpp cli/test_init_command.cpp
    cli/test_manual.cpp cli/test_standard_output.cpp cli/test_terminal.cpp
  LINK nlohmann_json::nlohmann_json)
target_compile_definitions(test_command_line PRIVATE
  FIVEBAR_PROGRAM="$<TARGET_FILE:fivebar>" FIVEBAR_VERSION="${PROJECT_VERSION}")
add_dependencies(test_command_line fivebar)
