// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/form.hpp"
#include "kkt.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// y = (q, v). Index-1 (Corner 2.56-2.57):
///   [M Phi_q^T; Phi_q 0] [a; lambda] = [Q; -(Phi_q' v + Phi_t')].
/// Penalty (Corner 2.66) in its bordered shape, which has the same solution as
/// (M + Phi_q^T alpha Phi_q) a = Q - Phi_q^T alpha (...) but not its condition number:
///   [M Phi_q^T; Phi_q -1/alpha] [a; lambda*] = [Q; -(Phi_q' v + Phi_t' + 2 xi w Phi' + w^2 Phi)].
class AccelerationForm final : public Form
{
public:
  AccelerationForm(
    std::shared_ptr<const System> system, double compliance, double damping, double frequency)
  : Form(std::move(system)),
    compliance_(compliance),
    rate_gain_(2.0 * damping * frequency),
    position_gain_(frequency * frequency)
  {
  }

  Eigen::Index size() const override { return 2 * Eigen::Index{system().coordinates()}; }

  void respond(
    double t, const VectorD & y, const VectorD & theta, const VectorD & hint,
    Response<double> & response) const override
  {
    (void)hint;
    respond_any(t, y, theta, response);
  }
  void respond(
    const Complex & t, const Vector<Complex> & y, const Vector<Complex> & theta,
    const VectorD & hint, Response<Complex> & response) const override
  {
    (void)hint;
    respond_any(t, y, theta, response);
  }

  /// Corner (2.65); Schaffer (4.104)-(4.111).
  ResponseTangent linearise(
    double t, const VectorD & y, const VectorD & theta,
    const Response<double> & response) const override
  {
    const Eigen::Index n = system().coordinates();
    const Eigen::Index m = system().constraints();
    const Eigen::Index columns = 2 * n + theta.size();
    Directions along(system(), columns);
    along.q.leftCols(n).setIdentity();
    along.v.middleCols(n, n).setIdentity();
    along.theta.rightCols(theta.size()).setIdentity();

    const Point<double> at{t, y.head(n), y.tail(n), theta};
    MatrixD right(n + m, columns);
    differentiate(
      system(), at, along,
      [&](const Point<DualD> & point, const Terms<DualD> & terms, Eigen::Index first, int count) {
        Vector<DualD> top = terms.Q;
        top -= times(terms.M, response.a);
        top -= transpose_times(terms.Phi_q, response.lambda);
        Vector<DualD> bottom = bias(terms, point.v);
        bottom += times(terms.Phi_q, response.a);
        store_slopes(top, 0, first, count, right);
        bottom *= DualD(-1.0);
        store_slopes(bottom, n, first, count, right);
      });

    Terms<double> terms;
    system().evaluate(at, terms);
    const MatrixD solution = kkt_factors(terms, compliance_).solve(right);
    ResponseTangent tangent;
    tangent.q = along.q;
    tangent.v = along.v;
    tangent.a = solution.topRows(n);
    tangent.lambda = solution.bottomRows(m);
    tangent.rate.resize(2 * n, columns);
    tangent.rate << tangent.v, tangent.a;
    return tangent;
  }

  VectorD state(const Point<double> & at) const override { return stack(at.q, at.v); }
  Vector<Complex> state(const Point<Complex> & at) const override { return stack(at.q, at.v); }
  MatrixD state_tangent(const Point<double> & at, const Directions & along) const override
  {
    (void)at;
    MatrixD result(size(), along.count());
    result << along.q, along.v;
    return result;
  }

private:
  template <class S>
  static Vector<S> stack(const Vector<S> & q, const Vector<S> & v)
  {
    Vector<S> y(q.size() + v.size());
    y << q, v;
    return y;
  }

  template <class S>
  Vector<S> bias(const Terms<S> & terms, const Vector<S> & v) const
  {
    Vector<S> result = terms.acceleration_bias(v);
    if (compliance_ > 0.0)
    {
      const Vector<S> Phi_rate = times(terms.Phi_q, v);
      for (Eigen::Index i = 0; i < result.size(); ++i)
      {
        result(i) += rate_gain_ * (Phi_rate(i) + terms.Phi_t(i)) + position_gain_ * terms.Phi(i);
      }
    }
    return result;
  }

  template <class S>
  void respond_any(
    const S & t, const Vector<S> & y, const Vector<S> & theta, Response<S> & response) const
  {
    const Eigen::Index n = system().coordinates();
    const Eigen::Index m = system().constraints();
    const Point<S> at{t, y.head(n), y.tail(n), theta};
    Terms<S> terms;
    system().evaluate(at, terms);
    Vector<S> right(n + m);
    right << terms.Q, -bias(terms, at.v);
    const Vector<S> solution = kkt_factors(terms, compliance_).solve(right);
    response.q = at.q;
    response.v = at.v;
    response.a = solution.head(n);
    response.lambda = solution.tail(m);
    response.rate = stack<S>(response.v, response.a);
  }

  double compliance_, rate_gain_, position_gain_;
};

}  // namespace

std::unique_ptr<Form> make_acceleration_form(
  std::shared_ptr<const System> system, double compliance, double damping, double frequency)
{
  return std::make_unique<AccelerationForm>(std::move(system), compliance, damping, frequency);
}

}  // namespace fivebar_control::multibody
