// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "dense.hpp"
#include "fivebar_control/multibody/hadca_adjoint.hpp"
#include "fivebar_control/multibody/optimise.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "verification_rows.hpp"

// Maciąg, section 5.4: double pendulum on a cart. The source prints data and limits but no results;
// the references come from independent programs (CasADi, numpy with complex steps).

namespace fivebar_control::multibody
{
namespace
{

constexpr double step = 0.005;
const std::string stabilisation = "Maciąg section 5.4.2";
const std::string swing_up = "Maciąg section 5.4.1";

CartOptions double_pendulum()
{
  CartOptions options;
  options.bodies = 3;
  options.duration = 3.0;
  options.force_nodes = 601;
  return options;
}

/// In Maggi's coordinates the steps are those of the reference's joint coordinates.
Settings like_the_reference()
{
  Settings settings;
  settings.formulation = Formulation::maggi;
  settings.independent = {0, 5, 8};
  settings.step = step;
  return settings;
}

Settings adaptive(Settings settings)
{
  settings.integrator = Integrator::adaptive;
  settings.tolerance = 1e-12;
  return settings;
}

/// dJ/du at nodes, and its norm.
void add_gradient(
  Verification & rows, const std::string & source, const Gradient & g,
  const std::vector<std::pair<int, const char *>> & nodes, const char * norm)
{
  const auto add = [&](const std::string & quantity, const char * expected, double ours) {
    rows.add_near(
      source, quantity, expected, ours, 1e-10 * std::abs(std::stod(expected)), "discrete adjoint");
  };
  for (const auto & [node, expected] : nodes)
  {
    add(fmt::format("dJ/du{}", node), expected, g.gradient(0, node));
  }
  add("|gradient|", norm, g.gradient.norm());
}

double largest_deviation(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const Trajectory motion = simulate(problem, settings, rho);
  double largest = 0.0;
  for (const Node & node : motion.phases.front().nodes)
  {
    largest = std::max(largest, std::abs(node.q(0)));
  }
  return largest;
}

void verify_start(Verification & rows, const Problem & problem)
{
  const Settings settings = like_the_reference();
  const Gradient g =
    rows.timed([&] { return gradient(problem, settings, problem.rho, Method::discrete_adjoint); });
  rows.add_near(
    stabilisation, "J(u = 0), rk4", "0.364044003574493", g.costs(0), 3.6e-13, "Maggi, rk4");
  add_gradient(
    rows, stabilisation, g,
    {{0, "5.20198223614e-04"},
     {1, "1.03598105518e-03"},
     {100, "3.69557131885e-04"},
     {300, "-7.07694102501e-04"},
     {500, "-3.71400482801e-04"},
     {600, "-6.60416536639e-07"}},
    "1.34001556523e-02");
  rows.add_near(
    stabilisation, "sum of the gradient", "-1.213547923680e-01", g.gradient.sum(), 1.2e-11,
    "discrete adjoint");
  rows.add_near(
    stabilisation, "largest dJ/du", "1.035981e-03", g.gradient.cwiseAbs().maxCoeff(), 0.0,
    "discrete adjoint");
  const Trajectory exact =
    rows.timed([&] { return simulate(problem, adaptive(settings), problem.rho); });
  rows.add_near(
    stabilisation, "J(u = 0)", "0.36404400637", exact.costs(0), 1e-8, "Maggi, adaptive");
  double low = 0.0, high = 0.0;
  for (const Node & node : exact.phases.front().nodes)
  {
    low = std::min(low, node.q(0));
    high = std::max(high, node.q(0));
  }
  rows.add_near(stabilisation, "lowest x", "-0.301980", low, 1e-6, "Maggi, adaptive");
  rows.add_near(stabilisation, "highest x", "0.861757", high, 1e-6, "Maggi, adaptive");
  const VectorD & q = exact.phases.front().nodes.back().q;
  rows.add_near(stabilisation, "x(3 s)", "-0.1800167496", q(0), 1e-8, "Maggi, adaptive");
  rows.add_near(stabilisation, "alpha_2(3 s)", "-0.9460909009", q(5), 1e-8, "Maggi, adaptive");
  rows.add_near(
    stabilisation, "alpha_3(3 s)", "0.6981619610", q(8) - q(5), 1e-8, "Maggi, adaptive");
}

/// The continuous adjoint beside the discrete gradient.
void verify_density(Verification & rows, const Problem & problem)
{
  Settings settings = adaptive(like_the_reference());
  settings.formulation = Formulation::hadca;
  settings.step = 1e-3;
  settings.threads = 1;
  const HadcaAdjoint adjoint =
    rows.timed([&] { return hadca_adjoint(problem, settings, problem.rho); });
  for (const auto & [node, expected] :
       {std::pair{0, "1.042600484e-03"}, std::pair{100, "3.695535632e-04"},
        std::pair{300, "-7.076981620e-04"}, std::pair{500, "-3.713978876e-04"}})
  {
    rows.add_near(
      stabilisation, fmt::format("xi_1({} s) * 0.005 s", step * node), expected,
      step * adjoint.nodes[static_cast<std::size_t>(5 * node)].density(0), 1e-8 * step,
      "HADCA adjoint");
  }
}

/// The force that holds the cart, by a constraint; returned at all nodes.
VectorD verify_servo(Verification & rows)
{
  CartOptions options = double_pendulum();
  options.held = true;
  options.force_nodes = 0;
  const Problem problem = cart_with_pendula(options);
  Settings settings = like_the_reference();
  settings.independent = {5, 8};
  const auto force = [&](const Settings & how) {
    const Trajectory motion = rows.timed([&] { return simulate(problem, how, problem.rho); });
    const Phase & phase = motion.phases.front();
    MatrixD result(static_cast<Eigen::Index>(phase.nodes.size()), 3);
    for (std::size_t i = 0; i < phase.nodes.size(); ++i)
    {
      const Response<double> r = response_at(problem, motion, phase, phase.nodes[i]);
      result.row(static_cast<Eigen::Index>(i)) << -r.lambda(6), r.q(5), r.q(8) - r.q(5);
    }
    return result;
  };
  const MatrixD coarse = force(settings);
  const MatrixD exact = force(adaptive(settings));
  const std::vector<std::string> expected[] = {
    {"4.1923920039", "0.7853981634", "0"},
    {"-7.2096559968", "-0.0515904761", "0.4632340828"},
    {"11.0806231158", "-1.9364785978", "-0.0856938760"},
    {"0.0947533015", "-3.2041181928", "-0.4932275714"},
    {"4.5757447826", "-2.5047588448", "-1.2758557851"},
    {"-6.9079000621", "-1.2716094477", "0.2790052672"},
    {"-2.2597662019", "-0.3966083215", "0.3964200080"}};
  const char * names[] = {"servo force", "alpha_2 held", "alpha_3 held"};
  for (Eigen::Index i = 0; i < 7; ++i)
  {
    for (Eigen::Index k = 0; k < 3; ++k)
    {
      rows.add_near(
        stabilisation, fmt::format("{}({} s)", names[k], 0.5 * static_cast<double>(i)),
        expected[i][static_cast<std::size_t>(k)], exact(100 * i, k), 1e-8, "Maggi, adaptive");
    }
  }
  const VectorD u = exact.col(0);
  rows.add_near(stabilisation, "largest servo force", "15.26631225", u.maxCoeff(), 1e-8, "Maggi");
  rows.add_near(stabilisation, "least servo force", "-16.47183206", u.minCoeff(), 1e-8, "Maggi");
  rows.add_limit(
    Evidence::reference, stabilisation, "servo force, rk4 against adaptive", "2e-6",
    (coarse.col(0) - u).cwiseAbs().maxCoeff(), "Maggi, rk4");
  return u;
}

/// With the servo force the gradient is "four orders of magnitude lower", as the source says.
void verify_at_servo(Verification & rows, const Problem & problem, const VectorD & force)
{
  const auto at = [&](const VectorD & rho) {
    return gradient(problem, like_the_reference(), rho, Method::discrete_adjoint);
  };
  const Gradient there = rows.timed([&] { return at(force); });
  const double ratio = there.gradient.norm() / at(problem.rho).gradient.norm();
  rows.add_near(
    stabilisation, "|gradient| at servo force / at u = 0", "1.538e-4", ratio, 1.5e-6,
    "discrete adjoint");
  rows.add_near(
    stabilisation, "J at servo force", "9.1192e-10", there.costs(0), 9e-12, "Maggi, rk4");
}

void verify_stabilised(Verification & rows, const Problem & problem)
{
  const auto limit = [&](const char * quantity, const char * at_most, double ours) {
    rows.add_limit(Evidence::reference, stabilisation, quantity, at_most, ours, "optimisation");
  };
  const Settings settings = like_the_reference();
  OptimisationLimits limits;
  limits.cost = 1e-9;
  const Optimisation best =
    rows.timed([&] { return riccati_gauss_newton(problem, settings, limits); });
  limit("Gauss-Newton: J", "1e-9", best.cost);
  limit("Gauss-Newton: iterations", "8", best.iterations);
  limit("Gauss-Newton: largest |x|", "2e-4", largest_deviation(problem, settings, best.rho));
  Settings chain = settings;
  chain.formulation = Formulation::hadca;
  chain.threads = 1;
  limits.cost = 0.0;
  limits.gradient = 1e-6;
  limits.evaluations = 1000;
  const Optimisation rough =
    rows.timed([&] { return quasi_newton(problem, chain, Method::hadca_adjoint, limits); });
  limit("L-BFGS until |g| <= 1e-6: J", "2.5e-5", rough.cost);
  limit(
    "L-BFGS until |g| <= 1e-6: largest |x|", "1e-2", largest_deviation(problem, chain, rough.rho));
  limits.cost = 5e-6;
  limits.gradient = 0.0;
  const Optimisation finer =
    rows.timed([&] { return quasi_newton(problem, chain, Method::hadca_adjoint, limits); });
  rows.add_limit(
    Evidence::printed, stabilisation, "L-BFGS until J <= 5e-6: largest |x|", "7e-3",
    largest_deviation(problem, chain, finer.rho), "optimisation");
}

void verify_swing_up(Verification & rows)
{
  CartOptions options = double_pendulum();
  options.angle = -1.57079632679489661923;
  options.upright = true;
  const Problem problem = cart_with_pendula(options);
  const Settings settings = like_the_reference();
  const Gradient g =
    rows.timed([&] { return gradient(problem, settings, problem.rho, Method::discrete_adjoint); });
  rows.add_near(swing_up, "J(u = 0)", "4.934802200544679", g.costs(0), 4.9e-12, "Maggi, rk4");
  add_gradient(
    rows, swing_up, g,
    {{0, "-4.9200276961e-04"},
     {100, "7.0609773481e-04"},
     {300, "-1.5283684850e-03"},
     {500, "1.8608223390e-03"},
     {600, "1.7544875147e-05"}},
    "3.085807366402e-02");
  OptimisationLimits limits;
  limits.cost = 1e-10;
  options.rate_weight = 0.0;
  const Optimisation first =
    rows.timed([&] { return riccati_gauss_newton(cart_with_pendula(options), settings, limits); });
  Problem again = problem;
  again.rho = first.rho;
  const Optimisation second =
    rows.timed([&] { return riccati_gauss_newton(again, settings, limits); });
  const auto limit = [&](const char * quantity, const char * at_most, double ours) {
    rows.add_limit(
      Evidence::reference, swing_up, quantity, at_most, ours, "Gauss-Newton, two stages");
  };
  limit("J", "1e-6", second.cost);
  limit("iterations", "40", first.iterations + second.iterations);
  limit("largest force", "120", second.rho.cwiseAbs().maxCoeff());
  const VectorD q = simulate(problem, settings, second.rho).phases.front().nodes.back().q;
  limit("angle error alpha_2", "1e-3", std::abs(q(5) - 1.57079632679489661923));
  limit("angle error alpha_3", "1e-3", std::abs(q(8) - q(5)));
  Settings fine = settings;
  fine.formulation = Formulation::hadca;
  fine.step = step / 16.0;
  limit("J in 16 times finer steps", "1e-7", simulate_costs<double>(problem, fine, second.rho)(0));
}

}  // namespace

void verify_cart(Verification & rows)
{
  const Problem problem = cart_with_pendula(double_pendulum());
  verify_start(rows, problem);
  verify_density(rows, problem);
  const VectorD force = verify_servo(rows);
  verify_at_servo(rows, problem, force);
  verify_stabilised(rows, problem);
  verify_swing_up(rows);
}

}  // namespace fivebar_control::multibody
