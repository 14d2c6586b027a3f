// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/learning/identify.hpp"
#include "fivebar_control/learning/learning_session.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/planner/request_overrides.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{

/// "a", "b", or "c10": curve C within 10 V.
inline Plan plan_of(const RobotModel & robot, const std::string & curve)
{
  PlanRequest request =
    load_plan_request(config_path("curves/" + std::string(1, curve[0]) + ".yaml"));
  if (curve == "c10")
  {
    RequestOverrides ten_volts;
    ten_volts.voltage_limit = std::optional<double>(10.0);
    request = with_overrides(request, ten_volts);
  }
  return make_plan(robot, request).plan;
}

inline PlaySettings on_plant(const PlantParameters & plant)
{
  PlaySettings settings;
  settings.controller = load_controller_settings(config_path("controller.yaml"));
  // PD alone follows curve C within 10 V worse than the guard's band allows.
  widen_following(settings.controller.guard);
  settings.plant = plant;
  return settings;
}

inline PlantParameters mismatched() { return load_plant(config_path("plants/mismatched.yaml")); }

inline RunRecord played(
  const RobotModel & robot, const Plan & plan, const PlantParameters & plant,
  ControlMode mode = ControlMode::feedforward_and_feedback)
{
  PlaySettings settings = on_plant(plant);
  settings.mode = mode;
  return play(robot, plan, "plan", settings);
}

}  // namespace fivebar_control::test
