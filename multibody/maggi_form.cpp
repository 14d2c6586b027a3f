// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/maggi_form.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "kkt.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Reciprocal condition number of [Phi_q; B] below which other independent coordinates are chosen.
constexpr double poor_condition = 0.02;

}  // namespace

MaggiForm::MaggiForm(std::shared_ptr<const System> system, std::vector<int> independent, bool fixed)
: Form(std::move(system)), independent_(std::move(independent)), fixed_(fixed)
{
  if (static_cast<int>(independent_.size()) != this->system().freedom())
  {
    throw MechanismError(fmt::format(
      "{} independent coordinates are named, but the mechanism has {} degrees of freedom",
      independent_.size(), this->system().freedom()));
  }
}

Eigen::Index MaggiForm::size() const { return 2 * static_cast<Eigen::Index>(independent_.size()); }

/// [Phi_q; B], Dopico et al. eq. (13).
template <class S>
Matrix<S> MaggiForm::bordered(const Matrix<S> & Phi_q) const
{
  const Eigen::Index n = Phi_q.cols();
  const Eigen::Index m = Phi_q.rows();
  Matrix<S> result = Matrix<S>::Zero(n, n);
  result.topRows(m) = Phi_q;
  for (std::size_t i = 0; i < independent_.size(); ++i)
  {
    result(m + static_cast<Eigen::Index>(i), independent_[i]) = S(1.0);
  }
  return result;
}

template <class S>
void MaggiForm::respond_any(
  const S & t, const Vector<S> & y, const Vector<S> & theta, const VectorD & hint,
  Response<S> & response) const
{
  const Eigen::Index n = system().coordinates();
  const Eigen::Index m = system().constraints();
  const Eigen::Index d = n - m;
  Point<S> at{t, hint.template cast<S>(), Vector<S>::Zero(n), theta};
  for (Eigen::Index i = 0; i < d; ++i)
  {
    at.q(independent_[static_cast<std::size_t>(i)]) = y(i);
  }

  // Position problem. Its Jacobian is complex where q is, so imaginary parts converge as fast.
  Terms<S> terms;
  Lu<S> factors;
  Vector<S> right = Vector<S>::Zero(n);
  int extra = 2;
  for (int i = 0; i < 30 && extra > 0; ++i)
  {
    system().evaluate(at, terms);
    factors = Lu<S>(bordered(terms.Phi_q));
    right.head(m) = terms.Phi;
    right.tail(d).setZero();
    const Vector<S> correction = factors.solve(right);
    at.q -= correction;
    const double size = correction.norm();
    if (!(size < 1e3))
    {
      break;
    }
    extra -= size < 1e-9 * (1.0 + hint.norm()) ? 1 : 0;
  }
  if (extra > 0)
  {
    throw MechanismError(
      "the dependent coordinates cannot be found: the independent ones do not determine the "
      "mechanism here. Let the program choose them, or use another formulation.");
  }
  system().evaluate(at, terms);
  factors = Lu<S>(bordered(terms.Phi_q));
  right << -terms.Phi_t, y.tail(d);
  at.v = factors.solve(right);
  system().evaluate(at, terms);

  const Matrix<S> inverse = factors.inverse();
  const auto S_matrix = inverse.leftCols(m);
  const auto R = inverse.rightCols(d);
  const Vector<S> Sc = -(S_matrix * terms.acceleration_bias(at.v));
  const Vector<S> force = terms.Q - terms.M * Sc;
  const Vector<S> z_acceleration = Lu<S>(R.transpose() * terms.M * R).solve(R.transpose() * force);
  response.q = at.q;
  response.v = at.v;
  response.a = R * z_acceleration + Sc;
  response.lambda = S_matrix.transpose() * Vector<S>(terms.Q - terms.M * response.a);
  response.rate.resize(2 * d);
  response.rate << y.tail(d), z_acceleration;
}

void MaggiForm::respond(
  double t, const VectorD & y, const VectorD & theta, const VectorD & hint,
  Response<double> & response) const
{
  respond_any(t, y, theta, hint, response);
}

void MaggiForm::respond(
  const Complex & t, const Vector<Complex> & y, const Vector<Complex> & theta, const VectorD & hint,
  Response<Complex> & response) const
{
  respond_any(t, y, theta, hint, response);
}

/// Position and velocity analyses along all directions z, z', theta (Dopico et al. 26-27, and the
/// terms for parameters in the constraints, which Dopico et al. leave out).
struct MaggiForm::Kinematics
{
  Point<double> at;
  Terms<double> terms;
  MatrixD R, S;
  Directions along;

  Kinematics(
    const MaggiForm & form, double t, const VectorD & theta, const Response<double> & response)
  : at{t, response.q, response.v, theta}, along(form.system(), form.size() + theta.size())
  {
    const Eigen::Index m = form.system().constraints();
    const Eigen::Index d = form.system().freedom();
    form.system().evaluate(at, terms);
    const MatrixD inverse = Lu<double>(form.bordered(terms.Phi_q)).inverse();
    S = inverse.leftCols(m);
    R = inverse.rightCols(d);
    along.theta.rightCols(theta.size()).setIdentity();

    // q along theta: Phi_q q_theta = -Phi_theta with z held.
    MatrixD slopes(m, along.count());
    const auto store = [&](auto && residual) {
      differentiate(
        form.system(), at, along,
        [&](const Point<DualD> & point, const Terms<DualD> & dual, Eigen::Index first, int count) {
          store_slopes(residual(point, dual), 0, first, count, slopes);
        });
    };
    store([](const Point<DualD> &, const Terms<DualD> & dual) { return dual.Phi; });
    along.q = -(S * slopes);
    along.q.leftCols(d) += R;
    store([](const Point<DualD> & point, const Terms<DualD> & dual) {
      Vector<DualD> rate = times(dual.Phi_q, point.v);
      rate += dual.Phi_t;
      return rate;
    });
    along.v = -(S * slopes);
    along.v.middleCols(d, d) += R;
  }

  /// Of the terms of the equations, in one direction.
  struct Slopes
  {
    MatrixD M, Phi_q, R;  // R_x = -S Phi_qx R (29), (32)
    VectorD Q, c;         // c: right-hand side of the constraints' accelerations
  };

  /// take(column, Slopes) for every column of `directions`.
  template <class Take>
  void for_each_slope(const System & system, const Directions & directions, Take && take) const
  {
    differentiate(
      system, at, directions,
      [&](const Point<DualD> & point, const Terms<DualD> & dual, Eigen::Index first, int count) {
        const Vector<DualD> bias = dual.acceleration_bias(point.v);
        for (int k = 0; k < count; ++k)
        {
          const MatrixD Phi_q = slope(dual.Phi_q, k);
          take(
            first + k,
            Slopes{slope(dual.M, k), Phi_q, -(S * (Phi_q * R)), slope(dual.Q, k), -slope(bias, k)});
        }
      });
  }
};

ResponseTangent MaggiForm::linearise(
  double t, const VectorD & y, const VectorD & theta, const Response<double> & response) const
{
  (void)y;
  const Eigen::Index d = system().freedom();
  const Kinematics kinematics(*this, t, theta, response);
  const Terms<double> & terms = kinematics.terms;
  const MatrixD & R = kinematics.R;
  const MatrixD & S = kinematics.S;
  const Directions & along = kinematics.along;
  const VectorD z_acceleration = response.rate.tail(d);
  const MatrixD M_bar = R.transpose() * terms.M * R;
  const VectorD Sc = response.a - R * z_acceleration;
  const VectorD force = terms.Q - terms.M * Sc;
  const VectorD reaction = terms.Q - terms.M * response.a;
  const MatrixD R_transposed = R.transpose();

  ResponseTangent tangent;
  tangent.q = along.q;
  tangent.v = along.v;
  tangent.a.resize(response.q.size(), along.count());
  tangent.lambda.resize(system().constraints(), along.count());
  tangent.rate.resize(size(), along.count());
  tangent.rate.topRows(d).setZero();
  tangent.rate.block(0, d, d, d).setIdentity();

  const Ldlt M_factors(M_bar);
  kinematics.for_each_slope(system(), along, [&](Eigen::Index column, const auto & of) {
    const VectorD Sc_slope = S * VectorD(of.c - of.Phi_q * Sc);  // (48)-(49)
    const VectorD Rz = R * z_acceleration;
    const VectorD Rz_slope = of.R * z_acceleration;
    // (43)-(46) solved for the slope of z''.
    const VectorD held = force - terms.M * Rz;
    const VectorD moved = of.Q - of.M * VectorD(Sc + Rz) - terms.M * VectorD(Sc_slope + Rz_slope);
    const VectorD right = of.R.transpose() * held + R_transposed * moved;
    const VectorD z_slope = M_factors.solve(right);
    const VectorD a_slope = R * z_slope + Rz_slope + Sc_slope;
    tangent.rate.col(column).tail(d) = z_slope;
    tangent.a.col(column) = a_slope;
    // lambda = S^T (Q - M a), S_x = -S Phi_qx S.
    const VectorD reaction_slope = of.Q - of.M * response.a - terms.M * a_slope -
                                   of.Phi_q.transpose() * (S.transpose() * reaction);
    tangent.lambda.col(column) = S.transpose() * reaction_slope;
  });
  return tangent;
}

MaggiTerms MaggiForm::maggi_terms(
  double t, const VectorD & theta, const VectorD & theta_rate,
  const Response<double> & response) const
{
  const Eigen::Index d = system().freedom();
  const Kinematics kinematics(*this, t, theta, response);
  const Terms<double> & terms = kinematics.terms;
  const MatrixD & R = kinematics.R;
  const MatrixD & S = kinematics.S;
  const Directions & along = kinematics.along;
  MaggiTerms result;
  result.R = R;
  result.S = S;
  result.M_bar = R.transpose() * terms.M * R;
  result.z_acceleration = response.rate.tail(d);
  const VectorD Sc = response.a - R * result.z_acceleration;
  const VectorD force = terms.Q - terms.M * Sc;
  result.Q_bar = R.transpose() * force;
  result.Q_bar_slope.resize(d, along.count());

  // One more direction, time itself, for M_bar'.
  Directions all(system(), along.count() + 1);
  all.q << along.q, response.v;
  all.v << along.v, response.a;
  all.theta << along.theta, theta_rate;
  all.t(along.count()) = 1.0;
  kinematics.for_each_slope(system(), all, [&](Eigen::Index column, const auto & of) {
    const MatrixD half = of.R.transpose() * terms.M * R;
    const MatrixD M_bar_slope = half + half.transpose() + R.transpose() * of.M * R;
    if (column == along.count())
    {
      result.M_bar_rate = M_bar_slope;
      return;
    }
    result.M_bar_slope.push_back(M_bar_slope);
    const VectorD Sc_slope = S * VectorD(of.c - of.Phi_q * Sc);
    result.Q_bar_slope.col(column) =
      of.R.transpose() * force + R.transpose() * VectorD(of.Q - of.M * Sc - terms.M * Sc_slope);
  });
  return result;
}

namespace
{

template <class S>
Vector<S> select(const std::vector<int> & independent, const Vector<S> & q, const Vector<S> & v)
{
  const auto d = static_cast<Eigen::Index>(independent.size());
  Vector<S> y(2 * d);
  for (Eigen::Index i = 0; i < d; ++i)
  {
    y(i) = q(independent[static_cast<std::size_t>(i)]);
    y(d + i) = v(independent[static_cast<std::size_t>(i)]);
  }
  return y;
}

}  // namespace

VectorD MaggiForm::state(const Point<double> & at) const
{
  return select(independent_, at.q, at.v);
}

Vector<Complex> MaggiForm::state(const Point<Complex> & at) const
{
  return select(independent_, at.q, at.v);
}

MatrixD MaggiForm::state_tangent(const Point<double> & at, const Directions & along) const
{
  (void)at;
  MatrixD result(size(), along.count());
  for (Eigen::Index k = 0; k < along.count(); ++k)
  {
    result.col(k) = select<double>(independent_, along.q.col(k), along.v.col(k));
  }
  return result;
}

std::unique_ptr<Form> MaggiForm::better(const Point<double> & at) const
{
  if (fixed_)
  {
    return nullptr;
  }
  Terms<double> terms;
  system().evaluate(at, terms);
  if (Lu<double>(bordered(terms.Phi_q)).rcond() >= poor_condition)
  {
    return nullptr;
  }
  std::vector<int> others = choose_independent(system(), at);
  return others == independent_ ? nullptr
                                : std::make_unique<MaggiForm>(shared_system(), std::move(others));
}

std::vector<int> choose_independent(const System & system, const Point<double> & at)
{
  if (system.constraints() == 0)
  {
    std::vector<int> all(static_cast<std::size_t>(system.coordinates()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  Terms<double> terms;
  system.evaluate(at, terms);
  // The first m columns are those that the constraints determine best.
  const std::vector<int> order = pivot_order(terms.Phi_q);
  std::vector<int> independent(order.begin() + system.constraints(), order.end());
  std::sort(independent.begin(), independent.end());
  return independent;
}

}  // namespace fivebar_control::multibody
