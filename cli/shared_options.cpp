// SPDX-License-Identifier: Apache-2.0
#include "shared_options.hpp"

#include "fivebar_control/support/config_location.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{

CLI::Option * add_priority(CLI::App & command, RealtimeOptions & realtime)
{
  return command.add_option("--priority", realtime.priority, "SCHED_FIFO priority; 0 is none")
    ->type_name("P")
    ->capture_default_str()
    ->check(CLI::Range(0, 99));
}

CLI::Option * add_calibration(CLI::App & command, std::string & file)
{
  return command
    .add_option(
      "--calibration", file,
      "Counts, signs, gains, homing of real motors (default: hardware/KIND.yaml of config/)")
    ->type_name("FILE.yaml");
}

CLI::Option * add_stamp(CLI::App & command, std::string & file, const std::string & text)
{
  return command.add_option("--stamp", file, text + " (default: of the state folder)")
    ->type_name("FILE.json");
}

CLI::Option * add_bench_options(
  CLI::App & command, BenchArguments & a, const std::string & stamp_text)
{
  CLI::Option * hardware =
    command.add_option("--hardware", a.hardware, "Motors and encoders; sim rehearses everything")
      ->type_name("sim|serial:DEVICE|hil:CARD[:ID]|comedi:DEVICE");
  command.add_option("--robot", a.robot, robot_text)->type_name("FILE.yaml");
  add_calibration(command, a.calibration);
  command.add_option("--plant", a.plant, "What the robot of a rehearsal is like")
    ->type_name("FILE.yaml");
  command.add_option("--rate", a.settings.rate, "Cycles per second [Hz]")
    ->type_name("HZ")
    ->capture_default_str()
    ->check(CLI::Range(200.0, 20000.0));
  command.add_option("--time", a.settings.communication_time, "Length of the connection step [s]")
    ->type_name("S")
    ->capture_default_str()
    ->check(CLI::Range(0.1, 3600.0));
  add_priority(command, a.realtime);
  add_stamp(command, a.stamp, stamp_text);
  add_output(command, "--json", a.json, "Write the results here (JSON)");
  return hardware;
}

}  // namespace fivebar_control::cli
