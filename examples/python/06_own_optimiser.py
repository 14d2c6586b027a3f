# SPDX-License-Identifier: Apache-2.0
"""Minimises the planning cost with SciPy instead of the package's own solver.

    python3 06_own_optimiser.py
"""

import sys

import fivebar
import numpy as np

try:
    from scipy.optimize import minimize
except ImportError:
    print("skipped: SciPy is not installed (Debian: python3-scipy)")
    sys.exit(77)

robot = fivebar.load_robot()
request = fivebar.load_request(fivebar.find_config("curves/b_gentle.yaml"))
request = request.replace(time_step=0.05, guess="zero")  # 121 nodes, and no help at the start
problem = fivebar.Problem(robot, request)

scale = 1e5  # J is of the order of 1e-7 m^2 s; SciPy's tolerances expect larger numbers


def cost_and_gradient(flat):
    """J and dJ/du as SciPy wants them: a number and one row."""
    try:
        cost, gradient = problem.gradient(flat.reshape(2, -1))
    except fivebar.LeavesWorkspace:
        return 1e3 * scale, np.zeros_like(flat)  # the line search takes a shorter step
    return scale * cost, scale * gradient.ravel()


limit = problem.voltage_limit
guess = problem.guess().ravel()
result = minimize(
    cost_and_gradient,
    guess,
    jac=True,
    method="L-BFGS-B",
    bounds=[(-limit, limit)] * guess.size,
    options={"maxiter": 3000, "maxfun": 5000, "maxcor": 40, "ftol": 1e-14, "gtol": 1e-10},
)
cost = result.fun / scale
voltages = result.x.reshape(2, -1)

plan = fivebar.plan(robot, request)
print(f"J of zero volts      {problem.cost(np.zeros_like(voltages)):.9e}")
print(f"J by SciPy           {cost:.9e} after {result.nfev} evaluations")
print(f"J by the own solver  {plan.cost:.9e} after {plan.iterations} iterations")
print(f"voltages differ by at most {np.abs(voltages - plan.voltages).max():.1e} V")

assert abs(cost - plan.cost) < 1e-6 * plan.cost
