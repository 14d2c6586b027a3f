// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dense.hpp"
#include "motion_model.hpp"

namespace fivebar_control::multibody
{

/// Everything about the linearised motion that has the structure of a chain in time.
class TimeRecursion
{
public:
  TimeRecursion(const MotionModel & model, Eigen::Index states, Eigen::Index inputs)
  : model_(model), ny_(states), m_(inputs)
  {
  }

  Eigen::Index nodes() const { return static_cast<Eigen::Index>(model_.intervals.size()) + 1; }

  /// The gradient at the nodes, one row per node, and the diagonal of the Gauss-Newton matrix.
  void gradient(MatrixD & by_node, MatrixD & diagonal) const
  {
    by_node.resize(nodes(), m_);
    diagonal.resize(nodes(), m_);
    VectorD s = model_.end_g;
    MatrixD S = model_.end_H;
    for (Eigen::Index k = nodes() - 1; k-- > 0;)
    {
      const IntervalModel & interval = model_.intervals[static_cast<std::size_t>(k)];
      const MatrixD F = transition(interval);
      const VectorD q = interval.g + F.transpose() * s;
      const MatrixD Q = interval.H + F.transpose() * MatrixD(S * F);
      by_node.row(k + 1) = q.tail(m_).transpose();
      diagonal.row(k + 1) = Q.bottomRightCorner(m_, m_).diagonal().transpose();
      s = q.head(ny_ + m_);
      S = Q.topLeftCorner(ny_ + m_, ny_ + m_);
    }
    by_node.row(0) = s.tail(m_).transpose();
    diagonal.row(0) = S.bottomRightCorner(m_, m_).diagonal().transpose();
  }

  /// Minimises model + damping |step|^2 / 2 over the nodes that are not held.
  MatrixD step(double damping, const MatrixD & held) const
  {
    const auto count = model_.intervals.size();
    std::vector<MatrixD> gains(count);
    std::vector<VectorD> offsets(count);
    MatrixD P = model_.end_H;
    VectorD p = model_.end_g;
    for (std::size_t k = count; k-- > 0;)
    {
      const IntervalModel & interval = model_.intervals[k];
      const MatrixD F = transition(interval);
      MatrixD Q = interval.H + F.transpose() * MatrixD(P * F);
      VectorD q = interval.g + F.transpose() * p;
      hold(held.row(static_cast<Eigen::Index>(k) + 1), damping, Q, q);
      const Eigen::Index n = ny_ + m_;
      MatrixD right(m_, n + 1);
      right << Q.bottomLeftCorner(m_, n), q.tail(m_);
      const MatrixD solution = -Ldlt(MatrixD(Q.bottomRightCorner(m_, m_))).solve(right);
      gains[k] = solution.leftCols(n);
      offsets[k] = solution.col(n);
      P = Q.topLeftCorner(n, n) + Q.topRightCorner(n, m_) * gains[k];
      p = q.head(n) + Q.topRightCorner(n, m_) * offsets[k];
    }
    hold(held.row(0), damping, P, p);
    MatrixD steps(nodes(), m_);
    VectorD z = VectorD::Zero(ny_ + m_);
    const VectorD first = -Ldlt(MatrixD(P.bottomRightCorner(m_, m_))).solve(VectorD(p.tail(m_)));
    z.tail(m_) = first;
    steps.row(0) = first.transpose();
    for (std::size_t k = 0; k < count; ++k)
    {
      VectorD all(ny_ + 2 * m_);
      all << z, gains[k] * z + offsets[k];
      z << model_.intervals[k].F * all, all.tail(m_);
      steps.row(static_cast<Eigen::Index>(k) + 1) = all.tail(m_).transpose();
    }
    return steps;
  }

private:
  /// (y, a, b) to the next (y, a).
  MatrixD transition(const IntervalModel & interval) const
  {
    MatrixD F = MatrixD::Zero(ny_ + m_, ny_ + 2 * m_);
    F.topRows(ny_) = interval.F;
    F.bottomRightCorner(m_, m_).setIdentity();
    return F;
  }
  /// Damps the inputs that were just met, the last ones of Q, and fixes those that bounds hold.
  void hold(const Eigen::RowVectorXd & held, double damping, MatrixD & Q, VectorD & q) const
  {
    const Eigen::Index first = Q.rows() - m_;
    for (Eigen::Index i = 0; i < m_; ++i)
    {
      Q(first + i, first + i) += damping;
      if (held(i) != 0.0)
      {
        Q.row(first + i).setZero();
        Q.col(first + i).setZero();
        Q(first + i, first + i) = 1.0;
        q(first + i) = 0.0;
      }
    }
  }

  const MotionModel & model_;
  Eigen::Index ny_, m_;
};

}  // namespace fivebar_control::multibody
