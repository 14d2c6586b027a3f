// SPDX-License-Identifier: Apache-2.0
#include "sweep_kernel.hpp"

namespace fivebar_control
{
namespace
{
struct Portable
{
};
}  // namespace

SweepReport sweep_portable(const SweepData & data) { return BackwardSweep<Portable>(data).run(); }

}  // namespace fivebar_control
