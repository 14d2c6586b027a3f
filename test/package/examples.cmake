# SPDX-License-Identifier: Apache-2.0
# The examples in C++, built as a project of its own against what was installed to ${stage}, and run.
set(examples ${PROJECT_BINARY_DIR}/test/examples)
set(example_flags "-Wall -Wextra -Wconversion -Wshadow")
if(FIVEBAR_WARNINGS_AS_ERRORS)
  string(APPEND example_flags " -Werror")
endif()
add_test(NAME Package.OthersCanLinkIt
  COMMAND ${CMAKE_CTEST_COMMAND}
    --build-and-test ${PROJECT_SOURCE_DIR}/examples ${examples}
    --build-generator ${CMAKE_GENERATOR}
    --build-options -DCMAKE_PREFIX_PATH=${stage} -DPython3_EXECUTABLE=${Python3_EXECUTABLE}
      -DCMAKE_CXX_FLAGS=${example_flags})
set_tests_properties(Package.OthersCanLinkIt PROPERTIES
  FIXTURES_REQUIRED package_stage FIXTURES_SETUP examples TIMEOUT 900)

# example_test(<name> <program> [argument ...]): runs in the folder of the examples.
function(example_test name program)
  add_test(NAME Example.${name} COMMAND ${examples}/${program} ${ARGN} WORKING_DIRECTORY ${examples})
  set_tests_properties(Example.${name} PROPERTIES
    FIXTURES_REQUIRED "package_stage;examples" TIMEOUT 300
    ENVIRONMENT FIVEBAR_CONFIG_DIR=${stage}/${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}/config)
endfunction()
example_test(Plan 01_plan)
example_test(Play 02_play)
example_test(OwnBackend 03_own_backend)
example_test(OwnMechanism 04_own_mechanism)
example_test(OwnLoop 05_own_loop b.plan.csv)
set_tests_properties(Example.Plan PROPERTIES FIXTURES_SETUP example_plan)
set_tests_properties(Example.OwnLoop PROPERTIES FIXTURES_REQUIRED "package_stage;examples;example_plan")
