# SPDX-License-Identifier: Apache-2.0
"""Runs on the simulated robot are those of the command line."""

import json
import unittest

import fivebar
import numpy as np
from common import CONFIG, Case, command, request

MISMATCHED = CONFIG / "plants" / "mismatched.yaml"


class Run(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plan = fivebar.plan(cls.robot, request())
        cls.mismatched = fivebar.load_plant(MISMATCHED)

    def test_the_log_has_the_bytes_of_the_commands_log(self):
        self.plan.save(self.folder / "plan.csv")
        for mode in ("feedforward+pd", "pd", "feedforward"):
            with self.subTest(mode):
                told = self.folder / "command.csv"
                command(
                    "run", self.folder / "plan.csv", "--fast", "--plant", MISMATCHED, "--mode", mode,
                    "--log", told,
                )
                log = fivebar.play(
                    self.robot, self.plan, mode=mode, plant=self.mismatched, log=self.folder / "log.csv"
                )
                self.assertEqual((self.folder / "log.csv").read_bytes(), told.read_bytes())
                self.assertEqual(log.file, str(self.folder / "log.csv"))

    def test_a_log_from_a_file_is_the_run(self):
        run = fivebar.play(self.robot, self.plan, plant=self.mismatched, log=self.folder / "log.csv")
        log = fivebar.load_log(self.folder / "log.csv")
        for name in ("t", "u1_applied", "phi4_measured", "x_measured", "state", "limited", "late"):
            self.assertTrue(np.array_equal(getattr(log, name), getattr(run, name)), name)
        self.assertEqual((log.ise, log.largest_error), (run.ise, run.largest_error))
        self.assertEqual((log.mode, log.ended, log.hardware), (run.mode, run.ended, run.hardware))

    def test_the_comparison_is_the_commands(self):
        self.plan.save(self.folder / "plan.csv")
        out = self.folder / "out.json"
        command(
            "compare", self.folder / "plan.csv", "--plant", MISMATCHED, "--no-report", "--json", out
        )
        told = json.loads(out.read_text())["plans"][0]
        found = fivebar.compare(self.robot, self.plan, plant=self.mismatched)
        for log, figures in ((found.pd, told["pd"]), (found.feedforward_pd, told["feedforward_pd"])):
            self.assertEqual(log.ended, figures["ended"])
            for mine, theirs in (
                ("ise", "ise"),
                ("largest_error", "largest_error"),
                ("feedback_rms", "feedback_rms"),
                ("largest_voltage", "largest_volts"),
                ("limited_cycles", "limited_cycles"),
            ):
                self.assertAlmostEqual(
                    getattr(log, mine), figures[theirs], delta=1e-12 * abs(figures[theirs])
                )
        self.assertAlmostEqual(found.ise_ratio, told["ise_ratio"], delta=1e-9)
        self.assertGreater(found.ise_ratio, 10)

    def test_without_a_plant_the_robot_is_the_model(self):
        log = fivebar.play(self.robot, self.plan, rate=500)
        self.assertEqual((log.ended, log.reason, log.rate), ("finished", "none", 500))
        self.assertLess(log.largest_error, 1e-3)
        self.assertEqual(log.file, "not logged")

    def test_a_run_that_the_guard_stops_says_why(self):
        weak = fivebar.parse_plant("{schema: 1, name: jammed, friction: {coulomb: 5.0}}")
        log = fivebar.play(self.robot, self.plan, plant=weak)
        self.assertEqual(log.ended, "fault")
        self.assertNotEqual(log.reason, "none")

    def test_gains_of_a_controller_count(self):
        text = (CONFIG / "controller.yaml").read_text()
        kp = fivebar.load_controller().kp
        # Soft gains follow from farther behind than the guard allows by default.
        text = text.replace("following_band: 0.12", "following_band: 0.5")
        soft = fivebar.parse_controller(text.replace(f"kp: {kp}", "kp: 5.0"))
        self.assertEqual(soft.kp, 5.0)
        loose = fivebar.play(self.robot, self.plan, mode="pd", controller=soft)
        self.assertGreater(loose.ise, fivebar.play(self.robot, self.plan, mode="pd").ise)


if __name__ == "__main__":
    unittest.main()
