// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

JointCalibration read_joint(const YamlMap & map)
{
  map.allow_only(
    {"counts_per_revolution", "gear", "encoder_reversed", "motor_reversed", "offset",
     "output_per_volt", "output_limit", "dead_band", "dead_band_width"});
  JointCalibration joint;
  joint.counts_per_revolution =
    map.number("counts_per_revolution", between(1.0, 1e9, "counts per encoder revolution"));
  joint.gear =
    map.number_or("gear", between(1e-3, 1e4, "encoder revolutions per link revolution"), 1.0);
  joint.encoder_reversed = map.boolean_or("encoder_reversed", false);
  joint.motor_reversed = map.boolean_or("motor_reversed", false);
  joint.offset = map.number_or("offset", between(-10.0, 10.0, "rad"), 0.0);
  joint.output_per_volt = map.number_or("output_per_volt", between(1e-3, 1e3, "V/V"), 1.0);
  joint.output_limit = map.number("output_limit", between(0.01, 100.0, "V"));
  joint.dead_band = map.number_or("dead_band", between(0.0, 10.0, "V"), 0.0);
  joint.dead_band_width = map.number_or("dead_band_width", between(1e-3, 10.0, "V"), 0.05);
  return joint;
}

Homing read_homing(const YamlMap & map, const RobotModel & robot)
{
  map.allow_only(
    {"method", "at", "phi1", "phi4", "voltage_1", "voltage_4", "still_time", "timeout",
     "start_phi1", "start_phi4", "tolerance"});
  Homing homing;
  homing.method =
    static_cast<HomingMethod>(map.choice("method", {"known_pose", "index_pulse", "end_stop"}));
  const auto angle = any_number("rad");
  if (homing.method == HomingMethod::known_pose)
  {
    for (const char * key :
         {"voltage_1", "voltage_4", "still_time", "timeout", "start_phi1", "start_phi4",
          "tolerance"})
    {
      if (map.has(key))
      {
        map.fail(key, "a known pose needs no motion; this key belongs to the other methods");
      }
    }
    homing.at_open = map.has("at") && map.choice("at", {"power_up", "open"}) == 1;
    homing.angle = {
      map.number_or("phi1", angle, robot.parameters().home[0]),
      map.number_or("phi4", angle, robot.parameters().home[1])};
    return homing;
  }
  // Low: an end stop or a hand in the way must survive it.
  const auto low = between(-3.0, 3.0, "V, from -3 to 3");
  homing.angle = {map.number("phi1", angle), map.number("phi4", angle)};
  homing.voltage = {map.number("voltage_1", low), map.number("voltage_4", low)};
  // The board takes a driven link that stands still for longer for a broken encoder.
  homing.still_time = map.number_or("still_time", between(0.02, 0.3, "s"), homing.still_time);
  homing.start = {
    map.number_or("start_phi1", angle, robot.parameters().home[0]),
    map.number_or("start_phi4", angle, robot.parameters().home[1])};
  homing.tolerance = map.number_or("tolerance", between(0.01, 3.2, "rad"), homing.tolerance);
  homing.timeout = map.number_or("timeout", between(0.1, 60.0, "s"), homing.timeout);
  return homing;
}

SerialSettings read_serial(const YamlMap & map)
{
  map.allow_only(
    {"baud", "read_deadline", "largest_age", "open_timeout", "full_scale", "lock_step"});
  SerialSettings serial;
  serial.baud = map.integer_or("baud", 1, 4000000, serial.baud);
  if (!SerialPort::knows(serial.baud))
  {
    map.fail(
      "baud",
      "expected one of 115200, 230400, 460800, 500000, 921600, 1000000, 2000000, 3000000, 4000000");
  }
  serial.read_deadline =
    map.number_or("read_deadline", between(0.0, 0.1, "s"), serial.read_deadline);
  serial.largest_age = map.number_or("largest_age", between(1e-4, 0.1, "s"), serial.largest_age);
  serial.open_timeout = map.number_or("open_timeout", between(0.1, 60.0, "s"), serial.open_timeout);
  if (map.has("full_scale"))
  {
    serial.full_scale = map.number("full_scale", between(0.1, 100.0, "V"));
  }
  serial.lock_step = map.boolean_or("lock_step", false);
  return serial;
}

template <class Integer>
std::array<Integer, 2> read_pair(
  const YamlMap & map, const std::string & key, const std::array<Integer, 2> & fallback)
{
  if (!map.has(key))
  {
    return fallback;
  }
  const auto values = map.numbers(key, 2, between(0.0, 255.0, "number of a channel"));
  return {static_cast<Integer>(values[0]), static_cast<Integer>(values[1])};
}

HilSettings read_hil(const YamlMap & map)
{
  map.allow_only(
    {"library", "encoder_channels", "analog_channels", "enable_lines", "watchdog_time"});
  HilSettings hil;
  hil.library = map.text_or("library", hil.library);
  hil.encoder_channels = read_pair(map, "encoder_channels", hil.encoder_channels);
  hil.analog_channels = read_pair(map, "analog_channels", hil.analog_channels);
  if (map.has("enable_lines"))
  {
    for (const double line : map.numbers("enable_lines", 0, between(0.0, 255.0, "digital line")))
    {
      hil.enable_lines.push_back(static_cast<std::uint32_t>(line));
    }
  }
  hil.watchdog_time = map.number_or("watchdog_time", between(0.002, 0.05, "s"), hil.watchdog_time);
  return hil;
}

ComediSettings read_comedi(const YamlMap & map)
{
  map.allow_only(
    {"analog_subdevice", "analog_channels", "analog_range", "counter_subdevices",
     "counter_channels", "accept_no_watchdog"});
  ComediSettings comedi;
  comedi.analog_subdevice = map.integer_or("analog_subdevice", 0, 255, comedi.analog_subdevice);
  comedi.analog_channels = read_pair(map, "analog_channels", comedi.analog_channels);
  comedi.analog_range = map.integer_or("analog_range", 0, 255, comedi.analog_range);
  comedi.counter_subdevices = read_pair(map, "counter_subdevices", comedi.counter_subdevices);
  comedi.counter_channels = read_pair(map, "counter_channels", comedi.counter_channels);
  comedi.accept_no_watchdog = map.boolean_or("accept_no_watchdog", false);
  return comedi;
}

Calibration read_calibration(const YamlMap & map, const RobotModel & robot)
{
  map.allow_only({"schema", "name", "joint_1", "joint_4", "homing", "serial", "hil", "comedi"});
  map.integer("schema", 1, 1);
  Calibration calibration;
  calibration.robot = std::make_shared<const RobotModel>(robot);
  calibration.name = map.text_or("name", "unnamed");
  calibration.joints = {read_joint(map.map("joint_1")), read_joint(map.map("joint_4"))};
  for (JointCalibration & joint : calibration.joints)
  {
    joint.voltage_limit = robot.limits().voltage;
  }
  calibration.homing = read_homing(map.map("homing"), robot);
  if (const auto serial = map.optional_map("serial"))
  {
    calibration.serial = read_serial(*serial);
  }
  if (const auto hil = map.optional_map("hil"))
  {
    calibration.hil = read_hil(*hil);
  }
  if (const auto comedi = map.optional_map("comedi"))
  {
    calibration.comedi = read_comedi(*comedi);
  }
  return calibration;
}

}  // namespace

Calibration load_calibration(const std::string & path, const RobotModel & robot)
{
  return read_calibration(YamlMap::load(path), robot);
}

Calibration parse_calibration(
  const std::string & text, const std::string & name, const RobotModel & robot)
{
  return read_calibration(YamlMap::parse(text, name), robot);
}

}  // namespace fivebar_control
