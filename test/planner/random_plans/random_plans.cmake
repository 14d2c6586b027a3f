# SPDX-License-Identifier: Apache-2.0
# The planner on a thousand random curves and limits.
fivebar_test(test_random_plans LABEL random_plans
  SOURCES planner/random_plans/test_random_plans.cpp
  LINK fivebar_soak)
