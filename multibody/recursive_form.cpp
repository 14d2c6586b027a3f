// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fivebar_control/multibody/form.hpp"
#include "tree_sweep.hpp"

namespace fivebar_control::multibody
{
namespace
{

class RecursiveForm final : public Form
{
public:
  using Form::Form;

  Eigen::Index size() const override { return 2 * Eigen::Index{system().coordinates()}; }

  void respond(
    double t, const VectorD & y, const VectorD & theta, const VectorD & hint,
    Response<double> & response) const override
  {
    (void)hint;
    respond_any(t, y, theta, response);
  }
  void respond(
    const Complex & t, const Vector<Complex> & y, const Vector<Complex> & theta,
    const VectorD & hint, Response<Complex> & response) const override
  {
    (void)hint;
    respond_any(t, y, theta, response);
  }

  ResponseTangent linearise(
    double t, const VectorD & y, const VectorD & theta,
    const Response<double> & response) const override
  {
    (void)response;
    const Eigen::Index n = system().coordinates();
    const Eigen::Index columns = 2 * n + theta.size();
    Directions along(system(), columns);
    along.q.leftCols(n).setIdentity();
    along.v.middleCols(n, n).setIdentity();
    along.theta.rightCols(theta.size()).setIdentity();
    ResponseTangent tangent{
      along.q, along.v, MatrixD(n, columns), MatrixD::Zero(system().constraints(), columns),
      MatrixD(2 * n, columns)};
    const Point<double> at{t, y.head(n), y.tail(n), theta};
    for (Eigen::Index first = 0; first < columns; first += dual_width)
    {
      const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, columns - first));
      const Point<DualD> point = seeded(at, along, first, count);
      store_slopes(
        TreeSweep<DualD>(*system().mechanism(), point).accelerations(), 0, first, count, tangent.a);
    }
    tangent.rate << tangent.v, tangent.a;
    return tangent;
  }

  VectorD state(const Point<double> & at) const override { return state_any(at); }
  Vector<Complex> state(const Point<Complex> & at) const override { return state_any(at); }
  MatrixD state_tangent(const Point<double> & at, const Directions & along) const override
  {
    (void)at;
    MatrixD result(size(), along.count());
    result << along.q, along.v;
    return result;
  }

private:
  template <class S>
  Vector<S> state_any(const Point<S> & at) const
  {
    Vector<S> y(size());
    y << at.q, at.v;
    return y;
  }

  /// Nothing acts along the length of Euler parameters, so their multipliers vanish.
  template <class S>
  void respond_any(
    const S & t, const Vector<S> & y, const Vector<S> & theta, Response<S> & response) const
  {
    const Eigen::Index n = system().coordinates();
    const Point<S> at{t, y.head(n), y.tail(n), theta};
    response.q = at.q;
    response.v = at.v;
    response.a = TreeSweep<S>(*system().mechanism(), at).accelerations();
    response.lambda = Vector<S>::Zero(system().constraints());
    response.rate.resize(2 * n);
    response.rate << at.v, response.a;
  }
};

}  // namespace

std::string tree_obstacle(const System & system)
{
  const Mechanism * mechanism = system.mechanism();
  if (
    mechanism == nullptr || !mechanism->space ||
    mechanism->space->coordinates == Coordinates::natural)
  {
    return "the recursive formulation needs a spatial mechanism whose coordinates are joint or "
           "absolute";
  }
  if (!mechanism->space->closures.empty() || !mechanism->joints.empty())
  {
    return "the recursive formulation needs an open tree: here joints close loops, or drives "
           "prescribe coordinates";
  }
  return "";
}

std::unique_ptr<Form> make_recursive_form(std::shared_ptr<const System> system)
{
  if (const std::string reason = tree_obstacle(*system); !reason.empty())
  {
    throw MechanismError(reason);
  }
  return std::make_unique<RecursiveForm>(std::move(system));
}

}  // namespace fivebar_control::multibody
