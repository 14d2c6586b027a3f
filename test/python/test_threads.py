# SPDX-License-Identifier: Apache-2.0
"""Long functions let other Python threads run."""

import concurrent.futures
import sys
import threading
import time
import unittest

import fivebar
import numpy as np
from common import CONFIG, Case, request


def another_thread_runs_during(call, give_up):
    """Whether a waiting thread came to run while `call` was called again and again.

    With a switch interval of an hour no thread is ever asked to give up the interpreter: the other one
    can only run where `call` does so by itself. How long that takes on a busy machine does not matter.
    """
    gate = threading.Lock()
    gate.acquire()
    ran = []

    def wait_and_run():
        gate.acquire()
        ran.append(True)

    before = sys.getswitchinterval()
    sys.setswitchinterval(3600.0)
    try:
        other = threading.Thread(target=wait_and_run)
        other.start()
        gate.release()
        while not ran and not give_up():
            call()
        found = bool(ran)
    finally:
        sys.setswitchinterval(before)
    other.join()
    return found


class Threads(Case):
    def lets_others_run(self, call):
        end = time.monotonic() + 120.0
        self.assertTrue(another_thread_runs_during(call, lambda: time.monotonic() > end))

    def test_a_function_that_keeps_the_interpreter_is_found_out(self):
        calls = iter(range(20000))
        self.assertFalse(
            another_thread_runs_during(
                lambda: self.robot.pose(*self.robot.home), lambda: next(calls, None) is None
            )
        )

    def test_planning_lets_others_run(self):
        gentle = request()
        self.lets_others_run(lambda: fivebar.plan(self.robot, gentle))

    def test_planning_with_progress_lets_others_run(self):
        gentle = request()
        self.lets_others_run(lambda: fivebar.plan(self.robot, gentle, progress=lambda step: True))

    def test_simulation_lets_others_run(self):
        times = np.linspace(0.0, 1.0, 100)
        self.lets_others_run(lambda: fivebar.simulate(self.robot, times, np.zeros((2, 100))))

    def test_cost_and_gradient_let_others_run(self):
        gentle = request()
        problem = fivebar.Problem(self.robot, gentle)
        voltages = problem.guess()
        self.lets_others_run(lambda: fivebar.Problem(self.robot, gentle))
        self.lets_others_run(lambda: problem.cost(voltages))
        self.lets_others_run(lambda: problem.gradient(voltages))
        self.lets_others_run(lambda: fivebar.gradient(self.robot, gentle, voltages))

    def test_runs_let_others_run(self):
        plan = fivebar.plan(self.robot, request())
        self.lets_others_run(lambda: fivebar.play(self.robot, plan))
        self.lets_others_run(lambda: fivebar.compare(self.robot, plan))

    def test_sensitivities_let_others_run(self):
        mechanism = CONFIG / "mechanisms" / "cart_pendulum.yaml"
        self.lets_others_run(lambda: fivebar.sensitivity(mechanism, set={"duration": 0.1}))

    def test_files_let_others_run(self):
        plan = fivebar.plan(self.robot, request())
        path = self.folder / "plan.csv"
        plan.save(path)
        self.lets_others_run(lambda: fivebar.load_plan(path))
        self.lets_others_run(lambda: plan.save(path))

    def test_plans_made_at_the_same_time_are_those_made_one_by_one(self):
        names = ["a_gentle", "b_gentle", "c_gentle", "b_gentle"]
        alone = [fivebar.plan(self.robot, request(name)).text() for name in names]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            plans = pool.map(lambda name: fivebar.plan(self.robot, request(name)), names)
            self.assertEqual([plan.text() for plan in plans], alone)


if __name__ == "__main__":
    unittest.main()
