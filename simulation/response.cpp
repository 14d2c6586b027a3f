// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/response.hpp"

#include <fmt/core.h>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/package_version.hpp"
#include "fivebar_control/support/yaml_text.hpp"

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
    throw InputError::of(
      "step",
      fmt::format(
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
  visit_columns(s, [&states](const char *, auto & column) { column.reserve(states.size()); });
  for (std::size_t i = 0; i < states.size(); ++i)
  {
    const Eigen::Vector4d & x = states[i];
    const Eigen::Vector2d point = end_effector_at(geometry, x.head<2>());
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

void save_response(
  const RobotModel & robot, const IntegrationOptions & options, const PlanSamples & samples,
  const std::string & path)
{
  const std::string integrator =
    options.method == IntegrationOptions::Method::adaptive
      ? fmt::format("{{method: runge-kutta-fehlberg-78, tolerance: {}}}", options.tolerance)
      : fmt::format("{{method: runge-kutta-4, largest_step: {}}}", options.step);
  const std::string header = fmt::format(
    "package_version: {}\nrobot: {{name: {}, fingerprint: {}}}\nintegrator: {}\n",
    yaml_quoted(package_version()), yaml_quoted(robot.parameters().name),
    yaml_quoted(robot.fingerprint()), integrator);
  AtomicFile file(path);
  SealedWriter writer(
    [&file](std::string_view text) { file.write(text); }, response_kind, header, sample_columns());
  write_samples(samples, writer);
  writer.close();
  file.commit();
}

}  // namespace fivebar_control
