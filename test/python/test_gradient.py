# SPDX-License-Identifier: Apache-2.0
"""Cost and gradient."""

import json
import unittest

import fivebar
import numpy as np
from common import CONFIG, Case, command, request


class Gradient(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.request = request().replace(time_step=0.05)
        cls.plan = fivebar.plan(cls.robot, cls.request)
        # Not at the optimum, where there is nothing to compare.
        cls.voltages = 0.9 * cls.plan.voltages

    def test_the_methods_of_the_discretised_problem_agree_with_differences_of_the_cost(self):
        problem = fivebar.Problem(self.robot, self.request)
        differences = np.empty_like(self.voltages)
        step = 1e-4
        for index in np.ndindex(*self.voltages.shape):
            moved = self.voltages.copy()
            moved[index] += step
            above = problem.cost(moved)
            moved[index] -= 2 * step
            differences[index] = (above - problem.cost(moved)) / (2 * step)
        size = np.linalg.norm(differences)
        exact = [name for name in fivebar.GRADIENT_METHODS if "hamiltonian" not in name]
        self.assertEqual(len(exact), 4)
        for method in exact:
            with self.subTest(method):
                cost, gradient = problem.gradient(self.voltages, method)
                self.assertEqual(gradient.shape, self.voltages.shape)
                self.assertAlmostEqual(cost, problem.cost(self.voltages), delta=1e-12 * cost)
                self.assertLess(np.linalg.norm(gradient - differences), 1e-6 * size)

    def test_the_continuous_adjoints_come_near_as_the_step_to_the_fourth(self):
        for method in ("hamiltonian-absolute", "hamiltonian-joint"):
            found = []
            for step in (0.02, 0.01):
                problem = fivebar.Problem(self.robot, self.request.replace(time_step=step))
                voltages = 0.9 * problem.guess()
                _, exact = problem.gradient(voltages)
                _, gradient = problem.gradient(voltages, method)
                found.append(np.linalg.norm(gradient - exact) / np.linalg.norm(exact))
            with self.subTest(method):
                self.assertLess(found[1], 1e-4)  # 2.6e-5
                self.assertGreater(found[0] / found[1], 10)

    def test_cost_and_gradient_are_the_commands(self):
        self.plan.save(self.folder / "plan.csv")
        out = self.folder / "out.json"
        command(
            "gradient", CONFIG / "curves" / "b_gentle.yaml", "--time-step", "0.05",
            "--method", "all", "--at", self.folder / "plan.csv", "--json", out,
        )
        told = json.loads(out.read_text())["gradients"]
        self.assertEqual(tuple(one["method"] for one in told), fivebar.GRADIENT_METHODS)
        for one in told:
            cost, gradient = fivebar.gradient(
                self.robot, self.request, self.plan.voltages, one["method"]
            )
            self.assertEqual(cost, one["cost"])
            self.assertEqual(gradient.tolist(), [one["du1"], one["du4"]])

    def test_the_cost_of_a_plan_is_the_plans_cost(self):
        found = fivebar.cost(self.robot, self.request, self.plan.voltages)
        self.assertAlmostEqual(found, self.plan.cost, delta=1e-12 * self.plan.cost)

    def test_the_guess_is_where_the_solver_begins(self):
        problem = fivebar.Problem(self.robot, self.request)
        self.assertEqual(problem.guess().shape, (2, problem.nodes))
        self.assertFalse(fivebar.Problem(self.robot, self.request.replace(guess="zero")).guess().any())
        first = self.plan.history[0].cost
        self.assertAlmostEqual(problem.cost(problem.guess()), first, delta=1e-9 * first)

    def test_a_problem_keeps_robot_and_request_alive(self):
        problem = fivebar.Problem(fivebar.load_robot(), request().replace(time_step=0.05))
        self.assertEqual(problem.voltage_limit, self.robot.voltage_limit)
        self.assertEqual(problem.time_step, 0.05)
        self.assertEqual(
            problem.cost(self.voltages), fivebar.cost(self.robot, self.request, self.voltages)
        )


if __name__ == "__main__":
    unittest.main()
