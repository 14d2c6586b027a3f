// SPDX-License-Identifier: Apache-2.0
// The backward sweep against a dense model of the same problem. What holds exactly
// (docs/planning.md, "Solver"): the step, unrolled through the linear model, minimises the
// quadratic model subject to "inputs that the sweep holds at a bound are at that bound"; without
// bounds it is the solution of the dense normal equations. Its predicted decrease is the model's.
// It need not solve the bounded quadratic problem as a whole, because each node's bounds are chosen
// at the nominal state; the iteration does, which is the last property.

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "fivebar_control/model/cast_physics.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/planner/backward_sweep.hpp"
#include "fivebar_control/planner/riccati_solver.hpp"
#include "fivebar_control/support/dual.hpp"
#include "gradient_methods.hpp"
#include "model/robots.hpp"
#include "property/property.hpp"

namespace fivebar_control::test
{
namespace
{

constexpr std::size_t most_nodes = 9;
constexpr std::size_t most_inputs = 2 * most_nodes;
using D = Dual<double, most_inputs>;  // derivatives by all node voltages

struct Case
{
  const RobotModel * robot;
  TrackingProblem problem;
  Trajectory trajectory;
  StageDirections directions;

  Eigen::Index inputs() const { return static_cast<Eigen::Index>(2 * problem.nodes()); }
};

Case any_case(Random & random, const std::array<RobotModel, 2> & robots)
{
  for (;;)
  {
    Case c;
    c.robot = &random.pick(robots);
    TrackingProblem & p = c.problem;
    p.dynamics = c.robot->constants();
    p.step = random.uniform(1e-3, 1e-2);
    p.intervals = static_cast<std::size_t>(random.integer(2, static_cast<int>(most_nodes) - 1));
    p.weights.alpha = random.uniform(0.0, 0.5);
    p.weights.beta = random.uniform(0.1, 1.0);
    p.weights.rho = random.chance(0.5) ? 0.0 : std::pow(10.0, random.uniform(-9.0, -5.0));
    p.weights.gamma = random.chance(0.5) ? 0.0 : std::pow(10.0, random.uniform(-6.0, -2.0));
    p.weights.soft_voltage = random.uniform(0.5, 5.0);
    p.singularity_margin = 0.15;
    const Limits & limits = c.robot->limits();
    for (int j = 0; j < 2; ++j)
    {
      const auto i = static_cast<std::size_t>(j);
      p.start[j] = random.uniform(limits.joint_minimum[i], limits.joint_maximum[i]);
      p.start[2 + j] = random.uniform(-3.0, 3.0);
    }
    c.trajectory.resize(p.nodes());
    c.directions.resize(p.nodes());
    p.node_reference.resize(p.nodes());
    p.middle_reference.resize(p.nodes());
    const double size = random.uniform(0.5, 10.0);
    for (std::size_t j = 0; j < 2; ++j)
    {
      for (std::size_t i = 0; i < p.nodes(); ++i)
      {
        c.trajectory.input[j][i] = random.uniform(-size, size);
      }
    }
    if (!roll_out(p, c.trajectory, c.directions))
    {
      continue;
    }
    // A reference somewhere near the motion.
    for (std::size_t i = 0; i < p.nodes(); ++i)
    {
      const Motion2 point = c.robot->kinematics().forward_motion(
        {c.trajectory.x(i).head<2>(), c.trajectory.x(i).tail<2>(), {}});
      for (std::size_t k = 0; k < 2; ++k)
      {
        const auto n = static_cast<Eigen::Index>(k);
        p.node_reference[k][i] = point.position[n] + random.uniform(-0.01, 0.01);
        p.node_reference[2 + k][i] = point.velocity[n] + random.uniform(-0.2, 0.2);
        p.middle_reference[k][i] = point.position[n] + random.uniform(-0.01, 0.01);
        p.middle_reference[2 + k][i] = point.velocity[n] + random.uniform(-0.2, 0.2);
      }
    }
    return c;
  }
}

/// The bounds that a random case is given where they are to matter.
InputBounds tight_bounds(Random & random, const Case & c)
{
  double largest = 0.0;
  for (std::size_t i = 0; i < c.problem.nodes(); ++i)
  {
    largest = std::max(largest, c.trajectory.u(i).cwiseAbs().maxCoeff());
  }
  InputBounds bounds;
  // Often the largest voltage stands exactly at the bound.
  bounds.voltage = largest * (random.chance(0.5) ? 1.0 : random.uniform(1.0, 3.0));
  return bounds;
}

/// J + g' d + ½ d' H d with the states' derivatives, all by dual numbers through the whole rollout.
struct DenseModel
{
  Eigen::VectorXd g;
  Eigen::MatrixXd H;
  std::vector<Eigen::MatrixXd> state;  // dx_i / du
};

DenseModel dense_model(const Case & c, const InputBounds & bounds)
{
  const TrackingProblem & p = c.problem;
  const DynamicsConstants<D> k =
    lump(cast_physics<D>(c.robot->physics()), c.robot->parameters().assembly_mode);
  const Eigen::Index n = c.inputs();
  DenseModel model{Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Zero(n, n), {}};
  const auto row = [n](const D & value) {
    Eigen::RowVectorXd derivative(n);
    for (Eigen::Index i = 0; i < n; ++i)
    {
      derivative[i] = value[static_cast<int>(i)];
    }
    return derivative;
  };
  // J is a sum of squares w r².
  const auto add = [&](double weight, const D & r) {
    const Eigen::RowVectorXd d = row(r);
    model.g += 2.0 * weight * r.value * d.transpose();
    model.H += 2.0 * weight * d.transpose() * d;
  };
  const auto u = [&](std::size_t i) {
    const int direction = 2 * static_cast<int>(i);
    const Eigen::Vector2d value = c.trajectory.u(i);
    return Vector2<D>(D(value[0], direction), D(value[1], direction + 1));
  };
  std::vector<Vector2<D>> r;
  std::vector<Vector2<D>> v;
  Vector4<D> x = p.start.cast<D>();
  for (std::size_t i = 0; i < p.nodes(); ++i)
  {
    if (i > 0)
    {
      x = runge_kutta_step<D>(k, x, u(i - 1), u(i), p.step);
    }
    const Pose<D> pose = pose_at<D>(k.geometry, x[0], x[1]);
    const Matrix2<D> map = passive_velocity_map<D>(k.geometry, pose);
    const Matrix2<D> jacobian = end_effector_jacobian<D>(k.geometry, pose, map);
    r.push_back(end_effector<D>(k.geometry, pose));
    v.push_back(
      {jacobian(0, 0) * x[2] + jacobian(0, 1) * x[3],
       jacobian(1, 0) * x[2] + jacobian(1, 1) * x[3]});
    model.state.emplace_back(4, n);
    for (int a = 0; a < 4; ++a)
    {
      model.state.back().row(a) = row(x[a]);
    }
  }
  const CostWeights & w = p.weights;
  const double h = p.step;
  const auto add_output = [&](
                            double share, const Vector2<D> & position, const Vector2<D> & velocity,
                            const Channels<4> & reference, std::size_t i) {
    for (std::size_t a = 0; a < 2; ++a)
    {
      const auto at = static_cast<Eigen::Index>(a);
      add((1.0 - w.alpha) * share, position[at] - D(reference[a][i]));
      add((1.0 - w.alpha) * w.beta * share, velocity[at] - D(reference[2 + a][i]));
    }
  };
  for (std::size_t i = 0; i < p.nodes(); ++i)
  {
    const bool end = i == 0 || i == p.intervals;
    add_output(end ? h / 6.0 : h / 3.0, r[i], v[i], p.node_reference, i);
  }
  const auto excess = [&](const D & voltage) {
    return voltage.value > w.soft_voltage    ? voltage - D(w.soft_voltage)
           : voltage.value < -w.soft_voltage ? voltage + D(w.soft_voltage)
                                             : D(0.0);
  };
  for (std::size_t i = 0; i < p.intervals; ++i)
  {
    Vector2<D> middle;
    Vector2<D> middle_velocity;
    for (int a = 0; a < 2; ++a)
    {
      middle[a] = D(0.5) * (r[i][a] + r[i + 1][a]) + D(h / 8.0) * (v[i][a] - v[i + 1][a]);
      middle_velocity[a] = D(1.5 / h) * (r[i + 1][a] - r[i][a]) - D(0.25) * (v[i][a] + v[i + 1][a]);
    }
    add_output(2.0 / 3.0 * h, middle, middle_velocity, p.middle_reference, i);
    for (int j = 0; j < 2; ++j)
    {
      const D u0 = u(i)[j];
      const D u1 = u(i + 1)[j];
      add(w.gamma * h / 12.0, excess(u0));
      add(w.gamma * h / 12.0, excess(u1));
      add(w.gamma * h / 3.0, excess(D(0.5) * (u0 + u1)));
      add(w.rho / h, u1 - u0);
      if (bounds.rate_barrier > 0.0)
      {
        // -weight log(1 - (d/reach)²) has its own Hessian, not a Gauss-Newton one.
        const double reach = bounds.voltage_rate * h;
        const double d = u1.value - u0.value;
        const double rest = reach * reach - d * d;
        const Eigen::RowVectorXd change = row(u1 - u0);
        model.g += bounds.rate_barrier * 2.0 * d / rest * change.transpose();
        model.H += bounds.rate_barrier * 2.0 * (reach * reach + d * d) / (rest * rest) *
                   change.transpose() * change;
      }
    }
  }
  for (std::size_t a = 0; a < 2; ++a)
  {
    const auto at = static_cast<Eigen::Index>(a);
    add(w.alpha, r.back()[at] - D(p.node_reference[a][p.intervals]));
  }
  return model;
}

/// The step of the sweep at full length through the linear model, without clamping.
Eigen::VectorXd unrolled(
  const Case & c, const DenseModel & model, const std::vector<NodeGain> & gains)
{
  Eigen::VectorXd step = Eigen::VectorXd::Zero(c.inputs());
  for (std::size_t i = 0; i < c.problem.nodes(); ++i)
  {
    const auto at = static_cast<Eigen::Index>(2 * i);
    for (int j = 0; j < 2; ++j)
    {
      double du = gains[i].feedforward[j];
      if (i > 0)
      {
        const Eigen::Vector4d dx = model.state[i - 1] * step;
        for (int a = 0; a < 4; ++a)
        {
          du += gains[i].feedback[j][a] * dx[a];
        }
        du += gains[i].feedback[j][4] * step[at - 2] + gains[i].feedback[j][5] * step[at - 1];
      }
      step[at + j] = du;
    }
  }
  return step;
}

struct Swept
{
  Swept(const Case & c, const InputBounds & bounds, double regularization)
  : gains(c.problem.nodes())
  {
    gradient.resize(c.problem.nodes());
    report =
      sweep_riccati(c.problem, bounds, c.trajectory, c.directions, regularization, gains, gradient);
  }
  std::vector<NodeGain> gains;
  Channels<2> gradient;
  SweepReport report;
};

class RiccatiProperty : public testing::Test
{
protected:
  const std::array<RobotModel, 2> robots{default_robot(), unequal_robot()};

  /// How exactly H d + g can be zero in double precision after a recursion over the nodes.
  static double precision(const DenseModel & model, const Eigen::VectorXd & step)
  {
    return 1e-9 *
           (model.g.cwiseAbs().maxCoeff() + (model.H.cwiseAbs() * step.cwiseAbs()).maxCoeff());
  }
};

TEST_F(RiccatiProperty, TheGradientIsThatOfTheDenseModel)
{
  for_all(1'000, [this](Random & random) {
    const Case c = any_case(random, robots);
    const Swept swept(c, {}, 0.0);
    const DenseModel model = dense_model(c, {});
    for (Eigen::Index i = 0; i < c.inputs(); ++i)
    {
      ASSERT_NEAR(
        swept.gradient[static_cast<std::size_t>(i % 2)][i / 2], model.g[i],
        1e-11 * model.g.cwiseAbs().maxCoeff());
    }
  });
}

TEST_F(RiccatiProperty, TheUnboundedStepSolvesTheDenseNormalEquations)
{
  for_all(2'000, [this](Random & random) {
    const Case c = any_case(random, robots);
    const DenseModel model = dense_model(c, {});
    const Swept swept(c, {}, 0.0);
    ASSERT_TRUE(swept.report.convex);
    ASSERT_EQ(swept.report.active_bounds, 0u);
    const Eigen::VectorXd step = unrolled(c, model, swept.gains);
    ASSERT_LE((model.H * step + model.g).cwiseAbs().maxCoeff(), precision(model, step));
    const Eigen::VectorXd dense = model.H.ldlt().solve(-model.g);
    ASSERT_NEAR(
      model.g.dot(step) + 0.5 * step.dot(model.H * step),
      model.g.dot(dense) + 0.5 * dense.dot(model.H * dense), 1e-7 * std::abs(model.g.dot(dense)));
  });
}

TEST_F(RiccatiProperty, TheBoundedStepIsStationaryInWhatItDoesNotHoldAtABound)
{
  int held = 0;
  int free = 0;
  int solves_the_bounded_problem = 0;
  int cases = 0;
  for_all(3'000, [&](Random & random) {
    Case c = any_case(random, robots);
    InputBounds bounds = tight_bounds(random, c);
    if (random.chance(0.3))
    {
      // No neighbours differ by more than twice the bound.
      const double largest = bounds.voltage;
      bounds.voltage_rate = 2.0 * largest / c.problem.step * random.uniform(1.01, 3.0);
      bounds.rate_barrier = std::pow(10.0, random.uniform(-10.0, -5.0));
    }
    const DenseModel model = dense_model(c, bounds);
    const Swept swept(c, bounds, 0.0);
    ASSERT_TRUE(swept.report.convex);
    const Eigen::VectorXd step = unrolled(c, model, swept.gains);
    const Eigen::VectorXd force = model.H * step + model.g;
    const double zero = precision(model, step);
    bool within = true;
    std::size_t at_bound = 0;
    for (Eigen::Index i = 0; i < c.inputs(); ++i)
    {
      const auto node = static_cast<std::size_t>(i / 2);
      const auto j = static_cast<std::size_t>(i % 2);
      const NodeGain & gain = swept.gains[node];
      const double u = c.trajectory.input[j][node];
      const double reached = u + gain.feedforward[j];
      ASSERT_LE(std::abs(reached), bounds.voltage * (1.0 + 1e-14));
      // No feedback is how the sweep marks an input that it holds.
      const bool no_feedback = std::all_of(
        std::begin(gain.feedback[j]), std::end(gain.feedback[j]),
        [](double k) { return k == 0.0; });
      const bool is_held = std::abs(std::abs(reached) - bounds.voltage) <= 1e-14 * bounds.voltage &&
                           (node == 0 || no_feedback);
      if (is_held)
      {
        ++at_bound;
        within = within && force[i] * reached <= zero * bounds.voltage;
      }
      else
      {
        ASSERT_LE(std::abs(force[i]), zero) << "input " << i;
        within = within && std::abs(u + step[i]) <= bounds.voltage;
      }
    }
    ASSERT_EQ(at_bound, swept.report.active_bounds);
    held += static_cast<int>(at_bound);
    free += static_cast<int>(c.inputs()) - static_cast<int>(at_bound);
    solves_the_bounded_problem += within ? 1 : 0;
    ++cases;
  });
  std::printf(
    "             inputs held %d, free %d; the step solves the whole bounded problem in %d of %d\n",
    held, free, solves_the_bounded_problem, cases);
  if (cases > 100)
  {
    EXPECT_GT(held, free / 100) << "the bounds must matter";
  }
}

TEST_F(RiccatiProperty, TheProjectedStepSolvesTheDenseEquationsOfWhatNoBoundBlocks)
{
  int blocked = 0;
  for_all(2'000, [&](Random & random) {
    Case c = any_case(random, robots);
    const InputBounds bounds = tight_bounds(random, c);
    for (std::size_t j = 0; j < 2; ++j)
    {
      for (std::size_t i = 0; i < c.problem.nodes(); ++i)
      {
        double & u = c.trajectory.input[j][i];
        u = random.chance(0.3) ? std::copysign(bounds.voltage, u) : u;
      }
    }
    if (!roll_out(c.problem, c.trajectory, c.directions))
    {
      return;
    }
    const DenseModel model = dense_model(c, bounds);
    std::vector<NodeGain> gains(c.problem.nodes());
    Channels<2> gradient;
    Channels<2> projected;
    gradient.resize(c.problem.nodes());
    projected.resize(c.problem.nodes());
    const SweepReport report = sweep_projected(
      c.problem, bounds, c.trajectory, c.directions, 0.0, gains, gradient, projected);
    ASSERT_TRUE(report.convex);
    Eigen::VectorXd step(c.inputs());
    for (Eigen::Index i = 0; i < c.inputs(); ++i)
    {
      step[i] = projected[static_cast<std::size_t>(i % 2)][i / 2];
    }
    const Eigen::VectorXd force = model.H * step + model.g;
    for (Eigen::Index i = 0; i < c.inputs(); ++i)
    {
      const double u = c.trajectory.input[static_cast<std::size_t>(i % 2)][i / 2];
      if (std::abs(u) >= bounds.voltage * (1.0 - 1e-12) && u * model.g[i] < 0.0)
      {
        ++blocked;
        ASSERT_EQ(step[i], 0.0) << "input " << i;
      }
      else
      {
        ASSERT_LE(std::abs(force[i]), precision(model, step)) << "input " << i;
      }
    }
  });
  EXPECT_GT(blocked, 100) << "the bounds must matter";
}

/// What the quadratic model could still gain within the bounds, by coordinate descent.
double gain_within(const DenseModel & model, const Eigen::VectorXd & u, double bound)
{
  const Eigen::Index n = u.size();
  Eigen::VectorXd d = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd force = model.g;
  for (int sweep = 0; sweep < 2'000; ++sweep)
  {
    double moved = 0.0;
    for (Eigen::Index i = 0; i < n; ++i)
    {
      const double best = std::clamp(d[i] - force[i] / model.H(i, i), -bound - u[i], bound - u[i]);
      moved = std::max(moved, std::abs(best - d[i]) * std::sqrt(model.H(i, i)));
      force += model.H.col(i) * (best - d[i]);
      d[i] = best;
    }
    if (moved == 0.0)
    {
      break;
    }
  }
  return -(model.g.dot(d) + 0.5 * d.dot(model.H * d));
}

TEST_F(RiccatiProperty, ASolverThatConvergedLeavesNothingToGainWithinTheBounds)
{
  int converged = 0;
  int at_bound = 0;
  int cases = 0;
  double worst = 0.0;
  for_all(1'500, [&](Random & random) {
    Case c = any_case(random, robots);
    c.problem.bounds = tight_bounds(random, c);
    c.problem.bounds.voltage *= random.uniform(0.3, 1.0);
    RiccatiSolver solver(c.problem.nodes());
    const SolverReport report = solver.solve(c.problem, {}, c.trajectory);
    ++cases;
    if (report.verdict != Verdict::converged)
    {
      return;
    }
    ++converged;
    Eigen::VectorXd u(c.inputs());
    for (Eigen::Index i = 0; i < c.inputs(); ++i)
    {
      u[i] = c.trajectory.input[static_cast<std::size_t>(i % 2)][i / 2];
      at_bound += std::abs(u[i]) >= c.problem.bounds.voltage ? 1 : 0;
    }
    const double gain = gain_within(dense_model(c, {}), u, c.problem.bounds.voltage);
    const double share = gain / c.trajectory.cost.total();
    worst = std::max(worst, share);
    ASSERT_LE(share, 10.0 * SolverOptions{}.tolerance);
  });
  std::printf(
    "             converged %d of %d, inputs at a bound %d, at most %.2g of J to gain\n", converged,
    cases, at_bound, worst);
  if (cases > 100)
  {
    EXPECT_GE(converged, 99 * cases / 100);
    EXPECT_GT(at_bound, cases) << "the bounds must matter";
  }
}

TEST_F(RiccatiProperty, ThePredictedDecreaseIsTheModels)
{
  for_all(2'000, [this](Random & random) {
    const Case c = any_case(random, robots);
    InputBounds bounds;
    bounds.voltage = random.chance(0.3) ? unbounded : 10.0 * random.uniform(1.0, 2.0);
    const double regularization =
      random.chance(0.3) ? 0.0 : std::pow(10.0, random.uniform(-3.0, 3.0));
    const DenseModel model = dense_model(c, bounds);
    const Swept swept(c, bounds, regularization);
    const Eigen::VectorXd step = unrolled(c, model, swept.gains);
    const double linear = model.g.dot(step);
    const double curved = step.dot(model.H * step);
    const double decrease = swept.report.linear_decrease + 0.5 * swept.report.quadratic_decrease;
    ASSERT_NEAR(decrease, linear + 0.5 * curved, 1e-7 * (std::abs(linear) + curved));
    ASSERT_LE(decrease, 0.0);
  });
}

}  // namespace
}  // namespace fivebar_control::test
