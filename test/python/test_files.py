# SPDX-License-Identifier: Apache-2.0
"""Loading and saving."""

import math
import pathlib
import unittest

import fivebar
from common import CONFIG, Case, request


class Files(Case):
    def test_a_robot_tells_what_its_file_says(self):
        robot = fivebar.load_robot(CONFIG / "robot.yaml")
        text = (CONFIG / "robot.yaml").read_text()
        self.assertIn(robot.name, text)
        self.assertEqual(len(robot.parameters), 44)
        self.assertGreater(robot.parameters["links.link_1.length"], 0)
        self.assertEqual(robot.fingerprint, fivebar.parse_robot(text).fingerprint)

    def test_the_robot_without_a_path_is_the_packages_own(self):
        self.assertEqual(
            fivebar.load_robot().fingerprint, fivebar.load_robot(CONFIG / "robot.yaml").fingerprint
        )

    def test_paths_may_be_texts(self):
        self.assertEqual(fivebar.load_robot(str(CONFIG / "robot.yaml")).name, self.robot.name)

    def test_a_limit_of_voltages_does_not_change_the_robot_itself(self):
        weak = self.robot.with_voltage_limit(3.0)
        self.assertEqual(weak.voltage_limit, 3.0)
        self.assertNotEqual(self.robot.voltage_limit, 3.0)
        self.assertEqual(weak.fingerprint, self.robot.fingerprint)

    def test_pose_and_angles_undo_each_other(self):
        pose = self.robot.pose(*self.robot.home)
        for angle, home in zip(self.robot.angles(*pose.end_effector), self.robot.home):
            self.assertAlmostEqual(math.remainder(angle - home, math.tau), 0.0, places=12)

    def test_a_request_tells_its_curve(self):
        gentle = request("b_gentle")
        self.assertEqual(gentle.name, "curve B, gentle")
        self.assertEqual(gentle.duration, 6.0)  # 5 s and half of both ramps
        self.assertEqual(gentle.nodes, 1201)
        self.assertIsNone(gentle.voltage_limit)
        self.assertEqual([stage.alpha for stage in gentle.stages], [0.05])
        self.assertEqual(gentle.points([0.0]).tolist(), [[0.127, 0.127]])

    def test_a_request_is_replaced_and_not_changed(self):
        gentle = request("b_gentle")
        other = gentle.replace(solver="lbfgs", voltage_limit=5, time_step=0.01, rho=1e-8)
        self.assertEqual((other.solver, other.voltage_limit, other.nodes), ("lbfgs", 5.0, 601))
        self.assertEqual(other.stages[-1].rho, 1e-8)
        self.assertEqual((gentle.solver, gentle.nodes), ("riccati", 1201))
        self.assertEqual(other.replace(voltage_limit="none").voltage_limit, math.inf)
        self.assertIsNone(other.replace(voltage_limit="robot").voltage_limit)

    def test_a_request_reads_from_text(self):
        text = (CONFIG / "curves" / "b_gentle.yaml").read_text()
        self.assertEqual(fivebar.parse_request(text).text, request("b_gentle").text)

    def test_plants_and_controllers_read_from_text(self):
        plant = fivebar.parse_plant("{schema: 1, name: heavy, scale: {link_mass: 1.2}}")
        self.assertEqual(plant.name, "heavy")
        self.assertEqual(fivebar.Plant().name, "model")
        controller = fivebar.load_controller()
        text = (CONFIG / "controller.yaml").read_text()
        self.assertEqual(fivebar.parse_controller(text).kp, controller.kp)

    def test_a_plan_comes_back_to_the_last_bit(self):
        plan = fivebar.plan(self.robot, request())
        plan.save(self.folder / "b.csv")
        again = fivebar.load_plan(self.folder / "b.csv")
        for name in ("t", "u1", "u4", "phi1", "phi4", "dphi1", "dphi4", "x", "y"):
            self.assertEqual(getattr(again, name).tobytes(), getattr(plan, name).tobytes())
        self.assertEqual(again.text(), plan.text())
        self.assertEqual(fivebar.parse_plan(plan.text()).cost, plan.cost)
        self.assertEqual(fivebar.parse_request(plan.request_text).nodes, len(plan))

    def test_the_configuration_is_found_without_the_environment(self):
        package = pathlib.Path(fivebar.__file__).parent
        self.assertTrue((package / "config" / "robot.yaml").exists())


if __name__ == "__main__":
    unittest.main()
