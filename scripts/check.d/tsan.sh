# shellcheck shell=bash
about_tsan() { echo "the suite with thread sanitizer: daemon, logger, live view, signals"; }
tools_tsan() { echo ""; }

check_tsan() {
  export TSAN_OPTIONS="log_path=$records/tsan.reports/report:suppressions=$PWD/test/sanitizers/thread.txt:print_suppressions=0"
  sanitized_suite tsan
}
