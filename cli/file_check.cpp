// SPDX-License-Identifier: Apache-2.0
#include "file_check.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "fivebar_control/controller/balance_settings.hpp"
#include "fivebar_control/controller/loop_gains.hpp"
#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/balance_request.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "fivebar_control/simulation/fault_script.hpp"
#include "fivebar_control/simulation/plant.hpp"
#include "fivebar_control/simulation/response.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "voltage_file.hpp"

namespace fivebar_control::cli
{
namespace
{

/// "1 node", "1001 nodes".
std::string counted(std::size_t count, const char * noun)
{
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void require_fingerprint(
  const FileFinding & finding, const std::string & robot_name, const std::string & fingerprint,
  const CheckCompany & company)
{
  const RobotModel & robot = company.robot->second;
  if (fingerprint != robot.fingerprint())
  {
    throw InputError(fmt::format(
      "{}: made with another robot ('{}', fingerprint {}) than {} ('{}', fingerprint {})",
      finding.file, robot_name, fingerprint, company.robot->first, robot.parameters().name,
      robot.fingerprint()));
  }
}

void check_curve(const std::string & text, const CheckCompany & company, FileFinding & finding)
{
  const PlanRequest request = parse_plan_request(text, finding.file);
  finding.summary = fmt::format(
    "curve '{}', {:g} s, {}", request.name, request.curve->duration(),
    counted(request.intervals + 1, "node"));
  if (!company.robot)
  {
    return;
  }
  concerning(fmt::format("{}: not within reach of {}", finding.file, company.robot->first), [&] {
    return make_problem(company.robot->second, request, request.stages.back());
  });
  finding.fits = fmt::format("within reach of {}", company.robot->first);
}

/// Volts that the device cannot give to a motor, and a home where the links cannot close.
void require_hardware_fits(
  const Calibration & calibration, const CheckCompany & company, const std::string & file)
{
  const RobotModel & robot = company.robot->second;
  for (std::size_t i = 0; i < 2; ++i)
  {
    const JointCalibration & joint = calibration.joints[i];
    const double reachable = joint.output_limit / std::abs(joint.output_per_volt);
    if (reachable < robot.limits().voltage * (1.0 - 1e-9))
    {
      throw InputError(fmt::format(
        "{}: joint_{}: an output_limit of {:g} V gives the motor at most {:g} V, {} has a limit of "
        "{:g} V",
        file, i == 0 ? 1 : 4, joint.output_limit, reachable, company.robot->first,
        robot.limits().voltage));
    }
  }
  const Eigen::Vector2d & angle = calibration.homing.angle;
  if (calibration.homing.method == HomingMethod::known_pose && !robot.kinematics().forward(angle))
  {
    throw InputError(fmt::format(
      "{}: homing: the links of {} cannot close at phi1 = {}, phi4 = {} rad", file,
      company.robot->first, angle[0], angle[1]));
  }
}

void check_hardware_file(
  const std::string & text, const CheckCompany & company, FileFinding & finding)
{
  // The robot only gives the home pose where the file has none: any will do to judge the file.
  const RobotModel robot =
    company.robot ? company.robot->second : load_robot(find_config("robot.yaml"));
  const Calibration calibration = parse_calibration(text, finding.file, robot);
  finding.summary = fmt::format("hardware file '{}'", calibration.name);
  if (company.robot)
  {
    require_hardware_fits(calibration, company, finding.file);
    finding.fits = fmt::format("fits {}", company.robot->first);
  }
}

void check_plan(const std::string & text, const CheckCompany & company, FileFinding & finding)
{
  const Plan plan = parse_plan(text, finding.file);
  finding.summary = fmt::format(
    "plan of {}, {}, {:g} s{}", plan.curve_name, counted(plan.samples.size(), "node"),
    plan.samples.t.back(),
    plan.verdict == Verdict::converged ? "" : fmt::format(", {}", to_string(plan.verdict)));
  const std::string robot_file = company.robot ? company.robot->first : find_config("robot.yaml");
  const RobotModel robot = company.robot ? company.robot->second : load_robot(robot_file);
  if (!company.robot && plan.robot_fingerprint != robot.fingerprint())
  {
    throw InputError(fmt::format(
      "{}: the plan was made for another robot ('{}', fingerprint {}) than 'fivebar run' would "
      "take "
      "('{}', fingerprint {}, {}): name its file with --robot, here and there",
      finding.file, plan.robot_name, plan.robot_fingerprint, robot.parameters().name,
      robot.fingerprint(), robot_file));
  }
  require_plan_can_be_played(
    plan, robot,
    company.controller ? *company.controller
                       : load_controller_settings(find_config("controller.yaml")),
    finding.file);
  finding.fits = fmt::format("fits {}", robot_file);
}

void check_log(const std::string & text, const CheckCompany & company, FileFinding & finding)
{
  const RunRecord run = parse_run_record(text, finding.file);
  finding.summary = fmt::format(
    "run log of {}, {} on {}, {}, {}", run.curve, run.mode, run.hardware,
    counted(run.size(), "cycle"), run.ended);
  if (company.robot)
  {
    require_fingerprint(finding, run.robot_name, run.robot_fingerprint, company);
    finding.fits = fmt::format("fits {}", company.robot->first);
  }
  std::string reason;
  for (const auto & [file, plan] : company.plans)
  {
    try
    {
      require_run_of_plan(run, plan, file);
      finding.fits += fmt::format("{}a run of {}", finding.fits.empty() ? "" : ", ", file);
      return;
    }
    catch (const InputError & error)
    {
      reason = error.what();
    }
  }
  if (company.plan_is_required)
  {
    throw InputError(reason);
  }
}

void check_response(const std::string & text, const CheckCompany & company, FileFinding & finding)
{
  PlanSamples samples;
  const SealedTable table = read_samples(text, finding.file, response_kind, samples);
  const YamlMap robot = table.header.map("robot");
  finding.summary =
    fmt::format("response of '{}', {}", robot.text("name"), counted(samples.size(), "row"));
  if (company.robot)
  {
    require_fingerprint(finding, robot.text("name"), robot.text("fingerprint"), company);
    finding.fits = fmt::format("fits {}", company.robot->first);
  }
}

void check_mechanism(const std::string & text, FileFinding & finding)
{
  const multibody::MechanismFile file =
    multibody::read_mechanism(YamlMap::parse(text, finding.file));
  finding.summary = fmt::format(
    "mechanism with {} and {}", counted(file.problem.parameter_names.size(), "parameter"),
    counted(file.cost_names.size(), "cost"));
}

void check_balance(const std::string & text, FileFinding & finding)
{
  const YamlMap map = YamlMap::parse(text, finding.file);
  const BalanceRequest request = read_balance_request(map);
  if (const auto control = map.optional_map("control"))
  {
    read_balance_settings(*control);
  }
  finding.summary = fmt::format(
    "balance file '{}', {:g} s, {}", request.name, request.duration,
    counted(request.stages.size(), "stage"));
}

void check_content(const std::string & text, const CheckCompany & company, FileFinding & finding)
{
  switch (*finding.kind)
  {
    case FileKind::robot:
      finding.summary =
        fmt::format("robot '{}'", parse_robot(text, finding.file).parameters().name);
      return;
    case FileKind::curve:
      return check_curve(text, company, finding);
    case FileKind::controller:
      finding.summary = fmt::format(
        "controller file, kp {:g} V/rad", parse_controller_settings(text, finding.file).gains.kp);
      return;
    case FileKind::plant:
      finding.summary = fmt::format("plant '{}'", parse_plant(text, finding.file).name);
      return;
    case FileKind::hardware:
      return check_hardware_file(text, company, finding);
    case FileKind::mechanism:
      return check_mechanism(text, finding);
    case FileKind::balance:
      return check_balance(text, finding);
    case FileKind::fault_script:
      finding.summary = fmt::format(
        "fault script with {}", counted(parse_faults(text, finding.file).size(), "fault"));
      return;
    case FileKind::ros_parameters:
      finding.summary = fmt::format(
        "ROS 2 parameters of {}",
        counted(YamlMap::parse(text, finding.file).keys().size(), "node"));
      return;
    case FileKind::plan:
      return check_plan(text, company, finding);
    case FileKind::run_log:
      return check_log(text, company, finding);
    case FileKind::response:
      return check_response(text, company, finding);
    case FileKind::voltages: {
      const VoltageHistory history = parse_voltages(text, finding.file);
      finding.summary = fmt::format(
        "voltages, {}, {:g} s", counted(history.time.size(), "row"),
        history.time.back() - history.time.front());
      return;
    }
  }
}

/// Reads the file and tells its kind, or says what is wrong.
std::string read_and_recognise(FileFinding & finding)
{
  try
  {
    if (std::filesystem::is_directory(finding.file))
    {
      throw InputError(fmt::format(
        "{}: a folder, expected a file; name the files in it, such as {}/*.yaml", finding.file,
        std::filesystem::path(finding.file).lexically_normal().string()));
    }
    std::string text = read_text_file(finding.file, largest_voltage_file);
    finding.kind = kind_of(text, finding.file);
    return text;
  }
  catch (const InputError & error)
  {
    finding.error = error.what();
    return {};
  }
}

/// The place of the only file of a kind.
std::optional<std::size_t> only_one(const std::vector<FileFinding> & findings, FileKind kind)
{
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < findings.size(); ++i)
  {
    if (findings[i].kind == kind)
    {
      if (found)
      {
        return std::nullopt;
      }
      found = i;
    }
  }
  return found;
}

/// A bad file is reported when its turn comes.
template <class Add>
void unless_it_is_bad(const Add & add)
{
  try
  {
    add();
  }
  catch (const InputError &)
  {
    return;
  }
}

/// Adds the only robot, the only controller file and all good plans among the files to what the
/// others are compared with.
void add_files(
  const std::vector<FileFinding> & findings, const std::vector<std::string> & texts,
  CheckCompany & company)
{
  const bool plans_are_given = !company.plans.empty();
  for (std::size_t i = 0; i < findings.size() && !plans_are_given; ++i)
  {
    if (findings[i].kind == FileKind::plan)
    {
      unless_it_is_bad([&] {
        company.plans.emplace_back(findings[i].file, parse_plan(texts[i], findings[i].file));
      });
    }
  }
  if (const auto i = only_one(findings, FileKind::robot); i && !company.robot)
  {
    unless_it_is_bad(
      [&] { company.robot.emplace(findings[*i].file, parse_robot(texts[*i], findings[*i].file)); });
  }
  if (const auto i = only_one(findings, FileKind::controller); i && !company.controller)
  {
    unless_it_is_bad(
      [&] { company.controller = parse_controller_settings(texts[*i], findings[*i].file); });
  }
}

}  // namespace

std::vector<FileFinding> check_files(const std::vector<std::string> & files, CheckCompany company)
{
  std::vector<FileFinding> findings(files.size());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < files.size(); ++i)
  {
    findings[i].file = files[i];
    texts.push_back(read_and_recognise(findings[i]));
  }
  add_files(findings, texts, company);
  for (std::size_t i = 0; i < files.size(); ++i)
  {
    if (!findings[i].kind)
    {
      continue;
    }
    try
    {
      check_content(texts[i], company, findings[i]);
    }
    catch (const Error & error)
    {
      findings[i].error = error.what();
    }
  }
  return findings;
}

}  // namespace fivebar_control::cli
