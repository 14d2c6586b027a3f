// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "arrays.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_python
{
namespace
{

using namespace fivebar_control::multibody;  // NOLINT(google-build-using-namespace)
using Path = std::filesystem::path;

struct Sensitivity
{
  std::vector<std::string> cost_names, parameter_names;
  VectorD values, costs;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> gradient;
  std::string method, formulation, integrator;
  double seconds = 0.0;
};

template <class Value>
std::vector<std::string> names_of(const std::vector<Value> & all)
{
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Value one : all)
  {
    names.emplace_back(name(one));
  }
  return names;
}

template <class Value>
Value required(
  const char * what, const std::optional<Value> & found, const std::vector<Value> & all,
  const std::string & text)
{
  if (!found)
  {
    throw std::invalid_argument(
      fmt::format("{}: expected one of {}, got '{}'", what, fmt::join(names_of(all), ", "), text));
  }
  return *found;
}

Sensitivity compute(
  const Path & path, Method method, const std::optional<Formulation> & formulation,
  const std::vector<MechanismOverride> & overrides)
{
  MechanismFile file = load_mechanism(path.string(), overrides);
  file.settings.formulation = formulation.value_or(file.settings.formulation);
  const auto begin = std::chrono::steady_clock::now();
  const Gradient result = gradient(file.problem, file.settings, file.problem.rho, method);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {
    file.cost_names,
    file.problem.parameter_names,
    file.problem.rho,
    result.costs,
    result.gradient,
    name(method),
    name(file.settings.formulation),
    name(file.settings.integrator),
    elapsed.count()};
}

Sensitivity sensitivity(
  const Path & path, const std::string & method, const std::optional<std::string> & formulation,
  const std::optional<py::dict> & overrides)
{
  const Method by = required("method", method_named(method), all_methods(), method);
  std::optional<Formulation> form;
  if (formulation)
  {
    form =
      required("formulation", formulation_named(*formulation), all_formulations(), *formulation);
  }
  std::vector<MechanismOverride> values;
  for (const auto & [key, value] : overrides.value_or(py::dict()))
  {
    values.emplace_back(key.cast<std::string>(), py::str(value).cast<std::string>());
  }
  const py::gil_scoped_release release;
  return compute(path, by, form, values);
}

py::array row_view(const VectorD & values, const py::object & owner)
{
  return view(values.data(), {values.size()}, owner);
}

}  // namespace

void bind_sensitivity(py::module_ & module)
{
  module.attr("SENSITIVITY_METHODS") = py::tuple(py::cast(names_of(all_methods())));
  module.attr("FORMULATIONS") = py::tuple(py::cast(names_of(all_formulations())));
  py::class_<Sensitivity, std::shared_ptr<Sensitivity>>(
    module, "Sensitivity", "Costs of a mechanism's motion and their gradients.")
    .def_readonly("cost_names", &Sensitivity::cost_names, "One per cost.")
    .def_readonly("parameter_names", &Sensitivity::parameter_names, "One per parameter.")
    .def_property_readonly(
      "values",
      [](const py::object & self) { return row_view(self.cast<Sensitivity &>().values, self); },
      "Of the parameters. A read-only view, as costs and gradient.")
    .def_property_readonly(
      "costs",
      [](const py::object & self) { return row_view(self.cast<Sensitivity &>().costs, self); },
      "One per cost.")
    .def_property_readonly(
      "gradient",
      [](const py::object & self) {
        const auto & g = self.cast<Sensitivity &>().gradient;
        return view(g.data(), {g.rows(), g.cols()}, self);
      },
      "One row per cost, one column per parameter.")
    .def_readonly("method", &Sensitivity::method)
    .def_readonly("formulation", &Sensitivity::formulation)
    .def_readonly("integrator", &Sensitivity::integrator)
    .def_readonly("seconds", &Sensitivity::seconds, "That it took, without reading the file.")
    .def("__repr__", [](const Sensitivity & s) {
      return fmt::format(
        "<fivebar.Sensitivity of {} costs by {} parameters, {}, {}>", s.costs.size(),
        s.values.size(), s.method, s.formulation);
    });
  module.def(
    "sensitivity", sensitivity, py::arg("path"), py::kw_only(), py::arg("method") = "adjoint",
    py::arg("formulation") = py::none(), py::arg("set") = py::none(),
    "Costs of a mechanism's motion and their gradient by its parameters, as 'fivebar "
    "sensitivity'.\n"
    "\n"
    "path: a mechanism file. method: one of SENSITIVITY_METHODS. formulation: one of "
    "FORMULATIONS,\n"
    "the file's own if not given. set: values that replace the file's, by their keys.\n"
    "Raises InputError, and MechanismError if the mechanism cannot be computed this way.\n\n"
    ">>> spring = fivebar.find_config(\"mechanisms/fivebar_springs.yaml\")\n"
    ">>> fivebar.sensitivity(spring, method=\"direct\", set={\"duration\": 1}).gradient");
}

}  // namespace fivebar_python
