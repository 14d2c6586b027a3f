# shellcheck shell=bash
about_random_plans() { echo "the planner on random reachable curves (ctest -L random_plans)"; }
tools_random_plans() { echo ""; }
check_random_plans() { labelled_tests random_plans; }
