// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "bind.hpp"
#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/plant.hpp"
#include "fivebar_control/support/config_location.hpp"

namespace fivebar_python
{
namespace
{

using namespace fivebar_control;  // NOLINT(google-build-using-namespace)
using Path = std::filesystem::path;
using Pair = std::pair<double, double>;

Pair pair_of(const Eigen::Vector2d & v) { return {v[0], v[1]}; }

std::string given_or_config(const std::optional<Path> & path, const char * relative)
{
  return path ? path->string() : find_config(relative);
}

py::dict parameters_of(const RobotModel & robot)
{
  py::dict all;
  visit_parameters(robot.physics(), [&all](const std::string & name, double value) {
    all[py::str(name)] = value;
  });
  return all;
}

LinkagePose pose_of(const RobotModel & robot, double phi1, double phi4)
{
  const auto pose = robot.kinematics().forward({phi1, phi4});
  if (!pose)
  {
    throw LeavesWorkspace(
      fmt::format("the links cannot close at phi1 = {}, phi4 = {} rad", phi1, phi4));
  }
  return *pose;
}

Pair angles_of(const RobotModel & robot, double x, double y)
{
  const auto solution = robot.kinematics().inverse({x, y}, robot.working_mode());
  if (!solution || solution->assembly_mode != robot.parameters().assembly_mode)
  {
    throw NotReachable(fmt::format("the robot cannot have P at ({}, {}) m", x, y));
  }
  return pair_of(solution->phi);
}

RobotModel with_voltage_limit(const RobotModel & robot, double volts)
{
  if (!(volts > 0.0 && std::isfinite(volts)))
  {
    throw std::invalid_argument(fmt::format("volts: expected a positive number, got {}", volts));
  }
  RobotParameters parameters = robot.parameters();
  parameters.limits.voltage = volts;
  return RobotModel(std::move(parameters));
}

void bind_pose(py::module_ & module)
{
  py::class_<LinkagePose>(module, "Pose", "The closed linkage at one pair of driven angles.")
    .def_property_readonly(
      "elbow_1", [](const LinkagePose & p) { return pair_of(p.elbow_1); },
      "(x, y) of the joint between links 1 and 2 [m].")
    .def_property_readonly(
      "elbow_4", [](const LinkagePose & p) { return pair_of(p.elbow_4); },
      "(x, y) of the joint between links 4 and 3 [m].")
    .def_property_readonly(
      "end_effector", [](const LinkagePose & p) { return pair_of(p.end_effector); },
      "(x, y) of P [m].")
    .def_readonly("phi2", &LinkagePose::phi2, "Angle of link 2 [rad].")
    .def_readonly("phi3", &LinkagePose::phi3, "Angle of link 3 [rad].")
    .def_property_readonly(
      "singularity_margin", [](const LinkagePose & p) { return p.margins.parallel; },
      "|sin| of the angle between links 2 and 3; the robot loses control of P at 0.");
}

void bind_robot_class(py::module_ & module)
{
  py::class_<RobotModel, std::shared_ptr<RobotModel>>(
    module, "Robot", "A robot whose parameters were found valid. It does not change.")
    .def_property_readonly(
      "name", [](const RobotModel & r) { return r.parameters().name; }, "As its file says it.")
    .def_property_readonly(
      "fingerprint", &RobotModel::fingerprint,
      "16 hexadecimal digits over all that is physical; plans carry it.")
    .def_property_readonly(
      "parameters", parameters_of,
      "Every physical parameter by its key in the robot file, in SI units.")
    .def_property_readonly(
      "pivot_1", [](const RobotModel & r) { return pair_of(r.physics().pivot_1); },
      "(x, y) of the pivot of link 1 [m].")
    .def_property_readonly(
      "pivot_4", [](const RobotModel & r) { return pair_of(r.physics().pivot_4); },
      "(x, y) of the pivot of link 4 [m].")
    .def_property_readonly(
      "home", [](const RobotModel & r) { return pair_of(r.parameters().home); },
      "(phi1, phi4) of the home pose [rad].")
    .def_property_readonly(
      "voltage_limit", [](const RobotModel & r) { return r.limits().voltage; },
      "|u| at each motor [V].")
    .def(
      "pose", pose_of, py::arg("phi1"), py::arg("phi4"),
      "The linkage at these driven angles [rad].\n\n"
      "Raises LeavesWorkspace where it cannot close.\n\n"
      ">>> robot.pose(*robot.home).end_effector")
    .def(
      "angles", angles_of, py::arg("x"), py::arg("y"),
      "(phi1, phi4) [rad] with P at (x, y) [m], elbows as in the home pose.\n\n"
      "Raises NotReachable where the robot cannot be.")
    .def(
      "with_voltage_limit", with_voltage_limit, py::arg("volts"),
      "The same robot with another limit of its voltages [V].")
    .def("__repr__", [](const RobotModel & r) {
      return fmt::format("<fivebar.Robot '{}', {}>", r.parameters().name, r.fingerprint());
    });
}

void bind_plant(py::module_ & module)
{
  py::class_<PlantParameters, std::shared_ptr<PlantParameters>>(
    module, "Plant",
    "How a simulated robot differs from its model. Plant() is the model with good electronics.")
    .def(py::init<>())
    .def_readonly("name", &PlantParameters::name)
    .def_readonly("supply_voltage", &PlantParameters::supply_voltage, "Of the amplifier [V].")
    .def("__repr__", [](const PlantParameters & p) {
      return fmt::format("<fivebar.Plant '{}'>", p.name);
    });
  py::class_<ControllerSettings, std::shared_ptr<ControllerSettings>>(
    module, "Controller", "Gains, filters and windows of the guard.")
    .def_property_readonly(
      "kp", [](const ControllerSettings & c) { return c.gains.kp; }, "V/rad.")
    .def_property_readonly(
      "kd", [](const ControllerSettings & c) { return c.gains.kd; }, "V s/rad.")
    .def_property_readonly(
      "ki", [](const ControllerSettings & c) { return c.gains.ki; }, "V/(rad s).")
    .def("__repr__", [](const ControllerSettings & c) {
      return fmt::format(
        "<fivebar.Controller kp={} kd={} ki={}>", c.gains.kp, c.gains.kd, c.gains.ki);
    });
}

}  // namespace

void bind_robot(py::module_ & module)
{
  bind_pose(module);
  bind_robot_class(module);
  bind_plant(module);
  const py::arg_v no_path = py::arg("path") = py::none();
  module.def(
    "find_config", find_config, py::arg("relative"),
    "Path of a file of the package's config/ folder.\n\n"
    "Looks in $FIVEBAR_CONFIG_DIR, ./config, the source tree and the installed package.\n\n"
    ">>> fivebar.find_config(\"curves/b.yaml\")");
  module.def(
    "load_robot",
    [](const std::optional<Path> & path) {
      const std::string file = given_or_config(path, "robot.yaml");
      const py::gil_scoped_release release;
      return load_robot(file);
    },
    no_path, "Reads a robot file; without a path the package's own robot.");
  module.def(
    "parse_robot", &parse_robot, py::arg("text"), py::arg("name") = "robot",
    "Reads the text of a robot file; messages call it `name`.");
  module.def(
    "load_plant", [](const Path & path) { return load_plant(path.string()); }, py::arg("path"),
    py::call_guard<py::gil_scoped_release>(), "Reads a plant file.");
  module.def(
    "parse_plant", &parse_plant, py::arg("text"), py::arg("name") = "plant",
    "Reads the text of a plant file.\n\n"
    ">>> heavy = fivebar.parse_plant(\"{schema: 1, name: heavy, scale: {link_mass: 1.2}}\")");
  module.def(
    "load_controller",
    [](const std::optional<Path> & path) {
      const std::string file = given_or_config(path, "controller.yaml");
      const py::gil_scoped_release release;
      return load_controller_settings(file);
    },
    no_path, "Reads a controller file; without a path the package's own.");
  module.def(
    "parse_controller", &parse_controller_settings, py::arg("text"), py::arg("name") = "controller",
    "Reads the text of a controller file.");
}

}  // namespace fivebar_python
