// SPDX-License-Identifier: Apache-2.0
#include "bdf.hpp"

namespace fivebar_control::multibody
{

bool bdf_available() { return false; }

namespace
{

[[noreturn]] void refuse()
{
  throw MechanismError("this program was built without SUNDIALS IDA (Debian: libsundials-dev)");
}

}  // namespace

std::unique_ptr<BdfMotion> make_bdf_motion(
  const Problem &, const Settings &, const VectorD &, const System &)
{
  refuse();
}
Gradient bdf_direct(const Problem &, const Settings &, const VectorD &) { refuse(); }
Gradient bdf_adjoint(const Problem &, const Settings &, const VectorD &) { refuse(); }

}  // namespace fivebar_control::multibody
