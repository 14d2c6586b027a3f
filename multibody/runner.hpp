// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "fivebar_control/multibody/trajectory.hpp"
#include "stepper.hpp"

namespace fivebar_control::multibody
{

/// Runs a whole motion: steps, events, changes of coordinates.
template <class S>
class Runner : private Stepper<S>
{
public:
  /// `store` may be null.
  Runner(
    const Problem & problem, const Settings & settings, const Vector<S> & rho, Trajectory * store)
  : Stepper<S>(problem, settings, rho),
    store_(store),
    costs_(Vector<S>::Zero(static_cast<Eigen::Index>(problem.costs.size())))
  {
  }

  Vector<S> run()
  {
    start();
    while (!ended_)
    {
      step();
    }
    finish();
    return costs_;
  }

private:
  using Stepper<S>::instant;
  using Stepper<S>::point;
  using Stepper<S>::advance;
  using Stepper<S>::problem_;
  using Stepper<S>::settings_;
  using Stepper<S>::rho_;

  /// Where an event function vanishes within a step; no event: the end of the motion.
  struct Crossing
  {
    S length;
    const Event * event;
  };

  void start();
  void step();
  void finish();
  bool has_just_happened(const Event * event, const S & h) const;
  /// The first of all events between now and `ahead`.
  std::optional<Crossing> first_crossing(const Instant<S> & ahead, const S & h) const;
  /// The length of the step from now that ends where `function` vanishes.
  S locate(const EventFunction & function, double h) const;
  double locate_real(const EventFunction & function, double h) const;
  void pass(const Event & event);
  /// Goes on in other equations from `at`; `event` is null where only coordinates change.
  void continue_in(std::shared_ptr<const Form> next, const Point<S> & at, const Event * event);
  void begin_phase();
  void remember();
  void set_checkpoint(double h);
  void begin_grid();

  double watched(const EventFunction & function, const Instant<S> & at) const
  {
    return real_part(function.value(point(at)));
  }
  static Point<double> real_point(const Point<S> & at)
  {
    return {real_part(at.t), real_vector(at.q), real_vector(at.v), real_vector(at.theta)};
  }

  Trajectory * store_;
  Vector<S> costs_;
  std::shared_ptr<const Form> form_;
  int mode_ = 0;
  Instant<S> now_;
  std::size_t events_ = 0;
  const Event * last_event_ = nullptr;
  double last_event_time_ = 0.0;
  bool ended_ = false;
  bool end_reached_ = false;  ///< by the end's own event
  // Steps are counted from the last event, so that grids (and input nodes) are met exactly.
  S origin_{};
  long count_ = 0, steps_ = 1;
};

}  // namespace fivebar_control::multibody
