# SPDX-License-Identifier: Apache-2.0
"""Start the robot, real or simulated: description, controller manager, controllers, planner, RViz."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, SetLaunchConfiguration, Shutdown
from launch.conditions import IfCondition, UnlessCondition
from launch.substitutions import Command, FindExecutable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node, PushRosNamespace
from launch_ros.parameter_descriptions import ParameterFile, ParameterValue
from launch_ros.substitutions import FindPackageShare

# name, default, description
ARGUMENTS = [
    ('namespace', '', 'Namespace of all nodes; each of several robots needs one of its own.'),
    ('prefix', '', 'Prefix of joint and link names, for several robots in one scene.'),
    ('robot', None, 'Robot file.'),
    ('backend', 'sim', 'What moves the motors: sim, mujoco, serial:DEVICE, hil:CARD, comedi:DEVICE.'),
    ('plant', '', 'Plant file: how a simulated robot differs from its model. Empty: not at all.'),
    ('calibration', '', 'Calibration of real motors. Empty: that of the package for the backend.'),
    ('homed', 'false', 'Real motors with a known pose: true if the links stand where it says.'),
    ('stamp', '', 'Stamp of the commissioning of real motors. Empty: that of the state folder.'),
    ('uncommissioned', 'false', 'true: drive real motors that nobody has commissioned.'),
    ('use_mock_hardware', 'false', 'Mock hardware of ros2_control: no physics, for wiring tests.'),
    ('hardware_plugin', 'fivebar_control/FiveBarSystem', 'ros2_control hardware plugin.'),
    ('tolerated_errors', '5', 'Failed reads or writes in a row that the hardware tolerates.'),
    ('effort_timeout', '100', 'Milliseconds of motion under efforts that nobody renews.'),
    ('plan', '', 'Plan file to load at start. Empty: load_plan brings one later.'),
    ('controllers_file', None, 'Parameters of the controllers.'),
    ('controller', 'feedforward_controller', 'Controller to activate.'),
    ('planner', 'true', 'Start the planner node as well.'),
    ('gui', 'false', 'Start RViz as well.'),
    ('log_level', 'info', 'Log level of the controller manager.'),
]

XACRO_ARGUMENTS = [
    'prefix', 'robot', 'backend', 'plant', 'calibration', 'homed', 'stamp', 'uncommissioned',
    'use_mock_hardware', 'hardware_plugin', 'tolerated_errors', 'effort_timeout']


def in_package(*parts):
    return PathJoinSubstitution([FindPackageShare('fivebar_control'), *parts])


def robot_description():
    command = [FindExecutable(name='xacro'), ' ',
               in_package('description', 'fivebar.urdf.xacro')]
    for name in XACRO_ARGUMENTS:
        command += [f' {name}:="', LaunchConfiguration(name), '"']
    return {'robot_description': ParameterValue(Command(command), value_type=str)}


def spawner(*arguments):
    return Node(package='controller_manager', executable='spawner', arguments=list(arguments))


def generate_launch_description():
    defaults = {
        'robot': in_package('config', 'robot.yaml'),
        'controllers_file': in_package('config', 'controllers.yaml'),
    }
    declarations = [
        DeclareLaunchArgument(name, default_value=defaults.get(name, default), description=text)
        for name, default, text in ARGUMENTS]
    controllers = ParameterFile(LaunchConfiguration('controllers_file'), allow_substs=True)
    mock = LaunchConfiguration('use_mock_hardware')
    prefix = LaunchConfiguration('prefix')
    return LaunchDescription(declarations + [GroupAction([
        PushRosNamespace(LaunchConfiguration('namespace')),
        # Mock hardware has no clock of its own, and no board that could report a fault.
        SetLaunchConfiguration('motor_board', '', condition=IfCondition(mock)),
        SetLaunchConfiguration('motor_board', [prefix, 'motor_board'],
                               condition=UnlessCondition(mock)),
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             parameters=[robot_description()]),
        # Without the manager nothing else is of use, and nobody should think that it still runs.
        Node(package='controller_manager', executable='ros2_control_node',
             parameters=[controllers], output='both',
             arguments=['--ros-args', '--log-level', LaunchConfiguration('log_level')],
             remappings=[('~/robot_description', 'robot_description')],
             on_exit=Shutdown(reason='the controller manager has ended')),
        spawner('joint_state_broadcaster', LaunchConfiguration('controller')),
        Node(package='fivebar_control', executable='fivebar_planner',
             parameters=[{'robot': LaunchConfiguration('robot')}],
             condition=IfCondition(LaunchConfiguration('planner'))),
        Node(package='rviz2', executable='rviz2', output='log',
             arguments=['-d', in_package('config', 'rviz', 'fivebar.rviz'),
                        '-f', [prefix, 'base_link']],
             condition=IfCondition(LaunchConfiguration('gui'))),
    ])])
