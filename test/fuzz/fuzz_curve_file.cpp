// SPDX-License-Identifier: Apache-2.0
// Curve YAML: refused with a InputError, or a curve that is finite from its start to its end and
// that its canonical text, which plans carry, describes as well.
#include "fivebar_control/planner/plan_request.hpp"
#include "fivebar_control/support/errors.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

/// A curve may name a file of samples; no input shall read files of this machine.
bool names_a_file(const std::string & text) { return text.find("samples") != std::string::npos; }

}  // namespace

void curve_file(Bytes bytes)
{
  const std::string text = text_of(bytes);
  if (names_a_file(text))
  {
    return;
  }
  try
  {
    const PlanRequest request = parse_plan_request(text, "curve.yaml");
    require(request.intervals >= 2, "at least two intervals");
    require(!request.stages.empty(), "a cost");
    const double duration = request.curve->duration();
    for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0})
    {
      const Motion2 motion = request.curve->at(share * duration);
      require(
        motion.position.allFinite() && motion.velocity.allFinite() &&
          motion.acceleration.allFinite(),
        "a finite curve");
    }
    const PlanRequest again = parse_plan_request(request.canonical_text, "canonical");
    require(again.canonical_text == request.canonical_text, "canonical text stays what it is");
    require(again.intervals == request.intervals, "canonical text means the same");
  }
  catch (const InputError &)
  {
  }
}

}  // namespace fivebar_control::fuzz
