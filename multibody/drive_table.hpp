// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "fivebar_control/multibody/mechanism.hpp"

namespace fivebar_control::multibody
{

/// Positions over time, between them a cubic spline that is straight at both ends: rate and
/// acceleration are continuous, as the forces of a driven mechanism need it.
struct DriveTable
{
  VectorD times;  ///< s, increasing
  std::vector<Value> positions;
  MatrixD curvature;  ///< second derivatives at the nodes by positions

  template <class S>
  struct At
  {
    S position, rate, acceleration;
  };
  template <class S>
  At<S> at(const S & t, const Vector<S> & theta) const;
};

/// Whether an entry of theta enters the drives of a mechanism.
bool parameters_in_drives(const Mechanism & mechanism);

/// Fills in the curvature.
DriveTable make_drive_table(const VectorD & times, std::vector<Value> positions);

template <class S>
DriveTable::At<S> DriveTable::at(const S & t, const Vector<S> & theta) const
{
  const auto last = times.size() - 1;
  const double * begin = times.data();
  const auto k = std::clamp<Eigen::Index>(
    std::upper_bound(begin, begin + times.size(), real_part(t)) - begin - 1, 0, last - 1);
  const double h = times(k + 1) - times(k);
  S left(0.0), right(0.0);  // second derivatives
  for (Eigen::Index i = 0; i <= last; ++i)
  {
    const S position = positions[static_cast<std::size_t>(i)].at(theta);
    left += curvature(k, i) * position;
    right += curvature(k + 1, i) * position;
  }
  const S a = positions[static_cast<std::size_t>(k)].at(theta);
  const S b = positions[static_cast<std::size_t>(k + 1)].at(theta);
  const S u = (t - times(k)) * (1.0 / h);
  const S w = 1.0 - u;
  const double sixth = h * h / 6.0;
  return {
    w * a + u * b + sixth * ((w * w * w - w) * left + (u * u * u - u) * right),
    (b - a) * (1.0 / h) + h / 6.0 * ((3.0 * u * u - 1.0) * right - (3.0 * w * w - 1.0) * left),
    w * left + u * right};
}

/// The row of a drive, Phi = coordinate - wanted(t).
template <class S>
void add_drive(const Joint & joint, const Point<S> & at, Eigen::Index row, Terms<S> & out)
{
  out.Phi_q(row, joint.shaft) = S(1.0);
  if (joint.table)
  {
    const auto wanted = joint.table->at(at.t, at.theta);
    out.Phi(row) = at.q(joint.shaft) - wanted.position;
    out.Phi_t(row) = -wanted.rate;
    out.Phi_t_rate(row) = -wanted.acceleration;
    return;
  }
  const S rate = joint.ratio.at(at.theta);
  out.Phi(row) = at.q(joint.shaft) - joint.offset.at(at.theta) - rate * at.t;
  out.Phi_t(row) = -rate;
}

}  // namespace fivebar_control::multibody
