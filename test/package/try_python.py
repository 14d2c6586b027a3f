# SPDX-License-Identifier: Apache-2.0
"""What somebody does who has installed python3-fivebar; run by scripts/check package."""
import fivebar

assert fivebar.__file__.startswith('/usr/lib/python3'), fivebar.__file__
robot = fivebar.load_robot()
plan = fivebar.plan(robot, fivebar.load_request(fivebar.find_config('curves/b_gentle.yaml')))
plant = fivebar.load_plant(fivebar.find_config('plants/mismatched.yaml'))
ratio = fivebar.compare(robot, plan, plant=plant).ise_ratio
print(f'{fivebar.__file__}: {plan.verdict}, {len(plan.u1)} nodes, ISE of PD / feedforward+PD {ratio:.1f}')
assert plan.verdict == 'converged' and ratio > 10
