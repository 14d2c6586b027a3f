// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/commission/stamp.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/package_version.hpp"

namespace fivebar_control::commission
{
namespace
{

using nlohmann::json;

constexpr int schema = 1;
constexpr const char * content = "commissioning";
constexpr std::size_t largest_file = 1'000'000;

std::string seal_of(json document)
{
  document.erase("seal");
  Checksum checksum;
  // Names come from files and command lines; whatever they contain, the record can be read back.
  checksum.add(document.dump(-1, ' ', false, json::error_handler_t::replace));
  return checksum.hex();
}

json json_of(const StepResult & result)
{
  json measurements = json::array();
  for (const Measurement & m : result.measurements)
  {
    measurements.push_back(
      {{"name", m.name},
       {"measured", m.measured},
       {"limit", m.limit},
       {"passed", m.passed},
       {"skipped", m.skipped},
       {"value", m.value ? json(*m.value) : json()},
       {"unit", m.unit}});
  }
  return {
    {"name", result.name},
    {"result", to_string(result.end)},
    {"measurements", measurements},
    {"faults", result.faults},
    {"advice", result.advice},
    {"peak_volts", result.peak_volts},
    {"peak_speed", result.peak_speed},
    {"peak_excursion", result.peak_excursion}};
}

StepResult step_of(const json & document)
{
  StepResult result;
  result.name = document.at("name").get<std::string>();
  const auto end = document.at("result").get<std::string>();
  result.end = StepEnd::interrupted;
  for (const StepEnd known : {StepEnd::passed, StepEnd::failed, StepEnd::skipped})
  {
    result.end = end == to_string(known) ? known : result.end;
  }
  for (const json & m : document.at("measurements"))
  {
    const json & value = m.at("value");
    result.measurements.push_back(
      {m.at("name").get<std::string>(), m.at("measured").get<std::string>(),
       m.at("limit").get<std::string>(), m.at("passed").get<bool>(), m.at("skipped").get<bool>(),
       value.is_number() ? std::optional(value.get<double>()) : std::nullopt,
       m.at("unit").get<std::string>()});
  }
  result.faults = document.at("faults").get<std::vector<std::string>>();
  result.advice = document.at("advice").get<std::vector<std::string>>();
  result.peak_volts = document.at("peak_volts").get<double>();
  result.peak_speed = document.at("peak_speed").get<double>();
  result.peak_excursion = document.at("peak_excursion").get<double>();
  return result;
}

Record record_of(const json & document)
{
  const json & robot = document.at("robot");
  const json & calibration = document.at("calibration");
  Record record;
  record.subject = {
    document.at("hardware").get<std::string>(), document.at("board").get<std::string>(),
    robot.at("name").get<std::string>(),        robot.at("fingerprint").get<std::string>(),
    calibration.at("name").get<std::string>(),  calibration.at("fingerprint").get<std::string>()};
  record.date = document.at("date").get<std::string>();
  record.rate = document.at("rate").get<double>();
  record.voltage = document.at("voltage").get<double>();
  for (const json & step : document.at("steps"))
  {
    record.put(step_of(step));
  }
  return record;
}

std::string file_name(const std::string & hardware)
{
  std::string name = "commission-";
  for (const char c : hardware)
  {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain || name.back() != '-')
    {
      name += plain ? c : '-';
    }
  }
  return name;
}

}  // namespace

const StepResult * Record::find(const std::string & name) const
{
  for (const StepResult & step : steps)
  {
    if (step.name == name)
    {
      return &step;
    }
  }
  return nullptr;
}

void Record::put(StepResult result)
{
  for (StepResult & step : steps)
  {
    if (step.name == result.name)
    {
      step = std::move(result);
      return;
    }
  }
  steps.push_back(std::move(result));
}

bool Record::is_complete() const
{
  for (const Step & step : commission::steps())
  {
    const StepResult * result = find(step.name);
    // Only end stops are something that a robot may not have.
    const bool may_lack = std::string(step.name) == "end_stops";
    if (
      result == nullptr ||
      (result->end != StepEnd::passed && !(may_lack && result->end == StepEnd::skipped)))
    {
      return false;
    }
  }
  return true;
}

std::string fingerprint_of(const Calibration & calibration)
{
  Checksum checksum;
  for (const JointCalibration & joint : calibration.joints)
  {
    checksum.add(fmt::format(
      "{} {} {} {} {} {} {};", joint.counts_per_turn(), joint.motor_reversed, joint.offset,
      joint.output_per_volt, joint.output_limit, joint.dead_band, joint.dead_band_width));
  }
  const Homing & homing = calibration.homing;
  checksum.add(fmt::format(
    "{} {} {} {} {} {};", static_cast<int>(homing.method), homing.at_open, homing.angle[0],
    homing.angle[1], homing.voltage[0], homing.voltage[1]));
  const HilSettings & hil = calibration.hil;
  checksum.add(fmt::format(
    "{} {} {} {} {};", hil.library, fmt::join(hil.encoder_channels, ","),
    fmt::join(hil.analog_channels, ","), fmt::join(hil.enable_lines, ","), hil.watchdog_time));
  const ComediSettings & comedi = calibration.comedi;
  checksum.add(fmt::format(
    "{} {} {} {} {} {};", comedi.analog_subdevice, fmt::join(comedi.analog_channels, ","),
    comedi.analog_range, fmt::join(comedi.counter_subdevices, ","),
    fmt::join(comedi.counter_channels, ","), comedi.accept_no_watchdog));
  return checksum.hex();
}

std::string fingerprint_of(const RobotModel & robot)
{
  const Limits & limits = robot.limits();
  Checksum checksum;
  checksum.add(fmt::format(
    "{} {} {} {} {}", robot.fingerprint(), limits.joint_minimum[0], limits.joint_minimum[1],
    limits.joint_maximum[0], limits.joint_maximum[1]));
  return checksum.hex();
}

Subject subject_of(
  const std::string & hardware, const RobotModel & robot, const Calibration & calibration)
{
  return {
    hardware,
    "",
    robot.parameters().name,
    fingerprint_of(robot),
    calibration.name,
    fingerprint_of(calibration)};
}

std::string ask_board(const std::string & hardware, const Calibration & calibration)
{
  if (device_kind(hardware) != "serial")
  {
    return "";
  }
  SerialBoard board(hardware.substr(hardware.find(':') + 1), calibration.serial);
  if (board.open() != HardwareError::none)
  {
    return "";
  }
  const serial::Info info = board.info();
  board.close();
  return fmt::format(
    "protocol {}.{}, watchdog {} ms, full scale {} mV", info.major, info.minor, info.watchdog_ms,
    info.full_scale_millivolts);
}

std::string to_text(const Record & record)
{
  const Subject & subject = record.subject;
  json document{
    {"schema", schema},
    {"content", content},
    {"package_version", package_version()},
    {"complete", record.is_complete()},
    {"date", record.date},
    {"hardware", subject.hardware},
    {"board", subject.board},
    {"robot", {{"name", subject.robot}, {"fingerprint", subject.robot_fingerprint}}},
    {"calibration",
     {{"name", subject.calibration}, {"fingerprint", subject.calibration_fingerprint}}},
    {"rate", record.rate},
    {"voltage", record.voltage},
    {"steps", json::array()}};
  for (const StepResult & step : record.steps)
  {
    document["steps"].push_back(json_of(step));
  }
  document["seal"] = seal_of(document);
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Record parse_record(const std::string & text, const std::string & name)
{
  const auto refuse = [&](const std::string & why) {
    return InputError(FileLocation{name, 0, 0}, why);
  };
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("content", json()) != content)
  {
    throw refuse("this is no record of a commissioning ('content' is not \"commissioning\")");
  }
  if (document.value("schema", json()) != schema)
  {
    throw refuse(fmt::format("unknown schema, expected {}", schema));
  }
  if (document.value("seal", json()) != seal_of(document))
  {
    throw refuse("the seal is broken: the file was changed after the commissioning");
  }
  try
  {
    return record_of(document);
  }
  catch (const json::exception & error)
  {
    throw refuse(std::string("a record of a commissioning lacks something: ") + error.what());
  }
}

Record load_record(const std::string & path)
{
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
  {
    throw InputError(FileLocation{path, 0, 0}, "cannot be read");
  }
  std::string text(largest_file + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > largest_file)
  {
    throw InputError(FileLocation{path, 0, 0}, "too large to be a record of a commissioning");
  }
  return parse_record(text, path);
}

std::string default_stamp(const std::string & hardware)
{
  return default_state_folder() + "/" + file_name(hardware) + ".json";
}

std::string default_progress(const std::string & hardware)
{
  return default_state_folder() + "/" + file_name(hardware) + ".progress.json";
}

std::string objection(const std::string & stamp, const Subject & subject)
{
  std::error_code error;
  if (!std::filesystem::exists(stamp, error))
  {
    return fmt::format("there is no stamp {}", stamp);
  }
  try
  {
    const Record record = load_record(stamp);
    const Subject & then = record.subject;
    if (!record.is_complete())
    {
      return fmt::format("{}: the commissioning is not complete", stamp);
    }
    if (then.hardware != subject.hardware)
    {
      return fmt::format(
        "{} is the stamp of {}, not of {}", stamp, then.hardware, subject.hardware);
    }
    if (then.robot_fingerprint != subject.robot_fingerprint)
    {
      return fmt::format(
        "{}: the robot file is not the one of the commissioning (it was '{}')", stamp, then.robot);
    }
    if (then.calibration_fingerprint != subject.calibration_fingerprint)
    {
      return fmt::format(
        "{}: the calibration has changed since the commissioning on {} (it was '{}')", stamp,
        record.date, then.calibration);
    }
    if (!subject.board.empty() && then.board != subject.board)
    {
      return fmt::format(
        "{}: another board answers ({}) than the commissioned one ({})", stamp, subject.board,
        then.board);
    }
  }
  catch (const std::exception & refusal)
  {
    return refusal.what();
  }
  return "";
}

std::string objection_to_driving(
  const std::string & stamp, const std::string & hardware, const RobotModel & robot,
  const Calibration & calibration)
{
  Subject subject = subject_of(hardware, robot, calibration);
  std::string against = objection(stamp, subject);
  if (against.empty())
  {
    subject.board = ask_board(hardware, calibration);
    against = objection(stamp, subject);
  }
  return against;
}

}  // namespace fivebar_control::commission
