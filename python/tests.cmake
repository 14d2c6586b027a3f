# SPDX-License-Identifier: Apache-2.0
# Tests and examples of the module. The program is there to compare with.
set(test_environment
  "PYTHONPATH=${CMAKE_CURRENT_BINARY_DIR}"
  "FIVEBAR_PROGRAM=$<TARGET_FILE:fivebar>"
  "FIVEBAR_CONFIG_DIR=${PROJECT_SOURCE_DIR}/config"
  "MPLCONFIGDIR=${CMAKE_CURRENT_BINARY_DIR}/matplotlib")

# fivebar_python_test(<name> <script> [argument ...]): 77 means skipped, with a printed reason.
function(fivebar_python_test name script)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "${test_environment}" LABELS python SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()

set(tests ${PROJECT_SOURCE_DIR}/test/python)
fivebar_python_test(Python.Files ${tests}/test_files.py)
fivebar_python_test(Python.Arrays ${tests}/test_arrays.py)
fivebar_python_test(Python.Errors ${tests}/test_errors.py)
fivebar_python_test(Python.Plan ${tests}/test_plan.py)
fivebar_python_test(Python.Gradient ${tests}/test_gradient.py)
fivebar_python_test(Python.Run ${tests}/test_run.py)
fivebar_python_test(Python.Sensitivity ${tests}/test_sensitivity.py)
fivebar_python_test(Python.Threads ${tests}/test_threads.py)
fivebar_python_test(Python.Stubs ${tests}/test_stubs.py)
fivebar_python_test(Python.Pandas ${tests}/test_pandas.py)
fivebar_python_test(Python.Install ${tests}/test_install.py
  ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${python_dir})

set(examples ${PROJECT_SOURCE_DIR}/examples/python)
set(output ${CMAKE_CURRENT_BINARY_DIR}/examples)
file(MAKE_DIRECTORY ${output})
fivebar_python_test(PythonExample.Plan ${examples}/01_plan.py
  ${PROJECT_SOURCE_DIR}/config/curves/b_gentle.yaml ${output}/b.plan.csv)
fivebar_python_test(PythonExample.Play ${examples}/02_play.py ${output}/b.log.csv)
fivebar_python_test(PythonExample.OwnMechanism ${examples}/04_own_mechanism.py)
fivebar_python_test(PythonExample.OwnOptimiser ${examples}/06_own_optimiser.py)
fivebar_python_test(PythonExample.CurveToFigure ${examples}/07_curve_to_figure.py ${output}/curve.png)
