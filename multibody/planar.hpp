// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fivebar_control/multibody/mechanism.hpp"

namespace fivebar_control::multibody
{

template <class S>
struct Plane
{
  S x{}, y{};
  friend Plane operator-(const Plane & a, const Plane & b) { return {a.x - b.x, a.y - b.y}; }
  friend S dot(const Plane & a, const Plane & b) { return a.x * b.x + a.y * b.y; }
};

/// An anchor's position and how it depends on the coordinates: r' = columns * q', with at most
/// three coordinates involved.
template <class S>
struct AnchorState
{
  Plane<S> position, velocity;
  int first = -1;  ///< first coordinate involved, -1 for the ground
  int count = 0;
  std::array<Plane<S>, 3> columns, column_rates;
};

template <class S>
AnchorState<S> anchor_state(
  const Mechanism & mechanism, const Anchor & anchor, const Vector<S> & q, const Vector<S> & v,
  const Vector<S> & theta)
{
  using std::cos;
  using std::sin;
  AnchorState<S> state;
  if (anchor.kind == Anchor::Kind::ground)
  {
    state.position = {anchor.x.at(theta), anchor.y.at(theta)};
    state.velocity = {S(0.0), S(0.0)};
    return state;
  }
  state.columns[0] = {S(1.0), S(0.0)};
  state.columns[1] = {S(0.0), S(1.0)};
  for (auto & rate : state.column_rates)
  {
    rate = {S(0.0), S(0.0)};
  }
  if (anchor.kind == Anchor::Kind::point)
  {
    state.first = anchor.index;
    state.count = 2;
    state.position = {q(anchor.index), q(anchor.index + 1)};
    state.velocity = {v(anchor.index), v(anchor.index + 1)};
    return state;
  }
  const Body & body = mechanism.bodies[static_cast<std::size_t>(anchor.index)];
  const int i = body.first;
  state.first = i;
  state.count = 3;
  const S local_x = anchor.x.at(theta) - body.centre_x.at(theta);
  const S local_y = anchor.y.at(theta) - body.centre_y.at(theta);
  const S c = cos(q(i + 2));
  const S s = sin(q(i + 2));
  const Plane<S> arm{c * local_x - s * local_y, s * local_x + c * local_y};
  const S rate = v(i + 2);
  state.position = {q(i) + arm.x, q(i + 1) + arm.y};
  state.columns[2] = {-arm.y, arm.x};
  state.column_rates[2] = {-(rate * arm.x), -(rate * arm.y)};
  state.velocity = {v(i) - rate * arm.y, v(i + 1) + rate * arm.x};
  return state;
}

/// The coordinates that move an anchor.
inline std::vector<int> coordinates_of(const Mechanism & mechanism, const Anchor & anchor)
{
  if (anchor.kind == Anchor::Kind::ground)
  {
    return {};
  }
  if (anchor.kind == Anchor::Kind::point)
  {
    return {anchor.index, anchor.index + 1};
  }
  const int first = mechanism.bodies[static_cast<std::size_t>(anchor.index)].first;
  return {first, first + 1, first + 2};
}

/// The equations of a planar mechanism, which make_system() has judged.
std::shared_ptr<const System> make_planar_system(Mechanism mechanism);
/// Whether an entry of theta enters the constraints.
bool parameters_in_constraints(const Mechanism & mechanism);

/// The anchor's acceleration: columns * a + column_rates * v.
template <class S>
Plane<S> anchor_acceleration(const AnchorState<S> & state, const Vector<S> & v, const Vector<S> & a)
{
  Plane<S> result{S(0.0), S(0.0)};
  for (int k = 0; k < state.count; ++k)
  {
    const auto i = static_cast<std::size_t>(k);
    const int j = state.first + k;
    result.x += state.columns[i].x * a(j) + state.column_rates[i].x * v(j);
    result.y += state.columns[i].y * a(j) + state.column_rates[i].y * v(j);
  }
  return result;
}

}  // namespace fivebar_control::multibody
