# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_asan() { echo "the suite with address and undefined-behaviour sanitizers"; }
tools_asan() { echo ""; }

# sanitized_suite PRESET [LABELS]: builds and runs it, without the tests that have one of the LABELS. A
# sanitizer's report fails the row even if the test that caused it took no notice, as tests do that only
# look at a child's output.
sanitized_suite() {
  local reports=$records/$current.reports code=0
  rm -rf "$reports"
  mkdir -p "$reports"
  build "$1"
  ctest --preset "$1" -j "$jobs" -LE "soak|random_plans${2:+|$2}" || code=$?
  local count
  count=$(find "$reports" -type f | wc -l)
  ctest_figure
  echo "$(cat "$records/$current.figure"), $count reports" >"$records/$current.figure"
  if [ "$count" -gt 0 ]; then
    head -n 60 "$reports"/*
    return 1
  fi
  return $code
}

check_asan() {
  export ASAN_OPTIONS="log_path=$records/asan.reports/report:detect_leaks=1:strict_string_checks=1"
  export UBSAN_OPTIONS="log_path=$records/asan.reports/report:print_stacktrace=1"
  export LSAN_OPTIONS="suppressions=$PWD/test/sanitizers/leak.txt:print_suppressions=0"
  sanitized_suite asan
}
