// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/optimise.hpp"
#include "fivebar_control/multibody/spatial_motion.hpp"
#include "fivebar_control/multibody/trajectory.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "verification_rows.hpp"

// Spatial mechanisms: Maciąg, section 5.3; López Varela, section 7.2. What the sources do not print
// comes from independent programs (CasADi and own ones in minimal coordinates).

namespace fivebar_control::multibody
{
namespace
{

const std::string hooke = "Maciąg section 5.3";
const std::string slider_crank = "López Varela section 7.2";

MechanismFile shipped(
  const std::string & name, const std::vector<MechanismOverride> & overrides = {})
{
  return load_mechanism(find_config("mechanisms/" + name + ".yaml"), overrides);
}

/// The largest rate of the joint's angles along a motion.
double largest_joint_speed(const MechanismFile & file, const VectorD & rho)
{
  const Trajectory motion = simulate(file.problem, file.settings, rho);
  double largest = 0.0;
  for (const Node & node : motion.phases.front().nodes)
  {
    largest = std::max(largest, node.y.tail(2).cwiseAbs().maxCoeff());
  }
  return largest;
}

}  // namespace

void verify_hooke_pendulum(Verification & rows)
{
  const MechanismFile file = shipped("hooke_pendulum");
  const Optimisation best = rows.timed([&] { return gauss_newton(file.problem, file.settings); });
  const char * const method = "Gauss-Newton, Euler parameters";
  rows.add(Evidence::printed, hooke, "optimal b1", "1.0106", best.rho(0), method);
  rows.add(Evidence::printed, hooke, "optimal b2", "0.65362", best.rho(1), method);
  rows.add(Evidence::reference, hooke, "optimal b1", "1.0105977439", best.rho(0), method);
  rows.add(Evidence::reference, hooke, "optimal b2", "0.6536178140", best.rho(1), method);
  rows.add_limit(Evidence::printed, hooke, "iterations", "14", best.iterations, method);
  const MechanismFile joints = shipped("hooke_pendulum", {{"coordinates", "joint"}});
  rows.add_limit(
    Evidence::printed, hooke, "joint speeds at the optimum", "1e-11",
    largest_joint_speed(joints, best.rho), "joint coordinates");

  struct Way
  {
    const char * coordinates;
    Formulation formulation;
    Method method;
  };
  for (const Way & way :
       {Way{"joint", Formulation::index1, Method::complex_step},
        Way{"joint", Formulation::recursive, Method::discrete_adjoint},
        Way{"absolute", Formulation::index1, Method::direct},
        Way{"absolute", Formulation::maggi, Method::discrete_adjoint},
        Way{"absolute", Formulation::hamilton, Method::hamiltonian_adjoint},
        Way{"absolute", Formulation::hamilton, Method::hamiltonian_adjoint_joint},
        Way{"natural", Formulation::index1, Method::discrete_adjoint}})
  {
    const MechanismFile other = shipped("hooke_pendulum", {{"coordinates", way.coordinates}});
    Settings settings = other.settings;
    settings.formulation = way.formulation;
    const Gradient g =
      rows.timed([&] { return gradient(other.problem, settings, other.problem.rho, way.method); });
    const std::string how =
      fmt::format("{}, {}, {}", name(way.method), name(way.formulation), way.coordinates);
    const auto add = [&](const char * what, const char * expected, double ours) {
      rows.add_near(hooke, what, expected, ours, 1e-6 * std::abs(std::stod(expected)), how);
    };
    add("J(b0)", "0.01848739865", g.costs(0));
    add("dJ/db1", "-0.0636513104", g.gradient(0, 0));
    add("dJ/db2", "-0.0490967437", g.gradient(0, 1));
  }
}

void verify_slider_crank(Verification & rows)
{
  const struct
  {
    const char *joint, *opened, *coordinates, *constraints;
  } counts[] = {
    {"revolute", "[pin]", "7", "7"},
    {"spherical", "[ball]", "4", "3"},
    {"Cardan", "[cross]", "6", "5"},
    {"prismatic", "[guide]", "7", "10"}};
  for (const auto & row : counts)
  {
    const auto file = rows.timed([&] {
      return shipped("slider_crank", {{"opened", row.opened}, {"closures", "coincidence"}});
    });
    const std::string table = "López Varela table 7.8", how = "loop opening";
    rows.add(
      Evidence::printed, table, fmt::format("coordinates, opened at {}", row.joint),
      row.coordinates, file.mechanism->coordinates, how);
    rows.add(
      Evidence::printed, table, fmt::format("constraints, opened at {}", row.joint),
      row.constraints, constraint_count(*file.mechanism), how);
  }

  const MechanismFile plain = shipped("slider_crank", {{"step", "0.00025"}});
  const Trajectory motion =
    rows.timed([&] { return simulate(plain.problem, plain.settings, plain.problem.rho); });
  const int angle = find_coordinate(*plain.mechanism, "pin.angle");
  for (const auto & [t, expected] :
       {std::pair(1.0, "11.0432428"), std::pair(2.0, "21.6448409"), std::pair(5.0, "54.9420823")})
  {
    const auto & nodes = motion.phases.front().nodes;
    const auto i = static_cast<std::size_t>(std::lround(t / plain.settings.step));
    rows.add_near(
      slider_crank, fmt::format("crank angle at {} s", t), expected, nodes[i].y(angle), 2e-6,
      "joint coordinates, rk4");
  }

  const MechanismFile spring = shipped("slider_crank_spring", {{"step", "0.0004"}});
  const Gradient g = rows.timed(
    [&] { return gradient(spring.problem, spring.settings, spring.problem.rho, Method::adjoint); });
  const std::string how = "adjoint, joint coordinates";
  const char * const costs[] = {"0.0139071046", "0.3743622555", "79.7090012"};
  for (int i = 0; i < 3; ++i)
  {
    rows.add_near(
      slider_crank, fmt::format("psi{}", i + 1), costs[i], g.costs(i),
      1e-6 * std::abs(std::stod(costs[i])), how);
  }
  const std::vector<std::string> names{"/dm_CD", "/dk", "/dc", "/dL"};
  const std::vector<std::vector<std::string>> slopes{
    {"-0.05415905", "-1.5964514e-3", "-0.21372588", "0.5463108"},
    {"-3.03927", "-1.2024768", "-54.80556", "259.9466"}};
  for (int i = 0; i < 2; ++i)
  {
    rows.add_all(
      Evidence::reference, slider_crank, fmt::format("dpsi{}", i + 2), names,
      slopes[static_cast<std::size_t>(i)], g.gradient.row(i + 1), how,
      {"the reference's integrator is another one", 1e-6});
  }
}

}  // namespace fivebar_control::multibody
