// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"

#include "fivebar_control/multibody/maggi_form.hpp"
#include "kkt.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Everything that the adjoint equations need at one instant of the motion.
struct Coefficients
{
  double t = 0.0;
  Terms<double> terms;
  Lu<double> kkt;
  MatrixD Phi_q_second;  ///< Phi_q''
  MatrixD momentum_q;    ///< (M v)_q
  MatrixD f_q, f_v, f_v_rate;
  MatrixD reaction_q;          ///< (Phi_q^T lambda)_q
  MatrixD h_q, h_v, h_v_rate;  ///< of the running costs, one row per cost
  // Parameter derivatives at fixed state: of M v + Phi_q^T sigma, f + Phi_q'^T sigma, Phi', h.
  MatrixD momentum_theta, force_theta, constraint_rate_theta, h_theta;
};

/// xi, eta, mu, one column per cost.
struct Adjoint
{
  MatrixD xi, eta, mu;
};

Adjoint advance(const Adjoint & from, double factor, const Adjoint & rate)
{
  return {from.xi + factor * rate.xi, from.eta + factor * rate.eta, from.mu + factor * rate.mu};
}

class Coefficient
{
public:
  Coefficient(const Problem & problem, const Form & form, const VectorD & rho)
  : problem_(problem), form_(form), system_(form.system()), rho_(rho)
  {
  }

  Coefficients at(double t, const VectorD & y) const
  {
    const VectorD theta = problem_.local(t, rho_);
    Response<double> response;
    form_.respond(t, y, theta, VectorD(), response);
    const Point<double> point{t, response.q, response.v, theta};
    const Eigen::Index n = system_.coordinates();
    const Eigen::Index m = system_.constraints();
    Coefficients c;
    c.t = t;
    system_.evaluate(point, c.terms);
    c.kkt = kkt_factors(c.terms);
    VectorD right(n + m);
    right << y.tail(n), -c.terms.Phi_t;
    const VectorD sigma = c.kkt.solve(right).tail(m);

    first_slopes(point, response, sigma, c);
    time_slopes(point, response, c);
    return c;
  }

private:
  void first_slopes(
    const Point<double> & at, const Response<double> & response, const VectorD & sigma,
    Coefficients & c) const
  {
    const Eigen::Index n = system_.coordinates();
    const Eigen::Index np = at.theta.size();
    const Eigen::Index columns = 2 * n + np + 1;  // q, v, theta, time
    Directions along(system_, columns);
    along.q.leftCols(n).setIdentity();
    along.v.middleCols(n, n).setIdentity();
    along.theta.middleCols(2 * n, np).setIdentity();
    along.q.col(columns - 1) = at.v;
    along.v.col(columns - 1) = response.a;
    along.theta.col(columns - 1) = problem_.local_rate(at.t, rho_);
    along.t(columns - 1) = 1.0;

    MatrixD force(n, columns), momentum(n, columns), reaction(n, columns),
      full_momentum(n, columns), full_force(n, columns),
      constraint_rate(system_.constraints(), columns);
    MatrixD h(static_cast<Eigen::Index>(problem_.costs.size()), columns);
    differentiate(
      system_, at, along,
      [&](const Point<DualD> & point, const Terms<DualD> & dual, Eigen::Index first, int count) {
        Vector<DualD> f = dual.Q;
        f += times(dual.M_rate, point.v);
        store_slopes(f, 0, first, count, force);
        f += transpose_times(dual.Phi_q_rate, sigma);
        store_slopes(f, 0, first, count, full_force);
        Vector<DualD> p = times(dual.M, at.v);
        store_slopes(p, 0, first, count, momentum);
        p += transpose_times(dual.Phi_q, sigma);
        store_slopes(p, 0, first, count, full_momentum);
        store_slopes(transpose_times(dual.Phi_q, response.lambda), 0, first, count, reaction);
        Vector<DualD> rate = times(dual.Phi_q, at.v);
        rate += dual.Phi_t;
        store_slopes(rate, 0, first, count, constraint_rate);
        const Motion<DualD> motion{
          point.t, point.q, point.v, constant(response.a), constant(response.lambda), point.theta};
        for (std::size_t k = 0; k < problem_.costs.size(); ++k)
        {
          const DualD value = problem_.costs[k]->running(motion);
          for (int d = 0; d < count; ++d)
          {
            h(static_cast<Eigen::Index>(k), first + d) = value[d];
          }
        }
        if (columns - 1 >= first && columns - 1 < first + count)
        {
          c.Phi_q_second = slope(dual.Phi_q_rate, static_cast<int>(columns - 1 - first));
        }
      });
    c.f_q = force.leftCols(n);
    c.f_v = force.middleCols(n, n);
    c.momentum_q = momentum.leftCols(n);
    c.reaction_q = reaction.leftCols(n);
    c.h_q = h.leftCols(n);
    c.h_v = h.middleCols(n, n);
    c.momentum_theta = full_momentum.middleCols(2 * n, np);
    c.force_theta = full_force.middleCols(2 * n, np);
    c.constraint_rate_theta = constraint_rate.middleCols(2 * n, np);
    c.h_theta = h.middleCols(2 * n, np);
  }

  static Vector<DualD> constant(const VectorD & values) { return values.cast<DualD>(); }

  /// d(f_v)/dt and d(h_v)/dt: velocity slopes inside, time outside.
  void time_slopes(
    const Point<double> & at, const Response<double> & response, Coefficients & c) const
  {
    const Eigen::Index n = system_.coordinates();
    const VectorD theta_rate = problem_.local_rate(at.t, rho_);
    c.f_v_rate.resize(n, n);
    c.h_v_rate.resize(static_cast<Eigen::Index>(problem_.costs.size()), n);
    const auto lift = [](double value, double rate) {
      DualDD result(value);
      result[0] = DualD(rate);
      return result;
    };
    Point<DualDD> point;
    point.t = lift(at.t, 1.0);
    point.q.resize(n);
    point.v.resize(n);
    point.theta.resize(at.theta.size());
    for (Eigen::Index i = 0; i < at.theta.size(); ++i)
    {
      point.theta(i) = lift(at.theta(i), theta_rate(i));
    }
    Terms<DualDD> terms;
    Motion<DualDD> motion;
    motion.a.resize(n);
    motion.lambda.resize(response.lambda.size());
    for (Eigen::Index i = 0; i < n; ++i)
    {
      point.q(i) = lift(at.q(i), at.v(i));
      motion.a(i) = DualDD(response.a(i));
    }
    for (Eigen::Index i = 0; i < response.lambda.size(); ++i)
    {
      motion.lambda(i) = DualDD(response.lambda(i));
    }
    for (Eigen::Index first = 0; first < n; first += dual_width)
    {
      const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, n - first));
      for (Eigen::Index i = 0; i < n; ++i)
      {
        point.v(i) = lift(at.v(i), response.a(i));
        if (i >= first && i < first + count)
        {
          point.v(i).value[static_cast<int>(i - first)] = 1.0;
        }
      }
      system_.evaluate(point, terms);
      Vector<DualDD> f = terms.Q;
      f += times(terms.M_rate, point.v);
      motion.t = point.t;
      motion.q = point.q;
      motion.v = point.v;
      motion.theta = point.theta;
      for (int d = 0; d < count; ++d)
      {
        for (Eigen::Index i = 0; i < n; ++i)
        {
          c.f_v_rate(i, first + d) = f(i)[0][d];
        }
      }
      for (std::size_t k = 0; k < problem_.costs.size(); ++k)
      {
        const DualDD value = problem_.costs[k]->running(motion);
        for (int d = 0; d < count; ++d)
        {
          c.h_v_rate(static_cast<Eigen::Index>(k), first + d) = value[0][d];
        }
      }
    }
  }

  const Problem & problem_;
  const Form & form_;
  const System & system_;
  const VectorD & rho_;
};

/// B.7.
MatrixD right_hand_side(const Coefficients & c, const MatrixD & xi, const MatrixD & eta)
{
  const MatrixD of_eta = c.momentum_q - c.terms.M_rate - c.f_v;
  const MatrixD of_xi = c.f_q - c.f_v_rate - c.reaction_q;
  return (c.h_q - c.h_v_rate).transpose() - of_eta.transpose() * eta - of_xi.transpose() * xi;
}

/// 4.11.
Adjoint absolute_rate(const Coefficients & c, const Adjoint & at)
{
  const Eigen::Index n = c.terms.M.rows();
  const Eigen::Index m = c.terms.Phi_q.rows();
  MatrixD right(n + m, at.xi.cols());
  right << -right_hand_side(c, at.xi, at.eta),
    -(2.0 * (c.terms.Phi_q_rate * at.eta) + c.Phi_q_second * at.xi);
  const MatrixD solution = c.kkt.solve(right);
  return {at.eta, solution.topRows(n), solution.bottomRows(m)};
}

/// H and its rates (R of the Maggi form; [S R]' = -[S R] [Phi_q'; 0] [S R]).
struct Subspace
{
  MatrixD H, H_rate, H_second;

  Subspace(const Coefficients & c, const std::vector<int> & independent)
  {
    const Eigen::Index n = c.terms.M.rows();
    const Eigen::Index m = c.terms.Phi_q.rows();
    MatrixD bordered = MatrixD::Zero(n, n);
    bordered.topRows(m) = c.terms.Phi_q;
    for (std::size_t i = 0; i < independent.size(); ++i)
    {
      bordered(m + static_cast<Eigen::Index>(i), independent[i]) = 1.0;
    }
    const MatrixD inverse = Lu<double>(bordered).inverse();
    const MatrixD S = inverse.leftCols(m);
    H = inverse.rightCols(n - m);
    H_rate = -(S * c.terms.Phi_q_rate * H);
    const MatrixD S_rate = -(S * c.terms.Phi_q_rate * S);
    H_second =
      -(S_rate * c.terms.Phi_q_rate * H) - S * c.Phi_q_second * H - S * c.terms.Phi_q_rate * H_rate;
  }

  /// 4.26.
  Adjoint absolute(const Adjoint & joint) const
  {
    return {H * joint.xi, H * joint.eta + H_rate * joint.xi, joint.mu};
  }
};

/// 4.29, with xi^ and eta^ in place of xi and eta.
Adjoint joint_rate(const Coefficients & c, const std::vector<int> & independent, const Adjoint & at)
{
  const Subspace space(c, independent);
  const Adjoint full = space.absolute(at);
  const MatrixD drift = 2.0 * (space.H_rate * at.eta) + space.H_second * at.xi;
  const MatrixD force = right_hand_side(c, full.xi, full.eta) + c.terms.M * drift;
  const MatrixD right = space.H.transpose() * force;
  const MatrixD mass = space.H.transpose() * c.terms.M * space.H;
  return {at.eta, -Ldlt(mass).solve(right), MatrixD::Zero(at.mu.rows(), at.mu.cols())};
}

/// Derivatives of the terminal costs with respect to q, v and theta.
struct TerminalSlopes
{
  MatrixD q, v, theta;
};

TerminalSlopes terminal_slopes(
  const Problem & problem, const Form & form, const VectorD & rho, const Node & last)
{
  const Eigen::Index n = form.system().coordinates();
  Response<double> response;
  const VectorD theta = problem.local(last.t, rho);
  form.respond(last.t, last.y, theta, last.q, response);
  Directions along(form.system(), 2 * n + theta.size());
  along.q.leftCols(n).setIdentity();
  along.v.middleCols(n, n).setIdentity();
  along.theta.rightCols(theta.size()).setIdentity();
  MatrixD slopes(static_cast<Eigen::Index>(problem.costs.size()), along.count());
  for (Eigen::Index first = 0; first < along.count(); first += dual_width)
  {
    const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, along.count() - first));
    const Point<DualD> point = seeded({last.t, response.q, response.v, theta}, along, first, count);
    for (std::size_t k = 0; k < problem.costs.size(); ++k)
    {
      const DualD value =
        problem.costs[k]->terminal(Motion<DualD>{point.t, point.q, point.v, {}, {}, point.theta});
      for (int d = 0; d < count; ++d)
      {
        slopes(static_cast<Eigen::Index>(k), first + d) = value[d];
      }
    }
  }
  return {slopes.leftCols(n), slopes.middleCols(n, n), slopes.rightCols(theta.size())};
}

/// 4.13. The terms that the terminal equations (4.12) add to the gradient go to `gradient`; 4.15
/// leaves them out.
Adjoint final_adjoint(
  const Problem & problem, const Coefficients & c, const TerminalSlopes & S, MatrixD & gradient)
{
  const Eigen::Index n = c.terms.M.rows();
  const Eigen::Index m = c.terms.Phi_q.rows();
  MatrixD right = MatrixD::Zero(n + m, S.q.rows());
  right.topRows(n) = S.v.transpose();
  MatrixD solution = c.kkt.solve(right);
  const MatrixD nu = solution.topRows(n), epsilon = solution.bottomRows(m);
  Adjoint result;
  result.xi = -nu;
  const MatrixD of_xi = c.momentum_q - c.f_v;
  right.topRows(n) = (S.q + c.h_v).transpose() + of_xi.transpose() * result.xi -
                     c.terms.Phi_q_rate.transpose() * epsilon;
  right.bottomRows(m) = -(c.terms.Phi_q_rate * result.xi);
  solution = c.kkt.solve(right);
  result.eta = solution.topRows(n);
  result.mu = solution.bottomRows(m);
  problem.add_global(
    c.t, -(nu.transpose() * c.momentum_theta + epsilon.transpose() * c.constraint_rate_theta),
    gradient);
  return result;
}

}  // namespace

HamiltonianAdjoint hamiltonian_adjoint(
  const Problem & problem, const Settings & settings, const VectorD & rho, AdjointSpace space)
{
  Settings forward = settings;
  forward.formulation = Formulation::hamilton;
  const Trajectory trajectory = simulate(problem, forward, rho);
  const Phase & phase = trajectory.phases.front();
  const Form & form = *phase.form;
  const Coefficient coefficient(problem, form, rho);
  const Eigen::Index n = form.system().coordinates();

  HamiltonianAdjoint result;
  result.gradient.costs = trajectory.costs;
  MatrixD & gradient = result.gradient.gradient;

  const Node & last = phase.nodes.back();
  Coefficients end = coefficient.at(last.t, last.y);
  const TerminalSlopes terminal = terminal_slopes(problem, form, rho, last);
  gradient = problem.to_global(last.t, terminal.theta);
  Adjoint now = final_adjoint(problem, end, terminal, gradient);

  const bool joint = space == AdjointSpace::joint;
  std::vector<int> independent;
  if (joint)
  {
    Response<double> response;
    const VectorD theta = problem.local(last.t, rho);
    form.respond(last.t, last.y, theta, last.q, response);
    independent = static_cast<int>(settings.independent.size()) == form.system().freedom()
                    ? settings.independent
                    : choose_independent(form.system(), {last.t, response.q, response.v, theta});
    const Subspace subspace(end, independent);
    const Ldlt factors(subspace.H.transpose() * subspace.H);  // (4.30)
    const MatrixD xi = factors.solve(subspace.H.transpose() * now.xi);
    now.eta = factors.solve(subspace.H.transpose() * MatrixD(now.eta - subspace.H_rate * xi));
    now.xi = xi;
  }
  const auto rate = [&](const Coefficients & c, const Adjoint & at) {
    return joint ? joint_rate(c, independent, at) : absolute_rate(c, at);
  };
  const auto absolute = [&](const Coefficients & c, const Adjoint & at) {
    return joint ? Subspace(c, independent).absolute(at) : at;
  };
  /// 4.15.
  const auto collect = [&](const Coefficients & c, const Adjoint & at, double weight) {
    const Adjoint full = absolute(c, at);
    problem.add_global(
      c.t,
      weight *
        (c.h_theta - full.eta.transpose() * c.momentum_theta - full.xi.transpose() * c.force_theta -
         full.mu.transpose() * c.constraint_rate_theta),
      gradient);
  };
  const auto watch = [&](const Coefficients & c, const Adjoint & at) {
    const Adjoint full = absolute(c, at);
    result.velocity_drift = std::max(result.velocity_drift, (c.terms.Phi_q * full.xi).norm());
    result.acceleration_drift = std::max(
      result.acceleration_drift, (c.terms.Phi_q * full.eta + c.terms.Phi_q_rate * full.xi).norm());
  };

  for (std::size_t k = phase.nodes.size() - 1; k-- > 0;)
  {
    const Node & left = phase.nodes[k];
    const Node & right = phase.nodes[k + 1];
    const double h = right.t - left.t;
    const Coefficients middle =
      coefficient.at(0.5 * (left.t + right.t), interpolate(left, right, 0.5));
    Coefficients begin = coefficient.at(left.t, left.y);
    const Adjoint k1 = rate(end, now);
    const Adjoint at2 = advance(now, -0.5 * h, k1);
    const Adjoint k2 = rate(middle, at2);
    const Adjoint at3 = advance(now, -0.5 * h, k2);
    const Adjoint k3 = rate(middle, at3);
    const Adjoint at4 = advance(now, -h, k3);
    const Adjoint k4 = rate(begin, at4);
    collect(end, now, h / 6.0);
    collect(middle, at2, h / 3.0);
    collect(middle, at3, h / 3.0);
    collect(begin, at4, h / 6.0);
    now = advance(now, -h / 6.0, k1);
    now = advance(now, -h / 3.0, k2);
    now = advance(now, -h / 3.0, k3);
    now = advance(now, -h / 6.0, k4);
    end = std::move(begin);
    watch(end, now);
  }

  // Start: the boundary terms of the integration by parts (4.7) at t = 0, where sigma = 0.
  const Adjoint start = absolute(end, now);
  const MatrixD of_position = start.eta.transpose() * end.terms.M + start.xi.transpose() * end.f_v +
                              start.mu.transpose() * end.terms.Phi_q - end.h_v;
  gradient += of_position * trajectory.initial.topRows(n);
  gradient -= start.xi.transpose() * trajectory.initial.bottomRows(n);
  return result;
}

}  // namespace fivebar_control::multibody
