// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/gazebo_engine.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cmath>

#include "fivebar_control/simulation/outside_plant.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

constexpr const char * library = "libfivebar_gazebo.so";

using Maker = PlantEngine * (*)(const RobotModel &, const PlantParameters &);

/// Loaded once and for all: Gazebo leaves threads behind that would outlive it.
Maker gazebo_maker()
{
  static void * const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr)
  {
    const char * why = dlerror();
    throw InputError(fmt::format(
      "Gazebo cannot be loaded ({}). It needs {}, which is built where Gazebo Harmonic (gz-sim 8) "
      "is found.",
      why == nullptr ? "tried before" : why, library));
  }
  return reinterpret_cast<Maker>(dlsym(handle, "fivebar_make_gazebo_engine"));
}

}  // namespace

void require_gazebo_period(std::int64_t period_ns)
{
  const std::int64_t step_ns = std::llround(1e9 * gazebo_step);
  if (period_ns < step_ns || period_ns % step_ns != 0)
  {
    throw InputError(fmt::format(
      "Gazebo moves in steps of {:g} s; expected a control period that is a multiple of it, such "
      "as --rate {:g}",
      gazebo_step, 1.0 / gazebo_step));
  }
}

std::unique_ptr<PlantEngine> make_gazebo_engine(
  const RobotModel & robot, const PlantParameters & plant)
{
  require_gazebo_plant(robot, plant);
  const Maker maker = gazebo_maker();
  if (maker == nullptr)
  {
    throw InputError(fmt::format("{} is not that of this program", library));
  }
  return std::unique_ptr<PlantEngine>(maker(robot, plant));
}

}  // namespace fivebar_control
