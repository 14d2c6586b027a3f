// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fivebar_control/multibody/maggi_form.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "multibody/gradients.hpp"

namespace fivebar_control::multibody
{
namespace
{

TEST(PiecewiseAdjoint, EqualsTheAdjointOnAnyNumberOfIntervalsAndThreads)
{
  const Problem problem = fivebar_springs();
  Settings settings;
  const Trajectory trajectory = simulate(problem, settings, problem.rho);
  const MatrixD whole = adjoint_of(problem, settings, trajectory);
  for (const int intervals : {1, 7, 64})
  {
    for (const int threads : {1, 4})
    {
      settings.intervals = intervals;
      settings.threads = threads;
      EXPECT_LT(
        relative_difference(piecewise_adjoint_of(problem, settings, trajectory), whole), 1e-9)
        << intervals << " intervals, " << threads << " threads";
    }
  }
}

TEST(PiecewiseAdjoint, MapsChangesOfThePartition)
{
  // The motion passes x = 0 and cos th = 0, so no fixed choice of coordinates lasts.
  const Problem problem = schaffer_reference(false);
  Settings settings;
  settings.step = 2e-4;
  const Trajectory trajectory = simulate(problem, settings, problem.rho);
  settings.intervals = 16;
  std::vector<std::vector<int>> partitions;
  for (const Node & node : trajectory.phases.front().nodes)
  {
    Response<double> response;
    trajectory.phases.front().form->respond(node.t, node.y, problem.rho, node.q, response);
    const auto choice =
      choose_independent(*problem.modes.front(), {node.t, response.q, response.v, problem.rho});
    if (partitions.empty() || partitions.back() != choice)
    {
      partitions.push_back(choice);
    }
  }
  EXPECT_GE(partitions.size(), 2u);
  EXPECT_LT(
    relative_difference(
      piecewise_adjoint_of(problem, settings, trajectory),
      adjoint_of(problem, settings, trajectory)),
    1e-9);
}

}  // namespace
}  // namespace fivebar_control::multibody
