// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fivebar_control/multibody/reference_problems.hpp"

namespace fivebar_control::multibody
{
namespace
{

enum Parameter
{
  m1,
  m2,
  L1,
  A0,
  k,
  c,
  F,
  xe
};
constexpr double g = 9.81;

/// q = (x, y, r, th); M = diag(m1, m1, m2, m2 r^2); Phi = (x^2 + y^2 - L1^2, r cos th - x - A0).
class PolarSystem final : public SystemOf<PolarSystem>
{
public:
  explicit PolarSystem(int parameters) : parameters_(parameters) {}
  int coordinates() const override { return 4; }
  int constraints() const override { return 2; }
  int parameters() const override { return parameters_; }
  bool parameters_in_constraints() const override { return true; }

  template <class S>
  void terms(const Point<S> & at, Terms<S> & out) const
  {
    using std::cos;
    using std::sin;
    const auto & q = at.q;
    const auto & v = at.v;
    const auto & b = at.theta;
    const S & r = q(2);
    const S s = sin(q(3)), co = cos(q(3));
    out.M(0, 0) = out.M(1, 1) = b(m1);
    out.M(2, 2) = b(m2);
    out.M(3, 3) = b(m2) * r * r;
    out.M_rate(3, 3) = 2.0 * b(m2) * r * v(2);
    out.Q(0) = -(b(k) * q(0)) - b(c) * v(0) * (1.0 + q(0) * q(0));
    out.Q(1) = -g * b(m1) - b(c) * v(1);
    out.Q(2) =
      b(m2) * r * v(3) * v(3) - g * b(m2) * s - b(k) * (r - 1.0) - 0.1 * b(c) * v(2) * v(2) * v(2);
    out.Q(3) = -2.0 * b(m2) * r * v(2) * v(3) - g * b(m2) * r * co - b(c) * r * v(3) +
               b(F) * cos(2.0 * at.t);
    out.Phi(0) = q(0) * q(0) + q(1) * q(1) - b(L1) * b(L1);
    out.Phi(1) = r * co - q(0) - b(A0);
    out.Phi_q(0, 0) = 2.0 * q(0);
    out.Phi_q(0, 1) = 2.0 * q(1);
    out.Phi_q(1, 0) = S(-1.0);
    out.Phi_q(1, 2) = co;
    out.Phi_q(1, 3) = -(r * s);
    out.Phi_q_rate(0, 0) = 2.0 * v(0);
    out.Phi_q_rate(0, 1) = 2.0 * v(1);
    out.Phi_q_rate(1, 2) = -(s * v(3));
    out.Phi_q_rate(1, 3) = -(v(2) * s) - r * co * v(3);
  }

private:
  int parameters_;
};

class PolarCost final : public CostOf<PolarCost>
{
public:
  CostReads reads() const override { return {true, true, {0, 1, 2, 3}}; }
  template <class S>
  S g(const Motion<S> & at) const
  {
    S sum(0.0);
    for (Eigen::Index i = 0; i < 4; ++i)
    {
      sum += at.q(i) * at.q(i) + at.v(i) * at.v(i);
    }
    return sum + 0.1 * at.lambda(0) * at.lambda(0) + 0.05 * at.lambda(0) * at.lambda(1) +
           (1.0 / 3.0) * at.theta(k) * at.q(0);
  }
  template <class S>
  S w(const Motion<S> & at) const
  {
    using std::sin;
    return sin(at.q(0)) * at.v(3) + at.q(1) * at.v(2) + at.q(2) * at.q(3) + at.theta(m1) * at.v(0);
  }
};

/// y, th and their rates are held at the start.
class PolarStart final : public InitialConditionsOf<PolarStart>
{
public:
  VectorD estimate() const override
  {
    VectorD q(4);
    const double x = std::sqrt(1.25 * 1.25 - 0.8 * 0.8);
    q << x, -0.8, (x + 0.35) / std::cos(0.5), 0.5;
    return q;
  }
  template <class S>
  void conditions(const Point<S> & at, Vector<S> & position, Vector<S> & velocity) const
  {
    position.resize(2);
    velocity.resize(2);
    position << at.q(1) + 0.8, at.q(3) - 0.5;
    velocity << at.v(1) - 0.3, at.v(3) + 0.4;
  }
};

class PolarEnd final : public EventFunctionOf<PolarEnd>
{
public:
  template <class S>
  S r(const Point<S> & at) const
  {
    return at.q(0) - at.theta(xe) - (at.t - 1.0) * 0.05;
  }
};

}  // namespace

Problem schaffer_reference(bool end_event)
{
  Problem problem;
  problem.parameter_names = {"m1", "m2", "L1", "A0", "k", "c", "F"};
  problem.rho.resize(end_event ? 8 : 7);
  problem.rho.head(7) << 1.3, 0.9, 1.25, 0.35, 2.0, 0.15, 1.1;
  problem.duration = 0.9;
  if (end_event)
  {
    problem.parameter_names.emplace_back("xe");
    problem.rho(7) = -0.414625766466;
    problem.end = std::make_shared<PolarEnd>();
    problem.duration = 1.0;
  }
  problem.structural = static_cast<int>(problem.rho.size());
  problem.modes = {std::make_shared<PolarSystem>(problem.structural)};
  problem.initial = std::make_shared<PolarStart>();
  problem.costs = {std::make_shared<PolarCost>()};
  return problem;
}

}  // namespace fivebar_control::multibody
