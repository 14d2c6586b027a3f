# SPDX-License-Identifier: Apache-2.0
"""robot.launch.py with no arguments at all: what runs then, and what it says about itself."""

import os
import sys
import tempfile
import unittest

import launch_testing
import launch_testing.asserts
from sensor_msgs.msg import JointState

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402


def generate_test_description():
    return lab.package_launch('robot.launch.py')


class BringupLaunch(unittest.TestCase):
    """The tests run in the order of their names: the last one moves the robot."""

    @classmethod
    def setUpClass(cls):
        cls.cell = lab.Cell()
        cls.cell.wait_until_active()

    @classmethod
    def tearDownClass(cls):
        cls.cell.close()

    def test_1_controllers_and_hardware_are_active(self):
        self.cell.wait(lambda: self.cell.controller_state('joint_state_broadcaster') == 'active',
                       60, 'the active broadcaster')
        self.assertEqual(self.cell.controller_state(), 'active')
        self.assertEqual(self.cell.hardware_state(), 'active')

    def test_2_the_planner_waits_for_curves(self):
        self.cell.wait(self.cell.plan_curve.server_is_ready, 60, 'the planner')

    def test_3_joint_states_show_all_joints_at_home_and_the_loop_closed(self):
        message = self.cell.next_message(JointState, '/joint_states')
        angles = dict(zip(message.name, message.position))
        self.assertEqual(set(angles), {'joint_1', 'joint_2', 'joint_3', 'joint_4'})
        home = lab.robot_file()['home']
        # The encoder's resolution is far finer than this.
        self.assertAlmostEqual(angles['joint_1'], home['phi1'], delta=0.01)
        self.assertAlmostEqual(angles['joint_4'], home['phi4'], delta=0.01)
        links = lab.robot_file()['links']
        tip_2 = self.cell.position('link_2', along=links['link_2']['length'])
        tip_3 = self.cell.position('link_3', along=links['link_3']['length'])
        for one, other in zip(tip_2, tip_3):
            self.assertAlmostEqual(one, other, delta=1e-6)

    def test_4_diagnostics_name_state_and_plan_and_count_late_cycles(self):
        idle = self.cell.diagnostics(lambda values: values['plan'] == 'none')
        self.assertEqual(idle.level, lab.DIAGNOSTIC_OK)
        self.assertEqual(idle.message, 'idle')
        self.assertEqual(idle.hardware_id, lab.robot_file()['name'])
        with tempfile.TemporaryDirectory() as folder:
            plan = os.path.join(folder, 'b.csv')
            lab.fivebar('plan', lab.CONFIG / 'curves' / 'b.yaml', '--out', plan)
            answer = self.cell.load(plan)
        self.assertTrue(answer.success, answer.message)
        self.cell.diagnostics(lambda values: values['plan'] == answer.name)
        goal = self.cell.send()
        playing = self.cell.diagnostics(lambda values: values['state'] == 'playing')
        values = {entry.key: entry.value for entry in playing.values}
        # A simulated robot brings its own clock, and the world waits for the loop.
        self.assertEqual(values['late cycles'], '0')
        self.assertEqual(values['last fault'], 'none')
        status, result = self.cell.result(goal)
        self.assertEqual(status, lab.SUCCEEDED, result.message)
        self.assertEqual(self.cell.applied_volts(), [0.0, 0.0])


@launch_testing.post_shutdown_test()
class AfterShutdown(unittest.TestCase):

    def test_every_program_ended_well(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
