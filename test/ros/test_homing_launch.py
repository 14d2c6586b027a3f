# SPDX-License-Identifier: Apache-2.0
"""Nothing moves before the hardware is active: homing against the stops of an emulated board."""

import csv
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from ament_index_python.packages import get_package_prefix
from sensor_msgs.msg import JointState

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix='fivebar_homing_'))
LINK, LOG = FOLDER / 'robot', FOLDER / 'board.csv'
STOPS = {'joint_1': -0.3, 'joint_4': 1.9}
INACTIVE, ACTIVE = ('inactive', 2), ('active', 3)


def write_files():
    (FOLDER / 'plant.yaml').write_text(
        'schema: 1\nname: with stops\nend_stops: {phi1: [-0.3, 0.4], phi4: [1.2, 1.9]}\n')
    joint = '{counts_per_revolution: 4096, output_limit: 10}'
    (FOLDER / 'calibration.yaml').write_text(
        f'schema: 1\njoint_1: {joint}\njoint_4: {joint}\nserial: {{lock_step: true}}\n'
        'homing: {method: end_stop, phi1: -0.3, phi4: 1.9, voltage_1: -2.5, voltage_4: 2.5}\n')
    controllers = (lab.CONFIG / 'controllers.yaml').read_text()
    (FOLDER / 'controllers.yaml').write_text(controllers.replace(
        '    update_rate: 1000  # Hz\n',
        '    update_rate: 1000  # Hz\n    hardware_components_initial_state:\n'
        '      inactive: [fivebar]\n'))


def emulated_board():
    """Start the firmware behind a pseudo-terminal; its time goes on with every request."""
    program = pathlib.Path(get_package_prefix('fivebar_control')) / 'lib/fivebar_control/fivebar'
    board = subprocess.Popen(
        [program, 'emulate', '--link', LINK, '--lock-step', '--plant', FOLDER / 'plant.yaml',
         '--log', LOG], stdout=subprocess.DEVNULL)
    while not LINK.is_symlink():
        assert board.poll() is None, 'the emulated board has ended'
        time.sleep(0.05)
    return board


def generate_test_description():
    write_files()
    HomingLaunch.board = emulated_board()
    return lab.package_launch(
        'robot.launch.py', backend=f'serial:{LINK}', uncommissioned='true', planner='false',
        calibration=str(FOLDER / 'calibration.yaml'), controller='joint_state_broadcaster',
        controllers_file=str(FOLDER / 'controllers.yaml'))


class HomingLaunch(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.cell = lab.Cell()

    @classmethod
    def tearDownClass(cls):
        cls.cell.close()
        if cls.board.poll() is None:
            cls.board.kill()

    def joints(self, wanted):
        message = self.cell.next_message(
            JointState, '/joint_states',
            lambda m: wanted(dict(zip(m.name, m.position))))
        return dict(zip(message.name, message.position))

    def test_the_links_move_when_the_hardware_is_active_and_not_before(self):
        self.cell.wait(lambda: self.cell.hardware_state() == 'inactive', 100, 'the hardware')
        self.joints(lambda angles: all(map(math.isnan, angles.values())))
        # Many cycles of the manager, in which a homing would long have begun.
        pause = time.monotonic() + 3.0
        self.cell.wait(lambda: time.monotonic() > pause, 10, 'the pause')
        self.assertTrue(self.cell.set_hardware(*ACTIVE))
        angles = self.joints(lambda angles: not any(map(math.isnan, angles.values())))
        for joint, stop in STOPS.items():
            self.assertAlmostEqual(angles[joint], stop, delta=0.02)
        # A second activation homes no more, and one that is ended has no volts.
        self.assertTrue(self.cell.set_hardware(*INACTIVE))
        self.board.send_signal(signal.SIGINT)
        self.assertEqual(self.board.wait(20), 0)
        with open(LOG) as file:
            rows = [(float(r['t']), abs(float(r['volts1'])), abs(float(r['volts4'])))
                    for r in csv.DictReader(file)]
        moving = [t for t, volts_1, volts_4 in rows if volts_1 > 0.0 or volts_4 > 0.0]
        print(f'{len(rows)} events on the board, the first volts after {moving[0]:.3f} s')
        self.assertGreater(moving[0], 0.3)  # the first event is the opening
        self.assertLessEqual(max(max(row[1:]) for row in rows), 2.5 + 1e-9)
        self.assertGreater(max(max(row[1:]) for row in rows), 2.0)
        self.assertEqual(rows[-1][1:], (0.0, 0.0))
