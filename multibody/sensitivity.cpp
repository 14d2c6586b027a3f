// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/sensitivity.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "bdf.hpp"
#include "fivebar_control/multibody/chain.hpp"
#include "fivebar_control/multibody/hadca_adjoint.hpp"
#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"

namespace fivebar_control::multibody
{
namespace
{

bool is_numerical(Method method)
{
  return method == Method::finite_difference || method == Method::central_difference ||
         method == Method::complex_step;
}

/// Whether a cost reads accelerations or multipliers.
bool read_accelerations(const Problem & problem)
{
  return std::any_of(problem.costs.begin(), problem.costs.end(), [](const auto & cost) {
    return cost->reads().accelerations;
  });
}

bool has_fixed_step(Integrator integrator)
{
  return integrator == Integrator::rk4 || integrator == Integrator::trapezoidal;
}

/// Whether the method walks backwards through the motion one step at a time.
bool knows_checkpoints(const FormTraits & form, Method method)
{
  return method == Method::discrete_adjoint ||
         (method == Method::adjoint && form.scheme == nullptr && !form.driven);
}

std::string obstacle_of_hamiltonian(
  const Problem & problem, const FormTraits & form, bool in_joint_space)
{
  if (!form.momenta)
  {
    return "the Hamiltonian adjoint belongs to the hamilton formulation";
  }
  if (!problem.events.empty() || problem.end)
  {
    return "the Hamiltonian adjoint does not handle events";
  }
  if (read_accelerations(problem))
  {
    return "the Hamiltonian adjoint does not handle accelerations or multipliers in the cost";
  }
  if (in_joint_space && problem.modes.front()->parameters_in_constraints())
  {
    return "the joint-space adjoint does not handle parameters of the constraints";
  }
  return "";
}

/// What a formulation asks of the mechanism, whatever the method.
std::string obstacle_of_form(
  const Problem & problem, const Settings & settings, const FormTraits & form)
{
  if (!form.events && (!problem.events.empty() || problem.end))
  {
    return fmt::format("the {} formulation does not handle events", form.name);
  }
  for (const auto & mode : problem.modes)
  {
    if (form.chain)
    {
      const std::string reason = mode->mechanism() == nullptr ? "a chain needs bodies and joints"
                                                              : chain_obstacle(*mode->mechanism());
      if (!reason.empty())
      {
        return reason;
      }
    }
    if (const std::string reason = form.tree ? tree_obstacle(*mode) : ""; !reason.empty())
    {
      return reason;
    }
    if (form.driven && mode->freedom() != 0)
    {
      return fmt::format(
        "the {} formulation needs a drive for every degree of freedom; {} are left", form.name,
        mode->freedom());
    }
  }
  if (settings.integrator == Integrator::bdf && form.scheme == nullptr)
  {
    if (!bdf_available())
    {
      return "this program was built without SUNDIALS IDA (Debian: libsundials-dev), so there is "
             "no integrator bdf";
    }
    if (settings.formulation == Formulation::penalty || form.momenta || form.chain || form.tree)
    {
      return fmt::format("integrator bdf is for index-1 and maggi, not for {}", form.name);
    }
  }
  if (form.driven && settings.integrator != Integrator::rk4)
  {
    return fmt::format("the {} formulation only integrates costs, by integrator rk4", form.name);
  }
  return "";
}

}  // namespace

std::string obstacle(const Problem & problem, const Settings & settings, Method method)
{
  const FormTraits & form = traits(settings.formulation);
  const std::string reason = obstacle_of_form(problem, settings, form);
  if (!reason.empty())
  {
    return reason;
  }
  if (settings.checkpoints != 0 && settings.integrator == Integrator::bdf)
  {
    return "checkpoints need an integrator that forgets: bdf goes on with what it did before";
  }
  if (settings.checkpoints != 0 && !knows_checkpoints(form, method))
  {
    return "checkpoints belong to the adjoint along a stored motion and to the discrete adjoint";
  }
  if (is_numerical(method) || method == Method::direct)
  {
    return "";
  }
  if (form.driven)
  {
    return method == Method::adjoint
             ? ""
             : fmt::format(
                 "the {} formulation has direct, adjoint and the numerical methods", form.name);
  }
  if (method == Method::discrete_adjoint)
  {
    return form.scheme == nullptr && !has_fixed_step(settings.integrator)
             ? "a discrete adjoint needs a fixed-step integrator"
             : "";
  }
  if (form.scheme != nullptr)
  {
    const bool ali3p = settings.formulation == Formulation::ali3p;
    return ali3p && method == Method::adjoint
             ? ""
             : fmt::format(
                 "the {} formulation has direct, {}discrete-adjoint and the numerical methods",
                 form.name, ali3p ? "adjoint, " : "");
  }
  switch (method)
  {
    case Method::adjoint_semi_explicit:
      return form.projected_mass ? "" : "adjoint-2 belongs to the maggi formulation";
    case Method::piecewise_adjoint:
      return form.momenta || form.chain
               ? "the piecewise adjoint needs a formulation with velocities: index-1, penalty or "
                 "maggi"
               : "";
    case Method::hadca_adjoint:
      return form.chain ? hadca_obstacle(problem) : "hadca belongs to the hadca formulation";
    case Method::hamiltonian_adjoint:
      return obstacle_of_hamiltonian(problem, form, false);
    case Method::hamiltonian_adjoint_joint:
      return obstacle_of_hamiltonian(problem, form, true);
    default:
      return "";
  }
}

namespace
{

/// Whether sensitivities are integrated like the motion.
bool by_bdf(const Problem & problem, const Settings & settings)
{
  return settings.integrator == Integrator::bdf && settings.formulation == Formulation::index1 &&
         problem.events.empty() && !problem.end;
}

/// The continuous adjoint that belongs to the formulation.
Gradient adjoint_of_form(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  if (settings.formulation == Formulation::ali3p)
  {
    return ali3p_adjoint(problem, settings, rho);
  }
  if (traits(settings.formulation).driven)
  {
    return kinematic_adjoint(problem, settings, rho);
  }
  return by_bdf(problem, settings) && !read_accelerations(problem)
           ? bdf_adjoint(problem, settings, rho)
           : adjoint(problem, settings, rho);
}

}  // namespace

Gradient gradient(
  const Problem & problem, const Settings & settings, const VectorD & rho, Method method)
{
  const std::string reason = obstacle(problem, settings, method);
  if (!reason.empty())
  {
    throw MechanismError(reason);
  }
  switch (method)
  {
    case Method::direct:
      return by_bdf(problem, settings) ? bdf_direct(problem, settings, rho)
                                       : direct(problem, settings, rho);
    case Method::adjoint:
      return adjoint_of_form(problem, settings, rho);
    case Method::adjoint_semi_explicit:
      return adjoint_semi_explicit(problem, settings, rho);
    case Method::discrete_adjoint:
      return discrete_adjoint(problem, settings, rho);
    case Method::hamiltonian_adjoint:
      return hamiltonian_adjoint(problem, settings, rho, AdjointSpace::absolute).gradient;
    case Method::hamiltonian_adjoint_joint:
      return hamiltonian_adjoint(problem, settings, rho, AdjointSpace::joint).gradient;
    case Method::piecewise_adjoint:
      return piecewise_adjoint(problem, settings, rho);
    case Method::hadca_adjoint:
      return hadca_adjoint(problem, settings, rho).gradient;
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
    case Method::hadca_adjoint:
      return "hadca";
    case Method::finite_difference:
      return "finite-difference";
    case Method::central_difference:
      return "central-difference";
    case Method::complex_step:
      return "complex-step";
  }
  return "?";
}

const char * name(Formulation formulation) { return traits(formulation).name; }

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
    case Integrator::bdf:
      return "bdf";
  }
  return "?";
}

const char * integrator_name(const Settings & settings)
{
  const char * scheme = traits(settings.formulation).scheme;
  if (settings.formulation == Formulation::index3 && settings.hht > 0.0)
  {
    return "hht";
  }
  return scheme != nullptr ? scheme : name(settings.integrator);
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
    Method::hadca_adjoint,
    Method::finite_difference,
    Method::central_difference,
    Method::complex_step};
  return methods;
}

const std::vector<Formulation> & all_formulations()
{
  static const std::vector<Formulation> formulations{
    Formulation::index1,    Formulation::penalty, Formulation::maggi,
    Formulation::hamilton,  Formulation::ali3p,   Formulation::index3,
    Formulation::kinematic, Formulation::hadca,   Formulation::recursive};
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
