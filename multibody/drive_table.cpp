// SPDX-License-Identifier: Apache-2.0
#include "drive_table.hpp"

#include "dense.hpp"

namespace fivebar_control::multibody
{

DriveTable make_drive_table(const VectorD & times, std::vector<Value> positions)
{
  // h_k m_k + 2 (h_k + h_k+1) m_k+1 + h_k+1 m_k+2 = 6 (differences of slopes), m = 0 at the ends.
  const Eigen::Index n = times.size();
  MatrixD left = MatrixD::Identity(n, n), right = MatrixD::Zero(n, n);
  for (Eigen::Index k = 1; k + 1 < n; ++k)
  {
    const double before = times(k) - times(k - 1), after = times(k + 1) - times(k);
    left(k, k - 1) = before;
    left(k, k) = 2.0 * (before + after);
    left(k, k + 1) = after;
    right(k, k - 1) = 6.0 / before;
    right(k, k) = -6.0 / before - 6.0 / after;
    right(k, k + 1) = 6.0 / after;
  }
  return {times, std::move(positions), Lu<double>(left).solve(right)};
}

}  // namespace fivebar_control::multibody
