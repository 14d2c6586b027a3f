# SPDX-License-Identifier: Apache-2.0
"""A robot that hangs in gravity in real Gazebo: brakes hold it at home until its plan begins."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import gazebo_cell as gazebo  # noqa: E402
import robot_cell as lab  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
ROBOT = os.path.join(FOLDER.name, 'upright.yaml')


def generate_test_description():
    with open(lab.CONFIG / 'robot.yaml') as file:
        upright = file.read()
    assert 'gravity: [0.0, 0.0]' in upright
    with open(ROBOT, 'w') as file:
        file.write(upright.replace('gravity: [0.0, 0.0]', 'gravity: [0.0, -9.81]'))
    return gazebo.gazebo_launch(robot=ROBOT, plant=str(gazebo.PERFECT), interface='volts')


class GazeboGravity(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.cell = lab.Cell()
        cls.loop = gazebo.Loop(cls.cell, ROBOT)
        cls.cell.wait_until_active()

    @classmethod
    def tearDownClass(cls):
        cls.cell.close()
        FOLDER.cleanup()

    def test_needs_no_alignment(self):
        plan = gazebo.planned(FOLDER.name, 'b', ROBOT)
        self.assertTrue(self.cell.load(plan).success)
        joints = self.cell.next_message(JointState, '/joint_states')
        angle = dict(zip(joints.name, joints.position))
        for name in ('joint_1', 'joint_4'):
            self.assertLess(abs(angle[name]), 1e-3, f'{name} has sagged')
        status, result = self.cell.run()
        self.assertEqual(status, lab.SUCCEEDED, result.message)
        print(f'upright robot, curve b: ISE {result.ise:.4g} m^2 s, loop {self.loop.largest:.2g} m')
        fast = lab.fivebar('run', plan, '--robot', ROBOT, '--plant', gazebo.PERFECT, '--fast')
        self.assertLess(result.ise, 2.0 * fast['tracking']['ise'])
        self.assertLess(self.loop.largest, gazebo.LARGEST_LOOP_ERROR)
