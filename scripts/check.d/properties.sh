# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_properties() { echo "property tests with seeded random cases (ctest -L property)"; }
tools_properties() { echo ""; }

# labelled_tests LABEL AWK: the tests with that label, in the release build; none is a failure. AWK makes
# the figure from what they print.
labelled_tests() {
  build release
  local code=0
  ctest --preset release -L "^$1\$" --no-tests=error --verbose || code=$?
  ctest_figure "$(awk "$2" "$records/$current.log")"
  return $code
}

check_properties() {
  labelled_tests property '/\[ property \]/ { cases += $5 } END { print cases " cases" }'
}
