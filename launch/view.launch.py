# SPDX-License-Identifier: Apache-2.0
"""Look at the robot's description: driven joints by sliders, no hardware and no controller.

The passive joints have sliders as well, because a URDF cannot close the loop; with robot.launch.py
the hardware closes it.
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition, UnlessCondition
from launch.substitutions import Command, FindExecutable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare


def in_package(*parts):
    return PathJoinSubstitution([FindPackageShare('fivebar_control'), *parts])


def generate_launch_description():
    description = Command([
        FindExecutable(name='xacro'), ' ', in_package('description', 'fivebar.urdf.xacro'),
        ' prefix:="', LaunchConfiguration('prefix'), '" robot:="', LaunchConfiguration('robot'),
        '"'])
    gui = LaunchConfiguration('gui')
    return LaunchDescription([
        DeclareLaunchArgument('prefix', default_value='',
                              description='Prefix of joint and link names.'),
        DeclareLaunchArgument('robot', default_value=in_package('config', 'robot.yaml'),
                              description='Robot file.'),
        DeclareLaunchArgument('gui', default_value='true',
                              description='Start RViz and the sliders.'),
        Node(package='robot_state_publisher', executable='robot_state_publisher',
             parameters=[{'robot_description': ParameterValue(description, value_type=str)}]),
        Node(package='joint_state_publisher', executable='joint_state_publisher',
             condition=UnlessCondition(gui)),
        Node(package='joint_state_publisher_gui', executable='joint_state_publisher_gui',
             condition=IfCondition(gui)),
        Node(package='rviz2', executable='rviz2', output='log',
             arguments=['-d', in_package('config', 'rviz', 'fivebar.rviz'),
                        '-f', [LaunchConfiguration('prefix'), 'base_link']],
             condition=IfCondition(gui)),
    ])
