// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>

#include "fivebar_control/model/cast_physics.hpp"
#include "fivebar_control/model/dynamics_derivatives.hpp"
#include "fivebar_control/support/dual.hpp"
#include "gradient_methods.hpp"

namespace fivebar_control
{
namespace
{

// Symbols of Maciąg, chapter 4, in joint space: q = (phi1, phi4), M the mass matrix, p = M q'
// the momenta, p' = tau(q, q', u), h the running cost, S the terminal one, xi and eta the adjoint
// variables of p' = tau and p = M q'. Motors and gears are inside: M has the reflected rotor
// inertia, tau the back-EMF.

/// Carries a time derivative.
using InTime = Dual<double, 1>;
/// Carries derivatives by (q, q'), each with its time derivative.
using ByState = Dual<InTime, 4>;

struct AdjointState
{
  Eigen::Vector2d xi;
  Eigen::Vector2d eta;
};

/// Coefficients of the adjoint equations at one moment.
struct AdjointCoefficients
{
  Eigen::Matrix2d mass;
  Eigen::Vector2d load;              // h_q - d/dt h_q'
  Eigen::Matrix2d by_eta;            // (M' - (M q')_q + tau_q')^T
  Eigen::Matrix2d by_xi;             // (d/dt tau_q' - tau_q)^T
  Eigen::Vector2d cost_by_velocity;  // h_q'
};

/// Right-hand side of eqs. 4.34 and 4.35: xi' = eta, M eta' = -r.
AdjointState rate_of(const AdjointCoefficients & c, const AdjointState & s)
{
  return {s.eta, -c.mass.inverse() * (c.load + c.by_eta * s.eta + c.by_xi * s.xi)};
}

class AdjointEquations
{
public:
  AdjointEquations(
    const TrackingProblem & problem, const Physics<double> & physics, AssemblyMode mode,
    const Curve & curve)
  : problem_(problem), curve_(curve), lifted_(lump(cast_physics<ByState>(physics), mode))
  {
  }

  AdjointCoefficients at(double t, const Eigen::Vector4d & x, const Eigen::Vector2d & u) const
  {
    const DynamicsConstants<double> & k = problem_.dynamics;
    const Eigen::Vector2d acceleration = forward_dynamics<double>(k, x, u);
    const double rates[4] = {x[2], x[3], acceleration[0], acceleration[1]};
    Vector4<ByState> state;
    for (int i = 0; i < 4; ++i)
    {
      InTime value(x[i]);
      value[0] = rates[i];
      state[i] = ByState(value, i);
    }
    const Vector2<ByState> input{ByState(u[0]), ByState(u[1])};
    const Vector2<ByState> tau = momentum_rate<ByState>(lifted_, state, input);
    const ByState cost = running_cost(state, curve_.at(t));

    AdjointCoefficients c;
    const Terms<double> terms = terms_at<double>(k, x[0], x[1]);
    c.mass << terms.m11, terms.m14, terms.m14, terms.m44;
    const auto dm = mass_matrix_derivative<double>(k, terms);
    const Eigen::Vector2d velocity = x.tail<2>();
    const Eigen::Matrix2d mass_rate = dm.by_phi1 * velocity[0] + dm.by_phi4 * velocity[1];
    Eigen::Matrix2d momentum_by_angle;
    momentum_by_angle << dm.by_phi1 * velocity, dm.by_phi4 * velocity;
    Eigen::Matrix2d tau_by_angle;
    Eigen::Matrix2d tau_by_velocity;
    Eigen::Matrix2d tau_by_velocity_rate;
    for (int i = 0; i < 2; ++i)
    {
      for (int j = 0; j < 2; ++j)
      {
        const int speed = j + 2;
        tau_by_angle(i, j) = tau[i][j].value;
        tau_by_velocity(i, j) = tau[i][speed].value;
        tau_by_velocity_rate(i, j) = tau[i][speed][0];
      }
      const int speed = i + 2;
      c.load[i] = cost[i].value - cost[speed][0];
      c.cost_by_velocity[i] = cost[speed].value;
    }
    c.by_eta = (mass_rate - momentum_by_angle + tau_by_velocity).transpose();
    c.by_xi = (tau_by_velocity_rate - tau_by_angle).transpose();
    return c;
  }

private:
  ByState running_cost(const Vector4<ByState> & state, const Motion2 & reference) const
  {
    const double position = 1.0 - problem_.weights.alpha;
    const Output<ByState> y = output_of_state<ByState>(lifted_, state);
    const auto moving = [](double value, double rate) {
      InTime in_time(value);
      in_time[0] = rate;
      ByState result;
      result.value = in_time;
      return result;
    };
    ByState cost(0.0);
    for (int i = 0; i < 2; ++i)
    {
      const ByState r = y.r[i] - moving(reference.position[i], reference.velocity[i]);
      const ByState v = y.v[i] - moving(reference.velocity[i], reference.acceleration[i]);
      cost += ByState(position) * r * r + ByState(position * problem_.weights.beta) * v * v;
    }
    return cost;
  }

  const TrackingProblem & problem_;
  const Curve & curve_;
  DynamicsConstants<ByState> lifted_;
};

AdjointState moved(const AdjointState & s, double length, const AdjointState & rate)
{
  return {s.xi + length * rate.xi, s.eta + length * rate.eta};
}

/// State in the middle of an interval by cubic Hermite interpolation.
Eigen::Vector4d middle_state(const TrackingProblem & problem, const Trajectory & tr, std::size_t i)
{
  const Eigen::Vector4d x0 = tr.x(i);
  const Eigen::Vector4d x1 = tr.x(i + 1);
  const Eigen::Vector4d f0 = state_derivative<double>(problem.dynamics, x0, tr.u(i));
  const Eigen::Vector4d f1 = state_derivative<double>(problem.dynamics, x1, tr.u(i + 1));
  return 0.5 * (x0 + x1) + problem.step / 8.0 * (f0 - f1);
}

}  // namespace

NodeGradient hamiltonian_joint_gradient(
  const TrackingProblem & problem, const Physics<double> & physics, AssemblyMode mode,
  const Curve & curve, const Trajectory & trajectory)
{
  const AdjointEquations equations(problem, physics, mode, curve);
  const double h = problem.step;
  const std::size_t last = problem.intervals;
  const auto time = [&](double node) { return std::min(node * h, curve.duration()); };

  // Boundary conditions, eqs. 4.37: no terminal cost on the velocity, so xi = 0 and
  // M eta = S_q + h_q'.
  AdjointCoefficients here =
    equations.at(time(static_cast<double>(last)), trajectory.x(last), trajectory.u(last));
  const Pose<double> pose =
    pose_at<double>(problem.dynamics.geometry, trajectory.x(last)[0], trajectory.x(last)[1]);
  const Eigen::Matrix2d jacobian = end_effector_jacobian<double>(
    problem.dynamics.geometry, pose, passive_velocity_map<double>(problem.dynamics.geometry, pose));
  const Eigen::Vector2d end_error =
    end_effector<double>(problem.dynamics.geometry, pose) -
    Eigen::Vector2d(problem.node_reference[0][last], problem.node_reference[1][last]);
  const Eigen::Vector2d terminal =
    2.0 * problem.weights.alpha * jacobian.transpose() * end_error + here.cost_by_velocity;
  AdjointState adjoint{Eigen::Vector2d::Zero(), here.mass.inverse() * terminal};

  // Gradient, eq. 4.38: the density -tau_u^T xi, weighted with the hat function of each node.
  NodeGradient gradient(problem.nodes(), Eigen::Vector2d::Zero());
  const Eigen::Vector2d gain = problem.dynamics.torque_gain;
  for (std::size_t i = last; i-- > 0;)
  {
    const double node = static_cast<double>(i);
    const AdjointCoefficients middle = equations.at(
      time(node + 0.5), middle_state(problem, trajectory, i),
      0.5 * (trajectory.u(i) + trajectory.u(i + 1)));
    const AdjointCoefficients before = equations.at(time(node), trajectory.x(i), trajectory.u(i));
    // Runge-Kutta, backward in time.
    const AdjointState k1 = rate_of(here, adjoint);
    const AdjointState k2 = rate_of(middle, moved(adjoint, -0.5 * h, k1));
    const AdjointState k3 = rate_of(middle, moved(adjoint, -0.5 * h, k2));
    const AdjointState k4 = rate_of(before, moved(adjoint, -h, k3));
    AdjointState next;
    next.xi = adjoint.xi - h / 6.0 * (k1.xi + 2.0 * (k2.xi + k3.xi) + k4.xi);
    next.eta = adjoint.eta - h / 6.0 * (k1.eta + 2.0 * (k2.eta + k3.eta) + k4.eta);
    const Eigen::Vector2d xi_middle =
      0.5 * (next.xi + adjoint.xi) + h / 8.0 * (next.eta - adjoint.eta);
    gradient[i] -= h / 6.0 * gain.cwiseProduct(next.xi + 2.0 * xi_middle);
    gradient[i + 1] -= h / 6.0 * gain.cwiseProduct(adjoint.xi + 2.0 * xi_middle);
    adjoint = next;
    here = before;
  }
  add_input_cost_gradient(problem, trajectory, gradient);
  return gradient;
}

}  // namespace fivebar_control
