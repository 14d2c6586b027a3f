// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/lump_model.hpp"

#include <cmath>

#include "fivebar_control/model/inertial_regressor.hpp"

namespace fivebar_control
{
namespace
{

RobotModel with_width(const RobotModel & robot, double coulomb_velocity)
{
  RobotParameters parameters = robot.parameters();
  for (Friction<double> & friction : parameters.physics.friction)
  {
    friction.coulomb_velocity = coulomb_velocity;
  }
  return RobotModel(std::move(parameters));
}

/// Of a distal link: what of its coupling grows with its mass, kg m².
double growing_coupling(double coupling, const Link<double> & distal, double driven_length)
{
  // A link with its centre at the elbow still needs a direction to grow in.
  return std::max(std::abs(coupling), 1e-2 * distal.mass * driven_length * distal.length);
}

}  // namespace

const char * to_string(Lump lump)
{
  constexpr std::array<const char *, lump_count> names{
    "inertia_1", "inertia_2", "inertia_3", "inertia_4", "coupling_x", "coupling_2y", "coupling_3y",
    "gain_4",    "damping_1", "damping_4", "coulomb_1", "coulomb_4",  "gravity_x",   "gravity_y",
    "moment_1x", "moment_1y", "moment_4x", "moment_4y", "offset_1",   "offset_4"};
  return names[static_cast<std::size_t>(lump)];
}

const char * unit_of(Lump lump)
{
  switch (lump)
  {
    case Lump::coupling_x:
    case Lump::gain_4:
      return "";
    case Lump::damping_1:
    case Lump::damping_4:
      return "N m s/rad";
    case Lump::coulomb_1:
    case Lump::coulomb_4:
      return "N m";
    case Lump::gravity_x:
    case Lump::gravity_y:
      return "m/s^2";
    case Lump::moment_1x:
    case Lump::moment_1y:
    case Lump::moment_4x:
    case Lump::moment_4y:
      return "kg m";
    case Lump::offset_1:
    case Lump::offset_4:
      return "rad";
    default:
      return "kg m^2";
  }
}

LumpModel::LumpModel(const RobotModel & robot, double coulomb_velocity)
: robot_(with_width(robot, coulomb_velocity)), base_(robot_.constants())
{
  const auto & links = robot_.physics().links;
  const Geometry<double> & g = base_.geometry;
  coupling_scale_ = {
    growing_coupling(base_.coupling_2[0], links[1], g.l1),
    growing_coupling(base_.coupling_3[0], links[2], g.l4)};
  carried_ = {links[1].mass * g.l1, links[2].mass * g.l4};
  nominal_ << base_.inertia_1, base_.inertia_2, base_.inertia_3, base_.inertia_4, 0.0,
    base_.coupling_2[1], base_.coupling_3[1], 1.0, base_.damping[0], base_.damping[1],
    base_.coulomb[0], base_.coulomb[1], base_.gravity[0], base_.gravity[1], base_.moment_1[0],
    base_.moment_1[1], base_.moment_4[0], base_.moment_4[1], 0.0, 0.0;
  const double across_2 = 0.5 * links[1].mass * g.l1 * g.l2;
  const double across_3 = 0.5 * links[2].mass * g.l4 * g.l3;
  const double largest_torque = robot_.limits().voltage * base_.torque_gain.maxCoeff();
  constexpr double most_gravity = 10.0;  // m/s²
  constexpr double most_offset = 0.2;    // rad
  // A link's first moment is at most that of all it may weigh at its end.
  const double moment_1 = 5.0 * (links[0].mass * g.l1 + carried_[0]);
  const double moment_4 = 5.0 * (links[3].mass * g.l4 + carried_[1]);
  lowest_ << 0.1 * nominal_.head<4>(), -0.8, -across_2, -across_3, 0.2, 0.1 * nominal_[8],
    0.1 * nominal_[9], 0.0, 0.0, -most_gravity, -most_gravity, -moment_1, -moment_1, -moment_4,
    -moment_4, -most_offset, -most_offset;
  highest_ << 10.0 * nominal_.head<4>(), 5.0, across_2, across_3, 5.0, 10.0 * nominal_[8],
    10.0 * nominal_[9], largest_torque, largest_torque, most_gravity, most_gravity, moment_1,
    moment_1, moment_4, moment_4, most_offset, most_offset;
}

LumpValues<double> LumpModel::scale() const
{
  LumpValues<double> scale = nominal_.cwiseAbs();
  scale[index_of(Lump::coupling_x)] = 1.0;
  scale[index_of(Lump::coupling_2y)] = coupling_scale_[0];
  scale[index_of(Lump::coupling_3y)] = coupling_scale_[1];
  const double torque = 0.2 * base_.torque_gain[0];  // N m, of a fifth of a volt
  scale.segment<2>(index_of(Lump::coulomb_1)).setConstant(torque);
  scale.segment<2>(index_of(Lump::gravity_x)).setConstant(1.0);
  const auto & links = robot_.physics().links;
  scale.segment<2>(index_of(Lump::moment_1x))
    .setConstant(links[0].mass * links[0].length + carried_[0]);
  scale.segment<2>(index_of(Lump::moment_4x))
    .setConstant(links[3].mass * links[3].length + carried_[1]);
  scale.segment<2>(index_of(Lump::offset_1)).setConstant(0.05);
  return scale;
}

Eigen::Matrix<double, 2, moving_lumps> LumpModel::residual_by_lumps(
  const DynamicsConstants<double> & k, const Terms<double> & t, const Eigen::Vector4d & x,
  const Eigen::Vector2d & u, const Eigen::Vector2d & acceleration) const
{
  const ResidualState<double> s = residual_state<double>(k, t, x[2], x[3], acceleration);
  const InertialRegressor r = inertial_regressor(k, t, s);
  const Geometry<double> & g = k.geometry;
  Eigen::Matrix<double, 2, moving_lumps> by;
  by.setZero();
  const auto column = [&by](Lump lump) { return by.col(index_of(lump)); };
  column(Lump::inertia_1) = r.inertia_1;
  column(Lump::inertia_2) = r.inertia_2;
  column(Lump::inertia_3) = r.inertia_3;
  column(Lump::inertia_4) = r.inertia_4;
  column(Lump::coupling_x) = coupling_scale_[0] * (r.coupling_2x + r.moment_2x / g.l1) +
                             coupling_scale_[1] * (r.coupling_3x + r.moment_3x / g.l4) +
                             carried_[0] * r.moment_1x + carried_[1] * r.moment_4x;
  column(Lump::coupling_2y) = r.coupling_2y + r.moment_2y / g.l1;
  column(Lump::coupling_3y) = r.coupling_3y + r.moment_3y / g.l4;
  by(1, index_of(Lump::gain_4)) = -base_.torque_gain[1] * u[1];
  by(0, index_of(Lump::damping_1)) = x[2];
  by(1, index_of(Lump::damping_4)) = x[3];
  by(0, index_of(Lump::coulomb_1)) = std::tanh(x[2] * k.inverse_coulomb_velocity[0]);
  by(1, index_of(Lump::coulomb_4)) = std::tanh(x[3] * k.inverse_coulomb_velocity[1]);
  column(Lump::moment_1x) = r.moment_1x;
  column(Lump::moment_1y) = r.moment_1y;
  column(Lump::moment_4x) = r.moment_4x;
  column(Lump::moment_4y) = r.moment_4y;
  const auto gravity = [&](const Eigen::Vector2d & direction) -> Eigen::Vector2d {
    const double g1 = gravity_moment<double>(k.moment_1, t.pose.e1, direction);
    const double g2 = gravity_moment<double>(k.moment_2, t.pose.e2, direction);
    const double g3 = gravity_moment<double>(k.moment_3, t.pose.e3, direction);
    const double g4 = gravity_moment<double>(k.moment_4, t.pose.e4, direction);
    return {-(g1 + t.a * g2 + t.c * g3), -(g4 + t.b * g2 + t.d * g3)};
  };
  column(Lump::gravity_x) = gravity({1.0, 0.0});
  column(Lump::gravity_y) = gravity({0.0, 1.0});
  return by;
}

Eigen::Matrix<double, 2, moving_lumps> LumpModel::acceleration_by_lumps(
  const DynamicsConstants<double> & k, const Eigen::Vector4d & x, const Eigen::Vector2d & u) const
{
  const Terms<double> t = terms_at<double>(k, x[0], x[1]);
  const Eigen::Vector2d bias = bias_force<double>(k, t, x[2], x[3]);
  const Eigen::Vector2d acceleration = solve_mass<double>(
    t, drive_torque<double>(k, 0, x[2], u[0]) - bias[0],
    drive_torque<double>(k, 1, x[3], u[1]) - bias[1]);
  Eigen::Matrix2d inverse_mass;
  inverse_mass << t.m44, -t.m14, -t.m14, t.m11;
  inverse_mass /= -(t.m11 * t.m44 - t.m14 * t.m14);
  return inverse_mass * residual_by_lumps(k, t, x, u, acceleration);
}

}  // namespace fivebar_control
