# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_coverage() { echo "lines that the suite runs, per room; at least 90 % in four rooms"; }
tools_coverage() { echo "gcovr"; }

check_coverage() {
  build coverage
  find build/coverage -name '*.gcda' -delete
  ctest --preset coverage -j "$jobs" -LE 'soak|random_plans' || true  # judged by the row suite
  gcovr --root . --object-directory build/coverage --exclude-unreachable-branches \
    --exclude 'build/.*' --exclude 'test/.*' --exclude 'bench/.*' --exclude '.*/ros/.*' \
    --json-summary "$records/coverage.json" --txt "$records/coverage.txt" -j "$jobs" build/coverage
  cat "$records/coverage.txt"
  python3 scripts/coverage_by_room.py "$records/coverage.json" 90 model planner controller hardware \
    >"$records/coverage.figure"
}
