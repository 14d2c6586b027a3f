// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "planar.hpp"
#include "spatial_kinematics.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Of a spatial mechanism.
template <class S>
S spatial_value(
  const SpatialKinematics<S> & space, const Quantity & quantity, const Motion<S> & motion)
{
  if (quantity.kind == Quantity::Kind::joint)
  {
    const SpatialJoint & joint = space.parts().joints[static_cast<std::size_t>(quantity.index)];
    return quantity.order == 0 ? space.measure(joint, quantity.other_index, quantity.near)
           : quantity.order == 1
             ? space.measure_rate(joint, quantity.other_index)
             : space.measure_acceleration(joint, quantity.other_index, motion.a);
  }
  const Space<S> value = quantity.order == 0 ? space.place(quantity.anchor)
                         : quantity.order == 1
                           ? space.velocity(quantity.anchor)
                           : space.acceleration(space.point(quantity.anchor), motion.a);
  return quantity.kind == Quantity::Kind::anchor_x   ? value.x
         : quantity.kind == Quantity::Kind::anchor_y ? value.y
                                                     : value.z;
}

/// The value of a quantity. Accelerations and multipliers may be absent (events, terminal costs):
/// the readers of mechanisms see to it that they are not asked for then.
template <class S>
S quantity_value(
  const Mechanism & mechanism, const Quantity & quantity, const Motion<S> & motion,
  const SpatialKinematics<S> * space = nullptr)
{
  switch (quantity.kind)
  {
    case Quantity::Kind::coordinate:
      return quantity.order == 0   ? motion.q(quantity.index)
             : quantity.order == 1 ? motion.v(quantity.index)
                                   : motion.a(quantity.index);
    case Quantity::Kind::difference: {
      const Vector<S> & of = quantity.order == 0   ? motion.q
                             : quantity.order == 1 ? motion.v
                                                   : motion.a;
      return of(quantity.index) - of(quantity.other_index);
    }
    case Quantity::Kind::multiplier:
      return motion.lambda(quantity.index);
    case Quantity::Kind::parameter:
      return motion.theta(quantity.index);
    case Quantity::Kind::time:
      return motion.t;
    default:
      break;
  }
  if (mechanism.space)
  {
    return space != nullptr ? spatial_value(*space, quantity, motion)
                            : spatial_value(
                                SpatialKinematics<S>(mechanism, motion.q, motion.v, motion.theta),
                                quantity, motion);
  }
  const AnchorState<S> at =
    anchor_state(mechanism, quantity.anchor, motion.q, motion.v, motion.theta);
  const Plane<S> value = quantity.order == 0   ? at.position
                         : quantity.order == 1 ? at.velocity
                                               : anchor_acceleration(at, motion.v, motion.a);
  return quantity.kind == Quantity::Kind::anchor_x ? value.x : value.y;
}

/// Coordinates that a quantity depends on.
std::vector<int> coordinates_of(const Mechanism & mechanism, const Quantity & quantity)
{
  switch (quantity.kind)
  {
    case Quantity::Kind::coordinate:
      return {quantity.index};
    case Quantity::Kind::difference:
      return {quantity.index, quantity.other_index};
    case Quantity::Kind::anchor_x:
    case Quantity::Kind::anchor_y:
    case Quantity::Kind::anchor_z:
      return mechanism.space ? moving_coordinates(*mechanism.space, quantity.anchor)
                             : multibody::coordinates_of(mechanism, quantity.anchor);
    case Quantity::Kind::joint: {
      const SpatialJoint & joint =
        mechanism.space->joints[static_cast<std::size_t>(quantity.index)];
      std::vector<int> all = moving_coordinates(*mechanism.space, joint.a);
      const std::vector<int> more = moving_coordinates(*mechanism.space, joint.b);
      all.insert(all.end(), more.begin(), more.end());
      return all;
    }
    case Quantity::Kind::multiplier:
    case Quantity::Kind::parameter:
    case Quantity::Kind::rod_angle:
    case Quantity::Kind::time:
      break;
  }
  return {};
}

class SumOfTerms final : public CostOf<SumOfTerms>
{
public:
  SumOfTerms(std::shared_ptr<const Mechanism> mechanism, std::vector<CostTerm> terms)
  : mechanism_(std::move(mechanism)), terms_(std::move(terms))
  {
  }

  template <class S>
  S g(const Motion<S> & motion) const
  {
    return sum(motion, false);
  }
  template <class S>
  S w(const Motion<S> & motion) const
  {
    return sum(motion, true);
  }

  CostReads reads() const override
  {
    CostReads reads;
    for (const CostTerm & term : terms_)
    {
      const Quantity & quantity = term.quantity;
      reads.velocities = reads.velocities || quantity.order == 1;
      reads.accelerations =
        reads.accelerations || quantity.order == 2 || quantity.kind == Quantity::Kind::multiplier;
      const std::vector<int> read = coordinates_of(*mechanism_, quantity);
      reads.coordinates.insert(reads.coordinates.end(), read.begin(), read.end());
    }
    std::sort(reads.coordinates.begin(), reads.coordinates.end());
    reads.coordinates.erase(
      std::unique(reads.coordinates.begin(), reads.coordinates.end()), reads.coordinates.end());
    return reads;
  }

  bool is_sum_of_squares() const override
  {
    return std::all_of(terms_.begin(), terms_.end(), [](const CostTerm & term) {
      return term.power == 2 && term.weight >= 0.0;
    });
  }
  void residuals(
    const Motion<DualD> & motion, bool of_terminal, Vector<DualD> & values) const override
  {
    const auto count = std::count_if(terms_.begin(), terms_.end(), [&](const CostTerm & term) {
      return term.terminal == of_terminal;
    });
    values.resize(count);
    Eigen::Index row = 0;
    for (const CostTerm & term : terms_)
    {
      if (term.terminal == of_terminal)
      {
        values(row++) = std::sqrt(term.weight) * deviation(term, motion);
      }
    }
  }

private:
  template <class S>
  S deviation(
    const CostTerm & term, const Motion<S> & motion,
    const SpatialKinematics<S> * space = nullptr) const
  {
    return quantity_value(*mechanism_, term.quantity, motion, space) - term.target.at(motion.theta);
  }
  template <class S>
  S sum(const Motion<S> & motion, bool terminal) const
  {
    S total(0.0);
    // All terms of a spatial mechanism look at the same places.
    std::optional<SpatialKinematics<S>> space;
    for (const CostTerm & term : terms_)
    {
      if (term.terminal != terminal)
      {
        continue;
      }
      if (mechanism_->space && !space)
      {
        space.emplace(*mechanism_, motion.q, motion.v, motion.theta);
      }
      const S d = deviation(term, motion, space ? &*space : nullptr);
      S power = d;
      for (int k = 1; k < term.power; ++k)
      {
        power *= d;
      }
      total += term.weight * power;
    }
    return total;
  }

  std::shared_ptr<const Mechanism> mechanism_;
  std::vector<CostTerm> terms_;
};

class Threshold final : public EventFunctionOf<Threshold>
{
public:
  Threshold(
    std::shared_ptr<const Mechanism> mechanism, const Quantity & quantity, const Value & level,
    double sign)
  : mechanism_(std::move(mechanism)), quantity_(quantity), level_(level), sign_(sign)
  {
  }
  template <class S>
  S r(const Point<S> & at) const
  {
    const Motion<S> motion{at.t, at.q, at.v, {}, {}, at.theta};
    return sign_ * (quantity_value(*mechanism_, quantity_, motion) - level_.at(at.theta));
  }

private:
  std::shared_ptr<const Mechanism> mechanism_;
  Quantity quantity_;
  Value level_;
  double sign_;
};

class HeldQuantities final : public InitialConditionsOf<HeldQuantities>
{
public:
  HeldQuantities(
    std::shared_ptr<const Mechanism> mechanism, VectorD estimate, std::vector<Hold> holds)
  : mechanism_(std::move(mechanism)), estimate_(std::move(estimate)), holds_(std::move(holds))
  {
  }
  VectorD estimate() const override { return estimate_; }

  template <class S>
  void conditions(const Point<S> & at, Vector<S> & position, Vector<S> & velocity) const
  {
    position.resize(static_cast<Eigen::Index>(holds_.size()));
    velocity.resize(static_cast<Eigen::Index>(holds_.size()));
    const Motion<S> motion{at.t, at.q, at.v, {}, {}, at.theta};
    for (std::size_t i = 0; i < holds_.size(); ++i)
    {
      const auto row = static_cast<Eigen::Index>(i);
      evaluate_one(holds_[i], motion, position(row), velocity(row));
    }
  }

private:
  template <class S>
  void evaluate_one(const Hold & hold, const Motion<S> & at, S & position, S & velocity) const
  {
    using std::cos;
    using std::sin;
    const S wanted = hold.position.at(at.theta);
    const S wanted_rate = hold.velocity.at(at.theta);
    if (hold.quantity.kind == Quantity::Kind::rod_angle)
    {
      // d x (cos, sin) = 0 keeps the direction without an arctangent and its branches.
      const AnchorState<S> from =
        anchor_state(*mechanism_, hold.quantity.anchor, at.q, at.v, at.theta);
      const AnchorState<S> to =
        anchor_state(*mechanism_, hold.quantity.other, at.q, at.v, at.theta);
      const Plane<S> d = to.position - from.position;
      const Plane<S> d_rate = to.velocity - from.velocity;
      const S c = cos(wanted), s = sin(wanted);
      position = d.x * s - d.y * c;
      velocity = d_rate.x * s - d_rate.y * c + wanted_rate * (d.x * c + d.y * s);
      return;
    }
    Quantity quantity = hold.quantity;
    quantity.order = 0;
    position = quantity_value(*mechanism_, quantity, at) - wanted;
    quantity.order = 1;
    velocity = quantity_value(*mechanism_, quantity, at) - wanted_rate;
  }

  std::shared_ptr<const Mechanism> mechanism_;
  VectorD estimate_;
  std::vector<Hold> holds_;
};

}  // namespace

std::shared_ptr<const Cost> make_cost(
  std::shared_ptr<const Mechanism> mechanism, std::vector<CostTerm> terms)
{
  return std::make_shared<SumOfTerms>(std::move(mechanism), std::move(terms));
}

std::shared_ptr<const EventFunction> make_event_function(
  std::shared_ptr<const Mechanism> mechanism, const Quantity & quantity, const Value & level,
  double sign)
{
  return std::make_shared<Threshold>(std::move(mechanism), quantity, level, sign);
}

std::shared_ptr<const InitialConditions> make_initial(
  std::shared_ptr<const Mechanism> mechanism, VectorD estimate, std::vector<Hold> holds)
{
  return std::make_shared<HeldQuantities>(
    std::move(mechanism), std::move(estimate), std::move(holds));
}

}  // namespace fivebar_control::multibody
