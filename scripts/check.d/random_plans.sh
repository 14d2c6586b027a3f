# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
about_random_plans() { echo "the planner on random reachable curves (ctest -L random_plans)"; }
tools_random_plans() { echo ""; }
check_random_plans() {
  labelled_tests random_plans '$2 == "all" {
    printf "%s%d of %d converged (worst: %d iterations)", separator, $4, $3, $7; separator = ", " }'
}
