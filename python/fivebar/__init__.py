# SPDX-License-Identifier: Apache-2.0
"""Model-based voltage feedforward for a five-bar parallel robot.

>>> import fivebar
>>> robot = fivebar.load_robot()
>>> request = fivebar.load_request(fivebar.find_config("curves/b_gentle.yaml"))
>>> plan = fivebar.plan(robot, request)
>>> mismatched = fivebar.load_plant(fivebar.find_config("plants/mismatched.yaml"))
>>> fivebar.compare(robot, plan, plant=mismatched).ise_ratio

All quantities are in SI units: s, m, rad, V. docs/python.md has a tour.
"""

from ._errors import (
    Error,
    HardwareFailure,
    InputError,
    LeavesWorkspace,
    MechanismError,
    NotReachable,
)
from ._fivebar import (
    FORMULATIONS,
    GRADIENT_METHODS,
    SENSITIVITY_METHODS,
    STATES,
    Comparison,
    Controller,
    Iteration,
    Log,
    Plan,
    PlanIteration,
    Plant,
    Pose,
    Problem,
    Request,
    Response,
    Robot,
    Sensitivity,
    Weights,
    __version__,
    compare,
    cost,
    find_config,
    gradient,
    load_controller,
    load_log,
    load_plan,
    load_plant,
    load_request,
    load_robot,
    parse_controller,
    parse_plan,
    parse_plant,
    parse_request,
    parse_robot,
    plan,
    play,
    sensitivity,
    simulate,
)

__all__ = [
    "Comparison",
    "Controller",
    "Error",
    "FORMULATIONS",
    "HardwareFailure",
    "InputError",
    "GRADIENT_METHODS",
    "Iteration",
    "LeavesWorkspace",
    "Log",
    "MechanismError",
    "NotReachable",
    "Plan",
    "PlanIteration",
    "Plant",
    "Pose",
    "Problem",
    "Request",
    "Response",
    "Robot",
    "SENSITIVITY_METHODS",
    "STATES",
    "Sensitivity",
    "Weights",
    "__version__",
    "compare",
    "cost",
    "find_config",
    "gradient",
    "load_controller",
    "load_log",
    "load_plan",
    "load_plant",
    "load_request",
    "load_robot",
    "parse_controller",
    "parse_plan",
    "parse_plant",
    "parse_request",
    "parse_robot",
    "plan",
    "play",
    "sensitivity",
    "simulate",
]

for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "fivebar"
del _name
