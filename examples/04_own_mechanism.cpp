// SPDX-License-Identifier: Apache-2.0
// A mechanism of your own: how its motion depends on its parameters, by an adjoint and by direct
// differentiation, and the parameters for which it does what you want.
//
//     04_own_mechanism
#include <cmath>
#include <cstdio>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/optimise.hpp"

using namespace fivebar_control;
using namespace fivebar_control::multibody;

// A double pendulum that hangs from A, with a spring from B to its tip: which spring lets the tip
// swing through a height of 0.9 m below A with as little deviation as possible?
// docs/sensitivity.md lists everything that a mechanism can have.
const char * const mechanism = R"(
gravity: [0, -9.81]                     # m/s^2
duration: 1                             # s
ground: {A: [0, 0], B: [1.0, 0]}        # m
points: {elbow: [0.4, -0.3], tip: [0.4, -0.9]}
rods:
  upper: {from: A, to: elbow, mass: 1.0}
  lower: {from: elbow, to: tip, mass: 0.5}
springs:
  s: {between: [B, tip], stiffness: 40, rest_length: 0.8, damping: 2}
parameters: [springs.s.rest_length, springs.s.stiffness]
bounds:
  springs.s.rest_length: [0.1, 2]
  springs.s.stiffness: [10, 200]
costs:
  height: [{of: tip, axis: y, target: -0.9, power: 2}]
)";

int main()
try
{
  const MechanismFile file = read_mechanism(YamlMap::parse(mechanism, "mechanism"));
  const Problem & problem = file.problem;
  const Gradient adjoint = gradient(problem, file.settings, problem.rho, Method::adjoint);
  const Gradient direct = gradient(problem, file.settings, problem.rho, Method::direct);
  std::printf("%s = %.9g\n", file.cost_names[0].c_str(), adjoint.costs(0));
  for (Eigen::Index k = 0; k < problem.rho.size(); ++k)
  {
    std::printf(
      "  %-24s = %-8g derivative %.9g (direct: %.9g)\n",
      problem.parameter_names[static_cast<std::size_t>(k)].c_str(), problem.rho(k),
      adjoint.gradient(0, k), direct.gradient(0, k));
  }

  const Optimisation best = gauss_newton(problem, file.settings, {.relative_step = 1e-4});
  std::printf(
    "best: %.6g after %d simulations, with rest length %.4f m and %.1f N/m\n", best.cost,
    best.evaluations, best.rho(0), best.rho(1));
  const double difference = (adjoint.gradient - direct.gradient).cwiseAbs().maxCoeff();
  const bool agree = difference < 1e-6 * direct.gradient.cwiseAbs().maxCoeff();
  return agree && best.cost < adjoint.costs(0) ? 0 : 1;
}
catch (const Error & error)
{
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
