# SPDX-License-Identifier: Apache-2.0
"""Replay a plan in Gazebo: world and robot are described from the robot file (docs/simulation.md)."""

import os
import shutil
import subprocess
import tempfile

from ament_index_python.packages import get_package_prefix, get_package_share_directory
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction, RegisterEventHandler)
from launch.event_handlers import OnShutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterFile
import yaml

SHARE = get_package_share_directory('fivebar_control')
PROGRAM = os.path.join(get_package_prefix('fivebar_control'), 'lib', 'fivebar_control', 'fivebar')

# name, default, description
ARGUMENTS = [
    ('robot', os.path.join(SHARE, 'config', 'robot.yaml'), 'Robot file.'),
    ('plan', '', 'Plan file to load at start. Empty: load_plan brings one later.'),
    ('gui', 'true', 'Show the window of Gazebo; false: server only.'),
    ('step', '0.001', 'Step of the physics [s].'),
    ('controllers_file', os.path.join(SHARE, 'config', 'gazebo_controllers.yaml'),
     'Parameters of the controllers.'),
]


def described(folder, context, name, *options):
    """Let `fivebar describe` write a file and return its path; its message tells what is wrong."""
    path = os.path.join(folder, name)
    robot = LaunchConfiguration('robot').perform(context)
    subprocess.run([PROGRAM, 'describe', '--robot', robot, '--out', path, *options], check=True)
    return path


def filled_in(folder, context):
    """Write the controllers file with $(var ...) filled in; gz_ros2_control takes it as it is."""
    parameters = ParameterFile(LaunchConfiguration('controllers_file'), allow_substs=True)
    # A copy, because the file that it evaluates to is removed together with this object.
    return shutil.copy(parameters.evaluate(context), os.path.join(folder, 'controllers.yaml'))


def checked_step(context, controllers):
    """Return the step of the physics; one longer than the controllers' period would slow them."""
    step = LaunchConfiguration('step').perform(context)
    with open(controllers) as file:
        rate = yaml.safe_load(file)['controller_manager']['ros__parameters']['update_rate']
    if not 0.0 < float(step) <= (1.0 + 1e-9) / rate:
        raise RuntimeError(
            f'step:={step}: the controllers run at {rate} Hz, so the step of the physics must not '
            f'be longer than {1.0 / rate:g} s (update_rate in {controllers})')
    return step


def start(context):
    folder = tempfile.mkdtemp(prefix='fivebar_gazebo_')
    try:
        return in_gazebo(context, folder)
    except BaseException:
        shutil.rmtree(folder)
        raise


def in_gazebo(context, folder):
    controllers_path = filled_in(folder, context)
    step = checked_step(context, controllers_path)
    world = described(folder, context, 'world.sdf', '--format', 'world', '--step', step)
    urdf = described(
        folder, context, 'fivebar.urdf', '--format', 'urdf', '--controllers', controllers_path)
    with open(urdf) as file:
        description = file.read()
    server_only = LaunchConfiguration('gui').perform(context).lower() in ('false', '0')
    gazebo = os.path.join(
        get_package_share_directory('ros_gz_sim'), 'launch', 'gz_sim.launch.py')
    return [
        RegisterEventHandler(OnShutdown(
            on_shutdown=lambda event, context: shutil.rmtree(folder, ignore_errors=True))),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(gazebo),
            launch_arguments={'gz_args': f'-r {"-s " if server_only else ""}{world}',
                              'on_exit_shutdown': 'true'}.items()),
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             parameters=[{'robot_description': description, 'use_sim_time': True}]),
        Node(package='ros_gz_sim', executable='create',
             arguments=['-topic', 'robot_description', '-name', 'fivebar']),
        Node(package='ros_gz_bridge', executable='parameter_bridge',
             arguments=['/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock']),
        # The order matters: who is chained to must be there first.
        Node(package='controller_manager', executable='spawner',
             arguments=['joint_state_broadcaster', 'voltage_to_effort', 'feedforward_controller',
                        '--controller-manager-timeout', '60']),
    ]


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, default, text in ARGUMENTS] + [OpaqueFunction(function=start)])
