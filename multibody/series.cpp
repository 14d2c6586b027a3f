// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/series.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/multibody/hadca_adjoint.hpp"
#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"
#include "fivebar_control/multibody/trajectory.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// xi and eta, column by column.
struct AdjointSeries
{
  std::vector<double> times;
  std::vector<VectorD> rows;

  template <class Nodes>
  void take(const Nodes & nodes)
  {
    for (const auto & node : nodes)
    {
      times.push_back(node.t);
      rows.emplace_back(node.xi.size() + node.eta.size());
      rows.back() << node.xi, node.eta;
    }
  }
  /// At the node nearest to t.
  const VectorD & at(double t) const
  {
    const auto next = std::lower_bound(times.begin(), times.end(), t);
    auto i = static_cast<std::size_t>(next - times.begin());
    if (i == times.size() || (i > 0 && t - times[i - 1] < times[i] - t))
    {
      --i;
    }
    return rows[i];
  }
};

AdjointSeries adjoint_of(
  const MechanismFile & file, const VectorD & rho, const std::optional<Method> & method)
{
  AdjointSeries series;
  if (method == Method::hadca_adjoint)
  {
    series.take(hadca_adjoint(file.problem, file.settings, rho).nodes);
  }
  if (method == Method::hamiltonian_adjoint || method == Method::hamiltonian_adjoint_joint)
  {
    const AdjointSpace space =
      method == Method::hamiltonian_adjoint_joint ? AdjointSpace::joint : AdjointSpace::absolute;
    series.take(hamiltonian_adjoint(file.problem, file.settings, rho, space).nodes);
  }
  return series;
}

std::string header(const MechanismFile & file, int multipliers, bool adjoint)
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
  text += ",residual,residual_rate";
  for (const char * prefix : {"xi", "eta"})
  {
    for (const std::string & name : file.mechanism->coordinate_names)
    {
      text += adjoint ? fmt::format(",{}_{}", prefix, name) : "";
    }
  }
  return text + "\n";
}

void append(std::string & line, const VectorD & values)
{
  for (const double value : values)
  {
    line += fmt::format(",{:.12g}", value);
  }
}

}  // namespace

std::string series_of(const MechanismFile & file, const VectorD & rho, std::optional<Method> method)
{
  const Problem & problem = file.problem;
  const Trajectory motion = simulate(problem, file.settings, rho);
  int multipliers = 0;
  for (const auto & mode : problem.modes)
  {
    multipliers = std::max(multipliers, mode->constraints());
  }
  const AdjointSeries adjoint = adjoint_of(file, rho, method);
  std::string text = header(file, multipliers, !adjoint.rows.empty());
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
      append(text, VectorD::Zero(multipliers - at.lambda.size()));  // joints of other modes
      append(text, theta.tail(theta.size() - problem.structural));
      phase.form->system().evaluate(Point<double>{node.t, at.q, at.v, theta}, terms);
      const VectorD rate = terms.Phi_q * at.v + terms.Phi_t;
      text += fmt::format(",{:.3g},{:.3g}", terms.Phi.norm(), rate.norm());
      if (!adjoint.rows.empty())
      {
        append(text, adjoint.at(node.t));
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace fivebar_control::multibody
