// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/pendulum.hpp"

#include <fmt/core.h>

#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

/// Each moment of inertia of a rigid body is at most the sum of the two others.
void require_rigid(const YamlMap & map, const PendulumBody<double> & body)
{
  const double a = body.inertia_along;
  const double b = body.inertia_second;
  const double c = body.inertia_third;
  if (a > b + c || b > a + c || c > a + b)
  {
    map.fail(
      "inertia", fmt::format(
                   "no rigid body has the moments {}, {} and {} kg m^2: each is at most the sum of "
                   "the two others",
                   a, b, c));
  }
}

}  // namespace

PendulumParameters read_pendulum(const YamlMap & map)
{
  map.allow_only({"length", "mass", "center", "inertia", "friction", "gravity", "axes"});
  PendulumParameters pendulum;
  PendulumBody<double> & body = pendulum.body;
  body.length = map.number("length", between(1e-3, 10.0, "m"));
  body.mass = map.number("mass", positive("kg"));
  body.center = map.number_or("center", between(0.0, body.length, "m"), 0.5 * body.length);
  const std::vector<double> inertia = map.numbers("inertia", 3, positive("kg m^2"));
  body.inertia_along = inertia[0];
  body.inertia_second = inertia[1];
  body.inertia_third = inertia[2];
  require_rigid(map, body);
  body.friction = map.number_or("friction", not_negative("N m s/rad"), 0.0);
  body.gravity = map.number_or("gravity", between(0.0, 100.0, "m/s^2"), 9.81);
  if (map.has("axes") && map.choice("axes", {"link_2", "parallel"}) == 1)
  {
    pendulum.axes = PendulumAxes::parallel;
  }
  return pendulum;
}

std::string pendulum_text(const PendulumParameters & pendulum)
{
  const PendulumBody<double> & b = pendulum.body;
  return fmt::format(
    "length: {}\nmass: {}\ncenter: {}\ninertia: [{}, {}, {}]\nfriction: {}\ngravity: {}\n"
    "axes: {}\n",
    b.length, b.mass, b.center, b.inertia_along, b.inertia_second, b.inertia_third, b.friction,
    b.gravity, pendulum.axes == PendulumAxes::link_2 ? "link_2" : "parallel");
}

std::vector<std::string> pendulum_notes(const PendulumParameters & pendulum)
{
  const PendulumBody<double> & b = pendulum.body;
  const double rod = b.mass * b.length * b.length / 12.0;
  std::vector<std::string> notes;
  if (b.inertia_second < 0.5 * rod || b.inertia_third < 0.5 * rod)
  {
    notes.push_back(fmt::format(
      "pendulum.inertia: {} and {} kg m^2 across the pendulum are far below the {:.3g} kg m^2 of a "
      "uniform rod of this mass and length",
      b.inertia_second, b.inertia_third, rod));
  }
  return notes;
}

std::string pendulum_fingerprint(const RobotModel & robot, const PendulumParameters & pendulum)
{
  Checksum checksum;
  checksum.add(robot.fingerprint());
  visit_pendulum(pendulum.body, [&checksum](const char * name, double value) {
    checksum.add(fmt::format("{}={:.17g}\n", name, value + 0.0));
  });
  checksum.add(pendulum.axes == PendulumAxes::link_2 ? "link_2" : "parallel");
  return checksum.hex();
}

}  // namespace fivebar_control
