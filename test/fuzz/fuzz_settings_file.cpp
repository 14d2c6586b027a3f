// SPDX-License-Identifier: Apache-2.0
// The smaller YAML files. The first byte chooses which; the rest is the file.
#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/simulation/fault_script.hpp"
#include "fivebar_control/simulation/plant.hpp"
#include "fivebar_control/support/errors.hpp"
#include "known_robot.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

void calibration(const std::string & text)
{
  const Calibration result = parse_calibration(text, "calibration.yaml", known_robot());
  for (const JointCalibration & joint : result.joints)
  {
    for (const double volts : {-1e6, -1.0, 0.0, 1e-3, 1e6})
    {
      require(
        std::abs(joint.output(volts)) <= joint.output_limit, "the output stays within its limit");
    }
  }
}

}  // namespace

void settings_file(Bytes bytes)
{
  if (bytes.empty())
  {
    return;
  }
  const std::string text = text_of(bytes.subspan(1));
  try
  {
    switch (bytes.front())
    {
      case 'p':
        plant_physics(known_robot(), parse_plant(text, "plant.yaml"));
        break;
      case 'c':
        parse_controller_settings(text, "controller.yaml");
        break;
      case 'h':
        calibration(text);
        break;
      case 'f':
        parse_faults(text, "faults.yaml");
        break;
      default:
        break;
    }
  }
  catch (const InputError &)
  {
  }
}

}  // namespace fivebar_control::fuzz
