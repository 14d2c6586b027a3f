// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "fivebar_control/multibody/hadca_adjoint.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "verification_rows.hpp"

// Maciąg, chapter 6: a cart with a chain of pendula. The source shows figures but prints no
// numbers; the references come from independent programs (long double extrapolation, DOP853,
// CasADi).

namespace fivebar_control::multibody
{
namespace
{

Settings divide_and_conquer(double step, Integrator integrator)
{
  Settings settings;
  settings.formulation = Formulation::hadca;
  settings.integrator = integrator;
  settings.step = step;
  settings.tolerance = 1e-11;
  settings.threads = 1;
  return settings;
}

std::string source_of(int bodies) { return fmt::format("Maciąg chapter 6, {} bodies", bodies); }

Response<double> at_time(const Problem & problem, const Trajectory & motion, double t)
{
  const Phase & phase = motion.phases.front();
  const double step = problem.duration / static_cast<double>(phase.nodes.size() - 1);
  return response_at(
    problem, motion, phase, phase.nodes[static_cast<std::size_t>(std::lround(t / step))]);
}

/// Of all bodies; the zero of the potential is at the height of the rail.
double energy(const Response<double> & at)
{
  double sum = 0.5 * 0.8 * at.v(0) * at.v(0);
  for (Eigen::Index k = 3; k < at.q.size(); k += 3)
  {
    const auto v = at.v.segment(k, 3);
    sum += 0.25 * v.head(2).squaredNorm() + 0.5 * 0.043 * v(2) * v(2) + 0.5 * 9.81 * at.q(k + 1);
  }
  return sum;
}

struct End
{
  int bodies;
  const char *x, *x_rate, *angle, *angle_rate, *cost, *energy, *dissipated;
  double angle_tolerance;
};

/// Where the chain is after 2 s, and that no energy is lost but by friction.
void verify_end(Verification & rows, const End & end)
{
  CartOptions options;
  options.bodies = end.bodies;
  options.dissipated = true;
  const Problem problem = cart_with_pendula(options);
  const Settings settings = divide_and_conquer(5e-3, Integrator::adaptive);
  const Trajectory motion = rows.timed([&] { return simulate(problem, settings, problem.rho); });
  const Response<double> at = at_time(problem, motion, 2.0);
  const Eigen::Index last = at.q.size() - 1;
  const std::string source = source_of(end.bodies);
  const auto add = [&](const char * quantity, const char * expected, double ours, double off) {
    if (expected != nullptr)
    {
      rows.add_near(source, quantity, expected, ours, off, "HADCA, adaptive");
    }
  };
  add("x(2 s)", end.x, at.q(0), 1e-8);
  add("x'(2 s)", end.x_rate, at.v(0), 1e-8);
  add("last angle(2 s)", end.angle, at.q(last), end.angle_tolerance);
  add("last angle'(2 s)", end.angle_rate, at.v(last), 1e-8);
  add("J", end.cost, motion.costs(0), 1e-8);
  const double begin = energy(at_time(problem, motion, 0.0));
  add("energy at the start", end.energy, begin, 1e-12 * begin);
  add("dissipated", end.dissipated, motion.costs(1), 1e-8);
  rows.add_limit(
    Evidence::reference, source, "work-energy residual / energy", "1e-9",
    std::abs(energy(at) - begin + motion.costs(1)) / begin, "HADCA, adaptive");
}

void verify_three_pendula(Verification & rows)
{
  CartOptions options;
  const Problem problem = cart_with_pendula(options);
  const Settings settings = divide_and_conquer(5e-3, Integrator::adaptive);
  const Trajectory motion = rows.timed([&] { return simulate(problem, settings, problem.rho); });
  struct Line
  {
    double t;
    const char *x, *x_rate, *angle, *angle_rate;
  };
  for (const Line & line :
       {Line{0.5, "-0.1814449016", "0.0849070668", "0.8513915397", "-0.2604846495"},
        Line{1.0, "0.7171393212", "4.1422108515", "-1.9878091564", "-8.6907475219"},
        Line{1.5, "1.5049822736", "-0.4800416552", "-3.4026812920", "-2.2703623688"}})
  {
    const Response<double> at = at_time(problem, motion, line.t);
    const auto add = [&](const char * quantity, const char * expected, double ours) {
      rows.add_near(
        source_of(4), fmt::format("{}({} s)", quantity, line.t), expected, ours, 1e-8,
        "HADCA, adaptive");
    };
    add("x", line.x, at.q(0));
    add("x'", line.x_rate, at.v(0));
    add("last angle", line.angle, at.q(11));
    add("last angle'", line.angle_rate, at.v(11));
  }
  const Response<double> at = at_time(problem, motion, 2.0);
  rows.add_near(
    source_of(4), "J, integral part", "0.9353550049", motion.costs(0) - 0.5 * at.q(0) * at.q(0),
    1e-8, "HADCA, adaptive");
}

/// xi_1, the density of dJ/du.
void verify_adjoint(
  Verification & rows, int bodies, double step,
  const std::vector<std::pair<double, const char *>> & expected)
{
  CartOptions options;
  options.bodies = bodies;
  const Problem problem = cart_with_pendula(options);
  const Settings settings = divide_and_conquer(step, Integrator::adaptive);
  const HadcaAdjoint adjoint =
    rows.timed([&] { return hadca_adjoint(problem, settings, problem.rho); });
  for (const auto & [t, density] : expected)
  {
    const auto node = static_cast<std::size_t>(std::lround(t / step));
    rows.add_near(
      source_of(bodies), fmt::format("xi_1({} s)", t), density, adjoint.nodes[node].density(0),
      1e-8, "HADCA adjoint");
  }
}

/// The gradient of the discrete motion: Runge-Kutta, force linear between nodes as far apart as the
/// steps.
void verify_discrete_chain(
  Verification & rows, int nodes, const char * cost, const char * norm,
  const std::vector<std::pair<int, const char *>> & expected)
{
  CartOptions options;
  options.force_nodes = nodes;
  const Problem problem = cart_with_pendula(options);
  Settings settings = divide_and_conquer(2.0 / (nodes - 1), Integrator::rk4);
  // In Maggi's coordinates the steps are those of the reference's joint coordinates.
  settings.formulation = Formulation::maggi;
  settings.independent = {0, 5, 8, 11};
  const Gradient g =
    rows.timed([&] { return gradient(problem, settings, problem.rho, Method::discrete_adjoint); });
  const std::string source = fmt::format("{}, rk4 {} s", source_of(4), settings.step);
  const auto add = [&](const std::string & quantity, const char * value, double ours) {
    rows.add_near(
      source, quantity, value, ours, 1e-10 * std::abs(std::stod(value)), "discrete adjoint, Maggi");
  };
  add("J", cost, g.costs(0));
  add("|gradient|", norm, g.gradient.norm());
  for (const auto & [node, value] : expected)
  {
    add(fmt::format("dJ/du{}", node), value, g.gradient(0, node));
  }
}

}  // namespace

void verify_chain(Verification & rows)
{
  verify_three_pendula(rows);
  for (const End & end :
       {End{
          2, "0.0372925370", "0.1171960748", "-1.3782862518", "-0.6968780266", "0.0167161258",
          "1.7341793809", "4.1116938670", 1e-8},
        End{
          4, "1.1147201931", "-1.0773000116", "-4.4465668754", "-1.6124545074", "1.5566555594",
          "15.6076144277", "10.8853801887", 1e-8},
        // The last rate is that of a whip's crack: a microsecond of timing is 1e-4 rad/s and more.
        End{
          16, "4.7076198807", "5.1444796075", "-1.8323040745", nullptr, "14.7488490557",
          "390.1903606935", "116.0667839796", 1e-7},
        End{
          32, "4.8690748346", "5.7952356622", "0.7853982456", "2.22322932e-06", "15.6153913632",
          "1666.5463850065", "27.8564417581", 1e-8}})
  {
    verify_end(rows, end);
  }
  verify_adjoint(
    rows, 4, 1e-3,
    {{0.0, "1.5604083760"},
     {0.25, "1.3912186518"},
     {0.5, "1.2057157466"},
     {1.0, "0.6341043166"},
     {1.5, "0.3414070223"},
     {1.75, "0.1856476068"},
     {2.0, "0"}});
  verify_adjoint(
    rows, 2, 1e-3,
    {{0.0, "0.1585207524"}, {0.5, "0.1073103751"}, {1.0, "0.0482380996"}, {1.5, "0.0172710449"}});
  verify_adjoint(
    rows, 16, 5e-4,
    {{0.0, "1.0705023748"}, {0.5, "1.0831414519"}, {1.0, "1.0265229274"}, {1.5, "0.6839869264"}});
  verify_adjoint(
    rows, 32, 1e-3,
    {{0.0, "0.5366375216"}, {0.5, "0.9999554212"}, {1.0, "1.1103636818"}, {1.5, "0.8291537522"}});
  verify_discrete_chain(
    rows, 201, "1.5566568477450", "1.253040743092e-01",
    {{0, "7.790635130851e-03"},
     {50, "1.205709848849e-02"},
     {100, "6.341580567359e-03"},
     {150, "3.414114044314e-03"},
     {200, "1.410498587338e-05"}});
  verify_discrete_chain(
    rows, 401, "1.5566556612482", "8.868926406720e-02",
    {{0, "3.898172704021e-03"},
     {100, "6.028570932712e-03"},
     {200, "3.170587598093e-03"},
     {300, "1.707040632178e-03"}});
}

}  // namespace fivebar_control::multibody
