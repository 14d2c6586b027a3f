// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "planner/problems.hpp"
#include "sweep_data.hpp"

namespace fivebar_control
{
namespace
{

using test::Case;

/// Result of one kernel on a case that has been rolled out.
struct Swept
{
  Swept(Case & c, SweepKernel kernel) : gains(c.problem.nodes())
  {
    StageDirections directions;
    directions.resize(c.problem.nodes());
    gradient.resize(c.problem.nodes());
    EXPECT_TRUE(roll_out(c.problem, c.trajectory, directions));
    report = kernel(sweep_data(
      c.problem, c.problem.bounds, c.trajectory, directions, 0.0, gains.data(), gradient));
  }
  std::vector<NodeGain> gains;
  Channels<2> gradient;
  SweepReport report;
};

}  // namespace

#ifdef __x86_64__
TEST(Sweep, PortableAndAvx2KernelsAgree)
{
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
  {
    GTEST_SKIP() << "this processor has no AVX2: only the portable kernel can run";
  }
  for (const std::size_t intervals : {2u, 3u, 4u, 5u, 199u, 200u, 201u, 202u})
  {
    PlanRequest request = test::request_of("c");
    request.intervals = intervals;
    Case c(request);
    c.random_voltages(3, 0.5);
    const Swept portable(c, sweep_portable);
    const Swept avx2(c, sweep_avx2);
    EXPECT_EQ(portable.report.active_bounds, avx2.report.active_bounds);
    EXPECT_NEAR(
      portable.report.linear_decrease, avx2.report.linear_decrease,
      1e-9 * std::abs(avx2.report.linear_decrease));
    for (std::size_t i = 0; i < c.problem.nodes(); ++i)
    {
      for (std::size_t j = 0; j < 2; ++j)
      {
        EXPECT_NEAR(
          portable.gradient[j][i], avx2.gradient[j][i], 1e-11 * avx2.report.projected_gradient);
        EXPECT_NEAR(portable.gains[i].feedforward[j], avx2.gains[i].feedforward[j], 1e-6);
      }
    }
  }
}
#endif

TEST(Sweep, UnboundedStepSolvesTheDenseGaussNewtonSystem)
{
  // The step of the recursion against a dense least-squares solution: residuals and their Jacobian
  // by all voltages come from central differences of the rollout, which knows nothing of the sweep.
  PlanRequest request = test::request_of("b");
  request.intervals = 12;
  Case c(request);
  c.problem.bounds = {};
  c.problem.weights.rho = 1e-8;
  c.random_voltages(2, 0.5);
  const Swept swept(c, sweep_portable);

  const auto nodes = static_cast<Eigen::Index>(c.problem.nodes());
  const double h = c.problem.step;
  const double alpha = c.problem.weights.alpha;
  const double beta = c.problem.weights.beta;
  const auto residuals = [&](const Case & at) {
    std::vector<double> r;
    std::vector<Motion2> points;
    for (std::size_t i = 0; i < at.problem.nodes(); ++i)
    {
      Motion2 driven;
      driven.position = at.trajectory.x(i).head<2>();
      driven.velocity = at.trajectory.x(i).tail<2>();
      points.push_back(at.robot.kinematics().forward_motion(driven));
    }
    const auto add = [&](
                       const Eigen::Vector2d & position, const Eigen::Vector2d & velocity,
                       const Channels<4> & reference, std::size_t i, double weight) {
      for (int k = 0; k < 2; ++k)
      {
        const auto n = static_cast<std::size_t>(k);
        r.push_back(std::sqrt(weight * (1 - alpha)) * (position[k] - reference[n][i]));
        r.push_back(std::sqrt(weight * (1 - alpha) * beta) * (velocity[k] - reference[2 + n][i]));
      }
    };
    for (std::size_t i = 0; i < at.problem.nodes(); ++i)
    {
      const bool end = i == 0 || i == at.problem.intervals;
      add(
        points[i].position, points[i].velocity, at.problem.node_reference, i, end ? h / 6 : h / 3);
    }
    for (std::size_t i = 0; i < at.problem.intervals; ++i)
    {
      const Motion2 & a = points[i];
      const Motion2 & b = points[i + 1];
      add(
        0.5 * (a.position + b.position) + h / 8 * (a.velocity - b.velocity),
        1.5 / h * (b.position - a.position) - 0.25 * (a.velocity + b.velocity),
        at.problem.middle_reference, i, 2 * h / 3);
      for (int k = 0; k < 2; ++k)
      {
        r.push_back(
          std::sqrt(at.problem.weights.rho / h) *
          (at.trajectory.u(i + 1)[k] - at.trajectory.u(i)[k]));
      }
    }
    for (int k = 0; k < 2; ++k)
    {
      r.push_back(
        std::sqrt(alpha) *
        (points.back().position[k] -
         at.problem.node_reference[static_cast<std::size_t>(k)][at.problem.intervals]));
    }
    return Eigen::VectorXd(
      Eigen::Map<Eigen::VectorXd>(r.data(), static_cast<Eigen::Index>(r.size())));
  };
  StageDirections directions;
  directions.resize(c.problem.nodes());
  const Eigen::VectorXd r0 = residuals(c);
  EXPECT_NEAR(r0.squaredNorm(), c.trajectory.cost.total(), 1e-12 * r0.squaredNorm());
  Eigen::MatrixXd jacobian(r0.size(), 2 * nodes);
  for (Eigen::Index i = 0; i < nodes; ++i)
  {
    for (int j = 0; j < 2; ++j)
    {
      const auto moved = [&](double change) {
        Case other = c;
        other.trajectory.input[static_cast<std::size_t>(j)][i] += change;
        EXPECT_TRUE(roll_out(other.problem, other.trajectory, directions));
        return residuals(other);
      };
      jacobian.col(2 * i + j) = (moved(1e-4) - moved(-1e-4)) / 2e-4;
    }
  }
  const Eigen::VectorXd dense = -jacobian.colPivHouseholderQr().solve(r0);

  // The recursion's step, unrolled through its own linear model: du = k + K (dx, du before). The
  // deviation of the state follows the same dense Jacobian, here by a short directional difference.
  const double length = 1e-6;
  Trajectory stepped;
  stepped.resize(c.problem.nodes());
  ASSERT_TRUE(roll_out(c.problem, {}, c.trajectory, swept.gains, length, stepped, directions));
  for (Eigen::Index i = 0; i < nodes; ++i)
  {
    for (int j = 0; j < 2; ++j)
    {
      const auto channel = static_cast<std::size_t>(j);
      const double step = (stepped.input[channel][i] - c.trajectory.input[channel][i]) / length;
      EXPECT_NEAR(step, dense[2 * i + j], 1e-3 * dense.cwiseAbs().maxCoeff()) << i;
    }
  }
}

}  // namespace fivebar_control
