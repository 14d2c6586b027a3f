# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# From a curve in a few lines of YAML to a figure: open it as a notebook, or run
#
#     python3 07_curve_to_figure.py [FIGURE.png]

# %%
import os
import pathlib
import sys

import fivebar
import numpy as np

try:
    import matplotlib
except ImportError:
    print("skipped: matplotlib is not installed (Debian: python3-matplotlib)")
    sys.exit(77)
has_display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
if not has_display and "ipykernel" not in sys.modules:
    matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Circle

# %% The curve: an eight that is drawn in 1.8 seconds, from rest to rest.
request = fivebar.parse_request(
    """
schema: 1
name: an eight
curve:
  type: lissajous
  center: [0.127, 0.135]            # m
  amplitude: [0.055, 0.040]         # m
  angular_frequency: [3.92699, 7.85398]   # rad/s
  duration: 1.6                     # s
ramp: {in: 0.2, out: 0.2}           # s
time_step: 0.002                    # s
cost: {alpha: 0.05, beta: 1.0, rho: 1.0e-9}
"""
)
robot = fivebar.load_robot()
plan = fivebar.plan(robot, request)
mismatched = fivebar.load_plant(fivebar.find_config("plants/mismatched.yaml"))
both = fivebar.compare(robot, plan, plant=mismatched)
print(plan)
print(both)

# %% The figure.
INK, GREY, BLUE, ORANGE = "#222222", "#9a9a9a", "#1f6fb4", "#d9541e"
plt.rcParams.update(
    {
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": GREY,
        "axes.labelcolor": INK,
        "axes.titlelocation": "left",
        "axes.titlesize": 11,
        "xtick.color": INK,
        "ytick.color": INK,
        "legend.frameon": False,
    }
)
millimetre = 1e3


def playing(log):
    """Times and errors of P while the plan was playing."""
    rows = log.state == fivebar.STATES.index("playing")
    error = np.hypot(log.x_measured - log.x, log.y_measured - log.y)
    return log.plan_time[rows], error[rows], rows


def draw_robot(axes, phi1, phi4):
    """The linkage with its links as thick lines and its joints as circles."""
    pose = robot.pose(phi1, phi4)
    chain = [robot.pivot_1, pose.elbow_1, pose.end_effector, pose.elbow_4, robot.pivot_4]
    points = millimetre * np.array(chain)
    axes.plot(*points.T, color="#c9ced6", linewidth=7, solid_capstyle="round", zorder=1)
    for index, point in enumerate(points):
        pivot = index in (0, 4)
        radius, face = (5.0, INK) if pivot else (3.2, "white")
        axes.add_patch(Circle(point, radius, facecolor=face, edgecolor=INK, zorder=2))


figure = plt.figure(figsize=(10.5, 4.9), constrained_layout=True)
left, right = figure.subfigures(1, 2, width_ratios=[1.25, 1.0])
path = left.subplots()
volts, errors = right.subplots(2, 1, sharex=True)

# PD draws the right path, but late: the dots are where P is at one moment.
times, error, _ = playing(both.pd)
moment = times[np.argmax(error)]
node = np.searchsorted(plan.t, moment)
draw_robot(path, plan.phi1[node], plan.phi4[node])
nominal = millimetre * request.points(np.linspace(0.0, request.duration, 600))
path.plot(*nominal.T, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), label="curve", zorder=5)
for log, colour, name in ((both.pd, ORANGE, "PD"), (both.feedforward_pd, BLUE, "feedforward + PD")):
    times, error, rows = playing(log)
    path.plot(
        millimetre * log.x_measured[rows], millimetre * log.y_measured[rows],
        color=colour, linewidth=1.6, label=name, zorder=4,
    )
    cycle = np.flatnonzero(rows)[np.searchsorted(times, moment)]
    point = millimetre * np.array([log.x_measured[cycle], log.y_measured[cycle]])
    path.plot(*point, marker="o", markersize=8, color=colour, markeredgecolor="white", zorder=6)
    errors.plot(times, millimetre * error, color=colour, label=name, linewidth=1.2)
path.set_aspect("equal")
path.set(xlabel="x [mm]", ylabel="y [mm]")
path.set_title(f"P on a robot 20 % heavier than the model; dots at {moment:.2f} s")
path.set(xlim=(-25, 280), ylim=(-15, 218))
path.legend(loc="upper left", ncol=3)

volts.plot(plan.t, plan.u1, color=INK, label="motor 1")
volts.plot(plan.t, plan.u4, color=GREY, label="motor 4")
volts.set(ylabel="u [V]", title="Feedforward voltages")
volts.legend(loc="upper left", ncol=2)
errors.set(xlabel="t [s]", ylabel="|error of P| [mm]")
errors.set_title(f"Error: {both.ise_ratio:.0f} times less ISE with feedforward")
errors.legend(loc="upper left", ncol=2)
for axes, low in ((volts, None), (errors, 0.0)):
    axes.set_ylim(low, axes.get_ylim()[1] * 1.25)  # room for the legend
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.margins(x=0.0)

# %% Where it goes.
named = len(sys.argv) > 1 and sys.argv[1].endswith(".png")  # a notebook has other arguments
target = pathlib.Path(sys.argv[1] if named else "curve.png")
target.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(target, dpi=150)
print(f"wrote {target}")
assert both.ise_ratio > 5
