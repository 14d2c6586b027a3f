# SPDX-License-Identifier: Apache-2.0
"""Columns are read-only views on memory that their owner keeps."""

import gc
import unittest

import fivebar
import numpy as np
from common import CONFIG, Case, request

PLAN_COLUMNS = ("t", "u1", "u4", "phi1", "phi4", "dphi1", "dphi4", "x", "y")
LOG_COLUMNS = (
    "t u1 u4 phi1 phi4 x y plan_time u1_feedback u4_feedback u1_applied u4_applied phi1_measured "
    "phi4_measured x_measured y_measured state late limited"
).split()


class Arrays(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plan = fivebar.plan(cls.robot, request())
        cls.log = fivebar.play(cls.robot, cls.plan)

    def owners(self):
        response = fivebar.simulate(self.robot, [0.0, 0.1, 0.2], np.zeros((2, 3)))
        spring = fivebar.sensitivity(
            CONFIG / "mechanisms" / "cart_pendulum.yaml", set={"duration": 0.01}
        )
        return (
            (self.plan, PLAN_COLUMNS),
            (response, PLAN_COLUMNS),
            (self.log, LOG_COLUMNS),
            (spring, ("values", "costs", "gradient")),
        )

    def test_two_looks_at_a_column_share_its_memory(self):
        for owner, names in self.owners():
            for name in names:
                with self.subTest(owner=owner, column=name):
                    column = getattr(owner, name)
                    self.assertTrue(np.shares_memory(column, getattr(owner, name)))
                    self.assertIs(column.base, owner)
                    self.assertFalse(column.flags.owndata)

    def test_a_column_cannot_be_written_nor_made_writeable(self):
        for owner, names in self.owners():
            for name in names:
                with self.subTest(owner=owner, column=name):
                    column = getattr(owner, name)
                    with self.assertRaises(ValueError):
                        column[0] = 1
                    with self.assertRaises(ValueError):
                        column.flags.writeable = True

    def test_a_column_outlives_the_name_of_its_owner(self):
        plan = fivebar.plan(self.robot, request())
        voltages = plan.u1
        before = voltages.copy()
        del plan
        gc.collect()
        # Memory that had been given back would be used again by these.
        others = [fivebar.plan(self.robot, request("c_gentle")) for _ in range(3)]
        self.assertTrue(np.array_equal(voltages, before))
        self.assertIsInstance(voltages.base, fivebar.Plan)
        del others

    def test_columns_have_one_entry_per_row(self):
        for owner, names in self.owners()[:3]:
            for name in names:
                self.assertEqual(getattr(owner, name).shape, (len(owner),))

    def test_columns_of_a_log_have_their_types(self):
        self.assertEqual(self.log.state.dtype, np.int32)
        self.assertEqual(self.log.late.dtype, np.bool_)
        self.assertEqual(self.log.limited.dtype, np.bool_)
        self.assertIn("playing", {fivebar.STATES[i] for i in self.log.state})

    def test_voltages_are_a_new_array(self):
        voltages = self.plan.voltages
        self.assertEqual(voltages.shape, (2, len(self.plan)))
        self.assertTrue(np.array_equal(voltages[1], self.plan.u4))
        self.assertFalse(np.shares_memory(voltages, self.plan.u4))
        voltages[0, 0] = 1.0

    def test_any_layout_and_type_of_voltages_is_understood(self):
        times = np.arange(4)
        voltages = np.array([[0, 1, 0, 1], [1, 0, 1, 0]])
        expected = fivebar.simulate(self.robot, times * 0.1, voltages.astype(float)).phi1
        for other in (voltages, voltages.tolist(), np.asfortranarray(voltages), voltages.T.copy().T):
            found = fivebar.simulate(self.robot, times * 0.1, other).phi1
            self.assertTrue(np.array_equal(found, expected))


if __name__ == "__main__":
    unittest.main()
