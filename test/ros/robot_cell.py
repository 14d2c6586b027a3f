# SPDX-License-Identifier: Apache-2.0
"""What the launch tests share: the launched robot, and a client that talks to it."""

import json
import os
import pathlib
import struct
import subprocess
import tempfile
import time

from action_msgs.msg import GoalStatus
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from controller_manager_msgs.srv import (
    ListControllers, ListHardwareComponents, SetHardwareComponentState, SwitchController)
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from fivebar_control.action import ExecutePlan, PlanCurve
from fivebar_control.msg import ControllerState
from fivebar_control.srv import LoadPlan
import launch
from launch.launch_description_sources import PythonLaunchDescriptionSource
import launch_testing.actions
from rcl_interfaces.srv import SetParameters
import rclpy
from rclpy.action import ActionClient
import rclpy.parameter
import tf2_ros
import yaml

SHARE = pathlib.Path(get_package_share_directory('fivebar_control'))
CONFIG = SHARE / 'config'
PLANT = CONFIG / 'plants' / 'mismatched.yaml'


def program(name='fivebar'):
    """Return the path of one of the package's programs."""
    return pathlib.Path(get_package_prefix('fivebar_control')) / 'lib/fivebar_control' / name


def fivebar(*arguments):
    """Run the command line program and return its JSON output."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, 'out.json')
        subprocess.run([program(), *map(str, arguments), '--json', output], check=True,
                       stdout=subprocess.DEVNULL)
        with open(output) as file:
            return json.load(file)


def fivebar_report(plan, log):
    """Let the command line program make its page of a run; return the page."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, 'report.html')
        subprocess.run([program(), 'report', str(plan), str(log), '--out', page], check=True,
                       stdout=subprocess.DEVNULL)
        with open(page) as file:
            return file.read()


def robot_file(path=CONFIG / 'robot.yaml'):
    """Return what is in a robot file; without a path that of the launch files."""
    with open(path) as file:
        return yaml.safe_load(file)


def spawn(*controllers):
    """Load, configure and activate controllers, as the launch files do."""
    subprocess.run(['ros2', 'run', 'controller_manager', 'spawner', *controllers,
                    '--controller-manager-timeout', '60'], check=True, timeout=180)


def package_launch(name, **arguments):
    """Launch one of the package's launch files with these arguments."""
    return launch.LaunchDescription([
        launch.actions.IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(SHARE / 'launch' / name)),
            launch_arguments=arguments.items()),
        launch_testing.actions.ReadyToTest(),
    ])


class MotorProbe:
    """What arrives at the simulated motors: FailingSystem writes it into a file."""

    def __init__(self):
        handle, self.path = tempfile.mkstemp(prefix='fivebar_probe_')
        os.write(handle, bytes(32))
        os.close(handle)
        os.environ['FIVEBAR_TEST_PROBE'] = self.path
        os.environ.setdefault('FIVEBAR_TEST_FAULT', '')

    def read(self):
        with open(self.path, 'rb') as file:
            return struct.unpack('ddqq', file.read(32))

    def volts(self):
        return list(self.read()[:2])

    def driven(self):
        return self.read()[2]


def robot_launch(**arguments):
    """Launch the robot with the plant that is deliberately not the model."""
    return package_launch('robot.launch.py', plant=str(PLANT), **arguments)


class Cell:
    """Client of the launched robot."""

    def __init__(self, namespace=''):
        if not rclpy.ok():
            rclpy.init()
        self.namespace = namespace
        self.node = rclpy.create_node('cell_client', namespace=namespace)
        self.feedback = []
        self.execute = ActionClient(
            self.node, ExecutePlan, f'{namespace}/feedforward_controller/execute_plan')
        self.plan_curve = ActionClient(self.node, PlanCurve, f'{namespace}/plan_curve')
        self.frames = tf2_ros.Buffer()
        self.frame_listener = tf2_ros.TransformListener(self.frames, self.node)

    def close(self):
        self.node.destroy_node()
        rclpy.try_shutdown()

    def wait(self, done, seconds, what):
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                raise AssertionError(f'gave up waiting for {what}')
            rclpy.spin_once(self.node, timeout_sec=0.05)

    def call(self, kind, name, request, seconds=60):
        client = self.node.create_client(kind, name)
        self.wait(client.service_is_ready, seconds, f'service {name}')
        future = client.call_async(request)
        self.wait(future.done, seconds, f'answer of {name}')
        self.node.destroy_client(client)
        return future.result()

    def next_message(self, kind, topic, wanted=lambda message: True, seconds=60):
        """Return the next message of the topic that is as wanted."""
        found = []
        subscription = self.node.create_subscription(
            kind, topic, lambda message: wanted(message) and found.append(message), 10)
        self.wait(lambda: found, seconds, f'a message of {topic}')
        self.node.destroy_subscription(subscription)
        return found[0]

    def diagnostics(self, wanted):
        """Return the controller's next diagnostic status whose values are as wanted."""
        def mine(message):
            return [status for status in message.status
                    if status.name == 'feedforward_controller: feedforward' and
                    wanted({entry.key: entry.value for entry in status.values})]
        return mine(self.next_message(DiagnosticArray, '/diagnostics', mine))[0]

    def position(self, link, along=0.0):
        """Return where a point of a link is, `along` its length, in the frame of the base."""
        latest = rclpy.time.Time()
        self.wait(lambda: self.frames.can_transform('base_link', link, latest), 60,
                  f'the place of {link}')
        place = self.frames.lookup_transform('base_link', link, latest).transform
        z, w = place.rotation.z, place.rotation.w  # it turns about z only
        return [place.translation.x + along * (w * w - z * z),
                place.translation.y + along * 2.0 * z * w]

    def controller_state(self, name='feedforward_controller'):
        answer = self.call(ListControllers, f'{self.namespace}/controller_manager/list_controllers',
                           ListControllers.Request())
        return {c.name: c.state for c in answer.controller}.get(name, 'none')

    def hardware_state(self):
        answer = self.call(ListHardwareComponents,
                           f'{self.namespace}/controller_manager/list_hardware_components',
                           ListHardwareComponents.Request())
        return answer.component[0].state.label

    def set_hardware(self, label, state):
        """Bring the hardware into a lifecycle state; return whether the manager did."""
        request = SetHardwareComponentState.Request(name='fivebar')
        request.target_state.label = label
        request.target_state.id = state
        return self.call(SetHardwareComponentState,
                         f'{self.namespace}/controller_manager/set_hardware_component_state', request).ok

    def switch(self, activate=(), deactivate=()):
        request = SwitchController.Request(
            activate_controllers=list(activate), deactivate_controllers=list(deactivate),
            strictness=SwitchController.Request.STRICT)
        return self.call(
            SwitchController, f'{self.namespace}/controller_manager/switch_controller', request).ok

    def set_parameter(self, name, value):
        """Set a parameter of the controller; return success and reason."""
        request = SetParameters.Request(
            parameters=[rclpy.parameter.Parameter(name, value=value).to_parameter_msg()])
        answer = self.call(
            SetParameters, f'{self.namespace}/feedforward_controller/set_parameters', request)
        return answer.results[0].successful, answer.results[0].reason

    def wait_until_active(self):
        self.wait(lambda: self.controller_state() == 'active', 120, 'the active controller')
        self.wait(self.execute.server_is_ready, 30, 'the action')

    def load(self, path='', content=''):
        return self.call(LoadPlan, f'{self.namespace}/feedforward_controller/load_plan',
                         LoadPlan.Request(path=str(path), content=content))

    def send(self, align=False, log=''):
        self.feedback.clear()
        future = self.execute.send_goal_async(
            ExecutePlan.Goal(align=align, log=log),
            feedback_callback=lambda message: self.feedback.append(message.feedback))
        self.wait(future.done, 30, 'the goal to be accepted')
        assert future.result().accepted
        return future.result()

    def result(self, goal, seconds=90):
        future = goal.get_result_async()
        self.wait(future.done, seconds, 'the result')
        return future.result().status, future.result().result

    def run(self, align=False, log=''):
        return self.result(self.send(align, log))

    def applied_volts(self):
        """Return the volts of a state message that was sent after this call."""
        # A new subscription, because an old one may still hold messages from before.
        return list(self.next_message(
            ControllerState, f'{self.namespace}/feedforward_controller/state').applied)


SUCCEEDED = GoalStatus.STATUS_SUCCEEDED
CANCELED = GoalStatus.STATUS_CANCELED
ABORTED = GoalStatus.STATUS_ABORTED
DIAGNOSTIC_OK = DiagnosticStatus.OK
DIAGNOSTIC_ERROR = DiagnosticStatus.ERROR
