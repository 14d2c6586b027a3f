// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <memory>

#include "arrays.hpp"
#include "fivebar_control/planner/methods/named_gradient.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/planner/rollout.hpp"

namespace fivebar_python
{
namespace
{

using namespace fivebar_control;  // NOLINT(google-build-using-namespace)

/// The tracking problem of a request's last stage, with what it came from.
class Problem
{
public:
  Problem(std::shared_ptr<RobotModel> robot, std::shared_ptr<PlanRequest> request)
  : robot_(std::move(robot)), request_(std::move(request)), problem_(make(*robot_, *request_))
  {
  }

  const TrackingProblem & tracking() const { return problem_; }

  double cost(const Numbers & voltages) const
  {
    Trajectory trajectory = trajectory_of(voltages);
    const py::gil_scoped_release release;
    StageDirections directions;
    directions.resize(problem_.nodes());
    if (!roll_out(problem_, trajectory, directions))
    {
      throw LeavesWorkspace("the voltages lead out of the workspace or too near a singularity");
    }
    return trajectory.cost.total();
  }

  std::pair<double, py::array> gradient(const Numbers & voltages, const std::string & method) const
  {
    Trajectory trajectory = trajectory_of(voltages);
    Channels<2> rows;
    rows.resize(problem_.nodes());
    double cost = 0.0;
    {
      const py::gil_scoped_release release;
      const GradientResult result = compute(method, trajectory);
      cost = result.cost;
      for (std::size_t i = 0; i < problem_.nodes(); ++i)
      {
        rows[0][i] = result.gradient[i][0];
        rows[1][i] = result.gradient[i][1];
      }
    }
    return {cost, two_rows(rows[0], rows[1], problem_.nodes())};
  }

  py::array guess() const
  {
    Trajectory trajectory;
    trajectory.resize(problem_.nodes());
    fill_guess(*robot_, *request_, problem_, trajectory);
    return two_rows(trajectory.input[0], trajectory.input[1], problem_.nodes());
  }

private:
  static TrackingProblem make(const RobotModel & robot, const PlanRequest & request)
  {
    const py::gil_scoped_release release;
    return make_problem(robot, request, request.stages.back());
  }

  Trajectory trajectory_of(const Numbers & voltages) const
  {
    const auto rows = read_voltages(voltages, problem_.nodes());
    Trajectory trajectory;
    trajectory.resize(problem_.nodes());
    std::copy(rows[0].begin(), rows[0].end(), trajectory.input[0]);
    std::copy(rows[1].begin(), rows[1].end(), trajectory.input[1]);
    return trajectory;
  }

  GradientResult compute(const std::string & method, Trajectory & trajectory) const
  {
    return named_gradient(method, problem_, *robot_, *request_->curve, trajectory);
  }

  std::shared_ptr<RobotModel> robot_;
  std::shared_ptr<PlanRequest> request_;
  TrackingProblem problem_;
};

}  // namespace

void bind_problem(py::module_ & module)
{
  constexpr const char * about_gradient =
    "(J, dJ/du) at voltages of shape (2, nodes) [V]; the gradient has the same shape [m^2/V].\n\n"
    "method: one of GRADIENT_METHODS. Raises LeavesWorkspace.";
  constexpr const char * about_cost =
    "J at voltages of shape (2, nodes) [V]. Raises LeavesWorkspace.";
  module.attr("GRADIENT_METHODS") = py::tuple(py::cast(gradient_method_names()));
  py::class_<Problem>(
    module, "Problem",
    "The planning problem of a request as functions of the voltages, for one's own optimiser.\n\n"
    "It is that of the request's last stage. The bounds on the voltages are not part of J.")
    .def(
      py::init<std::shared_ptr<RobotModel>, std::shared_ptr<PlanRequest>>(), py::arg("robot"),
      py::arg("request"), "Raises NotReachable if the robot cannot draw the curve.")
    .def_property_readonly(
      "nodes", [](const Problem & p) { return p.tracking().nodes(); },
      "How many voltages per motor.")
    .def_property_readonly(
      "time_step", [](const Problem & p) { return p.tracking().step; }, "s.")
    .def_property_readonly(
      "voltage_limit", [](const Problem & p) { return p.tracking().bounds.voltage; },
      "V; inf: none.")
    .def(
      "guess", &Problem::guess,
      "Voltages to start from, shape (2, nodes) [V]: what the request says, not yet within bounds.")
    .def("cost", &Problem::cost, py::arg("voltages"), about_cost)
    .def(
      "gradient", &Problem::gradient, py::arg("voltages"), py::arg("method") = "discrete-adjoint",
      about_gradient);
  module.def(
    "cost",
    [](
      std::shared_ptr<RobotModel> robot, std::shared_ptr<PlanRequest> request,
      const Numbers & voltages) {
      return Problem(std::move(robot), std::move(request)).cost(voltages);
    },
    py::arg("robot"), py::arg("request"), py::arg("voltages"), about_cost);
  module.def(
    "gradient",
    [](
      std::shared_ptr<RobotModel> robot, std::shared_ptr<PlanRequest> request,
      const Numbers & voltages, const std::string & method) {
      return Problem(std::move(robot), std::move(request)).gradient(voltages, method);
    },
    py::arg("robot"), py::arg("request"), py::arg("voltages"),
    py::arg("method") = "discrete-adjoint", about_gradient);
}

}  // namespace fivebar_python
