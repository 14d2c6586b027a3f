"""Planning time from Python against the command's own, as a ratio of CPU times.

    PYTHONPATH=build/release/python python3 bench/python_overhead.py build/release/daemon/fivebar [ROUNDS]

Both do the same, from the files of robot and curve to the plan's file; the command's is the CPU time of
its process less that of one that does nothing ('fivebar --version'), Python's that of the calls. They
take turns, so that both see the same machine, and the least of each counts. The plan is large (20,001
nodes) to make the start of a process small beside it. A second line compares the planning itself: the
command's 'seconds' and Python's `seconds`, which the same code measures by the wall clock.
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


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    command, python, nothing, command_seconds, python_seconds = [], [], [], [], []
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
                    "--out", folder / "command.csv", "--json", folder / "command.json",
                )
            )
            command_seconds.append(json.loads((folder / "command.json").read_text())["seconds"])
            begin = time.process_time()
            plan = fivebar.plan(fivebar.load_robot(robot), fivebar.load_request(curve))
            plan.save(folder / "python.csv")
            python.append(time.process_time() - begin)
            python_seconds.append(plan.seconds)
        equal = (folder / "command.csv").read_bytes() == (folder / "python.csv").read_bytes()
    own = min(command) - min(nothing)
    print(f"{len(plan)} nodes, {rounds} rounds, least of each; plans {'equal' if equal else 'DIFFER'}")
    print(f"files to file: command {own:.4f} s CPU, Python {min(python):.4f} s CPU, ratio {min(python) / own:.3f}")
    print(
        f"planning:      command {min(command_seconds):.4f} s, Python {min(python_seconds):.4f} s, "
        f"ratio {min(python_seconds) / min(command_seconds):.3f}"
    )


if __name__ == "__main__":
    main()
