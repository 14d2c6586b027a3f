// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/hadca_adjoint.hpp"

#include <algorithm>

#include "chain_adjoint.hpp"
#include "chain_start.hpp"
#include "stepper.hpp"

namespace fivebar_control::multibody
{
namespace
{

class HadcaSweep
{
public:
  HadcaSweep(const Problem & problem, const Settings & settings, const VectorD & rho)
  : problem_(problem),
    settings_(settings),
    rho_(rho),
    form_(make_form(problem.modes.front(), settings, Point<double>())),
    chain_(make_chain(*problem.modes.front()->mechanism())),
    team_(
      settings.threads > 1 && chain_.size() >= least_bodies_for_threads
        ? std::make_unique<Team>(settings.threads)
        : nullptr)
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
      stepper.instant(*form_, 0.0, chain_start(problem_, *form_, theta), VectorD());
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
      rows_.push_back(MatrixD::Zero(1, rho_.size()));
      collect(end.time(), c, end.terminal_by_theta(c));
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
    result_.gradient.gradient.resize(static_cast<Eigen::Index>(rows_.size()), rho_.size());
    for (std::size_t c = 0; c < rows_.size(); ++c)
    {
      result_.gradient.gradient.row(static_cast<Eigen::Index>(c)) = rows_[c];
    }
  }

  /// Runge-Kutta backwards.
  JointAdjoint step(
    ChainAdjoint & end, ChainAdjoint & middle, ChainAdjoint & begin, std::size_t cost,
    const JointAdjoint & now, double h)
  {
    const auto rate = [&](ChainAdjoint & stage, const JointAdjoint & at, double weight) {
      stage.take(at);
      collect(stage.time(), cost, weight * stage.density(cost));
      return stage.rate(cost);
    };
    const JointAdjoint k1 = rate(end, now, h / 6.0);
    const JointAdjoint k2 = rate(middle, advance(now, -0.5 * h, k1), h / 3.0);
    const JointAdjoint k3 = rate(middle, advance(now, -0.5 * h, k2), h / 3.0);
    const JointAdjoint k4 = rate(begin, advance(now, -h, k3), h / 6.0);
    JointAdjoint next = advance(now, -h / 6.0, k1);
    next = advance(next, -h / 3.0, k2);
    next = advance(next, -h / 3.0, k3);
    return advance(next, -h / 6.0, k4);
  }

  void collect(double t, std::size_t cost, const VectorD & local)
  {
    problem_.add_global(t, local.transpose(), rows_[cost]);
  }

  void keep(ChainAdjoint & stage, const JointAdjoint & at)
  {
    HadcaAdjoint::Node node;
    node.t = stage.time();
    stage.take(at);
    stage.absolute(node.xi, node.eta);
    node.density = stage.density(0).tail(static_cast<Eigen::Index>(problem_.inputs.size()));
    result_.nodes.push_back(std::move(node));
  }

  const Problem & problem_;
  const Settings & settings_;
  const VectorD & rho_;
  std::shared_ptr<const Form> form_;
  Chain chain_;
  std::unique_ptr<Team> team_;
  std::vector<Node> nodes_;
  std::vector<MatrixD> rows_;  ///< gradients of the costs
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
