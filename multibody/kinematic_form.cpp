// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "fivebar_control/multibody/form.hpp"
#include "kkt.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr int max_iterations = 40;

/// Every degree of freedom is driven, so that Phi(t, q) = 0 has as many equations as coordinates
/// (López Varela, section 5.2, with the drives among the constraints): no state, no integration.
///   Phi = 0,  Phi_q v = -Phi_t,  Phi_q a = -(Phi_q' v + Phi_t'),  Phi_q^T lambda = Q - M a.
class KinematicForm final : public Form
{
public:
  using Form::Form;

  Eigen::Index size() const override { return 0; }

  void respond(
    double t, const VectorD & y, const VectorD & theta, const VectorD & hint,
    Response<double> & response) const override
  {
    (void)y;
    respond_any(t, theta, hint, response);
  }
  void respond(
    const Complex & t, const Vector<Complex> & y, const Vector<Complex> & theta,
    const VectorD & hint, Response<Complex> & response) const override
  {
    (void)y;
    respond_any(t, theta, hint, response);
  }

  /// López Varela (5.18)-(5.24): each level is differentiated where those before it are known.
  ResponseTangent linearise(
    double t, const VectorD & y, const VectorD & theta,
    const Response<double> & response) const override
  {
    (void)y;
    const Eigen::Index n = system().coordinates();
    const Point<double> at{t, response.q, response.v, theta};
    Terms<double> terms;
    system().evaluate(at, terms);
    const Lu<double> factors(terms.Phi_q);
    Directions along(system(), theta.size());
    along.theta.setIdentity();
    const auto slopes_of = [&](auto && level) {
      MatrixD slopes(n, along.count());
      differentiate(
        system(), at, along,
        [&](const Point<DualD> & point, const Terms<DualD> & dual, Eigen::Index first, int count) {
          store_slopes(level(point, dual), 0, first, count, slopes);
        });
      return slopes;
    };
    ResponseTangent tangent;
    tangent.q = along.q =
      -factors.solve(slopes_of([](const auto &, const auto & dual) { return dual.Phi; }));
    tangent.v = along.v = -factors.solve(slopes_of([&](const auto &, const auto & dual) {
      Vector<DualD> rate = times(dual.Phi_q, response.v);
      rate += dual.Phi_t;
      return rate;
    }));
    tangent.a = -factors.solve(slopes_of([&](const auto & point, const auto & dual) {
      Vector<DualD> second = times(dual.Phi_q, response.a);
      second += dual.acceleration_bias(point.v);
      return second;
    }));
    const MatrixD forces = slopes_of([&](const auto &, const auto & dual) {
      Vector<DualD> residual = times(dual.M, response.a);
      residual += transpose_times(dual.Phi_q, response.lambda);
      residual -= dual.Q;
      return residual;
    });
    tangent.lambda =
      -Lu<double>(terms.Phi_q.transpose()).solve(MatrixD(forces + terms.M * tangent.a));
    tangent.rate = MatrixD::Zero(0, along.count());
    return tangent;
  }

  VectorD state(const Point<double> & at) const override
  {
    (void)at;
    return VectorD(0);
  }
  Vector<Complex> state(const Point<Complex> & at) const override
  {
    (void)at;
    return Vector<Complex>(0);
  }
  MatrixD state_tangent(const Point<double> & at, const Directions & along) const override
  {
    (void)at;
    return MatrixD::Zero(0, along.count());
  }

private:
  template <class S>
  void respond_any(
    const S & t, const Vector<S> & theta, const VectorD & hint, Response<S> & response) const
  {
    Point<S> at{t, hint.template cast<S>(), Vector<S>::Zero(system().coordinates()), theta};
    Terms<S> terms;
    int extra = 2;  // imaginary parts converge after the real ones
    for (int i = 0; extra > 0; ++i)
    {
      system().evaluate(at, terms);
      const Vector<S> correction = Lu<S>(terms.Phi_q).solve(terms.Phi);
      at.q -= correction;
      extra -= correction.norm() < 1e-12 * (1.0 + at.q.norm()) ? 1 : 0;
      if (i == max_iterations || !(correction.norm() < 1e6))
      {
        throw MechanismError(fmt::format(
          "the driven mechanism cannot be closed at t = {:.6g} s: the drives ask for a position "
          "that it cannot reach, or for too large a step",
          real_part(t)));
      }
    }
    system().evaluate(at, terms);
    const Lu<S> factors(terms.Phi_q);
    at.v = -factors.solve(terms.Phi_t);
    system().evaluate(at, terms);
    response.q = at.q;
    response.v = at.v;
    response.a = -factors.solve(terms.acceleration_bias(at.v));
    response.lambda =
      Lu<S>(terms.Phi_q.transpose()).solve(Vector<S>(terms.Q - terms.M * response.a));
    response.rate = Vector<S>(0);
  }
};

}  // namespace

std::unique_ptr<Form> make_kinematic_form(std::shared_ptr<const System> system)
{
  if (system->freedom() != 0)
  {
    throw MechanismError(fmt::format(
      "the kinematic formulation needs a drive for every degree of freedom; {} are left",
      system->freedom()));
  }
  return std::make_unique<KinematicForm>(std::move(system));
}

}  // namespace fivebar_control::multibody
