// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/scalar.hpp"

namespace fivebar_control::multibody
{

struct Mechanism;

/// Where a system is evaluated. theta holds the structural parameters followed by the present
/// values of the inputs: to the equations of motion an input is a parameter that changes with time.
template <class S>
struct Point
{
  S t{};
  Vector<S> q, v, theta;
};

/// The terms of  M q'' + Phi_q^T lambda = Q,  Phi(t, q) = 0  (Schaffer 3.1-3.2, 4.15-4.19).
/// Rates are total time derivatives along (q, v); Q holds the velocity-dependent inertia forces
/// too.
template <class S>
struct Terms
{
  Matrix<S> M;           ///< mass matrix
  Matrix<S> M_rate;      ///< dM/dt
  Vector<S> Q;           ///< applied and gyroscopic forces
  Vector<S> Phi;         ///< constraints
  Matrix<S> Phi_q;       ///< their Jacobian
  Matrix<S> Phi_q_rate;  ///< d(Phi_q)/dt
  Vector<S> Phi_t;       ///< partial derivative of Phi with respect to time
  Vector<S> Phi_t_rate;  ///< d(Phi_t)/dt, total

  /// Phi_q' v + Phi_t', the part of Phi'' without accelerations (-c in Dopico et al., eq. 4).
  Vector<S> acceleration_bias(const Vector<S> & v) const
  {
    Vector<S> result = times(Phi_q_rate, v);
    for (Eigen::Index i = 0; i < result.size(); ++i)
    {
      result(i) += Phi_t_rate(i);
    }
    return result;
  }

  void set_zero(Eigen::Index n, Eigen::Index m)
  {
    const S zero(0.0);
    M.setConstant(n, n, zero);
    M_rate.setConstant(n, n, zero);
    Q.setConstant(n, zero);
    Phi.setConstant(m, zero);
    Phi_q.setConstant(m, n, zero);
    Phi_q_rate.setConstant(m, n, zero);
    Phi_t.setConstant(m, zero);
    Phi_t_rate.setConstant(m, zero);
  }
};

/// A constrained mechanical system. Implementations write `terms` once as a template on the scalar
/// (see SystemOf); derivatives come from dual numbers, complex steps from complex ones.
class System
{
public:
  virtual ~System() = default;
  virtual int coordinates() const = 0;
  virtual int constraints() const = 0;
  /// Length of theta.
  virtual int parameters() const = 0;
  int freedom() const { return coordinates() - constraints(); }
  /// Whether an entry of theta enters the constraints: the joint-space adjoint handles none.
  virtual bool parameters_in_constraints() const = 0;
  /// The bodies and joints that the system was made of, for formulations that follow them; null if
  /// it is known by its equations alone.
  virtual const Mechanism * mechanism() const { return nullptr; }

  virtual void evaluate(const Point<double> & at, Terms<double> & terms) const = 0;
  virtual void evaluate(const Point<Complex> & at, Terms<Complex> & terms) const = 0;
  virtual void evaluate(const Point<DualD> & at, Terms<DualD> & terms) const = 0;
  virtual void evaluate(const Point<DualDD> & at, Terms<DualDD> & terms) const = 0;
};

/// Turns `template <class S> void terms(const Point<S> &, Terms<S> &) const` of Derived into a
/// System.
template <class Derived>
class SystemOf : public System
{
public:
  void evaluate(const Point<double> & at, Terms<double> & out) const final { call(at, out); }
  void evaluate(const Point<Complex> & at, Terms<Complex> & out) const final { call(at, out); }
  void evaluate(const Point<DualD> & at, Terms<DualD> & out) const final { call(at, out); }
  void evaluate(const Point<DualDD> & at, Terms<DualDD> & out) const final { call(at, out); }

private:
  template <class S>
  void call(const Point<S> & at, Terms<S> & out) const
  {
    out.set_zero(coordinates(), constraints());
    static_cast<const Derived &>(*this).terms(at, out);
  }
};

/// Directions of differentiation, one per column.
struct Directions
{
  MatrixD q, v, theta;
  VectorD t;  ///< one entry per direction

  Directions(const System & system, Eigen::Index count)
  : q(MatrixD::Zero(system.coordinates(), count)),
    v(MatrixD::Zero(system.coordinates(), count)),
    theta(MatrixD::Zero(system.parameters(), count)),
    t(VectorD::Zero(count))
  {
  }
  Eigen::Index count() const { return q.cols(); }
};

/// Seeds `value` with the slopes of directions first ... first + count - 1.
inline void seed(
  const VectorD & value, const MatrixD & directions, Eigen::Index first, int count,
  Vector<DualD> & out)
{
  out.resize(value.size());
  for (Eigen::Index i = 0; i < value.size(); ++i)
  {
    out(i) = DualD(value(i));
    for (int d = 0; d < count; ++d)
    {
      out(i)[d] = directions(i, first + d);
    }
  }
}

/// The point with eight directions seeded, first ... first + count - 1.
inline Point<DualD> seeded(
  const Point<double> & at, const Directions & along, Eigen::Index first, int count)
{
  Point<DualD> point;
  point.t = DualD(at.t);
  for (int d = 0; d < count; ++d)
  {
    point.t[d] = along.t(first + d);
  }
  seed(at.q, along.q, first, count, point.q);
  seed(at.v, along.v, first, count, point.v);
  seed(at.theta, along.theta, first, count, point.theta);
  return point;
}

/// Calls use(point, terms, first, count) for each group of directions, with the terms' slopes.
template <class Use>
void differentiate(
  const System & system, const Point<double> & at, const Directions & along, Use && use)
{
  Terms<DualD> terms;
  for (Eigen::Index first = 0; first < along.count(); first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, along.count() - first));
    const Point<DualD> point = seeded(at, along, first, count);
    system.evaluate(point, terms);
    use(point, terms, first, count);
  }
}

/// Copies the slopes of a dual vector into columns first ... first + count - 1, from row `row` on.
inline void store_slopes(
  const Vector<DualD> & dual, Eigen::Index row, Eigen::Index first, int count, MatrixD & out)
{
  for (Eigen::Index i = 0; i < dual.size(); ++i)
  {
    for (int d = 0; d < count; ++d)
    {
      out(row + i, first + d) = dual(i)[d];
    }
  }
}

/// The slope of a dual matrix in one direction.
inline MatrixD slope(const Matrix<DualD> & dual, int direction)
{
  MatrixD result(dual.rows(), dual.cols());
  for (Eigen::Index i = 0; i < dual.size(); ++i)
  {
    result.data()[i] = dual.data()[i][direction];
  }
  return result;
}

}  // namespace fivebar_control::multibody
