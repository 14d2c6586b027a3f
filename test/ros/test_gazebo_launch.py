# SPDX-License-Identifier: Apache-2.0
"""gazebo.launch.py up to where Gazebo would start: what it hands over. Gazebo itself is not needed."""

import gc
import glob
import importlib.util
import os
import pathlib
import re
import tempfile
import unittest

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext
from launch.actions import RegisterEventHandler
from launch.events import Shutdown
import yaml

FOLDERS = os.path.join(tempfile.gettempdir(), 'fivebar_gazebo_*')


def pretend_gazebo(prefix):
    """Put a ros_gz_sim into the ament index whose launch file nobody opens."""
    marker = pathlib.Path(prefix) / 'share/ament_index/resource_index/packages/ros_gz_sim'
    marker.parent.mkdir(parents=True)
    marker.touch()
    (pathlib.Path(prefix) / 'share/ros_gz_sim/launch').mkdir(parents=True)
    os.environ['AMENT_PREFIX_PATH'] = f"{prefix}:{os.environ['AMENT_PREFIX_PATH']}"


class GazeboLaunch(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        prefix = tempfile.TemporaryDirectory()
        cls.addClassCleanup(prefix.cleanup)
        pretend_gazebo(prefix.name)
        file = os.path.join(get_package_share_directory('fivebar_control'), 'launch/gazebo.launch.py')
        specification = importlib.util.spec_from_file_location('gazebo_launch', file)
        cls.launch = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(cls.launch)

    def setUp(self):
        self.before = set(glob.glob(FOLDERS))
        self.context = LaunchContext()
        for name, default, _ in self.launch.ARGUMENTS:
            self.context.launch_configurations[name] = default

    def new_folders(self):
        return set(glob.glob(FOLDERS)) - self.before

    def end(self, actions):
        for action in actions:
            if isinstance(action, RegisterEventHandler):
                action.event_handler.handle(Shutdown(), self.context)

    def test_the_controllers_file_is_there_when_gazebo_reads_it(self):
        self.context.launch_configurations['plan'] = '/tmp/b.csv'
        actions = self.launch.start(self.context)
        gc.collect()
        (folder,) = self.new_folders()
        description = pathlib.Path(folder, 'fivebar.urdf').read_text()
        path = re.search(r'<parameters>(.*?)</parameters>', description)[1]
        with open(path) as file:
            parameters = yaml.safe_load(file)
        controller = parameters['feedforward_controller']['ros__parameters']
        self.assertEqual(controller['plan'], '/tmp/b.csv')
        for name in parameters:
            self.assertIs(parameters[name]['ros__parameters']['use_sim_time'], True, name)
        self.end(actions)
        self.assertEqual(self.new_folders(), set())

    def test_a_step_longer_than_the_controllers_period_is_refused(self):
        self.context.launch_configurations['step'] = '0.002'
        with self.assertRaisesRegex(RuntimeError, 'must not be longer than 0.001 s'):
            self.launch.start(self.context)
        self.assertEqual(self.new_folders(), set())
        self.context.launch_configurations['step'] = '0.0005'
        self.end(self.launch.start(self.context))
        self.assertEqual(self.new_folders(), set())


if __name__ == '__main__':
    unittest.main()
