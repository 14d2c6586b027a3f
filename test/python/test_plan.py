# SPDX-License-Identifier: Apache-2.0
"""Plans are those of the command line."""

import signal
import sys
import threading
import unittest

import fivebar
from common import CONFIG, Case, command, request


class Planning(Case):
    def test_a_plan_has_the_bytes_of_the_commands_plan(self):
        for name in ("a", "b_gentle", "c_soft"):
            with self.subTest(name):
                target = self.folder / "command.csv"
                command("plan", CONFIG / "curves" / f"{name}.yaml", "--out", target, "--quiet")
                fivebar.plan(self.robot, request(name)).save(self.folder / "python.csv")
                self.assertEqual((self.folder / "python.csv").read_bytes(), target.read_bytes())

    def test_replaced_values_act_as_the_commands_options(self):
        target = self.folder / "command.csv"
        command(
            "plan", CONFIG / "curves" / "b.yaml", "--out", target, "--quiet", "--guess", "zero",
            "--voltage-limit", "8", "--time-step", "0.01", "--rho", "1e-8",
        )
        changed = request("b").replace(guess="zero", voltage_limit=8, time_step=0.01, rho=1e-8)
        self.assertEqual(fivebar.plan(self.robot, changed).text(), target.read_text())

    def test_progress_is_told_every_iteration(self):
        seen = []
        plan = fivebar.plan(self.robot, request(), progress=seen.append)
        self.assertTrue(plan.converged)
        self.assertEqual([step.cost for step in plan.history][-1], seen[-1].cost)
        self.assertEqual(seen[-1].number, plan.iterations)
        self.assertGreater(seen[0].projected_gradient, seen[-1].projected_gradient)

    def test_a_progress_that_returns_false_cancels(self):
        plan = fivebar.plan(
            self.robot, request("c").replace(guess="zero"), progress=lambda step: step.number < 2
        )
        self.assertEqual(plan.verdict, "cancelled")
        self.assertFalse(plan.converged)

    def test_an_exception_in_progress_comes_out_of_every_solver(self):
        for solver in ("riccati", "lbfgs", "mma"):
            with self.subTest(solver), self.assertRaisesRegex(KeyError, "mine"):
                coarse = request().replace(solver=solver, time_step=0.05, guess="zero")
                fivebar.plan(self.robot, coarse, progress=lambda step: {}["mine"])

    def test_a_solver_without_time_to_converge_says_so(self):
        plan = fivebar.plan(self.robot, request("c").replace(guess="zero", max_iterations=1))
        self.assertEqual(plan.verdict, "iteration limit")

    def test_warnings_of_the_planner_are_sentences(self):
        plan = fivebar.plan(self.robot, request("b").replace(voltage_limit="none"))
        self.assertTrue(any("the start dominates the plan" in text for text in plan.warnings))

    def test_an_interrupt_ends_a_plan_that_has_no_progress_function(self):
        # The other thread runs only once planning has given up the interpreter (test_threads.py says
        # why), and planning takes far longer than the 50 ms between two looks for signals.
        long = request("b").replace(guess="zero", time_step=0.00005, tolerance=1e-16)
        gate = threading.Lock()
        gate.acquire()
        events = []

        def interrupt():
            gate.acquire()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        def watch(frame, event, argument):
            if argument is fivebar.plan:
                events.append(event)

        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        before = sys.getswitchinterval()
        sys.setswitchinterval(3600.0)
        other = threading.Thread(target=interrupt)
        other.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                gate.release()
                sys.setprofile(watch)
                fivebar.plan(self.robot, long)
        finally:
            sys.setprofile(None)
            sys.setswitchinterval(before)
            other.join()
            signal.signal(signal.SIGINT, handler)
        # A plan that had been finished would have returned before the interrupt came out.
        self.assertEqual(events, ["c_call", "c_exception"])

    def test_figures_are_those_of_the_file(self):
        plan = fivebar.plan(self.robot, request())
        self.assertIn(f"name: \"{plan.robot_name}\"", plan.text())
        self.assertLess(plan.largest_voltage, self.robot.voltage_limit)
        self.assertLess(plan.largest_error, 1e-3)
        self.assertEqual(plan.package_version, fivebar.__version__)
        self.assertIn("converged", repr(plan))


class Simulation(Case):
    def test_the_response_is_the_commands(self):
        plan = fivebar.plan(self.robot, request())
        plan.save(self.folder / "plan.csv")
        out = self.folder / "out.csv"
        for step in (None, 0.002):
            command(
                "simulate", "--voltages", self.folder / "plan.csv", "--out", out,
                *([] if step is None else ["--step", step]),
            )
            response = fivebar.simulate(self.robot, plan.t, plan.voltages, step=step)
            rows = [row for row in out.read_text().splitlines() if not row.startswith("#")]
            self.assertEqual(rows[0], "t,u1,u4,phi1,phi4,dphi1,dphi4,x,y")
            for index, name in enumerate(rows[0].split(",")):
                told = [float(row.split(",")[index]) for row in rows[1:]]
                self.assertEqual(told, getattr(response, name).tolist())

    def test_a_start_is_where_the_motion_begins(self):
        response = fivebar.simulate(self.robot, [0, 0.1], [[0, 0], [0, 0]], start=self.robot.home)
        self.assertEqual((response.phi1[0], response.phi4[0]), self.robot.home)


if __name__ == "__main__":
    unittest.main()
