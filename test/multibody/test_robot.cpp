// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/methods/gradient.hpp"
#include "fivebar_control/planner/methods/hamiltonian_absolute.hpp"
#include "fivebar_control/planner/methods/robot_mechanism.hpp"
#include "fivebar_control/planner/plan_request.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/open_loop.hpp"

namespace fivebar_control
{
namespace
{

const std::string config = std::string(FIVEBAR_SOURCE_DIR) + "/config/";

struct Case
{
  RobotModel robot;
  PlanRequest request;
  TrackingProblem problem;
  Trajectory trajectory;
};

/// A short piece of a curve with voltages that move the robot about.
Case make_case(const std::string & robot_file, double step)
{
  Case c{
    load_robot(config + robot_file), load_plan_request(config + "curves/b_gentle.yaml"), {}, {}};
  // The curve suits the default robot; another one starts from its home and tracks it badly, which
  // is as good for comparing gradients.
  c.problem = make_problem(load_robot(config + "robot.yaml"), c.request, c.request.stages.back());
  c.problem.dynamics = c.robot.constants();
  c.problem.start = c.robot.home_state();
  const double duration = 0.5;
  c.problem.step = step;
  c.problem.intervals = static_cast<std::size_t>(std::lround(duration / step));
  c.problem.node_reference.resize(c.problem.nodes());
  c.problem.middle_reference.resize(c.problem.intervals);
  for (std::size_t i = 0; i < c.problem.nodes(); ++i)
  {
    const double t = static_cast<double>(i) * step;
    const auto store = [&](Channels<4> & channels, double time) {
      const Motion2 motion = c.request.curve->at(time);
      for (int k = 0; k < 2; ++k)
      {
        channels[static_cast<std::size_t>(k)][i] = motion.position[k];
        channels[static_cast<std::size_t>(k) + 2][i] = motion.velocity[k];
      }
    };
    store(c.problem.node_reference, t);
    if (i < c.problem.intervals)
    {
      store(c.problem.middle_reference, t + 0.5 * step);
    }
  }
  c.trajectory.resize(c.problem.nodes());
  for (std::size_t i = 0; i < c.problem.nodes(); ++i)
  {
    const double t = static_cast<double>(i) * step;
    c.trajectory.input[0][i] = 2.0 * std::sin(9.0 * t);
    c.trajectory.input[1][i] = -1.5 * std::cos(7.0 * t);
  }
  return c;
}

/// (phi1, phi4, w1, w4) at the nodes of a mechanism's motion.
std::vector<Eigen::Vector4d> driven_angles(const multibody::MechanismFile & file)
{
  const multibody::Trajectory motion =
    multibody::simulate(file.problem, file.settings, file.problem.rho);
  const int phi1 = find_coordinate(*file.mechanism, "link_1.angle");
  const int phi4 = find_coordinate(*file.mechanism, "link_4.angle");
  std::vector<Eigen::Vector4d> states;
  for (const multibody::Phase & phase : motion.phases)
  {
    for (const multibody::Node & node : phase.nodes)
    {
      const auto at = multibody::response_at(file.problem, motion, phase, node);
      states.emplace_back(at.q(phi1), at.q(phi4), at.v(phi1), at.v(phi4));
    }
  }
  return states;
}

double largest_difference(
  const std::vector<Eigen::Vector4d> & actual, const std::vector<Eigen::Vector4d> & expected)
{
  EXPECT_EQ(actual.size(), expected.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i)
  {
    worst = std::max(worst, (actual[i] - expected[i]).cwiseAbs().maxCoeff());
  }
  return worst;
}

class RobotInAbsoluteCoordinates : public testing::TestWithParam<std::string>
{
};

TEST_P(RobotInAbsoluteCoordinates, MovesLikeTheModel)
{
  // The smoothed Coulomb friction of the unequal robot needs this small step.
  Case c = make_case(GetParam(), 1e-4);
  VoltageHistory input;
  for (std::size_t i = 0; i < c.problem.nodes(); ++i)
  {
    input.time.push_back(static_cast<double>(i) * c.problem.step);
    input.voltage.push_back(c.trajectory.u(i));
  }
  const auto expected = simulate(c.robot, c.problem.start, input);
  const auto actual =
    driven_angles(tracking_mechanism(c.problem, c.robot, *c.request.curve, c.trajectory));
  const double worst = largest_difference(actual, expected);
  EXPECT_GT(std::abs(expected.back()[0] - expected.front()[0]), 0.05);  // it does move
  EXPECT_LT(worst, 1e-9);
}

double gradient_error(Case & c)
{
  const GradientResult exact = compute_gradient(
    GradientMethod::discrete_adjoint, c.problem, c.robot.physics(),
    c.robot.parameters().assembly_mode, *c.request.curve, c.trajectory);
  const GradientResult found =
    hamiltonian_absolute_gradient(c.problem, c.robot, *c.request.curve, c.trajectory);
  double error = 0.0, size = 0.0;
  for (std::size_t i = 0; i < exact.gradient.size(); ++i)
  {
    error += (found.gradient[i] - exact.gradient[i]).squaredNorm();
    size += exact.gradient[i].squaredNorm();
  }
  return std::sqrt(error / size);
}

TEST_P(RobotInAbsoluteCoordinates, HasThePlannersGradientAtItsOrder)
{
  Case coarse = make_case(GetParam(), 1e-3);
  Case fine = make_case(GetParam(), 5e-4);
  const double first = gradient_error(coarse);
  const double second = gradient_error(fine);
  std::printf("relative error %.2e, with half the step %.2e\n", first, second);
  EXPECT_LT(first, 1e-4);
  // At least second order in the step: half of it leaves less than a quarter, with some slack.
  EXPECT_LT(second, 0.3 * first);
}

TEST_P(RobotInAbsoluteCoordinates, KeepsAdjointConstraintsBetterInJointSpace)
{
  Case c = make_case(GetParam(), 2.5e-3);
  const auto file = tracking_mechanism(c.problem, c.robot, *c.request.curve, c.trajectory);
  const auto by = [&](multibody::AdjointSpace space) {
    return multibody::hamiltonian_adjoint(file.problem, file.settings, file.problem.rho, space);
  };
  const auto absolute = by(multibody::AdjointSpace::absolute);
  const auto joint = by(multibody::AdjointSpace::joint);
  // |C xi|, |C eta + C' xi|: Maciąg, figures 5.2 and 5.16.
  std::printf(
    "|C xi|: absolute %.2g, joint %.2g; |C eta + C' xi|: absolute %.2g, joint %.2g\n",
    absolute.velocity_drift, joint.velocity_drift, absolute.acceleration_drift,
    joint.acceleration_drift);
  EXPECT_LT(joint.velocity_drift, 1e-2 * absolute.velocity_drift + 1e-12);
  EXPECT_LT(joint.acceleration_drift, 1e-2 * absolute.acceleration_drift + 1e-10);
  for (std::size_t i = 0; i < c.problem.nodes(); ++i)
  {
    const auto column = static_cast<Eigen::Index>(i);
    const double expected = joint.gradient.gradient(0, column);
    EXPECT_NEAR(absolute.gradient.gradient(0, column), expected, 1e-7 + 1e-3 * std::abs(expected));
  }
}

TEST_P(RobotInAbsoluteCoordinates, IsWhatDescribeWritesAsAMechanism)
{
  const RobotModel robot = load_robot(config + GetParam());
  MechanismMotion motion = sample_motion(robot);
  motion.step = 1e-4;
  for (std::size_t i = 0; i < motion.voltages.size(); ++i)
  {
    const double swing = 1.5 * std::sin(1.0 + 1.7 * static_cast<double>(i));
    motion.voltages[i] = {swing, -0.7 * swing};
  }
  const auto file =
    multibody::read_mechanism(YamlMap::parse(mechanism_of(robot, motion), "mechanism.yaml"));
  VoltageHistory input;
  for (long i = 0; i <= std::lround(motion.duration / motion.step); ++i)
  {
    const double t = static_cast<double>(i) * motion.step;
    const auto k = std::min<std::size_t>(
      static_cast<std::size_t>(t / motion.node_step + 1e-9), motion.voltages.size() - 2);
    const double share = t / motion.node_step - static_cast<double>(k);
    input.time.push_back(t);
    input.voltage.push_back((1.0 - share) * motion.voltages[k] + share * motion.voltages[k + 1]);
  }
  const auto expected = simulate(robot, motion.start, input);
  EXPECT_GT(std::abs(expected.back()[0] - expected.front()[0]), 0.05);  // it does move
  EXPECT_LT(largest_difference(driven_angles(file), expected), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
  Robots, RobotInAbsoluteCoordinates, testing::Values("robot.yaml", "robots/unequal.yaml"),
  [](const auto & one) { return one.index == 0 ? "Default" : "Unequal"; });

}  // namespace
}  // namespace fivebar_control
