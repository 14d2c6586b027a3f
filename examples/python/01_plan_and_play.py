# SPDX-License-Identifier: Apache-2.0
"""Plans curve B, plays it on a robot that is not quite the model, and keeps plan and log.

    python3 01_plan_and_play.py [FOLDER]
"""

import pathlib
import sys

import fivebar

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
folder.mkdir(parents=True, exist_ok=True)

robot = fivebar.load_robot()
request = fivebar.load_request(fivebar.find_config("curves/b_gentle.yaml"))


def tell(step):
    print(f"  iteration {step.number}: J = {step.cost:.6e}")


print(f"Planning '{request.name}' for '{robot.name}'")
plan = fivebar.plan(robot, request, progress=tell)
print(f"{plan.verdict}: P stays within {1e6 * plan.largest_error:.2f} um of the curve")
plan.save(folder / "b.plan.csv")  # the file that 'fivebar run' plays on real motors

# 20 % heavier than the model, with friction that the model does not know.
wrong = fivebar.load_plant(fivebar.find_config("plants/wrong.yaml"))
log = fivebar.play(robot, plan, plant=wrong, log=folder / "b.log.csv")
print(f"played on the plant '{wrong.name}': {log.ended}, error up to {1e3 * log.largest_error:.2f} mm")

both = fivebar.compare(robot, plan, plant=wrong)
print(f"feedforward+PD has {both.ise_ratio:.1f} times less squared error than PD alone")

assert plan.converged and log.ended == "finished" and both.ise_ratio > 10
