# SPDX-License-Identifier: Apache-2.0
"""What the tests in real Gazebo share: the launched world, and how far its loop opens."""

import math
import os
import subprocess
import tempfile
from xml.etree import ElementTree

import robot_cell as lab
from sensor_msgs.msg import JointState

PERFECT = lab.CONFIG / 'plants' / 'perfect.yaml'

# Curve: ISE [m^2 s] that a trial of the same plans in the same Gazebo had, with exact encoders. The
# plans and the law have not changed since; where they do, so will these.
TRIAL = {'a': 1.87e-8, 'b': 2.84e-8, 'c': 5.00e-8}
LARGEST_LOOP_ERROR = 2e-4  # m


def gazebo_launch(**arguments):
    """Launch without a window, in a partition of its own, on the loopback interface."""
    os.environ['GZ_IP'] = '127.0.0.1'
    os.environ['GZ_PARTITION'] = f'fivebar_{os.getpid()}'
    return lab.package_launch('gazebo.launch.py', gui='false', **arguments)


def reset_world():
    """Bring the world back to its first moment; return what Gazebo answers."""
    answer = subprocess.run(
        ['gz', 'service', '-s', '/world/fivebar/control', '--reqtype', 'gz.msgs.WorldControl',
         '--reptype', 'gz.msgs.Boolean', '--timeout', '10000', '--req', 'reset: {all: true}'],
        capture_output=True, text=True, timeout=60)
    return answer.stdout + answer.stderr


class Loop:
    """The ends of links 2 and 3, which should be one point, from the joints that Gazebo reports."""

    def __init__(self, cell, robot=lab.CONFIG / 'robot.yaml'):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'fivebar.urdf')
            subprocess.run([lab.program(), 'describe', '--format', 'urdf', '--robot', str(robot),
                            '--out', path], check=True)
            joints = ElementTree.parse(path).findall('joint')
        self.joints = {joint.get('name'): joint.find('origin') for joint in joints}
        self.length_3 = float(lab.robot_file(robot)['links']['link_3']['length'])
        self.largest = 0.0
        self.messages = 0
        cell.node.create_subscription(JointState, '/joint_states', self.look, 100)

    def end(self, angle, driven, passive, tip):
        turned = 0.0
        point = [0.0, 0.0]
        for name in (driven, passive, tip):
            if isinstance(name, str):
                at = [float(x) for x in self.joints[name].get('xyz').split()[:2]]
            else:
                at = [name, 0.0]
            point[0] += math.cos(turned) * at[0] - math.sin(turned) * at[1]
            point[1] += math.sin(turned) * at[0] + math.cos(turned) * at[1]
            if name in angle:
                turned += float(self.joints[name].get('rpy').split()[2]) + angle[name]
        return point

    def look(self, message):
        angle = dict(zip(message.name, message.position))
        if not {'joint_1', 'joint_2', 'joint_3', 'joint_4'} <= angle.keys():
            return
        ends = (self.end(angle, 'joint_1', 'joint_2', 'end_effector_joint'),
                self.end(angle, 'joint_4', 'joint_3', self.length_3))
        self.largest = max(self.largest, math.dist(*ends))
        self.messages += 1


def planned(folder, curve, robot=None):
    """Plan one of the published curves; return the path of the plan."""
    path = os.path.join(folder, f'{curve}.csv')
    lab.fivebar('plan', lab.CONFIG / 'curves' / f'{curve}.yaml', '--out', path,
                *(['--robot', robot] if robot else []))
    return path
