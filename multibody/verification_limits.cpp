// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/multibody/optimise.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "verification_rows.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Largest difference of two rows relative to the larger entries of the second.
double relative(const MatrixD & a, const MatrixD & b)
{
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

/// Corner names no sensitivity, but how well its methods agree.
void verify_corner(Verification & rows)
{
  const Problem bouncing = fivebar_bouncing();
  const Settings settings;
  const Gradient d = rows.timed([&] { return direct(bouncing, settings, bouncing.rho); });
  const Gradient c =
    rows.timed([&] { return central_difference(bouncing, settings, bouncing.rho, 1e-4); });
  const char * names[] = {"integral vy", "integral ay", "integral ay^2 + vy^2"};
  for (int i = 0; i < 3; ++i)
  {
    rows.add_limit(
      Evidence::printed, "Corner section 2.6", fmt::format("{}: direct - differences", names[i]),
      "1e-3", relative(d.gradient.row(i), c.gradient.row(i)), "central differences 1e-4");
  }
  const Gradient a = rows.timed([&] { return adjoint(bouncing, settings, bouncing.rho); });
  rows.add_limit(
    Evidence::printed, "Corner section 3.3", fmt::format("{}: adjoint - direct", names[2]), "1e-4",
    relative(a.gradient.row(2), d.gradient.row(2)), "adjoint with jumps");

  FivebarOptions options;
  const Problem problem = fivebar_springs(options);
  Settings penalty;
  penalty.formulation = Formulation::penalty;
  const Trajectory motion = rows.timed([&] { return simulate(problem, penalty, problem.rho); });
  double position = 0.0, velocity = 0.0;
  for (const Node & node : motion.phases.front().nodes)
  {
    const Response<double> at = response_at(problem, motion, motion.phases.front(), node);
    Terms<double> terms;
    problem.modes.front()->evaluate({node.t, at.q, at.v, problem.local(node.t, motion.rho)}, terms);
    position = std::max(position, terms.Phi.norm());
    velocity = std::max(velocity, (terms.Phi_q * at.v + terms.Phi_t).norm());
  }
  const std::string source = "Corner appendix C, figure C.1";
  rows.add_limit(
    Evidence::printed, source, "largest |Phi|", "1e-6", position, "penalty, rk4 1e-3 s");
  rows.add_limit(
    Evidence::printed, source, "largest |Phi'|", "1e-5", velocity, "penalty, rk4 1e-3 s");
}

/// Dopico et al.: "converges in three iterations".
void verify_iterations(Verification & rows)
{
  FivebarOptions options;
  options.duration = 1.0;
  const Problem problem = fivebar_springs(options);
  const Optimisation best = rows.timed([&] { return gauss_newton(problem, Settings()); });
  const auto done = std::find_if(
    best.history.begin(), best.history.end(),
    [&](const OptimisationStep & step) { return step.cost <= 1e-8 * best.history.front().cost; });
  rows.add_limit(
    Evidence::printed, "Dopico et al. section 6, optimisation", "iterations to 1e-8 of the cost",
    "3", static_cast<double>(done - best.history.begin()), "Gauss-Newton, T = 1 s");
}

}  // namespace

void verify_limits(Verification & rows)
{
  verify_corner(rows);
  verify_iterations(rows);
}

const std::vector<NotRecomputed> & not_recomputed()
{
  static const std::string missing = "the model's data are not in the document";
  static const std::string machine = "times of other computers";
  static const std::vector<NotRecomputed> list{
    {"Schaffer", "tables 6.1-6.8: derivatives of joints, forces and masses against differences",
     "the points and axes that were tested are not given"},
    {"Schaffer", "tables 6.9-6.17: differences between gradients of slider-crank and HMMWV",
     "masses, lengths and start are not in the document"},
    {"Schaffer", "section 6.5.2: IDA's steps, Jacobians and residuals", "of the same models"},
    {"Schaffer", "tables 6.18-6.21: DD, adjoint and piecewise adjoint", machine},
    {"López Varela", "tables 7.3, 7.7 and all other CPU times", machine},
    {"López Varela", "sections 7.3 and 7.5: buggy and anchor", missing},
    {"López Varela", "section 7.4: bicycle, psi and iterations",
     missing + " (masses in Meijaard et al. 2007, reference curves in a figure)"},
    {"Maciąg", "section 5.5: iterations and optima of the pendulum on the five-bar",
     "the printed cost has no cost of control and no least value"},
    {"Maciąg", "chapter 6: times over bodies and threads", machine},
    {"Corner", "section 2.7: Iltis", missing}};
  return list;
}

}  // namespace fivebar_control::multibody
