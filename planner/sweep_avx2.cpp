// SPDX-License-Identifier: Apache-2.0
// Compiled with AVX2 and FMA; called only where the processor has them.
#include "sweep_kernel.hpp"

namespace fivebar_control
{
namespace
{
struct Avx2
{
};
}  // namespace

SweepReport sweep_avx2(const SweepData & data) { return BackwardSweep<Avx2>(data).run(); }

}  // namespace fivebar_control
