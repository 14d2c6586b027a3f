// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>

#include "fivebar_control/model/dynamics_derivatives.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// What the motion of a robot can tell about it, as coordinates without the two directions that no
/// motion shows (docs/learning.md, "What can be seen"): the torque gain of motor 1 stays the robot
/// file's, and a point mass at P sits on both chains in equal shares.
enum class Lump : int
{
  inertia_1,    ///< kg m²
  inertia_2,    ///< kg m²
  inertia_3,    ///< kg m²
  inertia_4,    ///< kg m²
  coupling_x,   ///< share by which the couplings along links 2 and 3 exceed the robot file's
  coupling_2y,  ///< kg m²
  coupling_3y,  ///< kg m²
  gain_4,       ///< torque gain of motor 4, as a factor on the robot file's
  damping_1,    ///< N m s/rad
  damping_4,    ///< N m s/rad
  coulomb_1,    ///< N m
  coulomb_4,    ///< N m
  gravity_x,    ///< m/s², tilt of the plane
  gravity_y,    ///< m/s²
  moment_1x,    ///< kg m, first moment of link 1 along it, with what it carries at its end
  moment_1y,    ///< kg m, across it
  moment_4x,    ///< kg m
  moment_4y,    ///< kg m
  offset_1,     ///< rad, by which encoder 1 reads too much
  offset_4,     ///< rad
};
inline constexpr int lump_count = 20;
/// Those that the motion depends on; the others only shift what the encoders read.
inline constexpr int moving_lumps = 18;

template <class S>
using LumpValues = Eigen::Matrix<S, lump_count, 1>;
constexpr int index_of(Lump lump) { return static_cast<int>(lump); }

/// "coulomb_1"; stable, part of the JSON output.
const char * to_string(Lump lump);
/// "kg m^2"; empty for factors.
const char * unit_of(Lump lump);

/// The equations of motion as functions of the lumps, around the robot that a file describes.
class LumpModel
{
public:
  /// `coulomb_velocity`: rad/s, width in which dry friction changes its sign.
  LumpModel(const RobotModel & robot, double coulomb_velocity);

  /// The robot file's own values.
  const LumpValues<double> & nominal() const { return nominal_; }
  /// What is physically possible and plausible, lowest and highest.
  const LumpValues<double> & lowest() const { return lowest_; }
  const LumpValues<double> & highest() const { return highest_; }
  const RobotModel & robot() const { return robot_; }
  /// kg m², couplings along links 2 and 3 per unit of coupling_x.
  const Eigen::Vector2d & coupling_scale() const { return coupling_scale_; }
  /// How much of each lump would be a great surprise: the measure of what data show.
  LumpValues<double> scale() const;

  template <class S>
  DynamicsConstants<S> constants(const LumpValues<S> & v) const;

  /// d(acceleration)/d(moving lump) at the given constants; allocation-free.
  Eigen::Matrix<double, 2, moving_lumps> acceleration_by_lumps(
    const DynamicsConstants<double> & k, const Eigen::Vector4d & x,
    const Eigen::Vector2d & u) const;
  /// d(residual)/d(moving lump) of the inverse dynamics M a + b - tau.
  Eigen::Matrix<double, 2, moving_lumps> residual_by_lumps(
    const DynamicsConstants<double> & k, const Terms<double> & t, const Eigen::Vector4d & x,
    const Eigen::Vector2d & u, const Eigen::Vector2d & acceleration) const;

private:
  RobotModel robot_;
  DynamicsConstants<double> base_;
  Eigen::Vector2d coupling_scale_;  ///< kg m² per unit of coupling_x, of chains 2 and 3
  Eigen::Vector2d carried_;         ///< kg m that links 1 and 4 carry per unit of coupling_x
  LumpValues<double> nominal_, lowest_, highest_;
};

template <class S>
DynamicsConstants<S> LumpModel::constants(const LumpValues<S> & v) const
{
  const auto value = [&v](Lump lump) -> const S & { return v[index_of(lump)]; };
  const auto cast = [](const Eigen::Vector2d & source) -> Vector2<S> {
    return Vector2<S>(S(source[0]), S(source[1]));
  };
  const Geometry<double> & g = base_.geometry;
  DynamicsConstants<S> c;
  c.geometry.pivot_1 = cast(g.pivot_1);
  c.geometry.pivot_4 = cast(g.pivot_4);
  c.geometry.l1 = S(g.l1);
  c.geometry.l2 = S(g.l2);
  c.geometry.l3 = S(g.l3);
  c.geometry.l4 = S(g.l4);
  c.geometry.mode = g.mode;
  c.inertia_1 = value(Lump::inertia_1);
  c.inertia_2 = value(Lump::inertia_2);
  c.inertia_3 = value(Lump::inertia_3);
  c.inertia_4 = value(Lump::inertia_4);
  const S more = value(Lump::coupling_x);
  c.coupling_2 =
    Vector2<S>(S(base_.coupling_2[0]) + S(coupling_scale_[0]) * more, value(Lump::coupling_2y));
  c.coupling_3 =
    Vector2<S>(S(base_.coupling_3[0]) + S(coupling_scale_[1]) * more, value(Lump::coupling_3y));
  // A centre of mass that moves across its link carries its moment; along it, the mass grows.
  c.moment_2 = c.coupling_2 * S(1.0 / g.l1);
  c.moment_3 = c.coupling_3 * S(1.0 / g.l4);
  c.moment_1 = Vector2<S>(value(Lump::moment_1x), value(Lump::moment_1y));
  c.moment_4 = Vector2<S>(value(Lump::moment_4x), value(Lump::moment_4y));
  c.moment_1[0] += S(carried_[0]) * more;
  c.moment_4[0] += S(carried_[1]) * more;
  c.gravity = Vector2<S>(value(Lump::gravity_x), value(Lump::gravity_y));
  c.torque_gain =
    Vector2<S>(S(base_.torque_gain[0]), S(base_.torque_gain[1]) * value(Lump::gain_4));
  c.damping = Vector2<S>(value(Lump::damping_1), value(Lump::damping_4));
  c.coulomb = Vector2<S>(value(Lump::coulomb_1), value(Lump::coulomb_4));
  c.inverse_coulomb_velocity = cast(base_.inverse_coulomb_velocity);
  c.has_gravity = c.gravity[0] != S(0.0) || c.gravity[1] != S(0.0);
  c.has_coulomb = c.coulomb[0] != S(0.0) || c.coulomb[1] != S(0.0);
  return c;
}

}  // namespace fivebar_control
