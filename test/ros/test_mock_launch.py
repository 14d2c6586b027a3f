# SPDX-License-Identifier: Apache-2.0
"""robot.launch.py with ros2_control's mock hardware and a prefix: the wiring, without physics."""

import os
import sys
import unittest

from sensor_msgs.msg import JointState

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402


def generate_test_description():
    return lab.package_launch(
        'robot.launch.py', use_mock_hardware='true', prefix='left_', planner='false')


class MockLaunch(unittest.TestCase):

    def test_the_controller_stays_active_on_the_prefixed_joints(self):
        cell = lab.Cell()
        self.addCleanup(cell.close)
        cell.wait_until_active()
        self.assertEqual(cell.applied_volts(), [0.0, 0.0])
        home = lab.robot_file()['home']
        # A guard that does not trust this hardware would act within a few cycles.
        seen = []
        message = cell.next_message(
            JointState, '/joint_states', lambda each: seen.append(each) or len(seen) > 200)
        angles = dict(zip(message.name, message.position))
        self.assertEqual(angles['left_joint_1'], home['phi1'])
        self.assertEqual(angles['left_joint_4'], home['phi4'])
        self.assertEqual(cell.controller_state(), 'active')
