# SPDX-License-Identifier: Apache-2.0
"""Hardware that is switched off, or off and on again, in the middle of a run ends it."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402

PROBE = lab.MotorProbe()
INACTIVE, ACTIVE = ('inactive', 2), ('active', 3)


def generate_test_description():
    return lab.robot_launch(hardware_plugin='fivebar_control_test/FailingSystem', planner='false')


class DisarmLaunch(unittest.TestCase):
    """The tests run in the order of their names."""

    @classmethod
    def setUpClass(cls):
        cls.cell = lab.Cell()
        cls.folder = tempfile.TemporaryDirectory()
        cls.plan = os.path.join(cls.folder.name, 'b.csv')
        lab.fivebar('plan', lab.CONFIG / 'curves' / 'b.yaml', '--out', cls.plan)
        cls.cell.wait_until_active()
        assert cls.cell.load(cls.plan).success

    @classmethod
    def tearDownClass(cls):
        cls.cell.close()
        cls.folder.cleanup()

    def half_a_second_into_a_run(self):
        goal = self.cell.send(align=True)
        self.cell.wait(
            lambda: any(f.state == lab.ControllerState.PLAYING and f.time > 0.5
                        for f in self.cell.feedback), 60, 'half a second of the plan')
        self.assertNotEqual(PROBE.volts(), [0.0, 0.0])
        return goal

    def expect_disarmed(self, goal):
        status, result = self.cell.result(goal)
        self.assertEqual(status, lab.ABORTED, result.message)
        self.assertEqual(result.end, lab.ExecutePlan.Result.FAULT, result.message)
        self.assertIn('[device_disarmed]', result.message)
        self.cell.wait(lambda: self.cell.controller_state() == 'inactive', 30,
                       'the manager to deactivate')
        self.assertEqual(PROBE.volts(), [0.0, 0.0])
        driven = PROBE.driven()
        # Nothing moves again by itself.
        status, result = self.cell.run(align=True)
        self.assertEqual(result.end, lab.ExecutePlan.Result.REFUSED, result.message)
        self.assertEqual(PROBE.driven(), driven)

    def test_1_inactive_in_the_middle_of_a_run(self):
        goal = self.half_a_second_into_a_run()
        self.assertTrue(self.cell.set_hardware(*INACTIVE))
        self.expect_disarmed(goal)

    def test_2_after_an_explicit_reset_it_plays_again(self):
        self.assertTrue(self.cell.set_hardware(*ACTIVE))
        self.assertTrue(self.cell.switch(activate=['feedforward_controller']))
        status, result = self.cell.run(align=True)
        self.assertEqual(status, lab.SUCCEEDED, result.message)
        self.assertEqual(PROBE.volts(), [0.0, 0.0])

    def test_3_inactive_and_active_again_at_once(self):
        goal = self.half_a_second_into_a_run()
        self.assertTrue(self.cell.set_hardware(*INACTIVE))
        self.assertTrue(self.cell.set_hardware(*ACTIVE))
        self.expect_disarmed(goal)
