# SPDX-License-Identifier: Apache-2.0
"""How the motion of a mechanism depends on its parameters, by two methods.

    python3 04_own_mechanism.py [MECHANISM.yaml]
"""

import sys

import fivebar
import numpy as np

path = sys.argv[1] if len(sys.argv) > 1 else fivebar.find_config("mechanisms/fivebar_springs.yaml")

adjoint = fivebar.sensitivity(path, method="adjoint", set={"duration": 1})
direct = fivebar.sensitivity(path, method="direct", set={"duration": 1})

for cost, value, row in zip(adjoint.cost_names, adjoint.costs, adjoint.gradient):
    print(f"{cost} = {value:.9g}")
    for name, at, derivative in zip(adjoint.parameter_names, adjoint.values, row):
        print(f"  {name:24} = {at:<10.6g} derivative {derivative:.9g}")

difference = np.abs(adjoint.gradient - direct.gradient).max() / np.abs(direct.gradient).max()
print(f"adjoint {adjoint.seconds:.3f} s, direct {direct.seconds:.3f} s, difference {difference:.1e}")

assert difference < 1e-6
