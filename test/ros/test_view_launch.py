# SPDX-License-Identifier: Apache-2.0
"""view.launch.py without windows: the description alone, every link in its place."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402


def generate_test_description():
    return lab.package_launch('view.launch.py', gui='false')


class ViewLaunch(unittest.TestCase):

    def test_every_link_has_a_place(self):
        cell = lab.Cell()
        self.addCleanup(cell.close)
        pivots = lab.robot_file()['pivots']
        self.assertEqual(cell.position('link_1'), pivots['o1'])
        self.assertEqual(cell.position('link_4'), pivots['o4'])
        for link in ('link_2', 'link_3', 'end_effector'):
            cell.position(link)
