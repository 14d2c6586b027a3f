# SPDX-License-Identifier: Apache-2.0
"""gazebo.launch.py up to where Gazebo would start: what it hands over. Gazebo itself is not needed."""

import gc
import glob
import importlib.util
import os
import pathlib
import re
import tempfile
import types
import unittest

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext
from launch.event_handlers import OnShutdown
from launch.events import Shutdown
import yaml

FOLDERS = os.path.join(tempfile.gettempdir(), 'fivebar_gazebo_*')


def pretend_gazebo(prefix):
    """Put a ros_gz_sim whose launch file nobody opens into the ament index, and our plugin."""
    marker = pathlib.Path(prefix) / 'share/ament_index/resource_index/packages/ros_gz_sim'
    marker.parent.mkdir(parents=True)
    marker.touch()
    (pathlib.Path(prefix) / 'share/ros_gz_sim/launch').mkdir(parents=True)
    ours = marker.parent.parent / 'gz_ros2_control__pluginlib__plugin/fivebar_control'
    ours.parent.mkdir()
    ours.touch()
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
            if isinstance(getattr(action, 'event_handler', None), OnShutdown):
                action.event_handler.handle(Shutdown(), self.context)

    def test_the_controllers_file_is_there_when_gazebo_reads_it(self):
        self.context.launch_configurations.update(plan='/tmp/b.csv', interface='efforts')
        actions = self.launch.start(self.context)
        gc.collect()
        (folder,) = self.new_folders()
        description = pathlib.Path(folder, 'fivebar.urdf').read_text()
        path = re.search(r'<parameters>(.*?)</parameters>', description)[1]
        with open(path) as file:
            parameters = yaml.safe_load(file)
        controller = parameters['feedforward_controller']['ros__parameters']
        self.assertEqual(controller['plan'], '/tmp/b.csv')
        self.assertEqual(controller['command_prefix'], 'voltage_to_effort/')
        for name in parameters:
            self.assertIs(parameters[name]['ros__parameters']['use_sim_time'], True, name)
        self.end(actions)
        self.assertEqual(self.new_folders(), set())

    def test_the_robot_stands_in_the_world_unless_it_is_to_be_spawned(self):
        for spawn in ('false', 'true'):
            self.context.launch_configurations['spawn'] = spawn
            actions = self.launch.start(self.context)
            (folder,) = self.new_folders()
            world = pathlib.Path(folder, 'world.sdf').read_text()
            self.assertEqual(f'<uri>{folder}/fivebar.urdf</uri>' in world, spawn == 'false')
            self.assertEqual(
                any(getattr(action, 'node_package', '') == 'ros_gz_sim' for action in actions),
                spawn == 'true')
            self.end(actions)

    def test_volts_come_with_the_plant_and_without_the_motor_model(self):
        plant = os.path.join(get_package_share_directory('fivebar_control'),
                             'config/plants/mismatched.yaml')
        self.context.launch_configurations.update(plant=plant, interface='volts')
        actions = self.launch.start(self.context)
        (folder,) = self.new_folders()
        description = pathlib.Path(folder, 'fivebar.urdf').read_text()
        self.assertIn('<plugin>fivebar_control/GazeboMotors</plugin>', description)
        self.assertIn(f'<param name="plant">{plant}</param>', description)
        self.assertIn('friction="0.01"', description)
        with open(os.path.join(folder, 'controllers.yaml')) as file:
            controller = yaml.safe_load(file)['feedforward_controller']['ros__parameters']
        self.assertEqual(controller['command_prefix'], '')
        self.assertEqual(controller['motor_board'], 'motor_board')
        self.end(actions)

    def test_what_cannot_be_is_refused(self):
        for given, reason in [
                ({'plant': 'p.yaml'}, 'expected interface:=volts'),
                ({'interface': 'amperes'}, 'expected volts or efforts'),
                ({'play': 'true'}, 'expected a plan as well')]:
            self.context.launch_configurations.update(
                {'plant': '', 'interface': 'efforts', 'play': 'false'} | given)
            with self.assertRaisesRegex(RuntimeError, reason):
                self.launch.start(self.context)
            self.assertEqual(self.new_folders(), set())

    def test_a_task_that_failed_ends_the_launch_with_an_error(self):
        ended = types.SimpleNamespace
        next_actions = [object()]
        task = self.launch.after('not played', next_actions)
        self.assertIs(task(ended(returncode=0), self.context), next_actions)
        with self.assertRaisesRegex(RuntimeError, 'not played .exit code 1.'):
            task(ended(returncode=1), self.context)
        # Whoever ends a launch without a task did not fail.
        self.assertIs(
            self.launch.after('not up', next_actions, always=False)(
                ended(returncode=-2), types.SimpleNamespace(is_shutdown=True)), next_actions)

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
