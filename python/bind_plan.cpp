// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>

#include "arrays.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/methods/nlopt_solver.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/response.hpp"

namespace fivebar_python
{
namespace
{

using namespace fivebar_control;  // NOLINT(google-build-using-namespace)
using Path = std::filesystem::path;

/// Motion under given voltages.
struct Response
{
  PlanSamples samples;
};

const std::vector<std::string> column_names{"t",     "u1",    "u4", "phi1", "phi4",
                                            "dphi1", "dphi4", "x",  "y"};

const PlanSamples & samples_of(const PlanResult & result) { return result.plan.samples; }
const PlanSamples & samples_of(const Response & response) { return response.samples; }

/// What plans and responses share.
template <class Class>
void bind_columns(Class & bound)
{
  using Owner = typename Class::type;
  const auto add =
    [&bound](const char * name, std::vector<double> PlanSamples::*column, const char * about) {
      bound.def_property_readonly(
        name,
        [column](const py::object & self) {
          return view(samples_of(self.cast<const Owner &>()).*column, self);
        },
        about);
    };
  add("t", &PlanSamples::t, "Time [s]. A read-only view, as the other columns.");
  add("u1", &PlanSamples::u1, "Voltage of motor 1 [V].");
  add("u4", &PlanSamples::u4, "Voltage of motor 4 [V].");
  add("phi1", &PlanSamples::phi1, "Angle of link 1 [rad].");
  add("phi4", &PlanSamples::phi4, "Angle of link 4 [rad].");
  add("dphi1", &PlanSamples::dphi1, "Speed of link 1 [rad/s].");
  add("dphi4", &PlanSamples::dphi4, "Speed of link 4 [rad/s].");
  add("x", &PlanSamples::x, "Of P [m].");
  add("y", &PlanSamples::y, "Of P [m].");
  bound
    .def_property_readonly(
      "voltages",
      [](const Owner & self) {
        const PlanSamples & s = samples_of(self);
        return two_rows(s.u1.data(), s.u4.data(), s.size());
      },
      "A new array of shape (2, n): u1 and u4 [V].")
    .def("__len__", [](const Owner & self) { return samples_of(self).size(); })
    .def(
      "to_pandas", [](const py::object & self) { return to_pandas(self, column_names); },
      "The columns as a pandas.DataFrame.");
}

/// Takes the solver's iterations to Python, and interrupts to the solver.
class Watcher
{
public:
  explicit Watcher(py::object callback) : callback_(std::move(callback)) {}

  /// Called without the GIL. An exception must not pass through the solvers: it waits.
  bool operator()(const Iteration & iteration)
  {
    const auto now = std::chrono::steady_clock::now();
    const bool look = now - looked_ >= std::chrono::milliseconds(50);
    if (callback_.is_none() && !look)
    {
      return true;
    }
    const py::gil_scoped_acquire acquire;
    try
    {
      if (look && PyErr_CheckSignals() != 0)
      {
        throw py::error_already_set();
      }
      looked_ = look ? now : looked_;
      if (callback_.is_none())
      {
        return true;
      }
      const py::object answer = callback_(iteration);
      return answer.is_none() || py::bool_(answer);
    }
    catch (py::error_already_set &)
    {
      waiting_ = std::current_exception();
      return false;
    }
  }

  void rethrow() const
  {
    if (waiting_)
    {
      std::rethrow_exception(waiting_);
    }
  }

private:
  py::object callback_;
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  std::exception_ptr waiting_;
};

PlanResult plan(const RobotModel & robot, const PlanRequest & request, const py::object & progress)
{
  Watcher watcher(progress);
  PlanResult result;
  {
    const py::gil_scoped_release release;
    result = make_plan(
      robot, request, [&watcher](const Iteration & i) { return watcher(i); }, solve_by_any_method);
  }
  watcher.rethrow();
  return result;
}

VoltageHistory history_of(const Numbers & times, const Numbers & voltages)
{
  VoltageHistory input;
  input.time = read_row(times, "times");
  for (std::size_t i = 1; i < input.time.size(); ++i)
  {
    if (!(input.time[i] > input.time[i - 1]))
    {
      throw std::invalid_argument(fmt::format(
        "times: expected increasing times, got {} s after {} s", input.time[i], input.time[i - 1]));
    }
  }
  const auto [u1, u4] = read_voltages(voltages, input.time.size());
  for (std::size_t i = 0; i < u1.size(); ++i)
  {
    input.voltage.emplace_back(u1[i], u4[i]);
  }
  return input;
}

Response simulate(
  const RobotModel & robot, const Numbers & times, const Numbers & voltages,
  const std::optional<std::pair<double, double>> & start, std::optional<double> step)
{
  const VoltageHistory input = history_of(times, voltages);
  Eigen::Vector4d state = robot.home_state();
  if (start)
  {
    state << start->first, start->second, 0.0, 0.0;
    if (!robot.kinematics().forward(state.head<2>()))
    {
      throw std::invalid_argument(fmt::format(
        "start: the links cannot close at phi1 = {}, phi4 = {} rad", start->first, start->second));
    }
  }
  IntegrationOptions options;
  if (step)
  {
    if (!(*step > 0.0 && std::isfinite(*step)))
    {
      throw std::invalid_argument(
        fmt::format("step: expected a positive number [s], got {}", *step));
    }
    options.method = IntegrationOptions::Method::fixed_step;
    options.step = *step;
  }
  const py::gil_scoped_release release;
  return {respond(robot, state, input, options)};
}

void bind_iterations(py::module_ & module)
{
  py::class_<Iteration>(module, "Iteration", "What a progress function is told.")
    .def_readonly("stage", &Iteration::stage, "From 0.")
    .def_readonly("number", &Iteration::number, "From 1 within a stage; 0 is the initial guess.")
    .def_property_readonly(
      "cost", [](const Iteration & i) { return i.cost.total(); }, "J after the step.")
    .def_readonly(
      "projected_gradient", &Iteration::projected_gradient, "|dJ/du| before the step [m^2/V].")
    .def_readonly("step_length", &Iteration::step_length, "Of the line search.")
    .def_readonly("active_bounds", &Iteration::active_bounds, "Voltages held at a bound.")
    .def_readonly("bounded", &Iteration::bounded, "False: the step ignored the bounds.");
  py::class_<PlanIteration>(module, "PlanIteration", "What a plan remembers of a solver's step.")
    .def_readonly("stage", &PlanIteration::stage, "From 0.")
    .def_readonly("number", &PlanIteration::number, "Within the stage; 0 is the initial guess.")
    .def_readonly("cost", &PlanIteration::cost, "J after the step.")
    .def_readonly(
      "projected_gradient", &PlanIteration::projected_gradient, "|dJ/du| before the step [m^2/V].")
    .def_readonly("bounded", &PlanIteration::bounded, "False: the step ignored the bounds.");
}

template <class Class>
void bind_figures(Class & bound)
{
  const auto of_plan = [&bound](const char * name, auto member, const char * about) {
    bound.def_property_readonly(
      name, [member](const PlanResult & self) { return self.plan.*member; }, about);
  };
  of_plan("package_version", &Plan::package_version, "Of the program that made it.");
  of_plan("robot_name", &Plan::robot_name, "");
  of_plan("robot_fingerprint", &Plan::robot_fingerprint, "Of the robot that it is for.");
  of_plan("curve_name", &Plan::curve_name, "");
  of_plan("request_text", &Plan::request, "The curve file; parse_request() reads it.");
  of_plan("time_step", &Plan::time_step, "s.");
  of_plan("weights", &Plan::weights, "Of the last stage.");
  of_plan("solver", &Plan::solver, "");
  of_plan("iterations", &Plan::iterations, "Of all stages.");
  of_plan("projected_gradient", &Plan::projected_gradient, "|dJ/du| on the bounds [m^2/V].");
  of_plan("history", &Plan::history, "The solver's steps.");
  const auto of_quality = [&bound](
                            const char * name, double PlanQuality::*member, const char * about) {
    bound.def_property_readonly(
      name, [member](const PlanResult & self) { return self.plan.quality.*member; }, about);
  };
  of_quality("cost", &PlanQuality::cost, "J.");
  of_quality("ise", &PlanQuality::ise, "Integral of the squared distance from the curve [m^2 s].");
  of_quality("largest_error", &PlanQuality::largest_error, "Distance from the curve [m].");
  of_quality("largest_error_time", &PlanQuality::largest_error_time, "s.");
  of_quality("end_error", &PlanQuality::end_error, "m.");
  of_quality("largest_voltage", &PlanQuality::largest_voltage, "V.");
}

void bind_plan_class(py::module_ & module)
{
  py::class_<PlanResult, std::shared_ptr<PlanResult>> bound(
    module, "Plan",
    "Voltages to play and the motion that the model makes with them, one entry per node.");
  bind_columns(bound);
  bind_figures(bound);
  bound
    .def_property_readonly(
      "verdict", [](const PlanResult & self) { return to_string(self.plan.verdict); },
      "'converged', 'stalled', 'iteration limit' or 'cancelled'.")
    .def_property_readonly(
      "converged", [](const PlanResult & self) { return self.plan.verdict == Verdict::converged; })
    .def_readonly("warnings", &PlanResult::warnings, "Sentences; none of a plan from a file.")
    .def_readonly("seconds", &PlanResult::seconds, "Planning time; 0 of a plan from a file.")
    .def(
      "save",
      [](const PlanResult & self, const Path & path) { save_plan(self.plan, path.string()); },
      py::arg("path"), py::call_guard<py::gil_scoped_release>(),
      "Writes the file that 'fivebar plan' writes. It appears whole or not at all.")
    .def(
      "text", [](const PlanResult & self) { return plan_text(self.plan); }, "What save() writes.")
    .def("__repr__", [](const PlanResult & self) {
      return fmt::format(
        "<fivebar.Plan '{}' for '{}', {} nodes, {}, J = {:.6g}>", self.plan.curve_name,
        self.plan.robot_name, self.plan.samples.size(), to_string(self.plan.verdict),
        self.plan.quality.cost);
    });
}

}  // namespace

void bind_plan(py::module_ & module)
{
  bind_iterations(module);
  bind_plan_class(module);
  py::class_<Response, std::shared_ptr<Response>> response(
    module, "Response", "Motion of the model under given voltages.");
  bind_columns(response);
  module.def(
    "plan", plan, py::arg("robot"), py::arg("request"), py::kw_only(),
    py::arg("progress") = py::none(),
    "Computes voltages that make the model follow the curve.\n\n"
    "progress: called with an Iteration after each; if it returns False, planning ends with the\n"
    "verdict 'cancelled'. Raises NotReachable if the robot cannot draw the curve. A solver that\n"
    "does not converge is told by `verdict`. Ctrl-C ends it after the current iteration.\n\n"
    ">>> plan = fivebar.plan(fivebar.load_robot(), request)");
  module.def(
    "load_plan",
    [](const Path & path) {
      PlanResult result;
      result.plan = load_plan(path.string());
      return result;
    },
    py::arg("path"), py::call_guard<py::gil_scoped_release>(),
    "Reads a plan file and checks that it is whole and unchanged.");
  module.def(
    "parse_plan",
    [](const std::string & text, const std::string & name) {
      PlanResult result;
      result.plan = parse_plan(text, name);
      return result;
    },
    py::arg("text"), py::arg("name") = "plan", "Reads the text of a plan file.");
  module.def(
    "simulate", simulate, py::arg("robot"), py::arg("times"), py::arg("voltages"), py::kw_only(),
    py::arg("start") = py::none(), py::arg("step") = py::none(),
    "Motion of the model under voltages, linear between the times.\n\n"
    "times: s, increasing. voltages: V, shape (2, n), u1 and u4. start: (phi1, phi4) [rad] at\n"
    "rest, the home pose if not given. step: s, Runge-Kutta steps of order 4 of at most this\n"
    "length; without it steps are adaptive, with tolerance 1e-12. Raises LeavesWorkspace.\n\n"
    ">>> fivebar.simulate(robot, [0, 1], [[0, 2], [0, 2]]).phi1");
}

}  // namespace fivebar_python
