# SPDX-License-Identifier: Apache-2.0
"""Tables for pandas; skipped where pandas is missing, which a part of it imitates."""

import subprocess
import sys
import unittest

import fivebar
import numpy as np
from common import Case, request

try:
    import pandas
except ImportError:
    print("skipped: pandas is not installed (Debian: python3-pandas)")
    sys.exit(77)


def read(path):
    """To the last bit, which pandas does not by itself."""
    return pandas.read_csv(path, comment="#", float_precision="round_trip")


class Pandas(Case):
    def test_a_plan_becomes_the_table_of_its_file(self):
        plan = fivebar.plan(self.robot, request())
        plan.save(self.folder / "plan.csv")
        file = read(self.folder / "plan.csv")
        pandas.testing.assert_frame_equal(plan.to_pandas(), file, check_exact=True)

    def test_a_log_becomes_the_table_of_its_file(self):
        plan = fivebar.plan(self.robot, request())
        table = fivebar.play(self.robot, plan, log=self.folder / "log.csv").to_pandas()
        file = read(self.folder / "log.csv")
        self.assertTrue(set(table.columns) <= set(file.columns))
        pandas.testing.assert_frame_equal(
            table, file[list(table.columns)], check_exact=True, check_dtype=False
        )

    def test_a_response_becomes_a_table_that_may_be_changed(self):
        response = fivebar.simulate(self.robot, [0, 0.1], np.zeros((2, 2)))
        table = response.to_pandas()
        table["u1"] += 1.0
        self.assertEqual(response.u1.tolist(), [0.0, 0.0])

    def test_without_pandas_the_error_says_what_is_missing(self):
        program = (
            "import sys; sys.modules['pandas'] = None\n"
            "import fivebar\n"
            "try: fivebar.simulate(fivebar.load_robot(), [0, 1], [[0, 0], [0, 0]]).to_pandas()\n"
            "except ImportError as error: print(error)\n"
        )
        done = subprocess.run(
            [sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True
        )
        self.assertIn("to_pandas() needs pandas (Debian: python3-pandas)", done.stdout)

    def test_pandas_is_not_imported_before_it_is_asked_for(self):
        program = "import fivebar, sys; print('pandas' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True
        )
        self.assertEqual(done.stdout, "False\n")


if __name__ == "__main__":
    unittest.main()
