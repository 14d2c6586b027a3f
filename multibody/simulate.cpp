// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "fivebar_control/multibody/maggi_form.hpp"
#include "fivebar_control/multibody/trajectory.hpp"
#include "jump.hpp"
#include "stepper.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Conditioning of the Maggi form below which other independent coordinates are chosen.
constexpr double poor_quality = 0.02;
constexpr std::size_t max_events = 10000;

/// Runs a whole motion: steps, events, changes of coordinates.
template <class S>
class Runner : private Stepper<S>
{
public:
  using Stepper<S>::Stepper;

  Vector<S> run(Trajectory * store);

private:
  using Stepper<S>::instant;
  using Stepper<S>::point;
  using Stepper<S>::advance;
  using Stepper<S>::problem_;
  using Stepper<S>::settings_;
  using Stepper<S>::rho_;

  double watched(const EventFunction & function, const Instant<S> & at) const
  {
    return real_part(function.value(point(at)));
  }
  /// The length of the step from `from` that ends where `function` vanishes.
  S locate(
    const EventFunction & function, const Form & form, const Instant<S> & from, double h) const;
};

template <class S>
S Runner<S>::locate(
  const EventFunction & function, const Form & form, const Instant<S> & from, double h) const
{
  // Regula falsi with the Illinois safeguard on the real part ...
  double left = 0.0, right = h;
  double r_left = watched(function, from);
  double r_right = watched(function, advance(form, from, S(h)).to);
  double root = right;
  for (int i = 0; i < 200 && right - left > 1e-15 * h; ++i)
  {
    root = (r_left * right - r_right * left) / (r_left - r_right);
    if (!(root > left && root < right))
    {
      root = 0.5 * (left + right);
    }
    const double r = watched(function, advance(form, from, S(root)).to);
    if (r == 0.0 || std::abs(r) < 1e-16)
    {
      break;
    }
    if (r > 0.0)
    {
      left = root;
      r_left = r;
      r_right *= 0.5;
    }
    else
    {
      right = root;
      r_right = r;
      r_left *= 0.5;
    }
  }
  // ... and for complex numbers Newton for the imaginary part of the event time.
  S length(root);
  if constexpr (!std::is_same_v<S, double>)
  {
    for (int i = 0; i < 3; ++i)
    {
      const Instant<S> at = advance(form, from, length).to;
      const Point<S> here = point(at);
      Point<double> base{real_part(here.t), here.q.real(), here.v.real(), here.theta.real()};
      Directions along(form.system(), 1);
      along.q.col(0) = base.v;
      along.v.col(0) = at.response.a.real();
      along.theta.col(0) = problem_.local_rate(base.t, rho_.real());
      along.t(0) = 1.0;
      const double rate = function.value(seeded(base, along, 0, 1))[0];
      length -= Complex(0.0, function.value(here).imag()) / rate;
    }
  }
  return length;
}

template <class S>
Vector<S> Runner<S>::run(Trajectory * store)
{
  std::shared_ptr<const System> system = problem_.modes.front();
  const Vector<S> theta = problem_.local(S(0.0), rho_);
  const InitialState<S> start = assemble<S>(*system, *problem_.initial, theta);
  const Point<double> start_point{
    0.0, real_vector(start.q), real_vector(start.v), real_vector(theta)};
  std::shared_ptr<const Form> form = make_form(system, settings_, start_point);
  Instant<S> now =
    instant(*form, S(0.0), form->state(Point<S>{S(0.0), start.q, start.v, theta}), start_point.q);

  int mode = 0;
  Vector<S> costs = Vector<S>::Zero(static_cast<Eigen::Index>(problem_.costs.size()));
  const auto remember = [&](const Instant<S> & at) {
    if constexpr (std::is_same_v<S, double>)
    {
      if (store != nullptr)
      {
        store->phases.back().nodes.push_back({at.t, at.y, at.response.rate, at.response.q});
      }
    }
  };
  const auto begin_phase = [&]() {
    if (store != nullptr)
    {
      store->phases.push_back({form, mode, {}, {}});
    }
    remember(now);
  };
  const auto change = [&](const Event * event) {
    std::shared_ptr<const System> next =
      event == nullptr ? system : problem_.modes[static_cast<std::size_t>(event->next_mode)];
    Point<S> at = point(now);
    if (event != nullptr)
    {
      at.v = velocity_after(*event, *next, at);
      mode = event->next_mode;
    }
    const Point<double> real{
      real_part(at.t), real_vector(at.q), real_vector(at.v), real_vector(at.theta)};
    Settings fresh = settings_;
    if (event == nullptr)
    {
      fresh.independent.clear();
    }
    std::shared_ptr<const Form> next_form = make_form(next, fresh, real);
    const Instant<S> landed = instant(*next_form, now.t, next_form->state(at), real.q);
    if constexpr (std::is_same_v<S, double>)
    {
      if (store != nullptr)
      {
        store->phases.back().jump = linearise_jump(
          problem_, rho_, event, *form, now.response, now.y, *next_form, landed.response, now.t);
        if (event != nullptr)
        {
          store->event_times.push_back(now.t);
        }
      }
    }
    system = next;
    form = next_form;
    now = landed;
    begin_phase();
  };

  begin_phase();
  std::size_t events = 0;
  bool ended = false;
  bool end_reached = false;
  // Steps are counted from the last event, so that grids (and input nodes) are met exactly.
  S origin = now.t;
  long count = 0;
  long steps = std::max(1L, std::lround(std::ceil(problem_.duration / settings_.step - 1e-9)));
  while (!ended)
  {
    const S h = (S(problem_.duration) - origin) / static_cast<double>(steps);
    Advance<S> ahead = advance(*form, now, h);
    if (!std::isfinite(ahead.to.y.norm()))
    {
      throw MechanismError(fmt::format(
        "the motion is not finite after t = {:.6g} s; a smaller step may help", real_part(now.t)));
    }

    // The first of all events in this step.
    const Event * first = nullptr;
    bool end_first = false;
    std::optional<S> length;
    const auto consider = [&](const EventFunction & function, const Event * event) {
      if (watched(function, now) > 0.0 && watched(function, ahead.to) <= 0.0)
      {
        const S candidate = locate(function, *form, now, real_part(h));
        if (!length || real_part(candidate) < real_part(*length))
        {
          length = candidate;
          first = event;
          end_first = event == nullptr;
        }
      }
    };
    for (const Event & event : problem_.events)
    {
      if (event.mode == mode)
      {
        consider(*event.function, &event);
      }
    }
    if (problem_.end)
    {
      consider(*problem_.end, nullptr);
    }

    if (length)
    {
      ahead = advance(*form, now, *length);
    }
    costs += ahead.costs;
    now = ahead.to;
    remember(now);
    if (length && end_first)
    {
      ended = true;
      end_reached = true;
    }
    else if (length)
    {
      if (++events > max_events)
      {
        throw MechanismError(fmt::format(
          "more than {} events before t = {:.6g} s: they pile up", max_events, real_part(now.t)));
      }
      change(first);
      origin = now.t;
      count = 0;
      const double left = problem_.duration - real_part(origin);
      if (left < 1e-12)
      {
        break;
      }
      steps = std::max(1L, std::lround(std::ceil(left / settings_.step - 1e-9)));
    }
    else
    {
      now.t = origin + h * static_cast<double>(++count);
      ended = count == steps;
      if (
        !ended && settings_.formulation == Formulation::maggi &&
        form->quality(Point<double>{
          real_part(now.t), real_vector(now.response.q), real_vector(now.response.v),
          real_vector<S>(problem_.local(now.t, rho_))}) < poor_quality)
      {
        const auto & present = static_cast<const MaggiForm &>(*form).independent();
        if (
          choose_independent(
            *system, {real_part(now.t), real_vector(now.response.q), real_vector(now.response.v),
                      real_vector<S>(problem_.local(now.t, rho_))}) != present)
        {
          change(nullptr);
        }
      }
    }
  }
  if (problem_.end && !end_reached)
  {
    throw MechanismError(fmt::format(
      "the end condition is not met within the duration of {:.6g} s", problem_.duration));
  }

  const Point<S> at = point(now);
  const Motion<S> last{at.t, at.q, at.v, {}, {}, at.theta};
  for (std::size_t i = 0; i < problem_.costs.size(); ++i)
  {
    costs(static_cast<Eigen::Index>(i)) += problem_.costs[i]->terminal(last);
  }
  if constexpr (std::is_same_v<S, double>)
  {
    if (store != nullptr)
    {
      linearise_end(problem_, *form, now.y, now.response, now.t, *store);
    }
  }
  return costs;
}

}  // namespace

Trajectory simulate(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  Trajectory trajectory;
  trajectory.rho = rho;
  trajectory.costs = Runner<double>(problem, settings, rho).run(&trajectory);

  const Phase & first = trajectory.phases.front();
  const Form & form = *first.form;
  Response<double> response;
  const VectorD theta = problem.local(0.0, rho);
  form.respond(0.0, first.nodes.front().y, theta, first.nodes.front().q, response);
  const Point<double> start{0.0, response.q, response.v, theta};
  const InitialTangent tangent = initial_tangent(form.system(), *problem.initial, start);
  Directions along(form.system(), theta.size());
  along.theta.setIdentity();
  along.q = tangent.q;
  along.v = tangent.v;
  trajectory.initial = problem.to_global(0.0, form.state_tangent(start, along));
  return trajectory;
}

template <class S>
Vector<S> simulate_costs(const Problem & problem, const Settings & settings, const Vector<S> & rho)
{
  return Runner<S>(problem, settings, rho).run(nullptr);
}
template Vector<double> simulate_costs(const Problem &, const Settings &, const Vector<double> &);
template Vector<Complex> simulate_costs(const Problem &, const Settings &, const Vector<Complex> &);

}  // namespace fivebar_control::multibody
