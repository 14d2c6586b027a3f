# SPDX-License-Identifier: Apache-2.0
"""Sensitivities of mechanisms are those of the command line."""

import json
import unittest

import fivebar
import numpy as np
from common import CONFIG, Case, command

MECHANISM = CONFIG / "mechanisms" / "fivebar_springs.yaml"


class Sensitivity(Case):
    def told(self, *options):
        out = self.folder / "out.json"
        command("sensitivity", MECHANISM, *options, "--json", out)
        return json.loads(out.read_text())

    def test_costs_and_gradient_are_the_commands(self):
        for method, formulation in (("adjoint", "index-1"), ("direct", "maggi")):
            with self.subTest(method):
                told = self.told(
                    "--method", method, "--formulation", formulation, "--set", "duration=0.2"
                )
                found = fivebar.sensitivity(
                    MECHANISM, method=method, formulation=formulation, set={"duration": 0.2}
                )
                self.assertEqual(found.parameter_names, told["parameters"])
                self.assertEqual(found.values.tolist(), told["values"])
                self.assertEqual(found.costs.tolist(), [one["cost"] for one in told["costs"]])
                self.assertEqual(
                    found.gradient.tolist(), [one["gradient"] for one in told["costs"]]
                )
                self.assertEqual(found.cost_names, [one["name"] for one in told["costs"]])
                self.assertEqual((found.method, found.formulation), (method, formulation))
                self.assertEqual(found.integrator, told["integrator"])

    def test_methods_agree_with_complex_steps(self):
        short = {"duration": 0.1}
        exact = fivebar.sensitivity(MECHANISM, method="complex-step", set=short).gradient
        for method in ("direct", "adjoint", "discrete-adjoint"):
            found = fivebar.sensitivity(MECHANISM, method=method, set=short).gradient
            self.assertLess(np.abs(found - exact).max(), 1e-5 * np.abs(exact).max())

    def test_a_key_that_is_not_there_cannot_be_set(self):
        with self.assertRaisesRegex(fivebar.InputError, "cannot set 'no.such.key'"):
            fivebar.sensitivity(MECHANISM, set={"no.such.key": 1})


if __name__ == "__main__":
    unittest.main()
