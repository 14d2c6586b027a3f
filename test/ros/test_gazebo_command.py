# SPDX-License-Identifier: Apache-2.0
"""The one command in real Gazebo: start, play, say how well, leave a log, end with an exit code."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import gazebo_cell as gazebo  # noqa: E402
import robot_cell as lab  # noqa: E402


class GazeboCommand(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        os.environ['GZ_IP'] = '127.0.0.1'
        os.environ['GZ_PARTITION'] = f'fivebar_{os.getpid()}'
        cls.plan = gazebo.planned(cls.folder, 'b')

    def launch(self, **arguments):
        return subprocess.run(
            ['ros2', 'launch', 'fivebar_control', 'gazebo.launch.py', 'gui:=false', 'play:=true',
             *(f'{name}:={value}' for name, value in arguments.items())],
            cwd=self.folder, capture_output=True, text=True, timeout=150)

    def ise(self, **arguments):
        done = self.launch(plan=self.plan, **arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = re.search(r'played: ISE (\S+) m\^2 s', done.stdout)
        self.assertTrue(found, done.stdout)
        return float(found[1])

    def test_plays_and_leaves_a_log(self):
        ise = self.ise(plant=gazebo.PERFECT)
        self.assertAlmostEqual(ise / gazebo.TRIAL['b'], 1.0, delta=0.1)
        log = os.path.join(self.folder, 'b.gazebo.log.csv')
        self.assertIn('feedforward+pd', lab.fivebar_report(self.plan, log))

    def test_feedforward_pays_on_a_robot_that_is_not_the_model(self):
        logs = {mode: f'{mode}.csv' for mode in ('pd', 'feedforward+pd')}
        ise = {mode: self.ise(plant=lab.PLANT, mode=mode, log=log) for mode, log in logs.items()}
        own = {run['mode']: run['ise'] for run in lab.fivebar(
            'compare', self.plan, '--plant', lab.PLANT)['runs']}
        for mode in logs:
            print(f'curve b, mismatched, {mode}: ISE {ise[mode]:.4g} m^2 s in Gazebo, '
                  f'{own[mode]:.4g} on our own equations')
        self.assertGreater(ise['pd'] / ise['feedforward+pd'], 20.0)

    def test_what_cannot_be_played_ends_with_an_error(self):
        done = self.launch(plan=os.path.join(self.folder, 'missing.csv'))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn('missing.csv', done.stdout + done.stderr)


if __name__ == '__main__':
    unittest.main()
