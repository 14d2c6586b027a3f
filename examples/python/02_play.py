# SPDX-License-Identifier: Apache-2.0
"""Plans a curve and plays it on a simulated robot that is not quite the model, with and without the planned voltages.

    python3 02_play.py [LOG.csv]
"""

import sys

import fivebar

target = sys.argv[1] if len(sys.argv) > 1 else "b.log.csv"

robot = fivebar.load_robot()
plan = fivebar.plan(robot, fivebar.load_request(fivebar.find_config("curves/b_gentle.yaml")))

# 20 % heavier than the model, with friction that the model does not know.
mismatched = fivebar.load_plant(fivebar.find_config("plants/mismatched.yaml"))
log = fivebar.play(robot, plan, plant=mismatched, log=target)  # for 'fivebar report' and 'animate'
print(f"played on the plant '{mismatched.name}': {log.ended}, P within {1e3 * log.largest_error:.2f} mm")

both = fivebar.compare(robot, plan, plant=mismatched)
print(f"feedforward+PD has {both.ise_ratio:.1f} times less squared error than PD alone")

assert log.ended == "finished" and both.ise_ratio > 10
