# SPDX-License-Identifier: Apache-2.0
"""Replay a plan in Gazebo: world and robot are described from the robot file (docs/simulation.md)."""

import os
import shutil
import subprocess
import tempfile

from ament_index_python.packages import get_package_prefix, get_package_share_directory
from ament_index_python.resources import has_resource
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction, RegisterEventHandler, Shutdown)
from launch.event_handlers import OnProcessExit, OnShutdown
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
    ('plant', '', 'Plant file: how the robot in Gazebo differs from its model. Empty: not at all.'),
    ('play', 'false', 'true: play the plan, print how well it was followed, and end.'),
    ('mode', 'feedforward+pd', 'play: feedforward+pd, pd or feedforward.'),
    ('align', 'false', "play: true: first move to the plan's start."),
    ('log', '', 'play: run log to leave behind. Empty: beside the caller, named after the plan.'),
    ('gui', 'true', 'Show the window of Gazebo; false: server only.'),
    ('step', '0.001', 'Step of the physics [s].'),
    ('interface', 'efforts', "efforts: gz_ros2_control's own plugin; volts: ours, with brakes and "
     'the electronics of the plant.'),
    ('spawn', 'false', 'true: spawn the robot into the world. false: it stands in the world file, '
     'and a reset of the world brings it back.'),
    ('controllers_file', os.path.join(SHARE, 'config', 'gazebo_controllers.yaml'),
     'Parameters of the controllers.'),
]
TRUE = ('true', '1')


def value(context, name):
    return LaunchConfiguration(name).perform(context)


def is_true(context, name):
    return value(context, name).lower() in TRUE


def described(folder, context, name, *options):
    """Let `fivebar describe` write a file and return its path; its message tells what is wrong."""
    path = os.path.join(folder, name)
    plant = value(context, 'plant')
    subprocess.run(
        [PROGRAM, 'describe', '--robot', value(context, 'robot'), '--out', path,
         *(['--plant', plant] if plant else []), *options], check=True)
    return path


def settle_interface(context):
    """Set what the controllers file has to know of the interface; return its name."""
    interface = value(context, 'interface')
    if interface not in ('volts', 'efforts'):
        raise RuntimeError(f'interface:={interface}: expected volts or efforts')
    if interface == 'efforts' and value(context, 'plant'):
        raise RuntimeError(
            'plant: with interface:=efforts Gazebo has no encoders, amplifiers or delays; expected '
            'interface:=volts')
    volts = interface == 'volts'
    if volts and not has_resource('gz_ros2_control__pluginlib__plugin', 'fivebar_control'):
        raise RuntimeError(
            'interface:=volts needs a fivebar_control that was built where gz_ros2_control is found')
    context.launch_configurations['command_prefix'] = '' if volts else 'voltage_to_effort/'
    context.launch_configurations['motor_board'] = 'motor_board' if volts else ''
    return interface


def filled_in(folder, context):
    """Write the controllers file with $(var ...) filled in; gz_ros2_control takes it as it is."""
    parameters = ParameterFile(LaunchConfiguration('controllers_file'), allow_substs=True)
    # A copy, because the file that it evaluates to is removed together with this object.
    return shutil.copy(parameters.evaluate(context), os.path.join(folder, 'controllers.yaml'))


def checked_step(context, controllers):
    """Return the step of the physics; one longer than the controllers' period would slow them."""
    step = value(context, 'step')
    with open(controllers) as file:
        rate = yaml.safe_load(file)['controller_manager']['ros__parameters']['update_rate']
    if not 0.0 < float(step) <= (1.0 + 1e-9) / rate:
        raise RuntimeError(
            f'step:={step}: the controllers run at {rate} Hz, so the step of the physics must not '
            f'be longer than {1.0 / rate:g} s (update_rate in {controllers})')
    return step


def start(context):
    if is_true(context, 'play') and not value(context, 'plan'):
        raise RuntimeError('play:=true: expected a plan as well, plan:=FILE.csv')
    folder = tempfile.mkdtemp(prefix='fivebar_gazebo_')
    try:
        return in_gazebo(context, folder)
    except BaseException:
        shutil.rmtree(folder)
        raise


def in_gazebo(context, folder):
    # Gazebo's process is the one that reads them, and it may stand elsewhere.
    for name in ('robot', 'plan', 'plant'):
        path = value(context, name)
        context.launch_configurations[name] = os.path.abspath(path) if path else ''
    interface = settle_interface(context)
    controllers = filled_in(folder, context)
    step = checked_step(context, controllers)
    spawn = is_true(context, 'spawn')
    urdf = described(folder, context, 'fivebar.urdf', '--format', 'urdf',
                     '--controllers', controllers, '--interface', interface)
    world = described(folder, context, 'world.sdf', '--format', 'world', '--step', step,
                      *([] if spawn else ['--model', urdf]))
    with open(urdf) as file:
        description = file.read()
    gazebo = os.path.join(
        get_package_share_directory('ros_gz_sim'), 'launch', 'gz_sim.launch.py')
    server_only = '' if is_true(context, 'gui') else '-s '
    actions = [
        RegisterEventHandler(OnShutdown(
            on_shutdown=lambda event, context: shutil.rmtree(folder, ignore_errors=True))),
        # It tells Gazebo's plugin what the robot is, so it comes first.
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             parameters=[{'robot_description': description, 'use_sim_time': True}]),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(gazebo),
            launch_arguments={'gz_args': f'-r {server_only}{world}',
                              'on_exit_shutdown': 'true'}.items()),
        Node(package='ros_gz_bridge', executable='parameter_bridge',
             arguments=['/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock']),
    ]
    if spawn:
        actions.append(Node(package='ros_gz_sim', executable='create',
                            arguments=['-topic', 'robot_description', '-name', 'fivebar']))
    return actions + controlled(context, interface)


def after(failure, actions, always=True):
    """Return what goes on with these actions after a process that succeeded; another ends all."""
    def go_on(event, context):
        # Who ends the launch early knows why, unless there was a task.
        if event.returncode != 0 and (always or not context.is_shutdown):
            raise RuntimeError(f'{failure} (exit code {event.returncode})')
        return actions
    return go_on


def controlled(context, interface):
    """Return the controllers and, if the plan is to be played, who plays it."""
    # The order matters: who is chained to must be there first.
    names = ['joint_state_broadcaster', 'feedforward_controller']
    if interface == 'efforts':
        names.insert(1, 'voltage_to_effort')
    spawner = Node(package='controller_manager', executable='spawner',
                   arguments=[*names, '--controller-manager-timeout', '60'])
    play = is_true(context, 'play')
    player = Node(package='fivebar_control', executable='play_plan', output='screen',
                  arguments=player_arguments(context) if play else [])

    return [
        RegisterEventHandler(OnProcessExit(target_action=spawner, on_exit=after(
            'the controllers were not activated; the reason stands above', [player] if play else [],
            always=play))),
        RegisterEventHandler(OnProcessExit(target_action=player, on_exit=after(
            'the plan was not played to its end', [Shutdown(reason='the plan was played')]))),
        spawner,
    ]


def player_arguments(context):
    name = os.path.splitext(os.path.basename(value(context, 'plan')))[0]
    log = value(context, 'log') or f'{name}.gazebo.log.csv'
    return ['--mode', value(context, 'mode'), '--log', os.path.abspath(log),
            *(['--align'] if is_true(context, 'align') else [])]


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, default, text in ARGUMENTS] + [OpaqueFunction(function=start)])
