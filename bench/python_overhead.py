# SPDX-License-Identifier: Apache-2.0
"""Planning time from Python against the command's own, as a ratio of CPU times.

    PYTHONPATH=build/release/python python3 bench/python_overhead.py build/release/cli/fivebar [ROUNDS]

Both do the same, from the files of robot and curve to the plan's file; the command's is the CPU time of
its process less that of one that does nothing ('fivebar --version'), Python's that of the calls. They
take turns, so that both see the same machine, and the least of each counts. The plan is large (20,001
nodes) to make the start of a process small beside it. The second line is planning alone, by the clock: the
call of plan() against the seconds that the command reports.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import fivebar


def cpu_of_command(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(a) for a in arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def planning_seconds(program, curve, robot, target):
    """What the command itself says that planning took."""
    command = [program, "plan", curve, "--robot", robot, "--quiet", "--out", target, "--json", "-"]
    run = subprocess.run([str(a) for a in command], check=True, capture_output=True)
    return json.loads(run.stdout)["seconds"]


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    command, python, nothing = [], [], []
    own_planning, planning = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        robot = fivebar.find_config("robot.yaml")
        curve = folder / "curve.yaml"
        text = pathlib.Path(fivebar.find_config("curves/b_gentle.yaml")).read_text()
        curve.write_text(text.replace("time_step: 0.005 ", "time_step: 0.0003 "))
        for _ in range(rounds):
            nothing.append(cpu_of_command(program, "--version"))
            command.append(
                cpu_of_command(
                    program, "plan", curve, "--robot", robot, "--quiet",
                    "--out", folder / "command.csv",
                )
            )
            begin = time.process_time()
            inputs = fivebar.load_robot(robot), fivebar.load_request(curve)
            before = time.perf_counter()
            plan = fivebar.plan(*inputs)
            planning.append(time.perf_counter() - before)
            plan.save(folder / "python.csv")
            python.append(time.process_time() - begin)
            own_planning.append(planning_seconds(program, curve, robot, folder / "command.csv"))
        equal = (folder / "command.csv").read_bytes() == (folder / "python.csv").read_bytes()
    own = min(command) - min(nothing)
    print(f"{len(plan)} nodes, {rounds} rounds, least of each; plans {'equal' if equal else 'DIFFER'}")
    print(f"CPU: command {own:.4f} s, Python {min(python):.4f} s, ratio {min(python) / own:.3f}")
    print(
        f"planning: command {min(own_planning):.4f} s, Python {min(planning):.4f} s, "
        f"ratio {min(planning) / min(own_planning):.3f}"
    )


if __name__ == "__main__":
    main()
