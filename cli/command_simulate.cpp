// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <string>

#include "commands.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/simulation/response.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "output_file.hpp"
#include "voltage_file.hpp"

namespace fivebar_control::cli
{
namespace
{

struct SimulateArguments
{
  std::string voltages;
  std::string out;
  std::string robot;
  std::string start;
  double step = 0.0;  // s; 0 means the adaptive integrator
};

/// "phi1,phi4" at rest; the home pose if the text is empty.
Eigen::Vector4d start_state(const RobotModel & robot, const std::string & text)
{
  if (text.empty())
  {
    return robot.home_state();
  }
  double phi1 = 0.0;
  double phi4 = 0.0;
  const char * end = text.data() + text.size();
  const auto [comma, first_error] = std::from_chars(text.data(), end, phi1);
  const bool has_comma = first_error == std::errc() && comma != end && *comma == ',';
  const auto [stop, second_error] = std::from_chars(has_comma ? comma + 1 : end, end, phi4);
  if (
    !has_comma || second_error != std::errc() || stop != end || !std::isfinite(phi1) ||
    !std::isfinite(phi4))
  {
    throw InputError(
      fmt::format("--start: expected two angles phi1,phi4 [rad] such as 0,1.57, got '{}'", text));
  }
  if (!robot.kinematics().forward({phi1, phi4}))
  {
    throw InputError(
      fmt::format("--start: the links cannot close at phi1 = {}, phi4 = {} rad", phi1, phi4));
  }
  return {phi1, phi4, 0.0, 0.0};
}

IntegrationOptions integration_of(const SimulateArguments & arguments)
{
  IntegrationOptions options;
  if (arguments.step > 0.0)
  {
    options.method = IntegrationOptions::Method::fixed_step;
    options.step = arguments.step;
  }
  return options;
}

void run_simulate(const SimulateArguments & arguments)
{
  const RobotModel robot = load_robot(given_or_config(arguments.robot, "robot.yaml"));
  const VoltageHistory input =
    parse_voltages(read_text_file(arguments.voltages, largest_voltage_file), arguments.voltages);
  const Eigen::Vector4d start = start_state(robot, arguments.start);
  const IntegrationOptions options = integration_of(arguments);
  const PlanSamples samples =
    concerning(arguments.voltages, [&] { return respond(robot, start, input, options); });
  save_response(robot, options, samples, output_target(arguments.out));
}

}  // namespace

void add_simulate(CLI::App & app, int & exit_code)
{
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App * command =
    app.add_subcommand("simulate", "Compute the motion of the robot under given motor voltages");
  command->footer(
    "IN.csv has the columns t [s], u1, u4 [V]; the voltages are linear between its rows.\n"
    "OUT.csv has t,u1,u4,phi1,phi4,dphi1,dphi4,x,y at the same times, in s, V, rad, rad/s and m,\n"
    "after a header of '# ' lines (pandas.read_csv(..., comment='#')).\n\n"
    "Example:\n"
    "  fivebar simulate --voltages in.csv --out out.csv --robot config/robots/unequal.yaml\n\n"
    "Exit codes: 0 done; 2 bad usage, bad file, or a motion that runs through a singularity.");
  command->add_option("--voltages", arguments->voltages, "Voltages over time (CSV)")
    ->required()
    ->type_name("IN.csv");
  add_output(*command, "--out", arguments->out, "Where the motion is written (CSV)")
    ->required()
    ->type_name("OUT.csv");
  command->add_option("--robot", arguments->robot, robot_text)->type_name("FILE.yaml");
  command
    ->add_option(
      "--start", arguments->start,
      "Driven angles to start from, at rest [rad] (default: the robot's home)")
    ->type_name("PHI1,PHI4");
  command
    ->add_option(
      "--step", arguments->step,
      "Integrate with Runge-Kutta steps of order 4 of at most this length [s] "
      "(default: adaptive steps, tolerance 1e-12)")
    ->type_name("S")
    ->check([](const std::string & text) {
      double step = 0.0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), step);
      const bool good = error == std::errc() && stop == text.data() + text.size() &&
                        std::isfinite(step) && step > 0.0;
      return good ? std::string() : "expected a positive number of seconds, got '" + text + "'";
    });
  command->callback([arguments, &exit_code] {
    run_simulate(*arguments);
    exit_code = done;
  });
}

}  // namespace fivebar_control::cli
