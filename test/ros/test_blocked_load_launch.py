# SPDX-License-Identifier: Apache-2.0
"""A plan on something that does not answer holds up nobody: cancelling works meanwhile."""

import os
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import robot_cell as lab  # noqa: E402

PROBE = lab.MotorProbe()


def generate_test_description():
    return lab.robot_launch(hardware_plugin='fivebar_control_test/FailingSystem', planner='false')


class BlockedLoadLaunch(unittest.TestCase):

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

    def test_cancel_is_heard_while_a_pipe_is_loaded(self):
        pipe = os.path.join(self.folder.name, 'pipe')
        os.mkfifo(pipe)
        goal = self.cell.send()
        self.cell.wait(lambda: any(f.time > 0.5 for f in self.cell.feedback), 60,
                       'half a second of the plan')
        # Not waited for: whoever reads the pipe in the callback never comes back.
        loader = self.cell.node.create_client(
            lab.LoadPlan, '/feedforward_controller/load_plan')
        self.cell.wait(loader.service_is_ready, 30, 'load_plan')
        answer = loader.call_async(lab.LoadPlan.Request(path=pipe))
        time.sleep(0.2)
        goal.cancel_goal_async()
        status, result = self.cell.result(goal, seconds=20)
        self.assertEqual(status, lab.CANCELED, result.message)
        self.assertEqual(PROBE.volts(), [0.0, 0.0])
        self.cell.wait(answer.done, 20, 'the refusal')
        self.assertFalse(answer.result().success)
        self.assertIn('is a pipe or a device', answer.result().message)
        # The plan before is still there.
        status, result = self.cell.run(align=True)
        self.assertEqual(status, lab.SUCCEEDED, result.message)
