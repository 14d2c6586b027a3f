# SPDX-License-Identifier: Apache-2.0
"""A plan:= that cannot be loaded leaves the controller unconfigured, and it can be tried again."""

import os
import sys
import tempfile
import unittest

from controller_manager_msgs.srv import ConfigureController

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402


def generate_test_description():
    return lab.robot_launch(plan='/nowhere/plan.csv', planner='false')


class BadPlanLaunch(unittest.TestCase):

    def test_it_can_be_configured_with_a_better_plan(self, proc_output):
        cell = lab.Cell()
        self.addCleanup(cell.close)
        proc_output.assertWaitFor('/nowhere/plan.csv: cannot be read', timeout=90)
        cell.wait(lambda: cell.controller_state() == 'unconfigured', 30, 'the refusal')
        with tempfile.TemporaryDirectory() as folder:
            plan = os.path.join(folder, 'b.csv')
            lab.fivebar('plan', lab.CONFIG / 'curves' / 'b.yaml', '--out', plan)
            self.assertEqual(cell.set_parameter('plan', plan), (True, ''))
            answer = cell.call(
                ConfigureController, '/controller_manager/configure_controller',
                ConfigureController.Request(name='feedforward_controller'))
            self.assertTrue(answer.ok)
            self.assertTrue(cell.switch(activate=['feedforward_controller']))
            cell.wait_until_active()
            status, result = cell.run(align=True)
        self.assertEqual(status, lab.SUCCEEDED, result.message)
