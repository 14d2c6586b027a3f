# SPDX-License-Identifier: Apache-2.0
"""Hardware that fails half a second into the motion: zero volts, and a message with the cause."""

import os
import sys
import tempfile
import unittest

import launch_testing
from sensor_msgs.msg import JointState

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402

CAUSES = {
    'read': 'reads in a row failed',
    'device': 'the motor board reports a fault',
}


@launch_testing.parametrize('fault', sorted(CAUSES))
def generate_test_description(fault):
    os.environ['FIVEBAR_TEST_FAULT'] = fault
    return lab.robot_launch(hardware_plugin='fivebar_control_test/FailingSystem', planner='false')


class FaultLaunch(unittest.TestCase):

    def test_ends_in_zero_volts_and_names_the_cause(self, fault, proc_output):
        cell = lab.Cell()
        self.addCleanup(cell.close)
        with tempfile.TemporaryDirectory() as folder:
            plan = os.path.join(folder, 'b.csv')
            lab.fivebar('plan', lab.CONFIG / 'curves' / 'b.yaml', '--out', plan)
            cell.wait_until_active()
            self.assertTrue(cell.load(plan).success)
            status, result = cell.run()
        self.assertEqual(status, lab.ABORTED)
        self.assertEqual(result.end, lab.ExecutePlan.Result.FAULT)
        self.assertIn(CAUSES[fault], result.message)
        cell.wait(lambda: cell.controller_state() == 'inactive', 30, 'the manager to deactivate')
        self.assertEqual(list(result.volts), [0.0, 0.0])
        said = cell.diagnostics(lambda values: CAUSES[fault] in values['last fault'])
        self.assertEqual(said.level, lab.DIAGNOSTIC_ERROR)
        self.assertIn(CAUSES[fault], said.message)
        if fault == 'read':
            cell.wait(lambda: cell.hardware_state() != 'active', 30, 'the hardware to stop')
            proc_output.assertWaitFor('zero volts, disarmed', timeout=30)
        else:
            # The encoders are still read: without volts the back-EMF stops the links at once.
            cell.next_message(JointState, '/joint_states',
                              lambda joints: max(map(abs, joints.velocity)) < 1e-3)
