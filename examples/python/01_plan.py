# SPDX-License-Identifier: Apache-2.0
"""From a curve file to a plan: the voltages with which the model of the robot follows the curve.

    python3 01_plan.py [CURVE.yaml [PLAN.csv]]
"""

import sys

import fivebar

curve = sys.argv[1] if len(sys.argv) > 1 else fivebar.find_config("curves/b_gentle.yaml")
target = sys.argv[2] if len(sys.argv) > 2 else "b.plan.csv"

robot = fivebar.load_robot()
request = fivebar.load_request(curve)


def tell(step):
    print(f"  iteration {step.number}: J = {step.cost:.6e}")


plan = fivebar.plan(robot, request, progress=tell)
print(f"{plan.verdict}: P stays within {1e6 * plan.largest_error:.2f} um of the curve")
plan.save(target)  # the file that 'fivebar run' plays on real motors
print(f"wrote {target}")

assert plan.converged
