// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <exception>
#include <type_traits>

#include "fivebar_control/multibody/problem.hpp"

namespace fivebar_control::multibody
{

static_assert(std::is_same_v<sunrealtype, double>);

/// F(t, w, w') = 0 for IDA.
class IdaEquations
{
public:
  virtual ~IdaEquations() = default;
  virtual void residual(
    double t, const VectorD & w, const VectorD & rate, VectorD & value) const = 0;
  /// F_w + shift F_w'.
  virtual MatrixD jacobian(
    double t, double shift, const VectorD & w, const VectorD & rate) const = 0;
};

/// IDA's objects for one set of equations: variable-order, variable-step backward differentiation
/// in fixed-leading-coefficient form (Schaffer 4.4-4.13), with dense linear algebra.
class Ida
{
public:
  Ida(const IdaEquations & equations, Eigen::Index size, double tolerance);
  ~Ida();
  Ida(const Ida &) = delete;
  Ida & operator=(const Ida &) = delete;

  void start(double t, const VectorD & w, const VectorD & rate);
  /// To `t`, which may lie behind the last internal step; leaves w and its rate.
  void advance(double t, VectorD & w, VectorD & rate);

private:
  using Map = Eigen::Map<VectorD>;
  Map map(N_Vector vector) const { return {N_VGetArrayPointer(vector), size_}; }
  void check(int flag, const char * function) const;
  template <class Body>
  int guarded(Body && body);
  static int residual_of(double t, N_Vector w, N_Vector rate, N_Vector value, void * self);
  static int jacobian_of(
    double t, double shift, N_Vector w, N_Vector rate, N_Vector value, SUNMatrix matrix,
    void * self, N_Vector, N_Vector, N_Vector);

  const IdaEquations & equations_;
  Eigen::Index size_;
  double tolerance_;
  SUNContext context_ = nullptr;
  N_Vector w_ = nullptr, rate_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  void * memory_ = nullptr;
  bool started_ = false;
  std::exception_ptr thrown_;
};

}  // namespace fivebar_control::multibody
