// SPDX-License-Identifier: Apache-2.0
#include "drive_table.hpp"
#include "fivebar_control/multibody/spatial_motion.hpp"
#include "spatial_accumulation.hpp"
#include "spatial_joint.hpp"
#include "spatial_rows.hpp"

namespace fivebar_control::multibody
{
namespace
{

class SpatialSystem final : public SystemOf<SpatialSystem>
{
public:
  explicit SpatialSystem(Mechanism mechanism)
  : mechanism_(std::move(mechanism)),
    parts_(*mechanism_.space),
    constraints_(constraint_count(mechanism_))
  {
  }
  int coordinates() const override { return mechanism_.coordinates; }
  int constraints() const override { return constraints_; }
  int parameters() const override { return mechanism_.parameters; }
  const Mechanism * mechanism() const override { return &mechanism_; }
  bool parameters_in_constraints() const override
  {
    const auto varies = [](const Anchor & anchor) {
      return anchor.x.parameter >= 0 || anchor.y.parameter >= 0 || anchor.z.parameter >= 0;
    };
    const bool any_point = std::any_of(
      parts_.joints.begin(), parts_.joints.end(),
      [&](const SpatialJoint & joint) { return varies(joint.a) || varies(joint.b); });
    return (any_point && !parts_.closures.empty()) || multibody::parameters_in_drives(mechanism_);
  }

  template <class S>
  void terms(const Point<S> & at, Terms<S> & out) const
  {
    const SpatialKinematics<S> kinematics(mechanism_, at.q, at.v, at.theta);
    const AppliedForces<S> forces(mechanism_, kinematics, at.v, at.theta);
    for (Eigen::Index k = 0; k < out.Q.size(); ++k)
    {
      out.Q(k) += forces.on_coordinate(k);
    }
    SpatialRows<S> rows(kinematics, at.v, out);
    if (natural())
    {
      add_natural_bodies(kinematics, forces, at.theta, out);
      rows.add_natural_bodies();
    }
    else
    {
      TreeAccumulation<S>(kinematics, at.v, at.theta, forces).add_to(out);
    }
    for (const auto & motor : parts_.motors)
    {
      if (motor.has_inertia())
      {
        add_rotor(motor, kinematics, at, out);
      }
    }
    for (const SpatialLink & link : parts_.links)
    {
      if (const int first = euler_parameters(link.joint); first >= 0)
      {
        rows.add_euler_parameters(at.q, link.first + first);
      }
    }
    for (const int joint : parts_.closures)
    {
      rows.add_joint(parts_.joints[static_cast<std::size_t>(joint)], parts_.closure);
    }
    for (const Joint & drive : mechanism_.joints)
    {
      add_drive(drive, at, rows.next(), out);
    }
  }

private:
  bool natural() const { return parts_.coordinates == Coordinates::natural; }

  /// T = 1/2 J (c v)^2, where c v is the joint's rate.
  template <class S>
  void add_rotor(
    const SpatialParts::Motor & motor, const SpatialKinematics<S> & kinematics, const Point<S> & at,
    Terms<S> & out) const
  {
    const S inertia = motor.inertia(at.theta);
    const AngleSlopes<S> slopes = kinematics.angle_slopes(
      parts_.joints[static_cast<std::size_t>(motor.joint)], motor.component);
    S bias(0.0);
    for (std::size_t i = 0; i < slopes.index.size(); ++i)
    {
      bias += slopes.rate[i] * at.v(slopes.index[i]);
    }
    for (std::size_t i = 0; i < slopes.index.size(); ++i)
    {
      const int row = slopes.index[i];
      out.Q(row) -= inertia * bias * slopes.value[i];
      for (std::size_t j = 0; j < slopes.index.size(); ++j)
      {
        const int column = slopes.index[j];
        out.M(row, column) += inertia * slopes.value[i] * slopes.value[j];
        out.M_rate(row, column) +=
          inertia * (slopes.rate[i] * slopes.value[j] + slopes.value[i] * slopes.rate[j]);
      }
    }
  }

  /// T = 1/2 sum psi_ik x_i . x_k over the origin's velocity and those of the three axes: a
  /// constant mass matrix (López Varela, section 2.1).
  template <class S>
  void add_natural_bodies(
    const SpatialKinematics<S> & at, const AppliedForces<S> & forces, const Vector<S> & theta,
    Terms<S> & out) const
  {
    for (std::size_t i = 0; i < parts_.bodies.size(); ++i)
    {
      const SpatialBody & body = parts_.bodies[i];
      const S mass = body.mass.at(theta);
      const Space<S> c = space<S>(body.centre, theta);
      Columns3<S> own = central_inertia(body, identity<S>(), theta);
      const Columns3<S> moved = lever(c, c);
      for (int k = 0; k < 3; ++k)
      {
        own[k] += mass * moved[k];
      }
      const S half = 0.5 * (own.x.x + own.y.y + own.z.z);
      const auto component = [](const Space<S> & of, int k) {
        return k == 0 ? of.x : k == 1 ? of.y : of.z;
      };
      const auto psi = [&](int a, int b) {
        if (a == 0 || b == 0)
        {
          return a == b ? mass : S(mass * component(c, a + b - 1));
        }
        return S((a == b ? half : S(0.0)) - component(own[a - 1], b - 1));
      };
      const auto first = static_cast<Eigen::Index>(12 * i);
      const Wrench<S> & force = forces.on_body[i];
      const BodyState<S> & state = at.body(static_cast<int>(i));
      const Space<S> torque = force.n - cross(state.origin, force.f);
      for (int a = 0; a < 4; ++a)
      {
        const Space<S> pull = a == 0 ? force.f : S(0.5) * cross(torque, state.axes[a - 1]);
        for (int j = 0; j < 3; ++j)
        {
          out.Q(first + 3 * a + j) += component(pull, j);
          for (int b = 0; b < 4; ++b)
          {
            out.M(first + 3 * a + j, first + 3 * b + j) += psi(a, b);
          }
        }
      }
    }
  }

  Mechanism mechanism_;
  const SpatialParts & parts_;
  int constraints_;
};

}  // namespace

std::shared_ptr<const System> make_spatial_system(Mechanism mechanism)
{
  return std::make_shared<SpatialSystem>(std::move(mechanism));
}

}  // namespace fivebar_control::multibody
