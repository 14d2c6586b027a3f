// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/form.hpp"

namespace fivebar_control::multibody
{

/// What Dopico et al. call Mbar, Qbar and their derivatives at one state; columns and slices are
/// the directions z, z', theta in this order.
struct MaggiTerms
{
  MatrixD R, S;                      ///< [Phi_q; B]^-1 = [S R]   (13)-(16)
  MatrixD M_bar;                     ///< R^T M R                  (11)
  VectorD Q_bar;                     ///< R^T (Q - M S c)          (12)
  VectorD z_acceleration;            ///< z''
  MatrixD Q_bar_slope;               ///< d Q_bar                  (42), (45)-(46)
  std::vector<MatrixD> M_bar_slope;  ///< d M_bar              (43)-(44)
  MatrixD M_bar_rate;                ///< d M_bar / dt             (79)-(80)
};

/// Maggi's equations in independent coordinates z (a selection of q), y = (z, z').
class MaggiForm final : public Form
{
public:
  /// `fixed`: keep these coordinates even where they become poor.
  MaggiForm(std::shared_ptr<const System> system, std::vector<int> independent, bool fixed = false);

  Eigen::Index size() const override;
  void respond(
    double t, const VectorD & y, const VectorD & theta, const VectorD & hint,
    Response<double> & response) const override;
  void respond(
    const Complex & t, const Vector<Complex> & y, const Vector<Complex> & theta,
    const VectorD & hint, Response<Complex> & response) const override;
  ResponseTangent linearise(
    double t, const VectorD & y, const VectorD & theta,
    const Response<double> & response) const override;
  VectorD state(const Point<double> & at) const override;
  Vector<Complex> state(const Point<Complex> & at) const override;
  MatrixD state_tangent(const Point<double> & at, const Directions & along) const override;
  std::unique_ptr<Form> better(const Point<double> & at) const override;

  const std::vector<int> & independent() const { return independent_; }
  /// For the semi-explicit adjoint, which works on M_bar and Q_bar themselves.
  MaggiTerms maggi_terms(
    double t, const VectorD & theta, const VectorD & theta_rate,
    const Response<double> & response) const;

private:
  struct Kinematics;
  template <class S>
  void respond_any(
    const S & t, const Vector<S> & y, const Vector<S> & theta, const VectorD & hint,
    Response<S> & response) const;
  template <class S>
  Matrix<S> bordered(const Matrix<S> & Phi_q) const;

  std::vector<int> independent_;
  bool fixed_;
};

}  // namespace fivebar_control::multibody
