// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/form.hpp"
#include "kkt.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// y = (q, p*), p* = M v + Phi_q^T sigma (Maciąg 3.6, 3.9):
///   [M Phi_q^T; Phi_q 0] [v; sigma] = [p*; -Phi_t],   p*' = f + Phi_q'^T sigma,   f = Q + M' v.
class HamiltonForm final : public Form
{
public:
  using Form::Form;

  Eigen::Index size() const override { return 2 * Eigen::Index{system().coordinates()}; }

  void respond(
    double t, const VectorD & y, const VectorD & theta, const VectorD & hint,
    Response<double> & response) const override
  {
    (void)hint;
    VectorD sigma;
    respond_any(t, y, theta, response, sigma);
  }
  void respond(
    const Complex & t, const Vector<Complex> & y, const Vector<Complex> & theta,
    const VectorD & hint, Response<Complex> & response) const override
  {
    (void)hint;
    Vector<Complex> sigma;
    respond_any(t, y, theta, response, sigma);
  }

  ResponseTangent linearise(
    double t, const VectorD & y, const VectorD & theta,
    const Response<double> & response) const override
  {
    const Eigen::Index n = system().coordinates();
    const Eigen::Index m = system().constraints();
    const Eigen::Index columns = 2 * n + theta.size();
    Response<double> here;
    VectorD sigma;
    respond_any(t, y, theta, here, sigma);

    Directions along(system(), columns);
    along.q.leftCols(n).setIdentity();
    along.theta.rightCols(theta.size()).setIdentity();
    const Point<double> at{t, response.q, response.v, theta};
    Terms<double> terms;
    system().evaluate(at, terms);
    const Lu<double> factors = kkt_factors(terms);

    MatrixD right(n + m, columns);
    differentiate(
      system(), at, along,
      [&](const Point<DualD> &, const Terms<DualD> & slopes, Eigen::Index first, int count) {
        Vector<DualD> top = times(slopes.M, response.v);
        top += transpose_times(slopes.Phi_q, sigma);
        Vector<DualD> bottom = times(slopes.Phi_q, response.v);
        bottom += slopes.Phi_t;
        store_slopes(top, 0, first, count, right);
        store_slopes(bottom, n, first, count, right);
      });
    right = -right;
    right.block(0, n, n, n) += MatrixD::Identity(n, n);
    const MatrixD velocity = factors.solve(right);
    along.v = velocity.topRows(n);

    ResponseTangent tangent;
    tangent.q = along.q;
    tangent.v = along.v;
    MatrixD momentum_rate(n, columns);
    differentiate(
      system(), at, along,
      [&](const Point<DualD> & point, const Terms<DualD> & slopes, Eigen::Index first, int count) {
        Vector<DualD> rate = slopes.Q;
        rate += times(slopes.M_rate, point.v);
        rate += transpose_times(slopes.Phi_q_rate, sigma);
        store_slopes(rate, 0, first, count, momentum_rate);
        Vector<DualD> top = slopes.Q;
        top -= times(slopes.M, response.a);
        top -= transpose_times(slopes.Phi_q, response.lambda);
        Vector<DualD> bottom = slopes.acceleration_bias(point.v);
        bottom += times(slopes.Phi_q, response.a);
        bottom *= DualD(-1.0);
        store_slopes(top, 0, first, count, right);
        store_slopes(bottom, n, first, count, right);
      });
    const MatrixD acceleration = factors.solve(right);
    tangent.a = acceleration.topRows(n);
    tangent.lambda = acceleration.bottomRows(m);
    momentum_rate += terms.Phi_q_rate.transpose() * velocity.bottomRows(m);
    tangent.rate.resize(2 * n, columns);
    tangent.rate << tangent.v, momentum_rate;
    return tangent;
  }

  VectorD state(const Point<double> & at) const override { return state_any(at); }
  Vector<Complex> state(const Point<Complex> & at) const override { return state_any(at); }

  MatrixD state_tangent(const Point<double> & at, const Directions & along) const override
  {
    const Eigen::Index n = system().coordinates();
    MatrixD result(2 * n, along.count());
    result.topRows(n) = along.q;
    differentiate(
      system(), at, along,
      [&](const Point<DualD> & point, const Terms<DualD> & slopes, Eigen::Index first, int count) {
        store_slopes(times(slopes.M, point.v), n, first, count, result);
      });
    return result;
  }

private:
  /// sigma = 0 at the start: only its rate has a physical meaning (Maciąg, section 3.2.1).
  template <class S>
  Vector<S> state_any(const Point<S> & at) const
  {
    Terms<S> terms;
    system().evaluate(at, terms);
    Vector<S> y(size());
    y << at.q, terms.M * at.v;
    return y;
  }

  template <class S>
  void respond_any(
    const S & t, const Vector<S> & y, const Vector<S> & theta, Response<S> & response,
    Vector<S> & sigma) const
  {
    const Eigen::Index n = system().coordinates();
    const Eigen::Index m = system().constraints();
    Point<S> at{t, y.head(n), Vector<S>::Zero(n), theta};
    Terms<S> terms;
    system().evaluate(at, terms);
    const Lu<S> factors = kkt_factors(terms);
    Vector<S> right(n + m);
    right << y.tail(n), -terms.Phi_t;
    Vector<S> solution = factors.solve(right);
    at.v = solution.head(n);
    sigma = solution.tail(m);

    system().evaluate(at, terms);
    right << terms.Q, -terms.acceleration_bias(at.v);
    solution = factors.solve(right);
    response.q = at.q;
    response.v = at.v;
    response.a = solution.head(n);
    response.lambda = solution.tail(m);
    response.rate.resize(2 * n);
    response.rate << at.v, terms.Q + terms.M_rate * at.v + terms.Phi_q_rate.transpose() * sigma;
  }
};

}  // namespace

std::unique_ptr<Form> make_hamilton_form(std::shared_ptr<const System> system)
{
  return std::make_unique<HamiltonForm>(std::move(system));
}

}  // namespace fivebar_control::multibody
