# shellcheck shell=bash
about_properties() { echo "property tests with seeded random cases (ctest -L property)"; }
tools_properties() { echo ""; }

# Tests with a label, in the release build; a label that no test has is a failure.
labelled_tests() {
  build release
  local code=0
  ctest --preset release -L "^$1\$" --no-tests=error --verbose || code=$?
  ctest_figure
  return $code
}

check_properties() { labelled_tests property; }
