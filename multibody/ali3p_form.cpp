// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>

#include "ali3p_step.hpp"
#include "motion_slopes.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr int max_iterations = 50;

class Ali3pForm final : public Form, public DiscreteScheme
{
public:
  Ali3pForm(std::shared_ptr<const System> system, const Settings & settings)
  : Form(system),
    start_form_(make_acceleration_form(
      system, 1.0 / settings.penalty, settings.penalty_damping, settings.penalty_frequency)),
    penalty_(settings.penalty),
    tolerance_(settings.tolerance),
    projection_compliance_(1.0 / (settings.projection * settings.penalty))
  {
  }

  Eigen::Index size() const override
  {
    return 3 * Eigen::Index{system().coordinates()} + system().constraints();
  }
  const DiscreteScheme * scheme() const override { return this; }

  void respond(
    double t, const VectorD & y, const VectorD & theta, const VectorD & hint,
    Response<double> & response) const override
  {
    (void)t;
    (void)theta;
    (void)hint;
    unpack(y, response);
  }
  void respond(
    const Complex & t, const Vector<Complex> & y, const Vector<Complex> & theta,
    const VectorD & hint, Response<Complex> & response) const override
  {
    (void)t;
    (void)theta;
    (void)hint;
    unpack(y, response);
  }
  ResponseTangent linearise(
    double t, const VectorD & y, const VectorD & theta,
    const Response<double> & response) const override
  {
    (void)t;
    (void)y;
    (void)response;
    const Eigen::Index n = system().coordinates();
    const MatrixD identity = MatrixD::Identity(size(), size() + theta.size());
    return {
      identity.topRows(n), identity.middleRows(n, n), identity.middleRows(2 * n, n),
      identity.bottomRows(system().constraints()), MatrixD::Zero(size(), identity.cols())};
  }

  VectorD state(const Point<double> & at) const override { return state_any(at); }
  Vector<Complex> state(const Point<Complex> & at) const override { return state_any(at); }
  MatrixD state_tangent(const Point<double> & at, const Directions & along) const override
  {
    const StartSlopes slopes = start_slopes(*start_form_, at, along);
    MatrixD result(size(), along.count());
    result << along.q, along.v, slopes.a, slopes.lambda;
    return result;
  }

  VectorD step(double t, const VectorD & y, double h, const VectorD & theta) const override
  {
    return step_any(t, y, h, theta);
  }
  Vector<Complex> step(
    double t, const Vector<Complex> & y, double h, const Vector<Complex> & theta) const override
  {
    return step_any(t, y, h, theta);
  }
  std::unique_ptr<StepTangent> linearise_step(
    double t, const VectorD & y, double h, const VectorD & end,
    const VectorD & theta) const override
  {
    const Ali3pState<double> to(system(), end);
    return ali3p_step_tangent(
      system(), Ali3pState<double>(system(), y), to, {t + h, to.q, to.v, theta}, h,
      projection_compliance_);
  }

private:
  /// Nothing asks for the rate of a form that has its own step.
  template <class S>
  void unpack(const Vector<S> & y, Response<S> & response) const
  {
    const Ali3pState<S> parts(system(), y);
    response = {parts.q, parts.v, parts.a, parts.lambda, Vector<S>::Zero(size())};
  }

  template <class S>
  Vector<S> state_any(const Point<S> & at) const
  {
    Response<S> response;
    start_form_->respond(at.t, start_form_->state(at), at.theta, VectorD(), response);
    Ali3pState<S> parts;
    parts.q = at.q;
    parts.v = at.v;
    parts.a = response.a;
    parts.lambda = response.lambda;
    return parts.stacked();
  }

  /// Newton on the bordered (augmented Lagrangian) equations, then projections with the mass matrix
  /// (López Varela 3.32-3.40 with the signs of docs/sensitivity.md).
  template <class S>
  Vector<S> step_any(double t, const Vector<S> & y, double h, const Vector<S> & theta) const
  {
    const Ali3pState<S> from(system(), y);
    const NewmarkHistory<Vector<S>> history(h, from.q, from.v, from.a);
    Ali3pState<S> to = from;
    to.q = from.q + h * from.v + 0.5 * h * h * from.a;
    Point<S> at{S(t + h), to.q, {}, theta};
    int extra = 2;  // imaginary parts converge after the real ones
    for (int i = 0; extra > 0; ++i)
    {
      at.v = history.velocity(to.q);
      at.q = to.q;
      const double size = newton_correction(at, history.acceleration(to.q), h, to);
      extra -= size < tolerance_ * (1.0 + to.q.norm()) ? 1 : 0;
      if (i == max_iterations || !(size < 1e6))
      {
        throw MechanismError(fmt::format(
          "the ALI3-P step at t = {:.6g} s does not converge; a smaller step may help", t));
      }
    }
    at.q = to.q;
    at.v = history.velocity(to.q);
    project(at, history.acceleration(to.q), to);
    return to.stacked();
  }

  /// Corrects q and lambda once; returns how far q moved.
  template <class S>
  double newton_correction(
    const Point<S> & at, const Vector<S> & a_star, double h, Ali3pState<S> & to) const
  {
    const Eigen::Index n = system().coordinates();
    const Eigen::Index m = system().constraints();
    Terms<S> terms;
    system().evaluate(at, terms);
    const double scale = 0.25 * h * h;
    Vector<S> residual(n + m);
    residual << scale * (terms.M * a_star + terms.Phi_q.transpose() * to.lambda - terms.Q),
      terms.Phi;
    const MatrixD tangent = newton_matrix(at, a_star.real(), to.lambda.real(), h);
    const Vector<S> correction = Lu<S>(tangent.template cast<S>()).solve(residual);
    to.q -= correction.head(n);
    to.lambda -= correction.tail(m) / scale;
    return correction.head(n).norm();
  }

  /// The scaled Newton matrix at the real part; exact there, so that imaginary parts converge too.
  template <class S>
  MatrixD newton_matrix(
    const Point<S> & at, const VectorD & a_star, const VectorD & lambda, double h) const
  {
    const Eigen::Index n = system().coordinates();
    const Point<double> real{real_part(at.t), at.q.real(), at.v.real(), at.theta.real()};
    const MotionSlopes slopes(system(), real, a_star, lambda);
    Terms<double> terms;
    system().evaluate(real, terms);
    const double scale = 0.25 * h * h;
    MatrixD matrix = kkt_matrix(terms.M, terms.Phi_q, 1.0 / (penalty_ * scale));
    matrix.topLeftCorner(n, n) += 0.5 * h * slopes.C() + scale * slopes.K();
    return matrix;
  }

  /// v and a on the constraints, from v* = at.v and a*.
  template <class S>
  void project(Point<S> at, const Vector<S> & a_star, Ali3pState<S> & to) const
  {
    const Eigen::Index n = system().coordinates();
    Terms<S> terms;
    system().evaluate(at, terms);
    const Lu<S> projection = kkt_factors(terms, projection_compliance_);
    Vector<S> right(n + system().constraints());
    right << terms.M * at.v, -terms.Phi_t;
    to.v = projection.solve(right).head(n);
    at.v = to.v;
    system().evaluate(at, terms);
    right << terms.M * a_star, -terms.acceleration_bias(to.v);
    to.a = projection.solve(right).head(n);
  }

  std::unique_ptr<Form> start_form_;  ///< accelerations and multipliers of the first node
  double penalty_, tolerance_, projection_compliance_;
};

}  // namespace

std::unique_ptr<Form> make_ali3p_form(
  std::shared_ptr<const System> system, const Settings & settings)
{
  return std::make_unique<Ali3pForm>(std::move(system), settings);
}

}  // namespace fivebar_control::multibody
