# SPDX-License-Identifier: Apache-2.0
"""Errors are exceptions that say where and what."""

import math
import pickle
import unittest

import fivebar
import numpy as np
from common import CONFIG, Case, request


class Errors(Case):
    def test_a_bad_value_is_told_with_file_line_and_column(self):
        text = (CONFIG / "robot.yaml").read_text().splitlines()
        line = next(i for i, row in enumerate(text) if "gear_ratio" in row)
        column = text[line].index("gear_ratio")
        value = text[line].index(":", column) + 2
        text[line] = text[line][:value] + "fast" + text[line][value:]
        path = self.write("robot.yaml", "\n".join(text) + "\n")
        with self.assertRaises(fivebar.InputError) as caught:
            fivebar.load_robot(path)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), (str(path), line + 1, value + 1))
        self.assertTrue(str(error).startswith(f"{path}:{line + 1}:{value + 1}: "))
        self.assertIn("gear_ratio", str(error))

    def test_a_misspelled_key_is_told_with_its_place(self):
        text = (CONFIG / "curves" / "b.yaml").read_text().replace("time_step:", "time_stepp:")
        with self.assertRaises(fivebar.InputError) as caught:
            fivebar.parse_request(text, "cell 3")
        self.assertEqual(caught.exception.file, "cell 3")
        row = next(i for i, r in enumerate(text.splitlines(), 1) if r.startswith("time_stepp"))
        self.assertEqual((caught.exception.line, caught.exception.column), (row, 1))
        self.assertIn("did you mean 'time_step'?", str(caught.exception))

    def test_a_missing_file_has_no_line(self):
        for load in (fivebar.load_plan, fivebar.load_log, fivebar.load_plant, fivebar.sensitivity):
            with self.assertRaises(fivebar.InputError) as caught:
                load(self.folder / "nothing")
            self.assertEqual(caught.exception.file, str(self.folder / "nothing"))
            self.assertIsNone(caught.exception.line)
            self.assertIsNone(caught.exception.column)

    def test_a_changed_plan_is_refused_with_its_file(self):
        text = fivebar.plan(self.robot, request()).text()
        path = self.write("b.csv", text[:-2] + "1\n")
        with self.assertRaises(fivebar.InputError) as caught:
            fivebar.load_plan(path)
        self.assertEqual(caught.exception.file, str(path))
        self.assertIn("checksum", str(caught.exception))

    def test_a_plan_that_is_none_is_refused_at_its_first_line(self):
        with self.assertRaises(fivebar.InputError) as caught:
            fivebar.parse_plan("t,u1\n0,1\n", "table")
        self.assertEqual((caught.exception.file, caught.exception.line), ("table", 1))

    def test_any_bytes_in_a_file_make_a_readable_message(self):
        path = self.folder / "robot.yaml"
        path.write_bytes(b"schema: 1\nname: x\n\xff\xfe: 3\n")
        with self.assertRaises(fivebar.InputError):
            fivebar.load_robot(path)

    def test_files_that_cannot_be_written_are_told(self):
        plan = fivebar.plan(self.robot, request())
        with self.assertRaises(fivebar.InputError) as caught:
            plan.save(self.folder / "no" / "folder.csv")
        self.assertIn("folder.csv", caught.exception.file)

    def test_a_curve_out_of_reach_is_not_reachable(self):
        text = request().text.replace("center: [0.127, 0.127]", "center: [1.0, 1.0]")
        far = fivebar.parse_request(text)
        self.assertNotEqual(far.text, request().text)
        with self.assertRaisesRegex(fivebar.NotReachable, "leaves the workspace at t = 0 s"):
            fivebar.plan(self.robot, far)
        with self.assertRaises(fivebar.NotReachable):
            fivebar.Problem(self.robot, far)
        with self.assertRaises(fivebar.NotReachable):
            self.robot.angles(1.0, 1.0)

    def test_voltages_that_break_the_linkage_leave_the_workspace(self):
        nodes = request().nodes
        wild = np.vstack([np.full(nodes, 200.0), np.full(nodes, -200.0)])
        with self.assertRaises(fivebar.LeavesWorkspace) as caught:
            fivebar.simulate(self.robot, np.linspace(0, 6, nodes), wild)
        self.assertGreater(caught.exception.time, 0.0)
        for method in fivebar.GRADIENT_METHODS:
            with self.subTest(method), self.assertRaises(fivebar.LeavesWorkspace):
                fivebar.gradient(self.robot, request(), wild, method)
        with self.assertRaises(fivebar.LeavesWorkspace) as caught:
            fivebar.cost(self.robot, request(), wild)
        self.assertIsNone(caught.exception.time)

    def test_a_method_that_does_not_fit_the_mechanism_is_told(self):
        with self.assertRaisesRegex(fivebar.MechanismError, "adjoint-2 belongs to the maggi"):
            fivebar.sensitivity(CONFIG / "mechanisms" / "cart_pendulum.yaml", method="adjoint-2")

    def test_arguments_that_make_no_sense_are_value_errors(self):
        plan = fivebar.plan(self.robot, request())
        zero = np.zeros((2, 3))
        cases = [
            ("voltages: .*shape \\(2, 1201\\).*got shape \\(2, 3\\)",
             lambda: fivebar.cost(self.robot, request(), zero)),
            ("voltages: expected finite",
             lambda: fivebar.simulate(self.robot, [0, 1, 2], zero * math.nan)),
            ("times: expected increasing", lambda: fivebar.simulate(self.robot, [0, 1, 1], zero)),
            ("times: expected one row", lambda: fivebar.simulate(self.robot, [[0, 1]], zero)),
            ("step: expected", lambda: fivebar.simulate(self.robot, [0, 1, 2], zero, step=0)),
            ("1e-15 s would take", lambda: fivebar.simulate(self.robot, [0, 1, 2], zero, step=1e-15)),
            ("start: the links cannot close",
             lambda: fivebar.simulate(self.robot, [0, 1, 2], zero, start=(3.14, 0.0))),
            ("times: expected times from 0", lambda: request().points([7.0])),
            ("method: expected one of discrete-adjoint",
             lambda: fivebar.gradient(self.robot, request(), np.zeros((2, 1201)), "guess")),
            ("method: expected one of direct",
             lambda: fivebar.sensitivity(CONFIG / "mechanisms/cart_pendulum.yaml", method="x")),
            ("formulation: expected one of",
             lambda: fivebar.sensitivity(CONFIG / "mechanisms/cart_pendulum.yaml", formulation="x")),
            ("mode: expected", lambda: fivebar.play(self.robot, plan, mode="x")),
            ("hardware: expected", lambda: fivebar.play(self.robot, plan, hardware="x")),
            ("rate: expected", lambda: fivebar.play(self.robot, plan, rate=1)),
            ("solver: expected one of riccati, lbfgs", lambda: request().replace(solver="x")),
            ("guess: expected one of", lambda: request().replace(guess="x")),
            ("voltage_limit: expected", lambda: request().replace(voltage_limit=-1)),
            ("voltage_limit: expected", lambda: request().replace(voltage_limit="x")),
            ("alpha: expected a number from 0 to 1, got 2", lambda: request().replace(alpha=2)),
            ("gamma: needs a soft voltage", lambda: request().replace(gamma=1)),
            ("time_step: the duration", lambda: request().replace(time_step=0.0033)),
            ("time_step: expected", lambda: request().replace(time_step=math.nan)),
            ("volts: expected", lambda: self.robot.with_voltage_limit(0)),
        ]
        for message, call in cases:
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                call()

    def test_a_plan_of_another_robot_is_not_played(self):
        plan = fivebar.plan(self.robot, request())
        other = fivebar.load_robot(CONFIG / "robots" / "unequal.yaml")
        with self.assertRaisesRegex(fivebar.InputError, "was made for another robot"):
            fivebar.play(other, plan)

    def test_all_errors_have_one_base_and_survive_pickling(self):
        for leaf in (fivebar.NotReachable, fivebar.LeavesWorkspace, fivebar.MechanismError):
            self.assertTrue(issubclass(leaf, fivebar.Error))
        error = pickle.loads(pickle.dumps(fivebar.InputError("f:3: bad", "f", 3, None)))
        self.assertEqual((str(error), error.file, error.line), ("f:3: bad", "f", 3))


if __name__ == "__main__":
    unittest.main()
