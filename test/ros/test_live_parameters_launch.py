# SPDX-License-Identifier: Apache-2.0
"""Parameters that are set while the robot moves, and what remains of a run when it has ended."""

import os
import sys
import tempfile
import unittest

from pal_statistics_msgs.msg import StatisticsNames
from rclpy.qos import DurabilityPolicy, QoSProfile

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402

PROBE = lab.MotorProbe()


def generate_test_description():
    return lab.robot_launch(hardware_plugin='fivebar_control_test/FailingSystem', planner='false')


class LiveParametersLaunch(unittest.TestCase):
    """The tests run in the order of their names."""

    @classmethod
    def setUpClass(cls):
        cls.cell = lab.Cell()
        cls.folder = tempfile.TemporaryDirectory()
        cls.plan = os.path.join(cls.folder.name, 'b.csv')
        lab.fivebar('plan', lab.CONFIG / 'curves' / 'b.yaml', '--out', cls.plan)
        cls.cell.wait_until_active()
        assert cls.cell.load(cls.plan).success

    @classmethod
    def tearDownClass(cls):
        cls.cell.close()
        cls.folder.cleanup()

    def refused(self, name, value, reason):
        good, why = self.cell.set_parameter(name, value)
        self.assertFalse(good, f'{name} = {value} was taken')
        self.assertIn(reason, why)

    def test_1_gains_change_while_it_plays_and_dangerous_values_are_refused(self):
        goal = self.cell.send()
        self.cell.wait(lambda: any(f.time > 0.3 for f in self.cell.feedback), 60, 'the plan')
        self.assertEqual(self.cell.set_parameter('feedback.kp', 40.0), (True, ''))
        self.refused('feedback.kp', 200.0, 'factor of 2')
        self.refused('feedback.kp', -1.0, '')
        self.refused('guard.following_band', 0.5, 'while the robot moves')
        self.refused('end.hold_time', 3.0, 'while the robot moves')
        self.refused('robot', '/tmp/other.yaml', 'read while configuring')
        status, result = self.cell.result(goal)
        self.assertEqual(status, lab.SUCCEEDED, result.message)
        stiff = result
        said = self.cell.diagnostics(lambda values: '40' in values['kp, kd, ki'])
        self.assertEqual(said.level, lab.DIAGNOSTIC_OK)
        self.assertEqual(self.cell.set_parameter('feedback.kp', 22.7), (True, ''))
        status, soft = self.cell.run(align=True)
        self.assertEqual(status, lab.SUCCEEDED, soft.message)
        # Nearly twice the gain: the error is smaller, so it reached the loop.
        self.assertLess(stiff.ise, 0.8 * soft.ise)

    def test_2_the_guard_changes_while_it_stands(self):
        self.assertEqual(self.cell.set_parameter('guard.following_band', 0.001), (True, ''))
        self.assertEqual(self.cell.set_parameter('guard.following_window', 0.0), (True, ''))
        status, result = self.cell.run(align=True)
        self.assertEqual(result.end, lab.ExecutePlan.Result.FAULT, result.message)
        self.assertIn('[following_error]', result.message)
        self.assertEqual(PROBE.volts(), [0.0, 0.0])
        self.assertEqual(self.cell.set_parameter('guard.following_band', 0.12), (True, ''))
        self.assertEqual(self.cell.set_parameter('guard.following_window', 0.02), (True, ''))
        self.assertTrue(self.cell.switch(activate=['feedforward_controller']))

    def test_3_its_variables_are_in_the_introspection(self):
        names = set()
        # Told when they change, and kept for who comes later.
        kept = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        subscription = self.cell.node.create_subscription(
            StatisticsNames, '/controller_manager/introspection_data/names',
            lambda message: names.update(message.names), kept)
        self.cell.wait(lambda: 'feedforward_controller.state' in names, 30, 'our variables')
        self.cell.node.destroy_subscription(subscription)
        for variable in ('fault', 'plan_time', 'joint_1.applied', 'joint_4.error'):
            self.assertIn(f'feedforward_controller.{variable}', names)

    def test_4_the_last_state_of_a_deactivated_controller_is_true(self, proc_output):
        states = []
        subscription = self.cell.node.create_subscription(
            lab.ControllerState, '/feedforward_controller/state', states.append, 100)
        goal = self.cell.send(align=True)
        playing = lab.ControllerState.PLAYING
        self.cell.wait(
            lambda: any(f.state == playing and f.time > 0.5 for f in self.cell.feedback), 60,
            'half a second of the plan')
        self.assertTrue(self.cell.switch(deactivate=['feedforward_controller']))
        self.assertEqual(PROBE.volts(), [0.0, 0.0])
        self.cell.wait(
            lambda: states and list(states[-1].applied) == [0.0, 0.0], 20,
            'a last state with zero volts')
        self.assertEqual(states[-1].state, lab.ControllerState.IDLE)
        self.cell.node.destroy_subscription(subscription)
        status, result = self.cell.result(goal)
        self.assertEqual(result.end, lab.ExecutePlan.Result.DEACTIVATED)
        for end in ("'curve B': finished", "'curve B': stopped by the guard",
                    "'curve B': the controller was deactivated"):
            proc_output.assertWaitFor(end, timeout=20)
