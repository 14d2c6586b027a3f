// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "fivebar_control/simulation/plant_engine.hpp"

namespace fivebar_control
{

/// The engine called "sim" (our own equations), "mujoco" or "gazebo", for controllers with this
/// period. Throws InputError for another name, and for a period that the engine cannot have.
EngineMaker engine_named(const std::string & name, std::int64_t period_ns);

}  // namespace fivebar_control
