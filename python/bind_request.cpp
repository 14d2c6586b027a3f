// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <variant>

#include "arrays.hpp"
#include "fivebar_control/planner/request_overrides.hpp"

namespace fivebar_python
{
namespace
{

using namespace fivebar_control;  // NOLINT(google-build-using-namespace)
using VoltageLimit = std::optional<std::variant<double, std::string>>;

std::optional<std::optional<double>> limit_of(const VoltageLimit & given)
{
  if (!given)
  {
    return std::nullopt;
  }
  if (const double * volts = std::get_if<double>(&*given))
  {
    return std::optional<double>(*volts);
  }
  const std::string & name = std::get<std::string>(*given);
  if (name == "robot")
  {
    return std::optional<double>();
  }
  if (name == "none")
  {
    return std::optional<double>(unbounded);
  }
  throw InputError::of(
    "voltage_limit",
    fmt::format("expected a positive number [V], 'none' or 'robot', got '{}'", name));
}

py::array points_of(const PlanRequest & request, const Numbers & times)
{
  const std::vector<double> row = read_row(times, "times");
  py::array_t<double> points({static_cast<py::ssize_t>(row.size()), static_cast<py::ssize_t>(2)});
  for (std::size_t i = 0; i < row.size(); ++i)
  {
    if (row[i] < 0.0 || row[i] > request.curve->duration())
    {
      throw std::invalid_argument(fmt::format(
        "times: expected times from 0 to {} s, got {} s", request.curve->duration(), row[i]));
    }
    const Eigen::Vector2d point = request.curve->at(row[i]).position;
    points.mutable_at(i, 0) = point[0];
    points.mutable_at(i, 1) = point[1];
  }
  return points;
}

void bind_weights(py::module_ & module)
{
  py::class_<CostWeights>(
    module, "Weights", "Weights of the planning cost (docs/planning.md has the formula).")
    .def_readonly("alpha", &CostWeights::alpha, "Share of the error at the end, 0 to 1.")
    .def_readonly("beta", &CostWeights::beta, "Of the velocity error [s^2].")
    .def_readonly("gamma", &CostWeights::gamma, "Of voltages above soft_voltage [m^2/V^2].")
    .def_readonly("soft_voltage", &CostWeights::soft_voltage, "V.")
    .def_readonly("rho", &CostWeights::rho, "Of the voltage rate [m^2 s^2/V^2].");
}

void bind_replace(py::class_<PlanRequest, std::shared_ptr<PlanRequest>> & request)
{
  request.def(
    "replace",
    [](
      const PlanRequest & self, std::optional<std::string> solver, std::optional<std::string> guess,
      const VoltageLimit & voltage_limit, std::optional<double> time_step,
      std::optional<double> alpha, std::optional<double> beta, std::optional<double> gamma,
      std::optional<double> soft_voltage, std::optional<double> rho,
      std::optional<int> max_iterations, std::optional<double> tolerance) {
      return with_overrides(
        self, {std::move(solver), std::move(guess), limit_of(voltage_limit), time_step, alpha, beta,
               gamma, soft_voltage, rho, max_iterations, tolerance});
    },
    py::kw_only(), py::arg("solver") = py::none(), py::arg("guess") = py::none(),
    py::arg("voltage_limit") = py::none(), py::arg("time_step") = py::none(),
    py::arg("alpha") = py::none(), py::arg("beta") = py::none(), py::arg("gamma") = py::none(),
    py::arg("soft_voltage") = py::none(), py::arg("rho") = py::none(),
    py::arg("max_iterations") = py::none(), py::arg("tolerance") = py::none(),
    "The same request with these values instead of the file's, as the options of 'fivebar plan'.\n"
    "\n"
    "solver: 'riccati', 'lbfgs', 'mma' or 'slsqp'. guess: 'inverse-dynamics' or 'zero'.\n"
    "voltage_limit: V, 'none', or 'robot' for the robot's own. time_step: s.\n"
    "The weights are those of the last stage. Raises ValueError.\n\n"
    ">>> request.replace(voltage_limit=8.0, rho=1e-8)");
}

}  // namespace

void bind_request(py::module_ & module)
{
  bind_weights(module);
  py::class_<PlanRequest, std::shared_ptr<PlanRequest>> request(
    module, "Request", "A curve with all that planning needs to know. It does not change.");
  request.def_readonly("name", &PlanRequest::name, "As the file says it.")
    .def_property_readonly(
      "duration", [](const PlanRequest & r) { return r.curve->duration(); }, "s.")
    .def_readonly("time_step", &PlanRequest::time_step, "Between two nodes [s].")
    .def_property_readonly(
      "nodes", [](const PlanRequest & r) { return r.intervals + 1; },
      "How many voltages per motor.")
    .def_property_readonly(
      "solver", [](const PlanRequest & r) { return to_string(r.solver); },
      "'riccati', 'lbfgs', 'mma' or 'slsqp'.")
    .def_readonly("voltage_limit", &PlanRequest::voltage, "V; inf: none; None: the robot's own.")
    .def_readonly("voltage_rate_limit", &PlanRequest::voltage_rate, "V/s; inf: none.")
    .def_readonly("stages", &PlanRequest::stages, "The weights of each stage.")
    .def_readonly("text", &PlanRequest::canonical_text, "The curve file without comments.")
    .def(
      "points", points_of, py::arg("times"),
      "Where P has to be at these times [s]: an array of shape (n, 2) [m].\n\n"
      ">>> request.points(np.linspace(0, request.duration, 200))")
    .def("__repr__", [](const PlanRequest & r) {
      return fmt::format(
        "<fivebar.Request '{}', {} s, {} nodes>", r.name, r.curve->duration(), r.intervals + 1);
    });
  bind_replace(request);
  module.def(
    "load_request",
    [](const std::filesystem::path & path) { return load_plan_request(path.string()); },
    py::arg("path"), py::call_guard<py::gil_scoped_release>(),
    "Reads a curve file.\n\n"
    ">>> request = fivebar.load_request(fivebar.find_config(\"curves/b.yaml\"))");
  module.def(
    "parse_request", &parse_plan_request, py::arg("text"), py::arg("name") = "request",
    "Reads the text of a curve file; messages call it `name`.");
}

}  // namespace fivebar_python
