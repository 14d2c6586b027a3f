// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fivebar_control/multibody/cost.hpp"
#include "fivebar_control/multibody/event.hpp"
#include "fivebar_control/multibody/initial.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control::multibody
{

/// A mechanism that cannot be simulated: the message says why, in terms of the mechanism.
class MechanismError : public NotReachable
{
public:
  using NotReachable::NotReachable;
};

/// An input that is piecewise linear between nodes `step` apart, constant after the last.
struct Input
{
  double step = 1.0;
  VectorD nodes;             ///< used where the nodes are not parameters
  int first_parameter = -1;  ///< index in rho of node 0, or -1
};

/// A motion and what is asked about it. rho = (structural parameters, nodes of inputs).
struct Problem
{
  std::vector<std::shared_ptr<const System>> modes;  ///< the motion starts in mode 0
  std::shared_ptr<const InitialConditions> initial;
  std::vector<std::shared_ptr<const Cost>> costs;
  std::vector<Event> events;
  /// The motion ends where this falls through zero (Omega of Schaffer, 4.182); `duration` without
  /// it.
  std::shared_ptr<const EventFunction> end;
  double duration = 1.0;
  int structural = 0;  ///< how many entries of rho are structural
  std::vector<Input> inputs;
  VectorD rho;
  std::vector<std::string> parameter_names;
  VectorD lower, upper;  ///< bounds for optimisation, empty if there are none

  Eigen::Index parameters() const { return rho.size(); }
  Eigen::Index local_parameters() const
  {
    return structural + static_cast<Eigen::Index>(inputs.size());
  }

  /// theta at time t: structural parameters, then inputs.
  template <class S>
  Vector<S> local(const S & t, const Vector<S> & parameters) const;
  /// d theta / dt.
  VectorD local_rate(double t, const VectorD & parameters) const;
  /// rows * (d theta / d rho): adds each row's local derivatives to the global ones.
  void add_global(double t, const MatrixD & local, MatrixD & global) const;
  MatrixD to_global(double t, const MatrixD & local) const
  {
    MatrixD global = MatrixD::Zero(local.rows(), parameters());
    add_global(t, local, global);
    return global;
  }
};

template <class S>
Vector<S> Problem::local(const S & t, const Vector<S> & parameters) const
{
  Vector<S> theta(local_parameters());
  theta.head(structural) = parameters.head(structural);
  for (std::size_t i = 0; i < inputs.size(); ++i)
  {
    const Input & input = inputs[i];
    const Eigen::Index last = input.nodes.size() - 1;
    // The tiny shift keeps a time that is a node up to rounding in the interval that begins there.
    const double position = real_part(t) / input.step + 1e-9;
    const auto k = std::min<Eigen::Index>(
      std::max<Eigen::Index>(static_cast<Eigen::Index>(position), 0),
      std::max<Eigen::Index>(last - 1, 0));
    const auto node = [&](Eigen::Index j) {
      return input.first_parameter >= 0 ? parameters(input.first_parameter + j) : S(input.nodes(j));
    };
    const Eigen::Index row = structural + static_cast<Eigen::Index>(i);
    if (last == 0 || position > static_cast<double>(last) + 1e-6)
    {
      theta(row) = node(last);
      continue;
    }
    const S weight = t / input.step - static_cast<double>(k);
    theta(row) = (1.0 - weight) * node(k) + weight * node(k + 1);
  }
  return theta;
}

enum class Formulation
{
  index1,     ///< accelerations and multipliers from one linear system (Corner 2.56-2.57)
  penalty,    ///< the same with compliant, stabilised constraints (Corner 2.66)
  maggi,      ///< independent coordinates by the projection matrix R (Dopico et al. 9-21)
  hamilton,   ///< absolute coordinates and augmented momenta (Maciąg 3.9)
  ali3p,      ///< index-3 augmented Lagrangian with projections, Newmark (López Varela, section 3)
  index3,     ///< q'', Phi = 0 by a generalised-alpha or HHT scheme (Corner 2.53, López Varela 6)
  kinematic,  ///< every degree of freedom is driven: no dynamics (López Varela 5.2)
  hadca,      ///< joint coordinates and momenta of a chain, divide and conquer (Maciąg 3.4)
  recursive,  ///< joint coordinates of a spatial tree, body after body (López Varela 3.3)
};

enum class Integrator
{
  rk4,          ///< classical Runge-Kutta, fixed step
  trapezoidal,  ///< implicit, fixed step
  adaptive,     ///< Dormand-Prince 5(4) between the nodes of the grid (Boost.Odeint)
  bdf,          ///< variable order and step on stabilised index-1 equations (SUNDIALS IDA)
};

struct Settings
{
  Formulation formulation = Formulation::index1;
  Integrator integrator = Integrator::rk4;
  double step = 1e-3;               ///< s
  double tolerance = 1e-12;         ///< of the adaptive integrator and of Newton iterations
  double penalty = 1e9;             ///< alpha of the penalty form and of ALI3-P
  double penalty_damping = 1.0;     ///< xi
  double penalty_frequency = 10.0;  ///< omega, 1/s
  double projection = 1.0;          ///< varsigma, the scale of ALI3-P's projections
  double spectral_radius = 0.9;     ///< of the index-3 form's scheme at high frequencies, 0 to < 1
  double hht = 0.0;                 ///< alpha of Hilber, Hughes and Taylor; 0: generalised-alpha
  /// Coordinates z of the Maggi form; empty: chosen by pivoting and changed when they degrade.
  /// Named ones are kept.
  std::vector<int> independent;
  int threads = 2;     ///< of the piecewise adjoint and of divide and conquer
  int intervals = 16;  ///< of the piecewise adjoint
  /// How many states of the motion an adjoint stores, running the rest again; 0: all of them.
  int checkpoints = 0;
  static constexpr int automatic_checkpoints = -1;  ///< the square root of the number of steps
};

}  // namespace fivebar_control::multibody
