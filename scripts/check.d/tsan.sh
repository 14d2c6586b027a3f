# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_tsan() { echo "all tests with threads under thread sanitizer: daemon, logger, live view, signals"; }
tools_tsan() { echo ""; }

check_tsan() {
  export TSAN_OPTIONS="log_path=$records/tsan.reports/report:suppressions=$PWD/test/sanitizers/thread.txt:print_suppressions=0"
  sanitized_suite tsan 'one_thread|property'
  left_out "$(ctest --preset tsan -N -L 'one_thread|property' | sed -n 's/^Total Tests: //p')" \
    "tests labelled one_thread or property, in which no second thread is ever started"
}
