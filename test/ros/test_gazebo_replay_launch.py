# SPDX-License-Identifier: Apache-2.0
"""Plans in real Gazebo, by action, through gz_ros2_control and our plugin: volts and encoders."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import gazebo_cell as gazebo  # noqa: E402
import robot_cell as lab  # noqa: E402


def generate_test_description():
    return gazebo.gazebo_launch(plant=str(gazebo.PERFECT), interface='volts')


class GazeboReplay(unittest.TestCase):
    """The tests run in the order of their names; each leaves the robot idle."""

    @classmethod
    def setUpClass(cls):
        cls.cell = lab.Cell()
        cls.folder = tempfile.TemporaryDirectory()
        cls.plans = {curve: gazebo.planned(cls.folder.name, curve) for curve in 'abc'}
        cls.loop = gazebo.Loop(cls.cell)
        cls.cell.wait_until_active()

    @classmethod
    def tearDownClass(cls):
        cls.cell.close()
        cls.folder.cleanup()

    def play(self, curve, align=False):
        """Play a curve and check how well it was drawn."""
        self.assertTrue(self.cell.load(self.plans[curve]).success)
        self.loop.largest, self.loop.messages = 0.0, 0
        log = os.path.join(self.folder.name, f'{curve}.log.csv')
        status, result = self.cell.run(align=align, log=log)
        self.assertEqual(status, lab.SUCCEEDED, result.message)
        print(f'curve {curve}: ISE {result.ise:.4g} m^2 s, {result.cycles} cycles, '
              f'loop {self.loop.largest:.2g} m in {self.loop.messages} messages')
        self.assertAlmostEqual(result.ise / gazebo.TRIAL[curve], 1.0, delta=0.1)
        self.assertGreater(self.loop.messages, 100)
        self.assertGreater(self.loop.largest, 0.0)
        self.assertLess(self.loop.largest, gazebo.LARGEST_LOOP_ERROR)
        self.assertIn('feedforward+pd', lab.fivebar_report(self.plans[curve], log))

    def test_1_curve_b_from_where_the_brakes_hold(self):
        self.play('b')

    def test_2_a_second_goal_and_other_curves(self):
        for curve in 'bac':
            self.play(curve, align=True)

    def test_3_cancel_stops_smoothly(self):
        self.assertTrue(self.cell.load(self.plans['b']).success)
        goal = self.cell.send(align=True)
        playing = lab.ControllerState.PLAYING
        self.cell.wait(
            lambda: any(f.state == playing and f.time > 1.0 for f in self.cell.feedback), 60,
            'one second of the plan')
        goal.cancel_goal_async()
        status, result = self.cell.result(goal)
        self.assertEqual(status, lab.CANCELED)
        self.assertEqual(result.end, lab.ExecutePlan.Result.STOPPED)
        self.assertEqual(self.cell.applied_volts(), [0.0, 0.0])

    def test_4_a_plan_for_another_robot_is_refused(self):
        with open(lab.CONFIG / 'robot.yaml') as file:
            heavier = file.read().replace('mass: 0.065', 'mass: 0.075')
        robot = os.path.join(self.folder.name, 'heavier.yaml')
        with open(robot, 'w') as file:
            file.write(heavier)
        answer = self.cell.load(gazebo.planned(self.folder.name, 'b_gentle', robot))
        self.assertFalse(answer.success)
        self.assertIn('made for another robot', answer.message)

    def test_5_deactivated_in_the_middle_and_activated_again(self):
        goal = self.cell.send(align=True)
        playing = lab.ControllerState.PLAYING
        self.cell.wait(
            lambda: any(f.state == playing and f.time > 1.0 for f in self.cell.feedback), 60,
            'one second of the plan')
        self.assertTrue(self.cell.switch(deactivate=['feedforward_controller']))
        status, result = self.cell.result(goal)
        self.assertEqual(status, lab.ABORTED)
        self.assertEqual(result.end, lab.ExecutePlan.Result.DEACTIVATED)
        self.assertTrue(self.cell.switch(activate=['feedforward_controller']))
        self.play('b', align=True)

    def test_6_a_reset_brings_back_the_robot_and_closes_the_loop(self):
        self.assertIn('true', gazebo.reset_world())
        # Gazebo makes its plugins anew, and with them the controller manager.
        self.cell.wait(lambda: self.cell.controller_state() == 'none', 60, 'the new manager')
        lab.spawn('joint_state_broadcaster', 'feedforward_controller')
        self.cell.wait_until_active()
        self.play('b')
