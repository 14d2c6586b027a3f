# SPDX-License-Identifier: Apache-2.0
# `fivebar soak` for some minutes of robot time, and the checks that it makes.
fivebar_test(test_soak LABEL soak
  SOURCES cli/soak/test_monitor.cpp cli/soak/test_soak_command.cpp
  LINK fivebar_soak nlohmann_json::nlohmann_json)
target_compile_definitions(test_soak PRIVATE FIVEBAR_PROGRAM="$<TARGET_FILE:fivebar>")
add_dependencies(test_soak fivebar)
