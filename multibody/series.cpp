// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/series.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/multibody/trajectory.hpp"

namespace fivebar_control::multibody
{
namespace
{

std::string header(const MechanismFile & file, int multipliers)
{
  std::string text = "t";
  for (const char * suffix : {"", "_rate", "_acceleration"})
  {
    for (const std::string & name : file.mechanism->coordinate_names)
    {
      text += fmt::format(",{}{}", name, suffix);
    }
  }
  for (int i = 0; i < multipliers; ++i)
  {
    text += fmt::format(",lambda_{}", i);
  }
  for (const std::string & name : file.input_names)
  {
    text += fmt::format(",input_{}", name);
  }
  return text + ",residual,residual_rate\n";
}

void append(std::string & line, const VectorD & values)
{
  for (const double value : values)
  {
    line += fmt::format(",{:.12g}", value);
  }
}

}  // namespace

std::string series_of(const MechanismFile & file, const VectorD & rho)
{
  const Problem & problem = file.problem;
  const Trajectory motion = simulate(problem, file.settings, rho);
  int multipliers = 0;
  for (const auto & mode : problem.modes)
  {
    multipliers = std::max(multipliers, mode->constraints());
  }
  std::string text = header(file, multipliers);
  Terms<double> terms;
  for (const Phase & phase : motion.phases)
  {
    for (const Node & node : phase.nodes)
    {
      const Response<double> at = response_at(problem, motion, phase, node);
      const VectorD theta = problem.local(node.t, rho);
      text += fmt::format("{:.12g}", node.t);
      append(text, at.q);
      append(text, at.v);
      append(text, at.a);
      append(text, at.lambda);
      text.append(static_cast<std::size_t>(multipliers - at.lambda.size()), ',');
      append(text, theta.tail(theta.size() - problem.structural));
      phase.form->system().evaluate(Point<double>{node.t, at.q, at.v, theta}, terms);
      const VectorD rate = terms.Phi_q * at.v + terms.Phi_t;
      text += fmt::format(",{:.3g},{:.3g}\n", terms.Phi.norm(), rate.norm());
    }
  }
  return text;
}

}  // namespace fivebar_control::multibody
