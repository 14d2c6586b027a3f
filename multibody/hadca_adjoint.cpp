// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/hadca_adjoint.hpp"

#include <algorithm>

#include "chain_adjoint.hpp"
#include "stepper.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// The start of a chain: Newton on the joint coordinates alone, whose Jacobian is as small as the
/// number of bodies.
VectorD start_of(const Problem & problem, const Form & form, const VectorD & theta)
{
  const System & system = form.system();
  const Eigen::Index n = system.freedom();
  VectorD y = form.state(
    Point<double>{0.0, problem.initial->estimate(), VectorD::Zero(system.coordinates()), theta});
  Response<double> response;
  VectorD h, h_rate;
  const auto jacobian = [&](const ResponseTangent & tangent, bool velocities) {
    // Columns: joint coordinates move q; joint momenta move v at fixed q.
    const Eigen::Index first_column = velocities ? n : 0;
    Directions along(system, n);
    along.q = tangent.q.middleCols(first_column, n);
    along.v = tangent.v.middleCols(first_column, n);
    MatrixD result(n, n);
    Vector<DualD> position, velocity;
    for (Eigen::Index first = 0; first < n; first += dual_width)
    {
      const int count = static_cast<int>(std::min<Eigen::Index>(dual_width, n - first));
      const Point<double> at{0.0, response.q, response.v, theta};
      problem.initial->evaluate(seeded(at, along, first, count), position, velocity);
      store_slopes(velocities ? velocity : position, 0, first, count, result);
    }
    return result;
  };
  const auto correct = [&](bool velocities) {
    form.respond(0.0, y, theta, VectorD(), response);
    problem.initial->evaluate(Point<double>{0.0, response.q, response.v, theta}, h, h_rate);
    const VectorD & residual = velocities ? h_rate : h;
    if (residual.norm() <= 1e-14 * (1.0 + y.norm()))
    {
      return 0.0;
    }
    const MatrixD slopes = jacobian(form.linearise(0.0, y, theta, response), velocities);
    const VectorD step = Lu<double>(slopes).solve(residual);
    y.segment(velocities ? n : 0, n) -= step;
    return step.norm();
  };
  double moved = 1.0;
  for (int i = 0; i < 30 && moved > 1e-13; ++i)
  {
    moved = correct(false);
  }
  if (!(moved < 1e-9))
  {
    throw MechanismError("the initial conditions of the chain cannot be met");
  }
  correct(true);
  correct(true);
  return y;
}

class HadcaSweep
{
public:
  HadcaSweep(const Problem & problem, const Settings & settings, const VectorD & rho)
  : problem_(problem),
    settings_(settings),
    rho_(rho),
    form_(make_form(problem.modes.front(), settings, Point<double>())),
    chain_(make_chain(*problem.modes.front()->mechanism())),
    team_(settings.threads > 1 ? std::make_unique<Team>(settings.threads) : nullptr)
  {
  }

  HadcaAdjoint run()
  {
    forward();
    backward();
    return std::move(result_);
  }

private:
  void forward()
  {
    const Stepper<double> stepper(problem_, settings_, rho_);
    const VectorD theta = problem_.local(0.0, rho_);
    Instant<double> now =
      stepper.instant(*form_, 0.0, start_of(problem_, *form_, theta), VectorD());
    VectorD costs = VectorD::Zero(static_cast<Eigen::Index>(problem_.costs.size()));
    const long steps =
      std::max(1L, std::lround(std::ceil(problem_.duration / settings_.step - 1e-9)));
    const double h = problem_.duration / static_cast<double>(steps);
    nodes_.push_back({now.t, now.y, now.response.rate, {}});
    for (long i = 1; i <= steps; ++i)
    {
      Advance<double> ahead = stepper.advance(*form_, now, h);
      costs += ahead.costs;
      now = std::move(ahead.to);
      now.t = h * static_cast<double>(i);
      if (!std::isfinite(now.y.norm()))
      {
        throw MechanismError("the motion of the chain is not finite; a smaller step may help");
      }
      nodes_.push_back({now.t, now.y, now.response.rate, {}});
    }
    const Point<double> at = stepper.point(now);
    for (std::size_t c = 0; c < problem_.costs.size(); ++c)
    {
      costs(static_cast<Eigen::Index>(c)) +=
        problem_.costs[c]->terminal(Motion<double>{at.t, at.q, at.v, {}, {}, at.theta});
    }
    result_.gradient.costs = costs;
    result_.gradient.gradient = MatrixD::Zero(costs.size(), rho_.size());
  }

  void backward()
  {
    ChainAdjoint end(problem_, chain_, team_.get());
    ChainAdjoint middle(problem_, chain_, team_.get());
    ChainAdjoint begin(problem_, chain_, team_.get());
    end.move(nodes_.back().t, nodes_.back().y, problem_.local(nodes_.back().t, rho_));
    std::vector<JointAdjoint> now;
    for (std::size_t c = 0; c < problem_.costs.size(); ++c)
    {
      now.push_back(end.terminal(c));
      collect(end, c, now[c], 0.0, true);
    }
    keep(end, now.front());
    for (std::size_t k = nodes_.size() - 1; k-- > 0;)
    {
      const Node & left = nodes_[k];
      const Node & right = nodes_[k + 1];
      const double h = right.t - left.t;
      const double t = 0.5 * (left.t + right.t);
      middle.move(t, interpolate(left, right, 0.5), problem_.local(t, rho_));
      begin.move(left.t, left.y, problem_.local(left.t, rho_));
      for (std::size_t c = 0; c < now.size(); ++c)
      {
        now[c] = step(end, middle, begin, c, now[c], h);
      }
      std::swap(end, begin);
      keep(end, now.front());
    }
    std::reverse(result_.nodes.begin(), result_.nodes.end());
  }

  /// Runge-Kutta backwards.
  JointAdjoint step(
    ChainAdjoint & end, ChainAdjoint & middle, ChainAdjoint & begin, std::size_t cost,
    const JointAdjoint & now, double h)
  {
    const JointAdjoint k1 = end.rate(cost, now);
    const JointAdjoint at2 = advance(now, -0.5 * h, k1);
    collect(end, cost, now, h / 6.0, false);
    const JointAdjoint k2 = middle.rate(cost, at2);
    collect(middle, cost, at2, h / 3.0, false);
    const JointAdjoint at3 = advance(now, -0.5 * h, k2);
    const JointAdjoint k3 = middle.rate(cost, at3);
    collect(middle, cost, at3, h / 3.0, false);
    const JointAdjoint at4 = advance(now, -h, k3);
    const JointAdjoint k4 = begin.rate(cost, at4);
    collect(begin, cost, at4, h / 6.0, false);
    JointAdjoint next = advance(now, -h / 6.0, k1);
    next = advance(next, -h / 3.0, k2);
    next = advance(next, -h / 3.0, k3);
    return advance(next, -h / 6.0, k4);
  }

  void collect(
    const ChainAdjoint & stage, std::size_t cost, const JointAdjoint & at, double weight,
    bool terminal)
  {
    const VectorD local =
      terminal ? stage.terminal_by_theta(cost) : VectorD(weight * stage.density(cost, at));
    MatrixD row = MatrixD::Zero(1, rho_.size());
    problem_.add_global(stage.time(), local.transpose(), row);
    result_.gradient.gradient.row(static_cast<Eigen::Index>(cost)) += row;
  }

  void keep(const ChainAdjoint & stage, const JointAdjoint & at)
  {
    HadcaAdjoint::Node node;
    node.t = stage.time();
    stage.absolute(at, node.xi, node.eta);
    node.density = stage.density(0, at).tail(static_cast<Eigen::Index>(problem_.inputs.size()));
    result_.nodes.push_back(std::move(node));
  }

  const Problem & problem_;
  const Settings & settings_;
  const VectorD & rho_;
  std::shared_ptr<const Form> form_;
  Chain chain_;
  std::unique_ptr<Team> team_;
  std::vector<Node> nodes_;
  HadcaAdjoint result_;
};

}  // namespace

std::string hadca_obstacle(const Problem & problem)
{
  const Mechanism * mechanism = problem.modes.front()->mechanism();
  if (mechanism == nullptr)
  {
    return "divide and conquer needs a system that is made of bodies and joints";
  }
  std::string reason = chain_obstacle(*mechanism);
  if (!reason.empty())
  {
    return reason;
  }
  if (!problem.events.empty() || problem.end)
  {
    return "the divide-and-conquer adjoint does not handle events";
  }
  if (problem.structural > 0)
  {
    return "the divide-and-conquer adjoint handles nodes of inputs as parameters, no others";
  }
  for (const auto & cost : problem.costs)
  {
    const CostReads reads = cost->reads();
    if (reads.velocities || reads.accelerations)
    {
      return "the divide-and-conquer adjoint handles costs of positions and inputs only";
    }
  }
  return "";
}

HadcaAdjoint hadca_adjoint(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  const std::string reason = hadca_obstacle(problem);
  if (!reason.empty())
  {
    throw MechanismError(reason);
  }
  Settings chain_settings = settings;
  chain_settings.formulation = Formulation::hadca;
  return HadcaSweep(problem, chain_settings, rho).run();
}

}  // namespace fivebar_control::multibody
