// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
// Without this one, make_controlled() takes the tolerances for something else.
#include <boost/numeric/odeint/stepper/generation/generation_controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation/generation_runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/generation/make_controlled.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

#include "bdf.hpp"
#include "dense.hpp"
#include "fivebar_control/multibody/form.hpp"

namespace fivebar_control::multibody
{

template <class S>
VectorD real_vector(const Vector<S> & x)
{
  return x.real();
}

/// A state on the way, with what the form says about it.
template <class S>
struct Instant
{
  S t{};
  Vector<S> y;
  Response<S> response;
};

/// The end of a step and the costs that were collected on it.
template <class S>
struct Advance
{
  Instant<S> to;
  Vector<S> costs;
};

/// Advances a motion and its running costs by one step of any length, also a complex one.
template <class S>
class Stepper
{
public:
  Stepper(const Problem & problem, const Settings & settings, const Vector<S> & rho)
  : problem_(problem), settings_(settings), rho_(rho)
  {
  }

  Instant<S> instant(
    const Form & form, const S & t, const Vector<S> & y, const VectorD & hint) const
  {
    Instant<S> result{t, y, {}};
    form.respond(t, y, problem_.local(t, rho_), hint, result.response);
    return result;
  }

  Vector<S> running(const Instant<S> & at) const
  {
    const Motion<S> motion{at.t,          at.response.q,      at.response.v,
                           at.response.a, at.response.lambda, problem_.local(at.t, rho_)};
    Vector<S> g(static_cast<Eigen::Index>(problem_.costs.size()));
    for (std::size_t i = 0; i < problem_.costs.size(); ++i)
    {
      g(static_cast<Eigen::Index>(i)) = problem_.costs[i]->running(motion);
    }
    return g;
  }

  Point<S> point(const Instant<S> & at) const
  {
    return {at.t, at.response.q, at.response.v, problem_.local(at.t, rho_)};
  }

  Advance<S> advance(const Form & form, const Instant<S> & from, const S & h) const
  {
    if (form.scheme() != nullptr)
    {
      return own_step(form, from, h);
    }
    if (settings_.integrator == Integrator::trapezoidal)
    {
      return trapezoidal(form, from, h);
    }
    if constexpr (std::is_same_v<S, double>)
    {
      if (settings_.integrator == Integrator::adaptive)
      {
        return adaptive(form, from, h);
      }
      if (settings_.integrator == Integrator::bdf)
      {
        return bdf(form, from, h);
      }
    }
    return rk4(form, from, h);
  }

protected:
  const Problem & problem_;
  const Settings & settings_;
  const Vector<S> & rho_;

private:
  Advance<S> own_step(const Form & form, const Instant<S> & from, const S & h) const;
  Advance<S> rk4(const Form & form, const Instant<S> & from, const S & h) const;
  Advance<S> trapezoidal(const Form & form, const Instant<S> & from, const S & h) const;
  Advance<double> adaptive(const Form & form, const Instant<double> & from, double h) const;
  Advance<double> bdf(const Form & form, const Instant<double> & from, double h) const;

  mutable std::unique_ptr<BdfMotion> bdf_;  ///< goes on from step to step
  mutable const Form * bdf_form_ = nullptr;
};

template <class S>
Advance<S> Stepper<S>::own_step(const Form & form, const Instant<S> & from, const S & h) const
{
  const S t = from.t + h;
  const Vector<S> y =
    form.scheme()->step(real_part(from.t), from.y, real_part(h), problem_.local(t, rho_));
  Advance<S> result;
  result.to = instant(form, t, y, real_vector(from.response.q));
  result.costs = 0.5 * h * (running(from) + running(result.to));
  return result;
}

template <class S>
Advance<S> Stepper<S>::rk4(const Form & form, const Instant<S> & from, const S & h) const
{
  const VectorD hint = real_vector(from.response.q);
  const S half = 0.5 * h;
  const Instant<S> second = instant(form, from.t + half, from.y + half * from.response.rate, hint);
  const Instant<S> third = instant(form, from.t + half, from.y + half * second.response.rate, hint);
  const Instant<S> fourth = instant(form, from.t + h, from.y + h * third.response.rate, hint);
  Advance<S> result;
  result.costs =
    (h / 6.0) * (running(from) + 2.0 * running(second) + 2.0 * running(third) + running(fourth));
  const Vector<S> y = from.y + (h / 6.0) * (from.response.rate + 2.0 * second.response.rate +
                                            2.0 * third.response.rate + fourth.response.rate);
  result.to = instant(form, from.t + h, y, hint);
  return result;
}

template <class S>
Advance<S> Stepper<S>::trapezoidal(const Form & form, const Instant<S> & from, const S & h) const
{
  const VectorD hint = real_vector(from.response.q);
  const double step = real_part(h);
  Advance<S> result;
  result.to = instant(form, from.t + h, from.y + h * from.response.rate, hint);

  // Newton with the matrix of the predicted state; it converges by a factor of order h per pass.
  MatrixD matrix;
  {
    const double t = real_part(result.to.t);
    const VectorD y = real_vector(result.to.y);
    const VectorD theta = real_vector<S>(problem_.local(result.to.t, rho_));
    Response<double> response;
    form.respond(t, y, theta, hint, response);
    const ResponseTangent tangent = form.linearise(t, y, theta, response);
    matrix =
      MatrixD::Identity(form.size(), form.size()) - 0.5 * step * tangent.rate.leftCols(form.size());
  }
  const Lu<S> factors(matrix.cast<S>());
  for (int i = 0; i < 100; ++i)
  {
    const Vector<S> residual =
      result.to.y - from.y - 0.5 * h * (from.response.rate + result.to.response.rate);
    const Vector<S> correction = factors.solve(residual);
    const Vector<S> y = result.to.y - correction;
    result.to = instant(form, result.to.t, y, hint);
    bool converged = correction.real().norm() <= 1e-14 * (1.0 + y.norm());
    if constexpr (!std::is_same_v<S, double>)
    {
      converged = converged && correction.imag().norm() <= 1e-14 * y.imag().norm();
    }
    if (converged)
    {
      break;
    }
    if (!(correction.norm() < 1e6) || i == 99)
    {
      throw MechanismError(fmt::format(
        "the implicit step at t = {:.6g} s does not converge; a smaller step may help",
        real_part(from.t)));
    }
  }
  result.costs = 0.5 * h * (running(from) + running(result.to));
  return result;
}

template <class S>
Advance<double> Stepper<S>::adaptive(
  const Form & form, const Instant<double> & from, double h) const
{
  namespace odeint = boost::numeric::odeint;
  using State = std::vector<double>;
  if constexpr (std::is_same_v<S, double>)
  {
    const Eigen::Index ny = form.size();
    const auto nc = static_cast<Eigen::Index>(problem_.costs.size());
    State state(static_cast<std::size_t>(ny + nc), 0.0);
    Eigen::Map<VectorD>(state.data(), ny) = from.y;
    VectorD hint = from.response.q;
    const auto right = [&](const State & x, State & rate, double t) {
      const Instant<double> at = instant(form, t, Eigen::Map<const VectorD>(x.data(), ny), hint);
      hint = at.response.q;
      Eigen::Map<VectorD>(rate.data(), ny) = at.response.rate;
      Eigen::Map<VectorD>(rate.data() + ny, nc) = running(at);
    };
    if (h > 0.0)
    {
      odeint::integrate_adaptive(
        odeint::make_controlled(
          settings_.tolerance, settings_.tolerance, odeint::runge_kutta_dopri5<State>()),
        right, state, from.t, from.t + h, h);
    }
    Advance<double> result;
    result.costs = Eigen::Map<VectorD>(state.data() + ny, nc);
    result.to = instant(form, from.t + h, Eigen::Map<VectorD>(state.data(), ny), hint);
    return result;
  }
  else
  {
    (void)form;
    (void)from;
    (void)h;
    throw InternalError("the adaptive integrator works on real numbers");
  }
}

/// The stabilised index-1 equations lead to the form's state at the end of the step.
template <class S>
Advance<double> Stepper<S>::bdf(const Form & form, const Instant<double> & from, double h) const
{
  if constexpr (std::is_same_v<S, double>)
  {
    if (bdf_form_ != &form)
    {
      bdf_ = make_bdf_motion(problem_, settings_, rho_, form.system());
      bdf_form_ = &form;
    }
    const double t = from.t + h;
    const BdfMotion::End end = bdf_->advance(from.t, from.response.q, from.response.v, h);
    Advance<double> result;
    result.costs = end.costs;
    const Point<double> at{t, end.q, end.v, problem_.local(t, rho_)};
    result.to = instant(form, t, form.state(at), end.q);
    return result;
  }
  else
  {
    (void)form;
    (void)from;
    (void)h;
    throw InternalError("the integrator bdf works on real numbers");
  }
}

}  // namespace fivebar_control::multibody
