// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "arrays.hpp"
#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/report/run_score.hpp"
#include "fivebar_control/simulation/engines.hpp"

namespace fivebar_python
{
namespace
{

using namespace fivebar_control;  // NOLINT(google-build-using-namespace)
using Path = std::filesystem::path;

static_assert(sizeof(ControlState) == sizeof(int));

/// A run with its figures; flags as bytes, because std::vector<bool> has no memory to look at.
struct Log
{
  explicit Log(RunRecord record)
  : run(std::move(record)),
    score(score_of(run, nullptr)),
    late(run.late.begin(), run.late.end()),
    limited(run.limited.begin(), run.limited.end())
  {
  }
  RunRecord run;
  RunScore score;
  std::vector<std::uint8_t> late, limited;
};

struct Comparison
{
  std::shared_ptr<Log> pd, feedforward_pd;
};

const std::vector<std::string> column_names{
  "t",
  "u1",
  "u4",
  "phi1",
  "phi4",
  "x",
  "y",
  "plan_time",
  "u1_feedback",
  "u4_feedback",
  "u1_applied",
  "u4_applied",
  "phi1_measured",
  "phi4_measured",
  "x_measured",
  "y_measured",
  "state",
  "late",
  "limited"};

ControlMode mode_named(const std::string & name)
{
  const std::optional<ControlMode> mode = control_mode_named(name);
  if (!mode)
  {
    throw std::invalid_argument(
      fmt::format("mode: expected 'feedforward+pd', 'pd' or 'feedforward', got '{}'", name));
  }
  return *mode;
}

ControllerSettings given_or_default(const std::optional<ControllerSettings> & controller)
{
  return controller
           ? *controller
           : py::module_::import("fivebar").attr("load_controller")().cast<ControllerSettings>();
}

std::shared_ptr<Log> play_one(
  const RobotModel & robot, const PlanResult & plan, const std::string & mode,
  const std::optional<PlantParameters> & plant,
  const std::optional<ControllerSettings> & controller, double rate, const std::string & hardware,
  const std::optional<Path> & log)
{
  const PlaySettings settings{
    mode_named(mode),
    given_or_default(controller),
    plant.value_or(PlantParameters()),
    engine_named(hardware, std::llround(1e9 / rate)),
    rate,
    log ? log->string() : std::string()};
  const py::gil_scoped_release release;
  return std::make_shared<Log>(
    play(robot, plan.plan, "plan of '" + plan.plan.curve_name + "'", settings));
}

Comparison compare(
  const RobotModel & robot, const PlanResult & plan, const std::optional<PlantParameters> & plant,
  const std::optional<ControllerSettings> & controller, double rate, const std::string & hardware)
{
  return {
    play_one(robot, plan, "pd", plant, controller, rate, hardware, std::nullopt),
    play_one(robot, plan, "feedforward+pd", plant, controller, rate, hardware, std::nullopt)};
}

using LogClass = py::class_<Log, std::shared_ptr<Log>>;

void bind_pairs(LogClass & bound)
{
  using Columns = std::array<std::vector<double>, 2> RunRecord::*;
  const auto add = [&bound](
                     const char * first, const char * second, Columns columns, const char * about) {
    for (std::size_t i = 0; i < 2; ++i)
    {
      bound.def_property_readonly(
        i == 0 ? first : second,
        [columns, i](const py::object & self) {
          return view((self.cast<const Log &>().run.*columns)[i], self);
        },
        about);
    }
  };
  add("u1", "u4", &RunRecord::feedforward, "Feedforward voltage [V].");
  add("u1_feedback", "u4_feedback", &RunRecord::feedback, "Voltage of the PD loop [V].");
  add("u1_applied", "u4_applied", &RunRecord::applied, "Voltage sent to the motor [V].");
  add("phi1", "phi4", &RunRecord::reference, "Angle that was wanted [rad].");
  add("phi1_measured", "phi4_measured", &RunRecord::angle, "Angle that was measured [rad].");
  add("x", "y", &RunRecord::planned_point, "Of P where it was wanted [m].");
  add("x_measured", "y_measured", &RunRecord::measured_point, "Of P by the measured angles [m].");
}

void bind_columns(LogClass & bound)
{
  const auto run_of = [](const py::object & self) -> const RunRecord & {
    return self.cast<const Log &>().run;
  };
  bind_pairs(bound);
  bound
    .def_property_readonly(
      "t", [run_of](const py::object & self) { return view(run_of(self).t, self); },
      "Time since the run began [s]. A read-only view, as the other columns.")
    .def_property_readonly(
      "plan_time", [run_of](const py::object & self) { return view(run_of(self).plan_time, self); },
      "Time in the plan [s].")
    .def_property_readonly(
      "state",
      [run_of](const py::object & self) {
        const auto & state = run_of(self).state;
        return view(
          reinterpret_cast<const int *>(state.data()), {static_cast<py::ssize_t>(state.size())},
          self);
      },
      "Index in STATES.")
    .def_property_readonly(
      "late",
      [](const py::object & self) {
        const Log & log = self.cast<const Log &>();
        return view(
          reinterpret_cast<const bool *>(log.late.data()),
          {static_cast<py::ssize_t>(log.late.size())}, self);
      },
      "Whether the cycle came late.")
    .def_property_readonly(
      "limited",
      [](const py::object & self) {
        const Log & log = self.cast<const Log &>();
        return view(
          reinterpret_cast<const bool *>(log.limited.data()),
          {static_cast<py::ssize_t>(log.limited.size())}, self);
      },
      "Whether slew or clamp changed the voltages.")
    .def("__len__", [](const Log & log) { return log.run.size(); })
    .def(
      "to_pandas", [](const py::object & self) { return to_pandas(self, column_names); },
      "The columns as a pandas.DataFrame.");
}

void bind_figures(LogClass & bound)
{
  const auto of_run = [&bound](const char * name, auto member, const char * about) {
    bound.def_property_readonly(
      name, [member](const Log & log) { return log.run.*member; }, about);
  };
  of_run("file", &RunRecord::file, "Where it was read from or written to, or 'not logged'.");
  of_run("robot_name", &RunRecord::robot_name, "");
  of_run("robot_fingerprint", &RunRecord::robot_fingerprint, "");
  of_run("curve_name", &RunRecord::curve, "");
  of_run("hardware", &RunRecord::hardware, "");
  of_run("mode", &RunRecord::mode, "");
  of_run("ended", &RunRecord::ended, "'finished' if the plan was played to its end.");
  of_run("reason", &RunRecord::reason, "'none', or why the guard stopped it.");
  of_run("rate", &RunRecord::rate, "Hz.");
  of_run("voltage_limit", &RunRecord::voltage_limit, "V.");
  of_run("lost_rows", &RunRecord::lost_rows, "Cycles that the log could not take.");
  bound
    .def_property_readonly(
      "ise", [](const Log & log) { return log.score.to_plan.ise; },
      "Integral of the squared distance of P from the planned path while playing [m^2 s].")
    .def_property_readonly(
      "largest_error", [](const Log & log) { return log.score.to_plan.largest; },
      "Largest distance of P from the planned path while playing [m].")
    .def_property_readonly(
      "feedback_rms", [](const Log & log) { return log.score.feedback_rms; },
      "Of the PD loop, over both motors, while playing [V].")
    .def_property_readonly(
      "largest_voltage", [](const Log & log) { return log.score.largest_volts; },
      "At a motor, while playing [V].")
    .def_property_readonly(
      "limited_cycles", [](const Log & log) { return log.score.limited_cycles; },
      "Playing cycles in which slew or clamp changed the voltages.")
    .def("__repr__", [](const Log & log) {
      return fmt::format(
        "<fivebar.Log of '{}', {}, {} cycles, {}, ISE {:.4g} m^2 s>", log.run.curve, log.run.mode,
        log.run.size(), log.run.ended, log.score.to_plan.ise);
    });
}

void bind_functions(py::module_ & module)
{
  module.def(
    "load_log",
    [](const Path & path) { return std::make_shared<Log>(load_run_record(path.string())); },
    py::arg("path"), py::call_guard<py::gil_scoped_release>(),
    "Reads a log of 'fivebar run' and checks that it is whole and unchanged.");
  module.def(
    "play", play_one, py::arg("robot"), py::arg("plan"), py::kw_only(),
    py::arg("mode") = "feedforward+pd", py::arg("plant") = py::none(),
    py::arg("controller") = py::none(), py::arg("rate") = 1000.0, py::arg("hardware") = "sim",
    py::arg("log") = py::none(),
    "Plays a plan on a simulated robot, as 'fivebar run --fast'.\n\n"
    "mode: 'feedforward+pd', 'pd' or 'feedforward'. plant: how the robot differs from the model; "
    "the\n"
    "model itself if not given. controller: the package's own if not given. rate: Hz, 50 to\n"
    "20000. hardware: 'sim', 'mujoco' or 'gazebo'. log: file for the log. Raises InputError if the "
    "plan is\n"
    "of another robot or beyond its limits. A run that the guard stopped is told by `ended`.");
  module.def(
    "compare", compare, py::arg("robot"), py::arg("plan"), py::kw_only(),
    py::arg("plant") = py::none(), py::arg("controller") = py::none(), py::arg("rate") = 1000.0,
    py::arg("hardware") = "sim",
    "PD alone against feedforward+PD on the same simulated robot; arguments as of play().\n\n"
    ">>> mismatched = fivebar.load_plant(fivebar.find_config(\"plants/mismatched.yaml\"))\n"
    ">>> fivebar.compare(robot, plan, plant=mismatched).ise_ratio");
}

}  // namespace

void bind_run(py::module_ & module)
{
  py::list states;
  for (int i = 0; i <= static_cast<int>(ControlState::homing); ++i)
  {
    states.append(to_string(static_cast<ControlState>(i)));
  }
  module.attr("STATES") = py::tuple(states);
  LogClass bound(module, "Log", "A whole run, one entry per control cycle.");
  bind_columns(bound);
  bind_figures(bound);
  py::class_<Comparison>(module, "Comparison", "Two runs of one plan.")
    .def_readonly("pd", &Comparison::pd, "The Log of PD alone.")
    .def_readonly("feedforward_pd", &Comparison::feedforward_pd, "The Log of feedforward+PD.")
    .def_property_readonly(
      "ise_ratio",
      [](const Comparison & c) {
        return c.pd->score.to_plan.ise / c.feedforward_pd->score.to_plan.ise;
      },
      "How many times less ISE feedforward+PD has.")
    .def("__repr__", [](const Comparison & c) {
      return fmt::format(
        "<fivebar.Comparison: ISE {:.4g} m^2 s by PD, {:.4g} by feedforward+PD>",
        c.pd->score.to_plan.ise, c.feedforward_pd->score.to_plan.ise);
    });
  bind_functions(module);
}

}  // namespace fivebar_python
