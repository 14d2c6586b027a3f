// SPDX-License-Identifier: Apache-2.0
#include "ali3p_step.hpp"

#include "motion_slopes.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// One step's equations at its solution: A star marks values before projection.
class Ali3pStepTangent final : public StepTangent
{
public:
  Ali3pStepTangent(
    const System & system, const Ali3pState<double> & from, const Ali3pState<double> & to,
    const Point<double> & end, double h, double projection_compliance)
  : n_(system.coordinates()), m_(system.constraints()), np_(end.theta.size()), h_(h)
  {
    const NewmarkHistory<VectorD> history(h, from.q, from.v, from.a);
    const VectorD v_star = history.velocity(to.q);
    const VectorD a_star = history.acceleration(to.q);
    const Directions along = all_directions(system);
    const MotionSlopes slopes(system, {end.t, to.q, v_star, end.theta}, a_star, to.lambda);
    motion_ = slopes.residual;
    Phi_theta_ = slopes.Phi_theta();
    system.evaluate(end, terms_);
    projection_ = kkt_factors(terms_, projection_compliance);
    VectorD right(n_ + m_);
    right << terms_.M * v_star, -terms_.Phi_t;
    const VectorD sigma = projection_.solve(right).tail(m_);
    right << terms_.M * a_star, -terms_.acceleration_bias(to.v);
    const VectorD kappa = projection_.solve(right).tail(m_);
    projection_slopes(
      system, end, along, {to.v, to.v - v_star, sigma}, {to.a, to.a - a_star, kappa});
  }

  MatrixD forward(const MatrixD & state, const MatrixD & theta) const override
  {
    const NewmarkHistory<MatrixD> history(
      h_, state.topRows(n_), state.middleRows(n_, n_), state.middleRows(2 * n_, n_));
    MatrixD right(n_ + m_, state.cols());
    right.topRows(n_) = -(terms_.M * history.a) - motion_.middleCols(n_, n_) * history.v -
                        motion_.rightCols(np_) * theta;
    right.bottomRows(m_) = -(Phi_theta_ * theta);
    const MatrixD solution = Lu<double>(step_matrix()).solve(right);
    const MatrixD Q = solution.topRows(n_);
    const auto along = [&](const MatrixD & slopes) -> MatrixD {
      return slopes.leftCols(n_) * Q + slopes.rightCols(np_) * theta;
    };
    right.topRows(n_) = terms_.M * history.velocity(Q) - along(velocity_top_);
    right.bottomRows(m_) = -along(velocity_bottom_);
    const MatrixD V = projection_.solve(right).topRows(n_);
    right.topRows(n_) = terms_.M * history.acceleration(Q) - along(acceleration_top_);
    right.bottomRows(m_) =
      -along(acceleration_bottom_) - acceleration_bottom_.middleCols(n_, n_) * V;
    const MatrixD A = projection_.solve(right).topRows(n_);
    MatrixD result(3 * n_ + m_, state.cols());
    result << Q, V, A, solution.bottomRows(m_);
    return result;
  }

  MatrixD backward(const MatrixD & end, MatrixD & theta) const override
  {
    MatrixD q = end.topRows(n_), v = end.middleRows(n_, n_);
    const MatrixD a = end.middleRows(2 * n_, n_), lambda = end.bottomRows(m_);
    MatrixD right = MatrixD::Zero(n_ + m_, end.cols());
    MatrixD mu;
    const auto subtract = [&](const MatrixD & top, const MatrixD & bottom) {
      q -= top.leftCols(n_).transpose() * mu.topRows(n_);
      q -= bottom.leftCols(n_).transpose() * mu.bottomRows(m_);
      theta -= mu.topRows(n_).transpose() * top.rightCols(np_);
      theta -= mu.bottomRows(m_).transpose() * bottom.rightCols(np_);
    };
    // (a) acceleration projection; its matrix is symmetric.
    right.topRows(n_) = a;
    mu = projection_.solve(right);
    const MatrixD a_star = terms_.M.transpose() * mu.topRows(n_);
    subtract(acceleration_top_, acceleration_bottom_);
    v -= acceleration_bottom_.middleCols(n_, n_).transpose() * mu.bottomRows(m_);
    // (b) velocity projection.
    right.topRows(n_) = v;
    mu = projection_.solve(right);
    const MatrixD v_star = terms_.M.transpose() * mu.topRows(n_);
    subtract(velocity_top_, velocity_bottom_);
    // (c) the step itself.
    q += 2.0 / h_ * v_star + 4.0 / (h_ * h_) * a_star;
    right << q, lambda;
    mu = Lu<double>(step_matrix().transpose()).solve(right);
    // (d) parameters.
    theta -= mu.topRows(n_).transpose() * motion_.rightCols(np_);
    theta -= mu.bottomRows(m_).transpose() * Phi_theta_;
    // (e) Newmark's history terms carry the rest to the node before, whose lambda is only a guess.
    const MatrixD v_history = v_star - motion_.middleCols(n_, n_).transpose() * mu.topRows(n_);
    const MatrixD a_history = a_star - terms_.M.transpose() * mu.topRows(n_);
    MatrixD result(3 * n_ + m_, end.cols());
    result << -(2.0 / h_ * v_history + 4.0 / (h_ * h_) * a_history),
      -(v_history + 4.0 / h_ * a_history), -a_history, MatrixD::Zero(m_, end.cols());
    return result;
  }

private:
  /// What a projection yields: the value, its change, and the impulse.
  struct Projected
  {
    VectorD value, change, impulse;
  };

  void projection_slopes(
    const System & system, const Point<double> & at, const Directions & along,
    const Projected & velocity, const Projected & acceleration)
  {
    velocity_top_ = acceleration_top_ = MatrixD(n_, along.count());
    velocity_bottom_ = acceleration_bottom_ = MatrixD(m_, along.count());
    differentiate(
      system, at, along,
      [&](const Point<DualD> & point, const Terms<DualD> & dual, Eigen::Index first, int count) {
        Vector<DualD> top = times(dual.M, velocity.change);
        top += transpose_times(dual.Phi_q, velocity.impulse);
        store_slopes(top, 0, first, count, velocity_top_);
        Vector<DualD> bottom = times(dual.Phi_q, velocity.value);
        bottom += dual.Phi_t;
        store_slopes(bottom, 0, first, count, velocity_bottom_);
        top = times(dual.M, acceleration.change);
        top += transpose_times(dual.Phi_q, acceleration.impulse);
        store_slopes(top, 0, first, count, acceleration_top_);
        bottom = times(dual.Phi_q, acceleration.value);
        bottom += dual.acceleration_bias(point.v);
        store_slopes(bottom, 0, first, count, acceleration_bottom_);
      });
  }

  /// [4/h^2 M + 2/h C + K Phi_q^T; Phi_q 0], exact.
  MatrixD step_matrix() const
  {
    MatrixD matrix = kkt_matrix(terms_.M, terms_.Phi_q);
    matrix.topLeftCorner(n_, n_) =
      4.0 / (h_ * h_) * terms_.M + 2.0 / h_ * motion_.middleCols(n_, n_) + motion_.leftCols(n_);
    return matrix;
  }

  Eigen::Index n_, m_, np_;
  double h_;
  Terms<double> terms_;  ///< at (q, v)
  Lu<double> projection_;
  MatrixD motion_;  ///< slopes of M a* + Phi_q^T lambda - Q(q, v*)
  MatrixD Phi_theta_;
  MatrixD velocity_top_, velocity_bottom_, acceleration_top_, acceleration_bottom_;
};

}  // namespace

std::unique_ptr<StepTangent> ali3p_step_tangent(
  const System & system, const Ali3pState<double> & from, const Ali3pState<double> & to,
  const Point<double> & end, double h, double projection_compliance)
{
  return std::make_unique<Ali3pStepTangent>(system, from, to, end, h, projection_compliance);
}

}  // namespace fivebar_control::multibody
