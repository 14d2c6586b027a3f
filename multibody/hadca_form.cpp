// SPDX-License-Identifier: Apache-2.0
#include "chain_dynamics.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Columns of a ResponseTangent from the slopes of a dual response.
void store(const Response<DualD> & dual, Eigen::Index first, int count, ResponseTangent & tangent)
{
  store_slopes(dual.q, 0, first, count, tangent.q);
  store_slopes(dual.v, 0, first, count, tangent.v);
  store_slopes(dual.a, 0, first, count, tangent.a);
  store_slopes(dual.lambda, 0, first, count, tangent.lambda);
  store_slopes(dual.rate, 0, first, count, tangent.rate);
}

/// Work space is kept between calls: one form serves one caller at a time.
class HadcaForm final : public Form
{
public:
  HadcaForm(std::shared_ptr<const System> system, int threads)
  : Form(system),
    chain_(make_chain(*system->mechanism())),
    team_(
      threads > 1 && chain_.size() >= least_bodies_for_threads ? std::make_unique<Team>(threads)
                                                               : nullptr),
    dynamics_(chain_, team_.get())
  {
  }

  Eigen::Index size() const override { return 2 * static_cast<Eigen::Index>(chain_.size()); }

  void respond(
    double t, const VectorD & y, const VectorD & theta, const VectorD & hint,
    Response<double> & response) const override
  {
    (void)t;
    (void)hint;
    dynamics_.move(y, theta, response);
  }
  void respond(
    const Complex & t, const Vector<Complex> & y, const Vector<Complex> & theta,
    const VectorD & hint, Response<Complex> & response) const override
  {
    (void)t;
    (void)hint;
    ChainDynamics<Complex> dynamics(chain_, nullptr);
    dynamics.move(y, theta, response);
  }
  ResponseTangent linearise(
    double t, const VectorD & y, const VectorD & theta,
    const Response<double> & response) const override
  {
    (void)t;
    const Eigen::Index ny = y.size();
    const Eigen::Index columns = ny + theta.size();
    const Eigen::Index n = system().coordinates();
    ResponseTangent tangent{
      MatrixD(n, columns), MatrixD(n, columns), MatrixD(n, columns),
      MatrixD(response.lambda.size(), columns), MatrixD(ny, columns)};
    const MatrixD identity = MatrixD::Identity(columns, columns);
    VectorD all(columns);
    all << y, theta;
    ChainDynamics<DualD> dynamics(chain_, nullptr);
    Vector<DualD> seeded_all;
    Response<DualD> dual;
    for (Eigen::Index first = 0; first < columns; first += dual_width)
    {
      const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, columns - first));
      seed(all, identity, first, count, seeded_all);
      const Vector<DualD> dual_y = seeded_all.head(ny), dual_theta = seeded_all.tail(theta.size());
      dynamics.move(dual_y, dual_theta, dual);
      store(dual, first, count, tangent);
    }
    return tangent;
  }

  VectorD state(const Point<double> & at) const override
  {
    return dynamics_.state(at.q, at.v, at.theta);
  }
  Vector<Complex> state(const Point<Complex> & at) const override
  {
    return ChainDynamics<Complex>(chain_, nullptr).state(at.q, at.v, at.theta);
  }
  MatrixD state_tangent(const Point<double> & at, const Directions & along) const override
  {
    MatrixD result(size(), along.count());
    ChainDynamics<DualD> dynamics(chain_, nullptr);
    for (Eigen::Index first = 0; first < along.count(); first += dual_width)
    {
      const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, along.count() - first));
      const Point<DualD> point = seeded(at, along, first, count);
      store_slopes(dynamics.state(point.q, point.v, point.theta), 0, first, count, result);
    }
    return result;
  }

private:
  Chain chain_;
  std::unique_ptr<Team> team_;
  mutable ChainDynamics<double> dynamics_;
};

}  // namespace

std::unique_ptr<Form> make_hadca_form(std::shared_ptr<const System> system, int threads)
{
  if (system->mechanism() == nullptr)
  {
    throw MechanismError("divide and conquer needs a system that is made of bodies and joints");
  }
  return std::make_unique<HadcaForm>(std::move(system), threads);
}

}  // namespace fivebar_control::multibody
