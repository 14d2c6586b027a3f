// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "verification_rows.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Maciąg, section 5.2: how well the motion and the adjoint keep their constraints.
void verify_constraints(
  Verification & rows, const Problem & problem, const Settings & settings,
  const HamiltonianAdjoint & adjoint)
{
  const Trajectory motion = simulate(problem, settings, problem.rho);
  double position = 0.0, velocity = 0.0;
  for (const Node & node : motion.phases.front().nodes)
  {
    const Response<double> at = response_at(problem, motion, motion.phases.front(), node);
    Terms<double> terms;
    problem.modes.front()->evaluate({node.t, at.q, at.v, problem.local(node.t, motion.rho)}, terms);
    position = std::max(position, terms.Phi.norm());
    velocity = std::max(velocity, (terms.Phi_q * at.v + terms.Phi_t).norm());
  }
  const std::string source = "Maciąg section 5.2, figures 5.1-5.2";
  const auto limit = [&](const char * quantity, const char * printed, double ours) {
    rows.add_limit(Evidence::printed, source, quantity, printed, ours, "Hamilton, rk4 1e-3 s");
  };
  limit("largest |Phi|", "1e-8", position);
  limit("largest |Phi'|", "1e-13", velocity);
  limit("largest |Psi| of the adjoint", "1e-7", adjoint.velocity_drift);
  limit("largest |Psi'| of the adjoint", "1e-7", adjoint.acceleration_drift);
}

}  // namespace

void verify_hamiltonian(Verification & rows)
{
  FivebarOptions options;
  options.gravity = 9.8066;
  const Problem problem = fivebar_springs(options);
  Settings settings;
  settings.formulation = Formulation::hamilton;
  const std::string why =
    "Maciąg integrated with this tolerance; g is 9.8066 here, as only that g gives the table "
    "(its "
    "optimum needs 9.81)";
  const HamiltonianAdjoint adjoint = rows.timed(
    [&] { return hamiltonian_adjoint(problem, settings, problem.rho, AdjointSpace::absolute); });
  const auto add = [&](
                     const char * row, const char * method, const MatrixD & ours,
                     const std::vector<std::string> & printed, double allowance) {
    rows.add_all(
      Evidence::printed, std::string("Maciąg table 5.2, ") + row, "dJ", {"/db1", "/db2"}, printed,
      ours, method, {why, allowance});
  };
  const char * label = "Hamiltonian adjoint, g = 9.8066";
  add("adjoint 1e-7", label, adjoint.gradient.gradient, {"-4.2280794", "3.2102713"}, 5.1e-5);
  add("adjoint 1e-5", label, adjoint.gradient.gradient, {"-4.2280067", "3.2102194"}, 6.7e-5);
  MatrixD ours =
    rows.timed([&] { return gradient(problem, settings, problem.rho, Method::direct).gradient; });
  label = "direct, Hamilton, g = 9.8066";
  add("direct 1e-7", label, ours, {"-4.2281233", "3.2104310"}, 2e-7);
  add("direct 1e-5", label, ours, {"-4.2280994", "3.2103914"}, 1.3e-5);
  ours = rows.timed(
    [&] { return gradient(problem, settings, problem.rho, Method::complex_step).gradient; });
  label = "complex step, g = 9.8066";
  add("complex step 1e-7", label, ours, {"-4.2281232", "3.2104307"}, 3e-7);
  add("complex step 1e-5", label, ours, {"-4.2280978", "3.2103731"}, 2e-5);
  ours =
    rows.timed([&] { return central_difference(problem, settings, problem.rho, 1e-5).gradient; });
  label = "central difference, g = 9.8066";
  add("differences 1e-7", label, ours, {"-4.2281226", "3.2104316"}, 4e-7);
  add("differences 1e-5", label, ours, {"-4.2280859", "3.2104095"}, 1e-5);
  verify_constraints(rows, problem, settings, adjoint);
  const char * unknown = "step and stabilisation of this classical adjoint are not given";
  rows.add_not_reproducible(
    "Maciąg section 5.2, classical", "dJ/db1", "-4.2359607", ours(0, 0), label, unknown);
  rows.add_not_reproducible(
    "Maciąg section 5.2, classical", "dJ/db2", "3.2150296", ours(0, 1), label, unknown);
}

/// Doubles that both adjoints keep, by Schaffer (5.166)-(5.167): counts of its formulas, not of our
/// memory.
void verify_storage(Verification & rows)
{
  struct Model
  {
    const char * name;
    int n, m;
    const char *plain, *piecewise;
  };
  constexpr int intervals = 40, mesh = 10;
  const auto piecewise_doubles = [](int d, int parameters) {
    return (parameters * (2 * d + 1) + 4 * d * d + 4 * d) * intervals;
  };
  const std::string source = "Schaffer section 5.6";
  const std::string method = "formula (5.166), (5.167)";
  rows.timed([] { return 0; });
  for (const Model & model :
       {Model{"slider-crank", 28, 27, "44400", "1520"}, Model{"HMMWV", 91, 81, "141600", "26000"}})
  {
    const int plain = (3 * model.n + model.m) * intervals * mesh;
    rows.add(
      Evidence::printed, source, fmt::format("{}: adjoint", model.name), model.plain, plain,
      method);
    rows.add(
      Evidence::printed, source, fmt::format("{}: piecewise adjoint", model.name), model.piecewise,
      piecewise_doubles(model.n - model.m, 10), method);
  }
  rows.add_not_reproducible(
    source, "HMMWV: piecewise adjoint, 100 parameters", "57600", piecewise_doubles(10, 100), method,
    "Schaffer's own formula gives 101600");
}

void verify_events(Verification & rows)
{
  const Problem bouncing = fivebar_bouncing();
  Settings settings;
  const Gradient g = rows.timed([&] { return adjoint(bouncing, settings, bouncing.rho); });
  const std::string source = "Corner section 2.6";
  const std::string method = "adjoint with jumps";
  rows.add(Evidence::reference, source, "integral vy", "-0.03496170", g.costs(0), method);
  rows.add(Evidence::reference, source, "integral ay", "-4.27805442", g.costs(1), method);
  rows.add(Evidence::reference, source, "integral ay^2 + vy^2", "72.032445", g.costs(2), method);
  rows.add_all(
    Evidence::reference, source, "d integral vy", rest_lengths, {"1.3166631", "1.5422684"},
    g.gradient.row(0), method);
  rows.add_all(
    Evidence::reference, source, "d integral ay", rest_lengths, {"23.9662552", "-89.9312169"},
    g.gradient.row(1), method, {"the last digit of the reference is uncertain", 1e-8});
  rows.add_all(
    Evidence::reference, source, "d integral ay^2+vy^2", rest_lengths,
    {"933.495215", "-5396.36683"}, g.gradient.row(2), method,
    {"the last digits of the reference are uncertain", 1e-8});
  rows.add_all(
    Evidence::reference, source, "dy2(5 s)", rest_lengths, {"1.316663", "1.542268"},
    g.gradient.row(3), method);

  const Problem nominal = fivebar_bouncing(0.0, -2.0);
  const Gradient n = rows.timed([&] { return direct(nominal, settings, nominal.rho); });
  rows.add_all(
    Evidence::reference, source, "nominal start: d integral vy", rest_lengths,
    {"1.8620513", "-5.7233298"}, n.gradient.row(0), "direct with jumps");

  const Problem capture = fivebar_capture();
  const Gradient c = rows.timed([&] { return adjoint(capture, settings, capture.rho); });
  const std::string impact = "Corner section 2.4 corrected";
  rows.add(Evidence::reference, impact, "x2(1 s) after capture", "0.80902998", c.costs(0), method);
  rows.add_all(
    Evidence::reference, impact, "dx2", rest_lengths, {"-1.861573", "-0.823838"}, c.gradient.row(0),
    method);
  rows.add_all(
    Evidence::reference, impact, "dvx2", rest_lengths, {"1.019082", "1.705417"}, c.gradient.row(1),
    method);
}

void verify_schaffer(Verification & rows)
{
  Settings settings;
  settings.step = 5e-4;
  const std::string source = "Schaffer replacement reference";
  std::vector<std::string> names{"/dm1", "/dm2", "/dL1", "/dA0", "/dk", "/dc", "/dF", "/dxe"};
  const Problem fixed = schaffer_reference(false);
  Gradient g = rows.timed([&] { return piecewise_adjoint(fixed, settings, fixed.rho); });
  rows.add(Evidence::reference, source, "Psi", "15.6144797785", g.costs(0), "piecewise adjoint");
  rows.add_all(
    Evidence::reference, source, "dPsi", names,
    {"5.706558", "-1.948786", "-2.384941", "-2.271451", "1.298265", "-10.469976", "-1.008513"},
    g.gradient, "piecewise adjoint");
  const Problem ending = schaffer_reference(true);
  g = rows.timed([&] { return adjoint(ending, settings, ending.rho); });
  rows.add_all(
    Evidence::reference, source, "event end: dPsi", names,
    {"1.508342", "7.855854", "-9.286133", "-7.835961", "-1.052620", "-2.638709", "-0.862527",
     "-30.275950"},
    g.gradient, "adjoint, index-1");
}

}  // namespace fivebar_control::multibody
