// SPDX-License-Identifier: Apache-2.0
#include "bench_hardware.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdio>

#include "fivebar_control/hardware/backends/backend.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control::cli
{

Calibration calibration_for(
  const std::string & hardware, const std::string & file, const RobotModel & robot)
{
  return load_calibration(given_or_config(file, default_calibration(hardware)), robot);
}

BenchHardware make_bench_hardware(
  const std::string & name, const std::string & calibration_file, const PlantParameters & plant,
  const RobotModel & robot, double rate)
{
  BenchHardware bench;
  if (name == "sim")
  {
    if (calibration_file.empty())
    {
      bench.calibration.name = "default";
    }
    else
    {
      bench.calibration = load_calibration(calibration_file, robot);
    }
    auto board = std::make_unique<SteppedBoard>(
      robot, plant, robot.parameters().home, static_cast<std::int64_t>(std::llround(1e9 / rate)));
    bench.rehearsal = board.get();
    bench.hardware = std::make_unique<CalibratedHardware>(
      std::move(board), commission::bench_calibration(bench.calibration, robot));
    return bench;
  }
  if (device_kind(name).empty())
  {
    throw InputError(fmt::format(
      "--hardware: '{}' has no motors to try; expected serial:DEVICE, hil:CARD[:ID], "
      "comedi:DEVICE, or sim for a rehearsal",
      name));
  }
  bench.calibration = calibration_for(name, calibration_file, robot);
  bench.hardware = make_device(name, commission::bench_calibration(bench.calibration, robot));
  return bench;
}

void print_line(const std::string & text)
{
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace fivebar_control::cli
