// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/pendulum_engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/simulation/mjcf.hpp"

namespace fivebar_control
{
namespace
{

class EquationsOfPendulum : public PendulumEngine
{
public:
  EquationsOfPendulum(const PendulumConstants<double> & constants, double longest_step)
  : constants_(constants), longest_step_(longest_step)
  {
  }

  void reset(const PendulumState<double> & state) override { state_ = state; }

  void advance(
    const Eigen::Vector2d & from, const Eigen::Vector2d & to, double duration) noexcept override
  {
    const int steps = std::max(1, static_cast<int>(std::ceil(duration / longest_step_ - 1e-9)));
    const Eigen::Vector2d rise = (to - from) / steps;
    for (int i = 0; i < steps; ++i)
    {
      const Eigen::Vector2d begin = from + i * rise;
      state_ = pendulum_step<double>(constants_, state_, begin, begin + rise, duration / steps);
    }
  }

  PendulumState<double> state() const noexcept override { return state_; }
  std::string name() const override { return "own equations of motion"; }

private:
  PendulumConstants<double> constants_;
  double longest_step_;
  PendulumState<double> state_ = PendulumState<double>::Zero();
};

}  // namespace

std::unique_ptr<PendulumEngine> make_pendulum_engine(
  const PendulumConstants<double> & constants, double longest_step)
{
  return std::make_unique<EquationsOfPendulum>(constants, longest_step);
}

std::string pendulum_mjcf(
  const RobotModel & robot, const PendulumParameters & pendulum, double step)
{
  MjcfOptions options;
  options.time_step = step;
  std::string text = mjcf_of(robot, options);
  const PendulumBody<double> & b = pendulum.body;
  // The robot's model lies in a plane: its own gravity has no component across it.
  const std::string gravity = fmt::format(
    "gravity=\"{:.17g} {:.17g} 0\"", robot.physics().gravity.x(), robot.physics().gravity.y());
  const std::string with_weight =
    gravity.substr(0, gravity.size() - 2) + fmt::format("{:.17g}\"", -b.gravity);
  text.replace(text.find(gravity), gravity.size(), with_weight);
  // Without dry friction: no callback of another engine may take this model for its own.
  const std::string user_data = fmt::format("nuserdata=\"{}\"", mjcf_user_data_size);
  text.replace(text.find(user_data), user_data.size(), "nuserdata=\"0\"");
  // Frame of the pendulum at a1 = a2 = 0: that of link 2, with z along the pendulum.
  const std::string body = fmt::format(
    R"(<body name="pendulum" pos="{0:.17g} 0 0">
<joint name="pendulum_1" type="hinge" axis="1 0 0" damping="{1:.17g}"/>
<joint name="pendulum_2" type="hinge" axis="0 1 0" damping="{1:.17g}"/>
<inertial pos="0 0 {2:.17g}" mass="{3:.17g}" diaginertia="{4:.17g} {5:.17g} {6:.17g}"/>
<geom type="capsule" size="0.004" fromto="0 0 0 0 0 {7:.17g}" contype="0" conaffinity="0"/>
</body>
)",
    robot.physics().links[1].length, b.friction, b.center, b.mass, b.inertia_third,
    b.inertia_second, b.inertia_along, b.length);
  const std::string end = "<site name=\"end_effector_2\"";
  text.insert(text.find(end), body);
  return text;
}

}  // namespace fivebar_control
