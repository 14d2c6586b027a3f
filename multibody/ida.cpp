// SPDX-License-Identifier: Apache-2.0
#include "ida.hpp"

#include <fmt/core.h>

namespace fivebar_control::multibody
{
namespace
{

constexpr long max_steps = 2000000;

SUNContext make_context()
{
  SUNContext context = nullptr;
#ifdef SUN_COMM_NULL
  const int flag = SUNContext_Create(SUN_COMM_NULL, &context);
#else
  const int flag = SUNContext_Create(nullptr, &context);
#endif
  if (flag != 0)
  {
    throw InternalError(fmt::format("SUNDIALS: SUNContext_Create returned {}", flag));
  }
  return context;
}

}  // namespace

Ida::Ida(const IdaEquations & equations, Eigen::Index size, double tolerance)
: equations_(equations), size_(size), tolerance_(tolerance), context_(make_context())
{
  w_ = N_VNew_Serial(size, context_);
  rate_ = N_VNew_Serial(size, context_);
  matrix_ = SUNDenseMatrix(size, size, context_);
  solver_ = SUNLinSol_Dense(w_, matrix_, context_);
  memory_ = IDACreate(context_);
}

Ida::~Ida()
{
  IDAFree(&memory_);
  SUNLinSolFree(solver_);
  SUNMatDestroy(matrix_);
  N_VDestroy(rate_);
  N_VDestroy(w_);
  SUNContext_Free(&context_);
}

void Ida::check(int flag, const char * function) const
{
  if (thrown_)
  {
    std::rethrow_exception(thrown_);
  }
  if (flag < 0)
  {
    throw MechanismError(fmt::format(
      "SUNDIALS: {} failed ({}); a larger tolerance may help", function,
      IDAGetReturnFlagName(flag)));
  }
}

void Ida::start(double t, const VectorD & w, const VectorD & rate)
{
  map(w_) = w;
  map(rate_) = rate;
  if (started_)
  {
    check(IDAReInit(memory_, t, w_, rate_), "IDAReInit");
    return;
  }
  check(IDAInit(memory_, residual_of, t, w_, rate_), "IDAInit");
  check(IDASetUserData(memory_, this), "IDASetUserData");
  check(IDASStolerances(memory_, tolerance_, tolerance_), "IDASStolerances");
  check(IDASetLinearSolver(memory_, solver_, matrix_), "IDASetLinearSolver");
  check(IDASetJacFn(memory_, jacobian_of), "IDASetJacFn");
  check(IDASetMaxNumSteps(memory_, max_steps), "IDASetMaxNumSteps");
  started_ = true;
}

void Ida::advance(double t, VectorD & w, VectorD & rate)
{
  double reached = 0.0;
  check(IDASolve(memory_, t, &reached, w_, rate_, IDA_NORMAL), "IDASolve");
  w = map(w_);
  rate = map(rate_);
}

/// Exceptions must not pass through C.
template <class Body>
int Ida::guarded(Body && body)
{
  try
  {
    body();
    return 0;
  }
  catch (...)
  {
    thrown_ = std::current_exception();
    return -1;
  }
}

int Ida::residual_of(double t, N_Vector w, N_Vector rate, N_Vector value, void * self)
{
  Ida & ida = *static_cast<Ida *>(self);
  return ida.guarded([&] {
    VectorD result(ida.size_);
    ida.equations_.residual(t, ida.map(w), ida.map(rate), result);
    ida.map(value) = result;
  });
}

int Ida::jacobian_of(
  double t, double shift, N_Vector w, N_Vector rate, N_Vector, SUNMatrix matrix, void * self,
  N_Vector, N_Vector, N_Vector)
{
  Ida & ida = *static_cast<Ida *>(self);
  return ida.guarded([&] {
    Eigen::Map<MatrixD>(SUNDenseMatrix_Data(matrix), ida.size_, ida.size_) =
      ida.equations_.jacobian(t, shift, ida.map(w), ida.map(rate));
  });
}

}  // namespace fivebar_control::multibody
