// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "alpha_method.hpp"
#include "fivebar_control/multibody/form.hpp"
#include "kkt.hpp"
#include "motion_slopes.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr int max_iterations = 50;

/// The derivatives of one step. With K = R_q, C = R_v of R = M a + Phi_q^T lambda - Q:
///   (M + g C + b K) a' + Phi_q^T lambda' = -K q_history' - C v_history' - R_theta theta',
///   Phi_q a' = -(Phi_q q_history' + Phi_theta theta') / b.
/// This is the index-3 tangent linear model (Corner 2.55; Schaffer 4.102-4.103) in the scheme of
/// the motion.
class Index3StepTangent final : public StepTangent
{
public:
  Index3StepTangent(
    const System & system, const AlphaState<double> & to, const Point<double> & end,
    const AlphaStep & step)
  : n_(system.coordinates()),
    m_(system.constraints()),
    step_(step),
    slopes_(system, end, to.a, to.lambda)
  {
    system.evaluate(end, terms_);
    MatrixD matrix = kkt_matrix(terms_.M, terms_.Phi_q);
    matrix.topLeftCorner(n_, n_) +=
      step.velocity_by_a() * slopes_.C() + step.position_by_a() * slopes_.K();
    matrix_ = matrix;
  }

  MatrixD forward(const MatrixD & state, const MatrixD & theta) const override
  {
    const AlphaState<double, MatrixD> from(n_, m_, state);
    const AlphaHistory<MatrixD> history(step_, from.q, from.v, from.a, from.average);
    MatrixD right(n_ + m_, state.cols());
    right.topRows(n_) =
      -(slopes_.K() * history.q) - slopes_.C() * history.v - slopes_.theta() * theta;
    right.bottomRows(m_) =
      -1.0 / step_.position_by_a() * (terms_.Phi_q * history.q + slopes_.Phi_theta() * theta);
    const MatrixD solution = Lu<double>(matrix_).solve(right);
    AlphaState<double, MatrixD> to;
    to.a = solution.topRows(n_);
    to.lambda = solution.bottomRows(m_);
    history.apply(step_, to.a, to.q, to.v, to.average);
    return to.stacked();
  }

  MatrixD backward(const MatrixD & end, MatrixD & theta) const override
  {
    const AlphaState<double, MatrixD> to(n_, m_, end);
    MatrixD right(n_ + m_, end.cols());
    right.topRows(n_) = to.a + step_.position_by_a() * to.q + step_.velocity_by_a() * to.v +
                        step_.average_by_a() * to.average;
    right.bottomRows(m_) = to.lambda;
    const MatrixD mu = Lu<double>(matrix_.transpose()).solve(right);
    const MatrixD nu = 1.0 / step_.position_by_a() * mu.bottomRows(m_);
    theta -= mu.topRows(n_).transpose() * slopes_.theta();
    theta -= nu.transpose() * slopes_.Phi_theta();
    const MatrixD q_history =
      to.q - slopes_.K().transpose() * mu.topRows(n_) - terms_.Phi_q.transpose() * nu;
    const MatrixD v_history = to.v - slopes_.C().transpose() * mu.topRows(n_);
    AlphaState<double, MatrixD> from;
    transpose_history(step_, q_history, v_history, to.average, from);
    from.lambda = MatrixD::Zero(m_, end.cols());
    return from.stacked();
  }

private:
  Eigen::Index n_, m_;
  AlphaStep step_;
  MotionSlopes slopes_;
  Terms<double> terms_;
  MatrixD matrix_;
};

/// y = (q, v, a, lambda, average): M a + Phi_q^T lambda = Q and Phi = 0 at the end of each step.
class Index3Form final : public Form, public DiscreteScheme
{
public:
  Index3Form(std::shared_ptr<const System> system, const Settings & settings)
  : Form(system),
    start_form_(make_acceleration_form(system, 0.0, 0.0, 0.0)),
    method_(AlphaMethod::of(settings)),
    tolerance_(settings.tolerance)
  {
  }

  Eigen::Index size() const override
  {
    return 4 * Eigen::Index{system().coordinates()} + system().constraints();
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
    const AlphaState<double, MatrixD> parts(
      system().coordinates(), system().constraints(),
      MatrixD::Identity(size(), size() + theta.size()));
    return {parts.q, parts.v, parts.a, parts.lambda, MatrixD::Zero(size(), size() + theta.size())};
  }

  VectorD state(const Point<double> & at) const override { return state_any(at); }
  Vector<Complex> state(const Point<Complex> & at) const override { return state_any(at); }
  MatrixD state_tangent(const Point<double> & at, const Directions & along) const override
  {
    const StartSlopes slopes = start_slopes(*start_form_, at, along);
    AlphaState<double, MatrixD> parts;
    parts.q = along.q;
    parts.v = along.v;
    parts.a = parts.average = slopes.a;
    parts.lambda = slopes.lambda;
    return parts.stacked();
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
    (void)y;
    const AlphaState<double> to(system().coordinates(), system().constraints(), end);
    return std::make_unique<Index3StepTangent>(
      system(), to, Point<double>{t + h, to.q, to.v, theta}, AlphaStep{method_, h});
  }

private:
  /// Nothing asks for the rate of a form that has its own step.
  template <class S>
  void unpack(const Vector<S> & y, Response<S> & response) const
  {
    const AlphaState<S> parts(system().coordinates(), system().constraints(), y);
    response = {parts.q, parts.v, parts.a, parts.lambda, Vector<S>::Zero(size())};
  }

  template <class S>
  Vector<S> state_any(const Point<S> & at) const
  {
    Response<S> response;
    start_form_->respond(at.t, start_form_->state(at), at.theta, VectorD(), response);
    AlphaState<S> parts;
    parts.q = at.q;
    parts.v = at.v;
    parts.a = parts.average = response.a;
    parts.lambda = response.lambda;
    return parts.stacked();
  }

  /// Newton for a and lambda at the end of the step; the rest follows from a.
  template <class S>
  Vector<S> step_any(double t, const Vector<S> & y, double h, const Vector<S> & theta) const
  {
    const AlphaStep step{method_, h};
    const AlphaState<S> from(system().coordinates(), system().constraints(), y);
    const AlphaHistory<Vector<S>> history(step, from.q, from.v, from.a, from.average);
    AlphaState<S> to = from;
    int extra = 2;  // imaginary parts converge after the real ones
    for (int i = 0; extra > 0; ++i)
    {
      history.apply(step, to.a, to.q, to.v, to.average);
      const double moved = correct({S(t + h), to.q, to.v, theta}, step, to);
      extra -= moved < tolerance_ * (1.0 + to.q.norm()) ? 1 : 0;
      if (i == max_iterations || !(moved < 1e6))
      {
        throw MechanismError(fmt::format(
          "the {} step at t = {:.6g} s does not converge; a smaller step may help", method_.name(),
          t));
      }
    }
    history.apply(step, to.a, to.q, to.v, to.average);
    return to.stacked();
  }

  /// Corrects a and lambda once; returns how far q moved. Its matrix is that of the real part,
  /// exact there, so that imaginary parts converge too.
  template <class S>
  double correct(const Point<S> & at, const AlphaStep & step, AlphaState<S> & to) const
  {
    const Eigen::Index n = system().coordinates();
    Terms<S> terms;
    system().evaluate(at, terms);
    Vector<S> residual(n + system().constraints());
    residual << terms.M * to.a + terms.Phi_q.transpose() * to.lambda - terms.Q,
      (1.0 / step.position_by_a()) * terms.Phi;
    const Point<double> real{real_part(at.t), at.q.real(), at.v.real(), at.theta.real()};
    Terms<double> real_terms;
    system().evaluate(real, real_terms);
    const MotionSlopes slopes(system(), real, to.a.real(), to.lambda.real());
    MatrixD matrix = kkt_matrix(real_terms.M, real_terms.Phi_q);
    matrix.topLeftCorner(n, n) +=
      step.velocity_by_a() * slopes.C() + step.position_by_a() * slopes.K();
    const Vector<S> correction = Lu<S>(matrix.template cast<S>()).solve(residual);
    to.a -= correction.head(n);
    to.lambda -= correction.tail(system().constraints());
    return step.position_by_a() * correction.head(n).norm();
  }

  std::unique_ptr<Form> start_form_;  ///< accelerations and multipliers of the first node
  AlphaMethod method_;
  double tolerance_;
};

}  // namespace

std::unique_ptr<Form> make_index3_form(
  std::shared_ptr<const System> system, const Settings & settings)
{
  return std::make_unique<Index3Form>(std::move(system), settings);
}

}  // namespace fivebar_control::multibody
