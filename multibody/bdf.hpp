// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{

/// Whether this program was built with SUNDIALS IDA.
bool bdf_available();

/// The motion and its running costs by backward differentiation formulas of variable order and
/// step. One call goes on where the last one ended, if it starts there.
class BdfMotion
{
public:
  struct End
  {
    VectorD q, v, costs;  ///< costs of this call
  };
  virtual ~BdfMotion() = default;
  virtual End advance(double t, const VectorD & q, const VectorD & v, double h) = 0;
};

/// Throws MechanismError where bdf_available() says no. Everything must outlive the motion.
std::unique_ptr<BdfMotion> make_bdf_motion(
  const Problem & problem, const Settings & settings, const VectorD & rho, const System & system);

/// Direct differentiation and adjoint by the same formulas (Schaffer 4.113, 4.194), for index-1
/// motions without events.
Gradient bdf_direct(const Problem & problem, const Settings & settings, const VectorD & rho);
Gradient bdf_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho);

}  // namespace fivebar_control::multibody
