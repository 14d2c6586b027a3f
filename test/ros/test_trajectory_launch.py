# SPDX-License-Identifier: Apache-2.0
"""The controller driven as joint_trajectory_controller is: by action, topic and service."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance, JointTrajectoryControllerState
from control_msgs.srv import QueryTrajectoryState
from rclpy.action import ActionClient
from rclpy.duration import Duration
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402

PROBE = lab.MotorProbe()
NAME = '/feedforward_controller'
JOINTS = ['joint_4', 'joint_1']  # not in the controller's order
HOME = [1.5707963267948966, 0.0]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
Result = FollowJointTrajectory.Result


def generate_test_description():
    return lab.robot_launch(hardware_plugin='fivebar_control_test/FailingSystem', planner='false')


def trajectory(*points, joints=JOINTS):
    """Return a message of (time, offset of joint 4, offset of joint 1)."""
    message = JointTrajectory(joint_names=list(joints))
    for time, *offset in points:
        message.points.append(JointTrajectoryPoint(
            positions=[home + by for home, by in zip(HOME, offset)],
            time_from_start=Duration(seconds=time).to_msg()))
    return message


class TrajectoryLaunch(unittest.TestCase):
    """The tests run in the order of their names; each leaves the robot idle."""

    @classmethod
    def setUpClass(cls):
        cls.cell = lab.Cell()
        cls.cell.wait_until_active()
        cls.follow = ActionClient(
            cls.cell.node, FollowJointTrajectory, f'{NAME}/follow_joint_trajectory')
        cls.cell.wait(cls.follow.server_is_ready, 30, 'the action')

    @classmethod
    def tearDownClass(cls):
        cls.cell.close()

    def send(self, message, **goal):
        self.feedback = []
        future = self.follow.send_goal_async(
            FollowJointTrajectory.Goal(trajectory=message, **goal),
            feedback_callback=lambda message: self.feedback.append(message.feedback))
        self.cell.wait(future.done, 30, 'the goal to be accepted')
        return future.result()

    def run_goal(self, message, **goal):
        return self.cell.result(self.send(message, **goal))

    def test_1_a_goal_is_tracked_with_the_accuracy_of_the_feedforward(self):
        states = []
        subscription = self.cell.node.create_subscription(
            JointTrajectoryControllerState, f'{NAME}/controller_state', states.append, 100)
        # Watched in every cycle of the loop. PD alone is off by twice as much on this motion.
        close = [JointTolerance(name=name, position=0.015) for name in JOINTS]
        status, result = self.run_goal(
            trajectory((0.6, -0.2, 0.3), (1.2, 0.3, 0.1), (2.0, 0.0, 0.0)), path_tolerance=close)
        self.assertEqual(status, lab.SUCCEEDED, result.error_string)
        self.assertEqual(result.error_code, Result.SUCCESSFUL)
        self.assertEqual(PROBE.volts(), [0.0, 0.0])
        self.assertGreater(PROBE.driven(), 2000)
        moving = [s for s in states if max(map(abs, s.reference.velocities)) > 0.05]
        self.assertGreater(len(moving), 20)  # as many as this machine has time for
        self.assertEqual(moving[0].joint_names, ['joint_1', 'joint_4'])
        worst = max(max(map(abs, s.error.positions)) for s in moving)
        print(f'largest error of the joints {worst:.4f} rad in {len(moving)} messages')
        self.assertLess(worst, 0.015)
        self.assertTrue(self.feedback)
        self.assertEqual(self.feedback[-1].joint_names, ['joint_1', 'joint_4'])
        self.cell.node.destroy_subscription(subscription)

    def test_2_what_cannot_be_done_is_refused_with_the_reason(self):
        driven = PROBE.driven()
        for message, code, reason in [
                (trajectory((0.05, 0.0, 0.5)), Result.INVALID_GOAL, 'voltage u1'),
                (trajectory((9.0, 0.0, 3.0)), Result.INVALID_GOAL, 'cannot close'),
                (trajectory(), Result.INVALID_GOAL, 'points'),
                (trajectory((1.0, 0.0), joints=['joint_1']), Result.INVALID_JOINTS, 'expected the joints'),
                (trajectory((1.0, 0.0, 0.0), joints=['a', 'b']), Result.INVALID_JOINTS, '[a, b]')]:
            status, result = self.run_goal(message)
            self.assertEqual(status, lab.ABORTED)
            self.assertEqual(result.error_code, code, result.error_string)
            self.assertIn(reason, result.error_string)
        old = trajectory((1.0, 0.0, 0.1))
        old.header.stamp = (self.cell.node.get_clock().now() - Duration(seconds=60)).to_msg()
        status, result = self.run_goal(old)
        self.assertEqual(result.error_code, Result.OLD_HEADER_TIMESTAMP, result.error_string)
        self.assertEqual(PROBE.driven(), driven)

    def test_3_cancel_stops_smoothly(self):
        goal = self.send(trajectory((4.0, 0.3, -0.2), (8.0, 0.0, 0.0)))
        self.cell.wait(
            lambda: any(f.desired.time_from_start.sec >= 1 for f in self.feedback), 60, 'a second')
        goal.cancel_goal_async()
        status, result = self.cell.result(goal)
        self.assertEqual(status, lab.CANCELED, result.error_string)
        self.assertEqual(PROBE.volts(), [0.0, 0.0])

    def test_4_a_tolerance_that_is_left_stops_the_run(self):
        tight = [JointTolerance(name='joint_1', position=1e-4)]
        status, result = self.run_goal(
            trajectory((0.5, 0.2, -0.2), (1.5, 0.0, 0.0)), path_tolerance=tight)
        self.assertEqual(status, lab.ABORTED)
        self.assertEqual(result.error_code, Result.PATH_TOLERANCE_VIOLATED, result.error_string)
        self.assertEqual(PROBE.volts(), [0.0, 0.0])
        status, result = self.run_goal(
            trajectory((1.5, 0.0, 0.0)), goal_tolerance=[JointTolerance(name='joint_4', position=1e-9)])
        self.assertEqual(result.error_code, Result.GOAL_TOLERANCE_VIOLATED, result.error_string)
        loose = [JointTolerance(name=name, position=0.05) for name in JOINTS]
        status, result = self.run_goal(
            trajectory((0.7, 0.1, 0.1), (1.5, 0.0, 0.0)), path_tolerance=loose, goal_tolerance=loose)
        self.assertEqual(status, lab.SUCCEEDED, result.error_string)

    def test_5_the_state_at_a_time_can_be_asked_for(self):
        def query():
            request = QueryTrajectoryState.Request(
                time=self.cell.node.get_clock().now().to_msg())
            return self.cell.call(QueryTrajectoryState, f'{NAME}/query_state', request)
        self.assertFalse(query().success)
        goal = self.send(trajectory((3.0, 0.3, -0.2), (6.0, 0.0, 0.0)))
        self.cell.wait(lambda: len(self.feedback) > 20, 60, 'the motion')
        answer = query()
        self.assertTrue(answer.success, answer.message)
        self.assertEqual(answer.name, ['joint_1', 'joint_4'])
        self.assertLess(answer.position[0], 0.0)
        self.assertGreater(answer.position[1], HOME[0])
        status, result = self.cell.result(goal)
        self.assertEqual(status, lab.SUCCEEDED, result.error_string)

    def at(self, joint_1, joint_4, within=0.02):
        """Wait until the joints are there."""
        self.cell.next_message(
            JointState, '/joint_states',
            lambda m: abs(m.position[m.name.index('joint_1')] - joint_1) < within and
            abs(m.position[m.name.index('joint_4')] - joint_4) < within)

    def test_6_a_client_like_rqt_moves_the_robot_by_messages(self):
        driven = PROBE.driven()
        client = SOURCE / 'examples' / 'ros' / 'joint_sliders.py'
        done = subprocess.run(
            [sys.executable, client, '--joints', 'joint_1=0.2', 'joint_4=1.4'],
            check=True, timeout=100, capture_output=True, text=True)
        print(done.stdout)
        self.at(0.2, 1.4)
        # Ten messages a second, each of which replaces the one before without a halt: with halts
        # it would take a second for every tenth of a second of motion.
        self.assertLess(PROBE.driven() - driven, 4000)
        self.cell.wait(lambda: PROBE.volts() == [0.0, 0.0], 30, 'zero volts')

    def test_7_a_newer_message_replaces_the_one_before_in_motion(self):
        publisher = self.cell.node.create_publisher(JointTrajectory, f'{NAME}/joint_trajectory', 1)
        self.cell.wait(lambda: publisher.get_subscription_count() > 0, 30, 'a subscriber')
        references = []
        subscription = self.cell.node.create_subscription(
            JointTrajectoryControllerState, f'{NAME}/controller_state',
            lambda m: references.append(m.reference), 100)
        driven = PROBE.driven()
        publisher.publish(trajectory((8.0, -0.5, 0.5)))
        self.cell.wait(lambda: PROBE.driven() > driven + 2000, 60, 'the first motion')
        publisher.publish(trajectory((1.0, 0.0, 0.0)))
        self.at(0.0, HOME[0])
        self.cell.wait(lambda: PROBE.volts() == [0.0, 0.0], 30, 'zero volts')
        self.cell.node.destroy_subscription(subscription)
        # At the turn of the motion each joint stands for a moment; nowhere do both stand long.
        fastest = [max(map(abs, r.velocities)) for r in references]
        first = next(i for i, speed in enumerate(fastest) if speed > 0.05)
        last = len(fastest) - next(i for i, speed in enumerate(reversed(fastest)) if speed > 0.05)
        standing = sum(speed < 0.01 for speed in fastest[first:last])
        self.assertLess(standing, 0.05 * (last - first))
        # An empty message stops the robot.
        publisher.publish(trajectory((8.0, -0.5, 0.5)))
        driven = PROBE.driven()
        self.cell.wait(lambda: PROBE.driven() > driven + 1000, 60, 'the motion')
        publisher.publish(trajectory())
        self.cell.wait(lambda: PROBE.volts() == [0.0, 0.0], 30, 'zero volts')
        self.assertLess(PROBE.driven() - driven, 4000)

    def test_8_a_newer_goal_replaces_the_one_before_in_motion(self):
        old = self.send(trajectory((4.0, -0.3, 0.3), (8.0, 0.0, 0.0)))
        driven = PROBE.driven()
        self.cell.wait(lambda: PROBE.driven() > driven + 1000, 60, 'the first motion')
        new = self.send(trajectory((1.0, 0.2, 0.0), (2.0, 0.0, 0.0)))
        status, result = self.cell.result(old)
        self.assertEqual(status, lab.ABORTED)
        self.assertIn('replaced by a newer trajectory', result.error_string)
        status, result = self.cell.result(new)
        self.assertEqual(status, lab.SUCCEEDED, result.error_string)
        self.assertLess(PROBE.driven() - driven, 6000)
        # One that cannot be driven replaces nothing.
        old = self.send(trajectory((1.5, -0.3, 0.3), (3.0, 0.0, 0.0)))
        driven = PROBE.driven()
        self.cell.wait(lambda: PROBE.driven() > driven + 500, 60, 'the motion')
        status, result = self.run_goal(trajectory((0.02, 1.0, 1.0)))
        self.assertEqual(status, lab.ABORTED)
        self.assertEqual(result.error_code, Result.INVALID_GOAL)
        status, result = self.cell.result(old)
        self.assertEqual(status, lab.SUCCEEDED, result.error_string)

    def test_9_the_command_of_the_document_is_followed(self):
        commands = re.findall(
            r'^ros2 action send_goal --feedback /feedforward_controller/follow_joint_trajectory .*?^ .*?"$',
            (SOURCE / 'docs' / 'ros.md').read_text(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(commands), 1)
        driven = PROBE.driven()
        done = subprocess.run(
            ['bash', '-c', commands[0]], timeout=100, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('Goal finished with status: SUCCEEDED', done.stdout)
        self.assertIn('error_code: 0', done.stdout)
        self.assertIn('Feedback:', done.stdout)
        self.assertGreater(PROBE.driven() - driven, 2000)
        self.assertEqual(PROBE.volts(), [0.0, 0.0])
        self.at(0.0, HOME[0])
