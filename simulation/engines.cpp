// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/engines.hpp"

#include <fmt/core.h>

#include "fivebar_control/simulation/gazebo_engine.hpp"
#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

EngineMaker engine_named(const std::string & name, std::int64_t period_ns)
{
  if (name == "sim")
  {
    return make_equations_engine;
  }
  if (name == "mujoco")
  {
    return make_mujoco_engine;
  }
  if (name == "gazebo")
  {
    require_gazebo_period(period_ns);
    return make_gazebo_engine;
  }
  throw InputError(fmt::format("hardware: expected 'sim', 'mujoco' or 'gazebo', got '{}'", name));
}

}  // namespace fivebar_control
