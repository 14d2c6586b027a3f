#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Play the controller's plan by action, say how well it was followed; exit code 0 if it was played."""

import argparse
import os
import sys
import time

from action_msgs.msg import GoalStatus
from fivebar_control.action import ExecutePlan
import rclpy
from rclpy.action import ActionClient
from rclpy.executors import ExternalShutdownException
from rclpy.utilities import remove_ros_args

MODES = {'feedforward+pd': ExecutePlan.Goal.FEEDFORWARD_AND_FEEDBACK,
         'pd': ExecutePlan.Goal.FEEDBACK_ONLY,
         'feedforward': ExecutePlan.Goal.FEEDFORWARD_ONLY}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog='exit codes: 0 played to its end; 1 refused, stopped or a fault; 2 bad usage; '
               '3 no controller answered')
    parser.add_argument('--controller', default='feedforward_controller', metavar='NAME')
    parser.add_argument('--mode', choices=MODES, default='feedforward+pd')
    parser.add_argument('--align', action='store_true', help="first move to the plan's start")
    parser.add_argument('--log', default='', metavar='FILE.csv', help='run log to leave behind')
    parser.add_argument('--wait', type=float, default=30.0, metavar='S',
                        help='how long to wait for the controller (default: %(default)s)')
    return parser.parse_args(remove_ros_args(sys.argv)[1:])


def finished(node, future, seconds=None):
    """Spin until the future is done; False if that takes longer, by the wall clock."""
    end = None if seconds is None else time.monotonic() + seconds
    while not future.done():
        if end is not None and time.monotonic() > end:
            return False
        rclpy.spin_once(node, timeout_sec=0.1)
    return True


def play(node, a):
    client = ActionClient(node, ExecutePlan, f'{a.controller}/execute_plan')
    if not client.wait_for_server(timeout_sec=a.wait):
        print(f'{a.controller} does not answer: no action execute_plan after {a.wait:g} s',
              file=sys.stderr)
        return 3
    goal = ExecutePlan.Goal(mode=MODES[a.mode], align=a.align,
                            log=os.path.abspath(a.log) if a.log else '')
    sent = client.send_goal_async(goal)
    if not finished(node, sent, a.wait) or not sent.result().accepted:
        print(f'{a.controller} did not accept the goal', file=sys.stderr)
        return 3
    handle = sent.result()
    answer = handle.get_result_async()
    try:
        finished(node, answer)
    except KeyboardInterrupt:
        # Smoothly: slow down, hold, relax.
        handle.cancel_goal_async()
        finished(node, answer, 10.0)
    if not answer.done():
        return 1
    result = answer.result().result
    if answer.result().status != GoalStatus.STATUS_SUCCEEDED:
        print(f'not played to its end: {result.message}', file=sys.stderr)
        return 1
    print(f'played: ISE {result.ise:.4g} m^2 s, largest error {1e3 * result.largest_error:.3f} mm, '
          f'largest volts {result.largest_volts:.2f} V, {result.cycles} cycles, '
          f'{result.late_cycles} late', flush=True)
    if result.log:
        print(f'run log: {result.log}', flush=True)
    return 0


def main():
    a = arguments()
    rclpy.init()
    node = rclpy.create_node('play_plan')
    try:
        return play(node, a)
    except (KeyboardInterrupt, ExternalShutdownException):
        return 1
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
