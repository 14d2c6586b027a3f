// SPDX-License-Identifier: Apache-2.0
#include "motion_model.hpp"

#include "stages.hpp"

namespace fivebar_control::multibody
{
namespace
{

class Lineariser
{
public:
  Lineariser(const Problem & problem, const ControlGrid & grid, const VectorD & rho)
  : problem_(problem), grid_(grid), rho_(rho)
  {
  }

  MotionModel model(const Trajectory & trajectory) const
  {
    const Phase & phase = trajectory.phases.front();
    const Form & form = *phase.form;
    const auto steps = static_cast<Eigen::Index>(phase.nodes.size()) - 1;
    const Eigen::Index per_interval = steps / (grid_.nodes - 1);
    MotionModel result;
    for (Eigen::Index k = 0; k + 1 < grid_.nodes; ++k)
    {
      result.intervals.push_back(interval(form, phase.nodes, k, per_interval));
    }
    const Node & last = phase.nodes.back();
    const Linearisation at = linearise(problem_, form, rho_, last.t, last.y, last.q);
    const Residuals r = residual_slopes(problem_, last.t, at, true);
    const Eigen::Index ny = form.size();
    MatrixD slopes(r.values.size(), ny + grid_.count());
    slopes << r.slopes.leftCols(ny), input_columns(r.slopes, ny);
    result.end_H = 2.0 * slopes.transpose() * slopes;
    result.end_g = 2.0 * slopes.transpose() * r.values;
    return result;
  }

private:
  /// Columns of the inputs among those of theta.
  MatrixD input_columns(const MatrixD & slopes, Eigen::Index ny) const
  {
    MatrixD result(slopes.rows(), grid_.count());
    for (Eigen::Index i = 0; i < grid_.count(); ++i)
    {
      result.col(i) = slopes.col(
        ny + problem_.structural +
        static_cast<Eigen::Index>(grid_.inputs[static_cast<std::size_t>(i)]));
    }
    return result;
  }

  IntervalModel interval(
    const Form & form, const std::vector<Node> & nodes, Eigen::Index k, Eigen::Index steps) const
  {
    const Eigen::Index ny = form.size();
    const Eigen::Index m = grid_.count();
    const Eigen::Index columns = ny + 2 * m;
    IntervalModel result;
    result.H = MatrixD::Zero(columns, columns);
    result.g = VectorD::Zero(columns);
    MatrixD X = MatrixD::Identity(ny, columns);
    for (Eigen::Index i = 0; i < steps; ++i)
    {
      const auto index = static_cast<std::size_t>(k * steps + i);
      step(form, nodes[index], nodes[index + 1], grid_.step * static_cast<double>(k), X, result);
    }
    result.F = X;
    return result;
  }

  /// One Runge-Kutta step with its sensitivities and residuals.
  void step(
    const Form & form, const Node & left, const Node & right, double begin, MatrixD & X,
    IntervalModel & result) const
  {
    const Eigen::Index ny = form.size();
    const Eigen::Index m = grid_.count();
    const double h = right.t - left.t;
    const auto stages = rk4_stages(problem_, form, rho_, left, right);
    const std::array<double, 4> offset{0.5 * h, 0.5 * h, h, 0.0};
    const std::array<double, 4> weight{h / 6.0, h / 3.0, h / 3.0, h / 6.0};
    MatrixD stage_X = X;
    MatrixD next = X;
    for (std::size_t i = 0; i < 4; ++i)
    {
      const double share = (stages[i].t - begin) / grid_.step;
      const auto along = [&](const MatrixD & slopes) -> MatrixD {
        MatrixD by = slopes.leftCols(ny) * stage_X;
        const MatrixD by_input = input_columns(slopes, ny);
        by.middleCols(ny, m) += (1.0 - share) * by_input;
        by.rightCols(m) += share * by_input;
        return by;
      };
      const MatrixD K = along(stages[i].at.tangent.rate);
      const Residuals r = residual_slopes(problem_, stages[i].t, stages[i].at, false);
      const MatrixD slopes = along(r.slopes);
      result.H += 2.0 * weight[i] * slopes.transpose() * slopes;
      result.g += 2.0 * weight[i] * slopes.transpose() * r.values;
      next += weight[i] * K;
      stage_X = X + offset[i] * K;
    }
    X = next;
  }

  const Problem & problem_;
  const ControlGrid & grid_;
  const VectorD & rho_;
};

}  // namespace

MotionModel linearise_motion(
  const Problem & problem, const ControlGrid & grid, const Trajectory & trajectory)
{
  return Lineariser(problem, grid, trajectory.rho).model(trajectory);
}

}  // namespace fivebar_control::multibody
