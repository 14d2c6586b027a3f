// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fivebar_control/model/dynamics_derivatives.hpp"
#include "fivebar_control/model/inertial_regressor.hpp"

namespace fivebar_control
{
namespace
{

using Vec = Eigen::Vector2d;

const Vec along_x(1.0, 0.0);
const Vec along_y(0.0, 1.0);

/// Adds the columns of dr/d(parameter), in the order of visit_parameters().
class ResidualColumns
{
public:
  ResidualColumns(
    const Physics<double> & physics, const DynamicsConstants<double> & k, const Terms<double> & t,
    const ResidualState<double> & s)
  : physics_(physics), k_(k), t_(t), s_(s), r_(inertial_regressor(k, t, s))
  {
  }

  void add_pivots()
  {
    add(geometric(along_x, 0, 0, 0, 0));
    add(geometric(along_y, 0, 0, 0, 0));
    add(geometric(-along_x, 0, 0, 0, 0));
    add(geometric(-along_y, 0, 0, 0, 0));
  }

  void add_links()
  {
    const Geometry<double> & g = k_.geometry;
    const auto & [link1, link2, link3, link4] = physics_.links;
    const Pose<double> & pose = t_.pose;
    add_driven(
      link1, link2, geometric(pose.e1, 1, 0, 0, 0), r_.inertia_1, r_.coupling_2x, r_.coupling_2y,
      r_.moment_1x, r_.moment_1y);
    add_distal(
      link2, g.l1, geometric(pose.e2, 0, 1, 0, 0), r_.inertia_2, r_.inertia_1, r_.coupling_2x,
      r_.coupling_2y, r_.moment_2x, r_.moment_2y, r_.moment_1x);
    add_distal(
      link3, g.l4, geometric(-pose.e3, 0, 0, 1, 0), r_.inertia_3, r_.inertia_4, r_.coupling_3x,
      r_.coupling_3y, r_.moment_3x, r_.moment_3y, r_.moment_4x);
    add_driven(
      link4, link3, geometric(-pose.e4, 0, 0, 0, 1), r_.inertia_4, r_.coupling_3x, r_.coupling_3y,
      r_.moment_4x, r_.moment_4y);
  }

  void add_motor(int i, double w, double u)
  {
    const Motor<double> & m = physics_.motors[static_cast<std::size_t>(i)];
    const Vec axis = i == 0 ? along_x : along_y;
    const Vec & inertia = i == 0 ? r_.inertia_1 : r_.inertia_4;
    const double ratio = m.gear_ratio;
    const double per_ohm = 1.0 / m.resistance;
    const double back_emf = m.torque_constant * m.back_emf_constant * per_ohm;
    // r contains minus the motor torque kg kt/R u - kg² (kt km/R + B) w.
    add(ratio * ratio * inertia);
    add(ratio * ratio * m.torque_constant * per_ohm * w * axis);
    add((ratio * ratio * m.back_emf_constant * w - ratio * u) * per_ohm * axis);
    add((ratio * m.torque_constant * u * per_ohm - ratio * ratio * back_emf * w) * per_ohm * axis);
    add(ratio * ratio * w * axis);
    add(
      2.0 * ratio * m.rotor_inertia * inertia +
      (2.0 * ratio * (back_emf + m.damping) * w - m.torque_constant * per_ohm * u) * axis);
  }

  void add_friction(int i, double w)
  {
    const Vec axis = i == 0 ? along_x : along_y;
    const double inverse = k_.inverse_coulomb_velocity[i];
    const double cosh = std::cosh(w * inverse);
    add(w * axis);
    add(std::tanh(w * inverse) * axis);
    add(-k_.coulomb[i] * w * inverse * inverse / (cosh * cosh) * axis);
  }

  void add_gravity()
  {
    const auto by = [&](const auto & component) -> Vec {
      const double g1 = component(k_.moment_1, t_.pose.e1);
      const double g2 = component(k_.moment_2, t_.pose.e2);
      const double g3 = component(k_.moment_3, t_.pose.e3);
      const double g4 = component(k_.moment_4, t_.pose.e4);
      return {-(g1 + t_.a * g2 + t_.c * g3), -(g4 + t_.b * g2 + t_.d * g3)};
    };
    add(by([](const Vec & m, const Vec & e) { return -m[0] * e[1] - m[1] * e[0]; }));
    add(by([](const Vec & m, const Vec & e) { return m[0] * e[0] - m[1] * e[1]; }));
  }

  const ParameterJacobian & all() const { return residual_; }

private:
  void add(const Vec & value) { residual_.col(column_++) = value; }

  /// Changing lengths or pivots by `gap` at fixed driven angles turns the distal links so that the
  /// loop stays closed: gap + l2 n2 d2 - l3 n3 d3 = 0.
  Vec geometric(const Vec & gap, double l1, double l2, double l3, double l4) const
  {
    PoseDirection<double> v{};
    v.d2 = -gap.dot(t_.pose.e3) * s_.i2;
    v.d3 = -gap.dot(t_.pose.e2) * s_.i3;
    v.l1 = l1;
    v.l2 = l2;
    v.l3 = l3;
    v.l4 = l4;
    return residual_by_pose<true, double>(k_, t_, s_, v);
  }

  /// A driven link: its length carries the distal mass and the coupling.
  void add_driven(
    const Link<double> & link, const Link<double> & distal, const Vec & by_length,
    const Vec & inertia, const Vec & coupling_x, const Vec & coupling_y, const Vec & moment_x,
    const Vec & moment_y)
  {
    add(
      by_length + 2.0 * distal.mass * link.length * inertia +
      distal.mass * (distal.center[0] * coupling_x + distal.center[1] * coupling_y + moment_x));
    add(
      link.center.squaredNorm() * inertia + link.center[0] * moment_x + link.center[1] * moment_y);
    add(2.0 * link.mass * link.center[0] * inertia + link.mass * moment_x);
    add(2.0 * link.mass * link.center[1] * inertia + link.mass * moment_y);
    add(inertia);
  }

  void add_distal(
    const Link<double> & link, double driven_length, const Vec & by_length, const Vec & inertia,
    const Vec & driven_inertia, const Vec & coupling_x, const Vec & coupling_y,
    const Vec & moment_x, const Vec & moment_y, const Vec & driven_moment_x)
  {
    add(by_length);
    add(
      link.center.squaredNorm() * inertia + driven_length * driven_length * driven_inertia +
      driven_length * (link.center[0] * coupling_x + link.center[1] * coupling_y) +
      link.center[0] * moment_x + link.center[1] * moment_y + driven_length * driven_moment_x);
    add(
      2.0 * link.mass * link.center[0] * inertia + link.mass * driven_length * coupling_x +
      link.mass * moment_x);
    add(
      2.0 * link.mass * link.center[1] * inertia + link.mass * driven_length * coupling_y +
      link.mass * moment_y);
    add(inertia);
  }

  const Physics<double> & physics_;
  const DynamicsConstants<double> & k_;
  const Terms<double> & t_;
  const ResidualState<double> & s_;
  InertialRegressor r_;
  ParameterJacobian residual_;
  int column_ = 0;
};

}  // namespace

ParameterJacobian acceleration_by_parameters(
  const Physics<double> & physics, const DynamicsConstants<double> & k, const Eigen::Vector4d & x,
  const Eigen::Vector2d & u)
{
  const Terms<double> t = terms_at<double>(k, x[0], x[1]);
  const Vec bias = bias_force<double>(k, t, x[2], x[3]);
  const Vec acceleration = solve_mass<double>(
    t, drive_torque<double>(k, 0, x[2], u[0]) - bias[0],
    drive_torque<double>(k, 1, x[3], u[1]) - bias[1]);
  const ResidualState<double> s = residual_state<double>(k, t, x[2], x[3], acceleration);

  ResidualColumns columns(physics, k, t, s);
  columns.add_pivots();
  columns.add_links();
  columns.add_motor(0, x[2], u[0]);
  columns.add_motor(1, x[3], u[1]);
  columns.add_friction(0, x[2]);
  columns.add_friction(1, x[3]);
  columns.add_gravity();

  Eigen::Matrix2d inverse_mass;
  inverse_mass << t.m44, -t.m14, -t.m14, t.m11;
  inverse_mass /= t.m11 * t.m44 - t.m14 * t.m14;
  return -inverse_mass * columns.all();
}

}  // namespace fivebar_control
