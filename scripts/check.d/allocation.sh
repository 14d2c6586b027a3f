# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_allocation() { echo "no allocation, lock or system call in the update and the hardware's cycle"; }
tools_allocation() { echo ""; }

check_allocation() {
  build release
  local code=0
  ctest --preset release -R 'Allocat' --no-tests=error || code=$?
  ctest_figure
  return $code
}
