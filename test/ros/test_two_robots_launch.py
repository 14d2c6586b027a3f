# SPDX-License-Identifier: Apache-2.0
"""Two robots in one scene, each in a namespace of its own, play two plans at the same time."""

import os
import sys
import tempfile
import unittest

import launch
from launch.launch_description_sources import PythonLaunchDescriptionSource
import launch_testing.actions
from sensor_msgs.msg import JointState

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402

CURVES = {'left': 'a', 'right': 'b'}


def generate_test_description():
    robots = [
        launch.actions.GroupAction([launch.actions.IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(lab.SHARE / 'launch' / 'robot.launch.py')),
            launch_arguments={'namespace': side, 'prefix': f'{side}_', 'plant': str(lab.PLANT),
                              'planner': 'false'}.items())])
        for side in CURVES]
    return launch.LaunchDescription(robots + [launch_testing.actions.ReadyToTest()])


class TwoRobots(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.cells = {side: lab.Cell(f'/{side}') for side in CURVES}
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        for cell in cls.cells.values():
            cls.addClassCleanup(cell.close)

    def test_1_there_is_one_manager_each(self):
        for cell in self.cells.values():
            cell.wait_until_active()
            self.assertEqual(cell.hardware_state(), 'active')
        names = self.cells['left'].node.get_node_names_and_namespaces()
        managers = [namespace for name, namespace in names if name == 'controller_manager']
        self.assertEqual(sorted(managers), ['/left', '/right'])

    def test_2_their_joints_and_frames_have_names_of_their_own(self):
        for side, cell in self.cells.items():
            message = cell.next_message(JointState, f'/{side}/joint_states')
            self.assertEqual(set(message.name), {f'{side}_joint_{i}' for i in (1, 2, 3, 4)})
        left = self.cells['left']
        left.wait(lambda: all(left.frames.can_transform(f'{side}_base_link', f'{side}_link_2',
                                                        lab.rclpy.time.Time())
                              for side in CURVES), 60, 'the frames of both')

    def test_3_each_plays_its_own_plan_as_well_as_the_fast_run(self):
        goals, expected = {}, {}
        for side, cell in self.cells.items():
            plan = os.path.join(self.folder.name, f'{side}.csv')
            lab.fivebar('plan', lab.CONFIG / 'curves' / f'{CURVES[side]}.yaml', '--out', plan)
            fast = lab.fivebar('run', plan, '--fast', '--plant', lab.PLANT)
            expected[side] = fast['tracking']['ise']
            self.assertTrue(cell.load(plan).success)
        for side, cell in self.cells.items():
            goals[side] = cell.send()
        for side, cell in self.cells.items():
            status, result = cell.result(goals[side])
            self.assertEqual(status, lab.SUCCEEDED, result.message)
            print(f'{side}: ISE {result.ise:.9e} m^2 s, fast run {expected[side]:.9e}')
            self.assertAlmostEqual(result.ise / expected[side], 1.0, delta=0.01)
            self.assertEqual(cell.applied_volts(), [0.0, 0.0])
        self.assertGreater(abs(expected['left'] / expected['right'] - 1.0), 0.1)
