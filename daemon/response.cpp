#include "response.hpp"

#include <fmt/core.h>

namespace fivebar_control
{
namespace
{

constexpr double most_steps = 1e10;  // hours of computing

void require_few_steps(const VoltageHistory & input, const IntegrationOptions & options)
{
  const double steps = (input.time.back() - input.time.front()) / options.step;
  if (options.method == IntegrationOptions::Method::fixed_step && steps > most_steps)
  {
    throw std::invalid_argument(fmt::format(
      "{} s would take {:.3g} steps, expected at most {:.0e}", options.step, steps, most_steps));
  }
}

}  // namespace

PlanSamples respond(
  const RobotModel & robot, const Eigen::Vector4d & start, const VoltageHistory & input,
  const IntegrationOptions & options)
{
  require_few_steps(input, options);
  const std::vector<Eigen::Vector4d> states = simulate(robot, start, input, options);
  const Geometry<double> & geometry = robot.kinematics().geometry();
  PlanSamples s;
  for (auto * column : {&s.t, &s.u1, &s.u4, &s.phi1, &s.phi4, &s.dphi1, &s.dphi4, &s.x, &s.y})
  {
    column->reserve(states.size());
  }
  for (std::size_t i = 0; i < states.size(); ++i)
  {
    const Eigen::Vector4d & x = states[i];
    const Eigen::Vector2d point =
      end_effector<double>(geometry, pose_at<double>(geometry, x[0], x[1]));
    s.t.push_back(input.time[i]);
    s.u1.push_back(input.voltage[i][0]);
    s.u4.push_back(input.voltage[i][1]);
    s.phi1.push_back(x[0]);
    s.phi4.push_back(x[1]);
    s.dphi1.push_back(x[2]);
    s.dphi4.push_back(x[3]);
    s.x.push_back(point[0]);
    s.y.push_back(point[1]);
  }
  return s;
}

}  // namespace fivebar_control
