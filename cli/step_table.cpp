// SPDX-License-Identifier: Apache-2.0
#include "step_table.hpp"

#include <fmt/core.h>

#include "bench_hardware.hpp"
#include "console_person.hpp"
#include "fivebar_control/commission/procedure.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{

void print_step(const commission::StepResult & result)
{
  for (const commission::Measurement & m : result.measurements)
  {
    const Colour colour = m.skipped ? Colour::yellow : (m.passed ? Colour::green : Colour::red);
    print_line(fmt::format(
      "  {:<38} {:<47} {:<26} {}", m.name, m.measured, m.limit,
      coloured(stdout, colour, commission::verdict(m))));
  }
  for (const std::string & fault : result.faults)
  {
    print_line(coloured(stdout, Colour::red, wrapped(fault, 2)));
  }
  for (const std::string & advice : result.advice)
  {
    print_line(wrapped("Advice: " + advice, 2));
  }
  if (result.peak_volts > 0.0)
  {
    print_line(fmt::format(
      "  at most {:.2f} V, {:.2f} rad/s, {:.3f} rad", result.peak_volts, result.peak_speed,
      result.peak_excursion));
  }
}

}  // namespace fivebar_control::cli
