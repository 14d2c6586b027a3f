# SPDX-License-Identifier: Apache-2.0
"""Plans in real Gazebo with gz_ros2_control's own plugin: efforts, and the robot spawned."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import gazebo_cell as gazebo  # noqa: E402
import robot_cell as lab  # noqa: E402


def generate_test_description():
    return gazebo.gazebo_launch(interface='efforts', spawn='true')


class GazeboEfforts(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.cell = lab.Cell()
        cls.folder = tempfile.TemporaryDirectory()
        cls.loop = gazebo.Loop(cls.cell)
        cls.cell.wait_until_active()

    @classmethod
    def tearDownClass(cls):
        cls.cell.close()
        cls.folder.cleanup()

    def test_draws_the_curves_with_exact_encoders(self):
        for curve in 'abc':
            self.assertTrue(self.cell.load(gazebo.planned(self.folder.name, curve)).success)
            self.loop.largest, self.loop.messages = 0.0, 0
            status, result = self.cell.run(align=True)
            self.assertEqual(status, lab.SUCCEEDED, result.message)
            print(f'curve {curve}: ISE {result.ise:.4g} m^2 s, loop {self.loop.largest:.2g} m')
            self.assertAlmostEqual(result.ise / gazebo.TRIAL[curve], 1.0, delta=0.1)
            self.assertGreater(self.loop.messages, 100)
            self.assertLess(self.loop.largest, gazebo.LARGEST_LOOP_ERROR)
