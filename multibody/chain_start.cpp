// SPDX-License-Identifier: Apache-2.0
#include "chain_start.hpp"

#include "dense.hpp"

namespace fivebar_control::multibody
{

VectorD chain_start(const Problem & problem, const Form & form, const VectorD & theta)
{
  const System & system = form.system();
  const Eigen::Index n = system.freedom();
  VectorD y = form.state(
    Point<double>{0.0, problem.initial->estimate(), VectorD::Zero(system.coordinates()), theta});
  Response<double> response;
  VectorD h, h_rate;
  const auto jacobian = [&](const ResponseTangent & tangent, bool velocities) {
    // Columns: joint coordinates move q; joint momenta move v at fixed q.
    const Eigen::Index first_column = velocities ? n : 0;
    Directions along(system, n);
    along.q = tangent.q.middleCols(first_column, n);
    along.v = tangent.v.middleCols(first_column, n);
    MatrixD result(n, n);
    Vector<DualD> position, velocity;
    for (Eigen::Index first = 0; first < n; first += dual_width)
    {
      const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, n - first));
      const Point<double> at{0.0, response.q, response.v, theta};
      problem.initial->evaluate(seeded(at, along, first, count), position, velocity);
      store_slopes(velocities ? velocity : position, 0, first, count, result);
    }
    return result;
  };
  const auto correct = [&](bool velocities) {
    form.respond(0.0, y, theta, VectorD(), response);
    problem.initial->evaluate(Point<double>{0.0, response.q, response.v, theta}, h, h_rate);
    const VectorD & residual = velocities ? h_rate : h;
    if (residual.norm() <= 1e-14 * (1.0 + y.norm()))
    {
      return 0.0;
    }
    const MatrixD slopes = jacobian(form.linearise(0.0, y, theta, response), velocities);
    const VectorD step = Lu<double>(slopes).solve(residual);
    y.segment(velocities ? n : 0, n) -= step;
    return step.norm();
  };
  double moved = 1.0;
  for (int i = 0; i < 30 && moved > 1e-13; ++i)
  {
    moved = correct(false);
  }
  if (!(moved < 1e-9))
  {
    throw MechanismError("the initial conditions of the chain cannot be met");
  }
  correct(true);
  correct(true);
  return y;
}

bool start_varies(
  const System & system, const InitialConditions & initial, const Point<double> & start)
{
  if (system.parameters_in_constraints())
  {
    return true;
  }
  const Eigen::Index count = start.theta.size();
  Directions along(system, count);
  along.theta.setIdentity();
  Vector<DualD> h, h_rate;
  for (Eigen::Index first = 0; first < count; first += dual_width)
  {
    const int some = static_cast<int>(std::min<Eigen::Index>(dual_width, count - first));
    initial.evaluate(seeded(start, along, first, some), h, h_rate);
    MatrixD slopes(h.size(), some), rate_slopes(h_rate.size(), some);
    store_slopes(h, 0, 0, some, slopes);
    store_slopes(h_rate, 0, 0, some, rate_slopes);
    if (!slopes.isZero(0.0) || !rate_slopes.isZero(0.0))
    {
      return true;
    }
  }
  return false;
}

}  // namespace fivebar_control::multibody
