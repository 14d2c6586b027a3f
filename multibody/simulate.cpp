// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>

#include "chain_start.hpp"
#include "fivebar_control/multibody/trajectory.hpp"
#include "jump.hpp"
#include "runner.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr std::size_t max_events = 10000;

}  // namespace

template <class S>
void Runner<S>::start()
{
  const std::shared_ptr<const System> & system = problem_.modes.front();
  const Vector<S> theta = problem_.local(S(0.0), rho_);
  if constexpr (std::is_same_v<S, double>)
  {
    if (traits(settings_.formulation).chain)
    {
      form_ = make_form(system, settings_, Point<double>());
      now_ = instant(*form_, 0.0, chain_start(problem_, *form_, theta), VectorD());
      begin_phase();
      begin_grid();
      return;
    }
  }
  const InitialState<S> state = assemble<S>(*system, *problem_.initial, theta);
  const Point<S> at{S(0.0), state.q, state.v, theta};
  form_ = make_form(system, settings_, real_point(at));
  now_ = instant(*form_, S(0.0), form_->state(at), real_vector(state.q));
  begin_phase();
  begin_grid();
}

template <class S>
void Runner<S>::begin_grid()
{
  origin_ = now_.t;
  count_ = 0;
  const double left = problem_.duration - real_part(origin_);
  ended_ = left < 1e-12;
  steps_ = std::max(1L, std::lround(std::ceil(left / settings_.step - 1e-9)));
}

template <class S>
void Runner<S>::step()
{
  const S h = (S(problem_.duration) - origin_) / static_cast<double>(steps_);
  set_checkpoint(real_part(h));
  Advance<S> ahead = advance(*form_, now_, h);
  if (!std::isfinite(ahead.to.y.norm()))
  {
    throw MechanismError(fmt::format(
      "the motion is not finite after t = {:.6g} s; a smaller step may help", real_part(now_.t)));
  }
  const std::optional<Crossing> crossing = first_crossing(ahead.to, h);
  if (crossing)
  {
    ahead = advance(*form_, now_, crossing->length);
    if (store_ != nullptr)
    {
      store_->phases.back().last_step = real_part(crossing->length);
    }
  }
  costs_ += ahead.costs;
  now_ = ahead.to;
  remember();
  if (crossing && crossing->event == nullptr)
  {
    ended_ = end_reached_ = true;
    return;
  }
  if (crossing)
  {
    pass(*crossing->event);
    return;
  }
  now_.t = origin_ + h * static_cast<double>(++count_);
  ended_ = count_ == steps_;
  const Point<S> at = point(now_);
  if (ended_)
  {
    return;
  }
  if (std::shared_ptr<const Form> better = form_->better(real_point(at)))
  {
    continue_in(std::move(better), at, nullptr);
  }
}

template <class S>
std::optional<typename Runner<S>::Crossing> Runner<S>::first_crossing(
  const Instant<S> & ahead, const S & h) const
{
  std::optional<Crossing> first;
  const auto consider = [&](const EventFunction & function, const Event * event) {
    if (
      watched(function, now_) > 0.0 && watched(function, ahead) <= 0.0 &&
      !has_just_happened(event, h))
    {
      const S length = locate(function, real_part(h));
      if (!first || real_part(length) < real_part(first->length))
      {
        first = Crossing{length, event};
      }
    }
  };
  for (const Event & event : problem_.events)
  {
    constexpr double hair = 1e-9;
    if (
      event.mode == mode_ && real_part(now_.t) >= event.after - hair &&
      real_part(now_.t) + real_part(h) <= event.before + hair)
    {
      consider(*event.function, &event);
    }
  }
  if (problem_.end)
  {
    consider(*problem_.end, nullptr);
  }
  return first;
}

/// Regula falsi with the Illinois safeguard.
template <class S>
double Runner<S>::locate_real(const EventFunction & function, double h) const
{
  double left = 0.0, right = h;
  double r_left = watched(function, now_);
  double r_right = watched(function, advance(*form_, now_, S(h)).to);
  double root = right;
  for (int i = 0; i < 200 && right - left > 1e-15 * h; ++i)
  {
    root = (r_left * right - r_right * left) / (r_left - r_right);
    if (!(root > left && root < right))
    {
      root = 0.5 * (left + right);
    }
    const double r = watched(function, advance(*form_, now_, S(root)).to);
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
  return root;
}

template <class S>
S Runner<S>::locate(const EventFunction & function, double h) const
{
  S length(locate_real(function, h));
  if constexpr (!std::is_same_v<S, double>)
  {
    // Newton for the imaginary part of the event time.
    for (int i = 0; i < 3; ++i)
    {
      const Instant<S> at = advance(*form_, now_, length).to;
      const Point<S> here = point(at);
      const Point<double> base = real_point(here);
      Directions along(form_->system(), 1);
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

/// Whether the event is the one that was passed at this very instant, and its function falls on: it
/// is behind us but for rounding, as with an event at a given time.
template <class S>
bool Runner<S>::has_just_happened(const Event * event, const S & h) const
{
  return event != nullptr && event == last_event_ && real_part(now_.t) == last_event_time_ &&
         watched(*event->function, now_) < 1e-12 &&
         watched(*event->function, advance(*form_, now_, 1e-3 * h).to) < 0.0;
}

template <class S>
void Runner<S>::pass(const Event & event)
{
  last_event_ = &event;
  last_event_time_ = real_part(now_.t);
  if (++events_ > max_events)
  {
    throw MechanismError(fmt::format(
      "more than {} events before t = {:.6g} s: they pile up", max_events, real_part(now_.t)));
  }
  const std::shared_ptr<const System> & next =
    problem_.modes[static_cast<std::size_t>(event.next_mode)];
  Point<S> at = point(now_);
  at.v = velocity_after(event, *next, at);
  mode_ = event.next_mode;
  continue_in(make_form(next, settings_, real_point(at)), at, &event);
  begin_grid();
}

template <class S>
void Runner<S>::continue_in(
  std::shared_ptr<const Form> next, const Point<S> & at, const Event * event)
{
  const Instant<S> landed = instant(*next, now_.t, next->state(at), real_vector(at.q));
  if constexpr (std::is_same_v<S, double>)
  {
    if (store_ != nullptr)
    {
      store_->phases.back().jump = linearise_jump(
        problem_, rho_, event, *form_, now_.response, now_.y, *next, landed.response, now_.t);
      if (event != nullptr)
      {
        store_->event_times.push_back(now_.t);
      }
    }
  }
  form_ = std::move(next);
  now_ = landed;
  begin_phase();
}

template <class S>
void Runner<S>::begin_phase()
{
  if (store_ != nullptr)
  {
    Phase phase;
    phase.form = form_;
    phase.mode = mode_;
    store_->phases.push_back(std::move(phase));
  }
  remember();
}

template <class S>
void Runner<S>::remember()
{
  if constexpr (std::is_same_v<S, double>)
  {
    if (store_ != nullptr)
    {
      Phase & phase = store_->phases.back();
      if (store_->stride > 0 && phase.nodes.size() == 2)
      {
        phase.nodes.pop_back();
      }
      phase.nodes.push_back({now_.t, now_.y, now_.response.rate, now_.response.q});
      ++phase.length;
    }
  }
}

/// Before a step of length h: what it takes to run it again.
template <class S>
void Runner<S>::set_checkpoint(double h)
{
  if constexpr (std::is_same_v<S, double>)
  {
    if (store_ == nullptr || store_->stride == 0)
    {
      return;
    }
    Phase & phase = store_->phases.back();
    phase.origin = origin_;
    phase.step = phase.last_step = h;
    const std::size_t index = phase.length - 1;
    if (index % store_->stride == 0)
    {
      phase.checkpoints.push_back({index, phase.nodes.back(), now_.t, now_.response, count_});
    }
  }
}

template <class S>
void Runner<S>::finish()
{
  if (problem_.end && !end_reached_)
  {
    throw MechanismError(fmt::format(
      "the end condition is not met within the duration of {:.6g} s", problem_.duration));
  }
  const Point<S> at = point(now_);
  const Motion<S> last{at.t, at.q, at.v, {}, {}, at.theta};
  for (std::size_t i = 0; i < problem_.costs.size(); ++i)
  {
    costs_(static_cast<Eigen::Index>(i)) += problem_.costs[i]->terminal(last);
  }
  if constexpr (std::is_same_v<S, double>)
  {
    if (store_ != nullptr)
    {
      linearise_end(problem_, *form_, now_.y, now_.response, now_.t, *store_);
    }
  }
}

Trajectory simulate(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  Trajectory trajectory;
  trajectory.rho = rho;
  trajectory.stride = checkpoint_stride(problem, settings);
  trajectory.costs = Runner<double>(problem, settings, rho, &trajectory).run();

  const Phase & first = trajectory.phases.front();
  const Form & form = *first.form;
  const Response<double> response = response_at(problem, trajectory, first, first.nodes.front());
  const VectorD theta = problem.local(0.0, rho);
  const Point<double> start{0.0, response.q, response.v, theta};
  Directions along(form.system(), theta.size());
  along.theta.setIdentity();
  if (start_varies(form.system(), *problem.initial, start))
  {
    const InitialTangent tangent = initial_tangent(form.system(), *problem.initial, start);
    along.q = tangent.q;
    along.v = tangent.v;
  }
  trajectory.initial = problem.to_global(0.0, form.state_tangent(start, along));
  return trajectory;
}

template <class S>
Vector<S> simulate_costs(const Problem & problem, const Settings & settings, const Vector<S> & rho)
{
  return Runner<S>(problem, settings, rho, nullptr).run();
}
template Vector<double> simulate_costs(const Problem &, const Settings &, const Vector<double> &);
template Vector<Complex> simulate_costs(const Problem &, const Settings &, const Vector<Complex> &);

}  // namespace fivebar_control::multibody
