# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_cppcheck() { echo "cppcheck over all C and C++: no finding"; }
tools_cppcheck() { echo "cppcheck"; }

check_cppcheck() {
  local folders=(support model planner multibody controller hardware report daemon bench test)
  local includes=(-I daemon -I hardware -I planner -I test) room
  for room in support model planner multibody controller hardware report; do
    includes+=(-I "$room/include")
  done
  mkdir -p build/check/cppcheck
  figure "$(git ls-files "${folders[@]}" | grep -c '\.\(cpp\|c\)$') files"
  cppcheck --quiet --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    --std=c++20 --std=c99 --library=googletest --suppressions-list=test/sanitizers/cppcheck.txt \
    --cppcheck-build-dir=build/check/cppcheck -j "$jobs" "${includes[@]}" "${folders[@]}"
}
