// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/sensitivity.hpp"

#include <algorithm>

#include "fivebar_control/multibody/ali3p.hpp"
#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"
#include "fivebar_control/support/random.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Whether any running cost reads accelerations or multipliers, probed at an arbitrary point.
bool reads_accelerations(const Problem & problem)
{
  const System & system = *problem.modes.front();
  Random random(7);
  const auto arbitrary = [&](Eigen::Index size, bool seeded) {
    Vector<DualD> values(size);
    for (Eigen::Index i = 0; i < size; ++i)
    {
      values(i) = DualD(random.uniform(0.5, 1.5));
      values(i)[0] = seeded ? random.uniform(0.5, 1.5) : 0.0;
    }
    return values;
  };
  const Eigen::Index n = system.coordinates();
  const Motion<DualD> motion{
    DualD(0.1),
    arbitrary(n, false),
    arbitrary(n, false),
    arbitrary(n, true),
    arbitrary(system.constraints(), true),
    arbitrary(problem.local_parameters(), false)};
  for (const auto & cost : problem.costs)
  {
    if (cost->running(motion)[0] != 0.0)
    {
      return true;
    }
  }
  return false;
}

/// Whether a parameter enters the constraints, probed at the start.
bool parameters_in_constraints(const Problem & problem)
{
  const System & system = *problem.modes.front();
  Directions along(system, system.parameters());
  along.theta.setIdentity();
  const VectorD theta = problem.local(0.0, problem.rho);
  bool found = false;
  differentiate(
    system, {0.0, problem.initial->estimate(), VectorD::Ones(system.coordinates()), theta}, along,
    [&](const Point<DualD> &, const Terms<DualD> & dual, Eigen::Index, int count) {
      for (int d = 0; d < count; ++d)
      {
        for (Eigen::Index i = 0; i < dual.Phi.size(); ++i)
        {
          found = found || dual.Phi(i)[d] != 0.0;
        }
        found = found || slope(dual.Phi_q, d).cwiseAbs().maxCoeff() != 0.0;
      }
    });
  return found;
}

}  // namespace

std::string obstacle(const Problem & problem, const Settings & settings, Method method)
{
  const bool events = !problem.events.empty() || problem.end;
  if (settings.formulation == Formulation::ali3p)
  {
    if (events)
    {
      return "the ali3p formulation does not handle events";
    }
    const bool numerical = method == Method::finite_difference ||
                           method == Method::central_difference || method == Method::complex_step;
    return numerical || method == Method::direct || method == Method::discrete_adjoint
             ? ""
             : "the ali3p formulation has direct, discrete-adjoint and the numerical methods";
  }
  switch (method)
  {
    case Method::adjoint_semi_explicit:
      return settings.formulation == Formulation::maggi
               ? ""
               : "adjoint-2 belongs to the maggi formulation";
    case Method::piecewise_adjoint:
      return settings.formulation == Formulation::hamilton
               ? "the piecewise adjoint needs a formulation with velocities: index-1, penalty or "
                 "maggi"
               : "";
    case Method::hamiltonian_adjoint:
    case Method::hamiltonian_adjoint_joint:
      if (settings.formulation != Formulation::hamilton)
      {
        return "the Hamiltonian adjoint belongs to the hamilton formulation";
      }
      if (events)
      {
        return "the Hamiltonian adjoint does not handle events";
      }
      if (reads_accelerations(problem))
      {
        return "the Hamiltonian adjoint does not handle accelerations or multipliers in the cost";
      }
      if (method == Method::hamiltonian_adjoint_joint && parameters_in_constraints(problem))
      {
        return "the joint-space adjoint does not handle parameters of the constraints";
      }
      return "";
    case Method::discrete_adjoint:
      return settings.integrator == Integrator::adaptive
               ? "a discrete adjoint needs a fixed-step integrator"
               : "";
    default:
      return "";
  }
}

Gradient gradient(
  const Problem & problem, const Settings & settings, const VectorD & rho, Method method)
{
  const std::string reason = obstacle(problem, settings, method);
  if (!reason.empty())
  {
    throw MechanismError(reason);
  }
  const bool ali3p = settings.formulation == Formulation::ali3p;
  switch (method)
  {
    case Method::direct:
      return ali3p ? ali3p_direct(problem, settings, rho) : direct(problem, settings, rho);
    case Method::adjoint:
      return adjoint(problem, settings, rho);
    case Method::adjoint_semi_explicit:
      return adjoint_semi_explicit(problem, settings, rho);
    case Method::discrete_adjoint:
      return ali3p ? ali3p_adjoint(problem, settings, rho)
                   : discrete_adjoint(problem, settings, rho);
    case Method::hamiltonian_adjoint:
      return hamiltonian_adjoint(problem, settings, rho, AdjointSpace::absolute).gradient;
    case Method::hamiltonian_adjoint_joint:
      return hamiltonian_adjoint(problem, settings, rho, AdjointSpace::joint).gradient;
    case Method::piecewise_adjoint:
      return piecewise_adjoint(problem, settings, rho);
    case Method::finite_difference:
      return finite_difference(problem, settings, rho, 1e-7);
    case Method::central_difference:
      return central_difference(problem, settings, rho, 1e-6);
    case Method::complex_step:
      return complex_step(problem, settings, rho);
  }
  throw InternalError("unknown method");
}

const char * name(Method method)
{
  switch (method)
  {
    case Method::direct:
      return "direct";
    case Method::adjoint:
      return "adjoint";
    case Method::adjoint_semi_explicit:
      return "adjoint-2";
    case Method::discrete_adjoint:
      return "discrete-adjoint";
    case Method::hamiltonian_adjoint:
      return "hamiltonian-absolute";
    case Method::hamiltonian_adjoint_joint:
      return "hamiltonian-joint";
    case Method::piecewise_adjoint:
      return "piecewise-adjoint";
    case Method::finite_difference:
      return "finite-difference";
    case Method::central_difference:
      return "central-difference";
    case Method::complex_step:
      return "complex-step";
  }
  return "?";
}

const char * name(Formulation formulation)
{
  switch (formulation)
  {
    case Formulation::index1:
      return "index-1";
    case Formulation::penalty:
      return "penalty";
    case Formulation::maggi:
      return "maggi";
    case Formulation::hamilton:
      return "hamilton";
    case Formulation::ali3p:
      return "ali3p";
  }
  return "?";
}

const char * name(Integrator integrator)
{
  switch (integrator)
  {
    case Integrator::rk4:
      return "rk4";
    case Integrator::trapezoidal:
      return "trapezoidal";
    case Integrator::adaptive:
      return "adaptive";
  }
  return "?";
}

const std::vector<Method> & all_methods()
{
  static const std::vector<Method> methods{
    Method::direct,
    Method::adjoint,
    Method::adjoint_semi_explicit,
    Method::discrete_adjoint,
    Method::hamiltonian_adjoint,
    Method::hamiltonian_adjoint_joint,
    Method::piecewise_adjoint,
    Method::finite_difference,
    Method::central_difference,
    Method::complex_step};
  return methods;
}

const std::vector<Formulation> & all_formulations()
{
  static const std::vector<Formulation> formulations{
    Formulation::index1, Formulation::penalty, Formulation::maggi, Formulation::hamilton,
    Formulation::ali3p};
  return formulations;
}

std::optional<Method> method_named(const std::string & text)
{
  const auto & all = all_methods();
  const auto found =
    std::find_if(all.begin(), all.end(), [&](Method m) { return text == name(m); });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::optional<Formulation> formulation_named(const std::string & text)
{
  const auto & all = all_formulations();
  const auto found =
    std::find_if(all.begin(), all.end(), [&](Formulation f) { return text == name(f); });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace fivebar_control::multibody
