# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_suite() { echo "the ordinary suite, release build, as scripts/test runs it"; }
tools_suite() { echo ""; }

# ctest_figure [MORE]: the last line of ctest as a figure, "512 tests, 0 failed", and what the tests say.
ctest_figure() {
  figure "$(sed -n 's/^\([0-9]*\)% tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\3 tests, \2 failed/p' \
    "$records/$current.log" | tail -n 1)${1:+, $1}"
}

check_suite() {
  local code=0
  scripts/test || code=$?
  ctest_figure
  return $code
}
