#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Move the joints of a running robot by messages, as rqt_joint_trajectory_controller does.

    ros2 launch fivebar_control robot.launch.py
    python3 examples/ros/joint_sliders.py --joints joint_1=0.2 joint_4=1.4
    python3 examples/ros/joint_sliders.py          # reads 'joint_1=0.2 joint_4=1.4' line by line

Ten times a second it publishes a trajectory of one point: from where the joints are to where the
sliders stand, in half a second at least. Every message replaces the one before. It works with any
controller that listens to a JointTrajectory and tells its joints in ~/controller_state; what it
cannot do stands in that controller's log.
"""

import argparse
import sys
import time

from control_msgs.msg import JointTrajectoryControllerState
import rclpy
from rclpy.duration import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint


class Sliders:
    """Where the joints are, and where they shall be."""

    def __init__(self, controller):
        self.node = rclpy.create_node('joint_sliders')
        self.state = None
        self.node.create_subscription(
            JointTrajectoryControllerState, f'{controller}/controller_state', self.take, 10)
        self.publisher = self.node.create_publisher(
            JointTrajectory, f'{controller}/joint_trajectory', 1)

    def take(self, message):
        self.state = message

    def wait(self, done, seconds):
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                return False
            rclpy.spin_once(self.node, timeout_sec=0.05)
        return True

    def connect(self):
        return self.wait(
            lambda: self.state and self.publisher.get_subscription_count() > 0, 30)

    def publish(self, positions, seconds):
        point = JointTrajectoryPoint(
            positions=positions, time_from_start=Duration(seconds=seconds).to_msg())
        self.publisher.publish(
            JointTrajectory(joint_names=self.state.joint_names, points=[point]))

    def move(self, targets, seconds, fastest):
        """Move there; joints without a target stay. Return how far from it they end."""
        names = self.state.joint_names
        unknown = set(targets) - set(names)
        if unknown:
            raise SystemExit(f'unknown joints {sorted(unknown)}: the controller has {names}')
        positions = [targets.get(name, self.state.feedback.positions[i])
                     for i, name in enumerate(names)]

        def distance():
            return max(abs(is_at - shall) for is_at, shall in
                       zip(self.state.feedback.positions, positions))
        end = time.monotonic() + distance() / fastest + 5.0 * seconds + 5.0
        while distance() > 0.01 and time.monotonic() < end:
            self.publish(positions, max(distance() / fastest, seconds))
            self.wait(lambda: False, 0.1)
        return distance()


def parse(words):
    try:
        return {name: float(value) for name, value in (word.split('=') for word in words)}
    except ValueError:
        raise SystemExit(f"expected joint=angle, got '{' '.join(words)}'") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--controller', default='/feedforward_controller')
    parser.add_argument('--joints', nargs='+', default=[], metavar='NAME=RAD')
    parser.add_argument('--seconds', type=float, default=0.5, help='time of a motion, at least')
    parser.add_argument('--fastest', type=float, default=2.0, metavar='RAD/S', help='speed, at most')
    options = parser.parse_args()
    rclpy.init()
    sliders = Sliders(options.controller)
    if not sliders.connect():
        raise SystemExit(f'{options.controller} does not answer')
    lines = [' '.join(options.joints)] if options.joints else sys.stdin
    for line in lines:
        left = sliders.move(parse(line.split()), options.seconds, options.fastest)
        print(f'{line.strip()}: {left:.4f} rad away')
    rclpy.shutdown()


if __name__ == '__main__':
    main()
