// SPDX-License-Identifier: Apache-2.0
// State files of a robot's zero: refused with an InputError, or what would be written again.
#include "fivebar_control/hardware/zero_memory.hpp"
#include "fivebar_control/support/errors.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{

void state_file(Bytes bytes)
{
  RememberedZero zero;
  try
  {
    zero = parse_remembered_zero(text_of(bytes), "state.yaml");
  }
  catch (const InputError &)
  {
    return;
  }
  const RememberedZero again = parse_remembered_zero(to_text(zero), "again.yaml");
  require(again.session == zero.session, "the same session");
  require(again.zero_angle == zero.zero_angle, "the same zero");
  require(again.certain == zero.certain, "as certain as before");
}

}  // namespace fivebar_control::fuzz
