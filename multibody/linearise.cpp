// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/trajectory.hpp"

namespace fivebar_control::multibody
{

MatrixD cost_slopes(
  const Problem & problem, double t, const VectorD & theta, const Response<double> & response,
  const ResponseTangent & tangent)
{
  const Eigen::Index columns = tangent.q.cols();
  MatrixD theta_directions = MatrixD::Zero(theta.size(), columns);
  theta_directions.rightCols(theta.size()).setIdentity();
  MatrixD slopes(static_cast<Eigen::Index>(problem.costs.size()), columns);
  Motion<DualD> motion;
  motion.t = DualD(t);
  for (Eigen::Index first = 0; first < columns; first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, columns - first));
    seed(response.q, tangent.q, first, count, motion.q);
    seed(response.v, tangent.v, first, count, motion.v);
    seed(response.a, tangent.a, first, count, motion.a);
    seed(response.lambda, tangent.lambda, first, count, motion.lambda);
    seed(theta, theta_directions, first, count, motion.theta);
    for (std::size_t c = 0; c < problem.costs.size(); ++c)
    {
      const DualD value = problem.costs[c]->running(motion);
      for (int d = 0; d < count; ++d)
      {
        slopes(static_cast<Eigen::Index>(c), first + d) = value[d];
      }
    }
  }
  return slopes;
}

Linearisation linearise(
  const Problem & problem, const Form & form, const VectorD & rho, double t, const VectorD & y,
  const VectorD & hint)
{
  Linearisation result;
  result.theta = problem.local(t, rho);
  form.respond(t, y, result.theta, hint, result.response);
  result.tangent = form.linearise(t, y, result.theta, result.response);
  const Response<double> & r = result.response;
  const Motion<double> motion{t, r.q, r.v, r.a, r.lambda, result.theta};
  result.g.resize(static_cast<Eigen::Index>(problem.costs.size()));
  for (std::size_t c = 0; c < problem.costs.size(); ++c)
  {
    result.g(static_cast<Eigen::Index>(c)) = problem.costs[c]->running(motion);
  }
  result.g_slope = cost_slopes(problem, t, result.theta, r, result.tangent);
  return result;
}

Residuals residual_slopes(
  const Problem & problem, double t, const Linearisation & at, bool of_terminal)
{
  const Eigen::Index columns = at.tangent.q.cols();
  MatrixD theta_directions = MatrixD::Zero(at.theta.size(), columns);
  theta_directions.rightCols(at.theta.size()).setIdentity();
  Residuals result;
  Motion<DualD> motion;
  motion.t = DualD(t);
  Vector<DualD> values;
  for (Eigen::Index first = 0; first < columns; first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, columns - first));
    seed(at.response.q, at.tangent.q, first, count, motion.q);
    seed(at.response.v, at.tangent.v, first, count, motion.v);
    seed(at.response.a, at.tangent.a, first, count, motion.a);
    seed(at.response.lambda, at.tangent.lambda, first, count, motion.lambda);
    seed(at.theta, theta_directions, first, count, motion.theta);
    problem.costs.front()->residuals(motion, of_terminal, values);
    if (first == 0)
    {
      result.values.resize(values.size());
      result.slopes.resize(values.size(), columns);
    }
    store_slopes(values, 0, first, count, result.slopes);
  }
  for (Eigen::Index i = 0; i < values.size(); ++i)
  {
    result.values(i) = values(i).value;
  }
  return result;
}

Response<double> response_at(
  const Problem & problem, const Trajectory & trajectory, const Phase & phase, const Node & node)
{
  Response<double> response;
  phase.form->respond(node.t, node.y, problem.local(node.t, trajectory.rho), node.q, response);
  return response;
}

VectorD interpolate(const Node & left, const Node & right, double fraction)
{
  const double h = right.t - left.t;
  const double s = fraction;
  const double s2 = s * s;
  const double s3 = s2 * s;
  return (2.0 * s3 - 3.0 * s2 + 1.0) * left.y + (s3 - 2.0 * s2 + s) * h * left.rate +
         (3.0 * s2 - 2.0 * s3) * right.y + (s3 - s2) * h * right.rate;
}

}  // namespace fivebar_control::multibody
