// SPDX-License-Identifier: Apache-2.0
#include "redundancy.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dense.hpp"
#include "fivebar_control/support/random.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr double rank_threshold = 1e-9;
/// Above it the check would take longer than a motion; long chains have nothing redundant.
constexpr int most_constraints = 400;

/// A configuration with Phi = 0 by least squares, which redundant rows do not disturb.
std::optional<Point<double>> kept(const System & system, Point<double> at)
{
  Terms<double> terms;
  for (int i = 0; i < 60; ++i)
  {
    system.evaluate(at, terms);
    const VectorD correction = least_squares(terms.Phi_q, terms.Phi);
    at.q -= correction;
    if (!at.q.allFinite())
    {
      return std::nullopt;
    }
    if (correction.norm() <= 1e-12 * (1.0 + at.q.norm()))
    {
      system.evaluate(at, terms);
      return terms.Phi.norm() < 1e-9 * (1.0 + at.q.norm()) ? std::optional(at) : std::nullopt;
    }
  }
  return std::nullopt;
}

class FewerConstraints final : public System
{
public:
  FewerConstraints(std::shared_ptr<const System> system, const std::vector<int> & left_out)
  : system_(std::move(system))
  {
    for (int row = 0; row < system_->constraints(); ++row)
    {
      if (std::find(left_out.begin(), left_out.end(), row) == left_out.end())
      {
        rows_.push_back(row);
      }
    }
  }
  int coordinates() const override { return system_->coordinates(); }
  int constraints() const override { return static_cast<int>(rows_.size()); }
  int parameters() const override { return system_->parameters(); }
  bool parameters_in_constraints() const override { return system_->parameters_in_constraints(); }
  const Mechanism * mechanism() const override { return system_->mechanism(); }

  void evaluate(const Point<double> & at, Terms<double> & terms) const override
  {
    select(at, terms);
  }
  void evaluate(const Point<Complex> & at, Terms<Complex> & terms) const override
  {
    select(at, terms);
  }
  void evaluate(const Point<DualD> & at, Terms<DualD> & terms) const override { select(at, terms); }
  void evaluate(const Point<DualDD> & at, Terms<DualDD> & terms) const override
  {
    select(at, terms);
  }

private:
  template <class S>
  void select(const Point<S> & at, Terms<S> & terms) const
  {
    system_->evaluate(at, terms);
    // Rows move up in place: none is written before it is read.
    for (std::size_t i = 0; i < rows_.size(); ++i)
    {
      const auto to = static_cast<Eigen::Index>(i), from = static_cast<Eigen::Index>(rows_[i]);
      for (Eigen::Index k = 0; to != from && k < terms.Phi_q.cols(); ++k)
      {
        terms.Phi_q(to, k) = terms.Phi_q(from, k);
        terms.Phi_q_rate(to, k) = terms.Phi_q_rate(from, k);
      }
      terms.Phi(to) = S(terms.Phi(from));
      terms.Phi_t(to) = S(terms.Phi_t(from));
      terms.Phi_t_rate(to) = S(terms.Phi_t_rate(from));
    }
    const auto m = static_cast<Eigen::Index>(rows_.size());
    terms.Phi_q.conservativeResize(m, Eigen::NoChange);
    terms.Phi_q_rate.conservativeResize(m, Eigen::NoChange);
    terms.Phi.conservativeResize(m);
    terms.Phi_t.conservativeResize(m);
    terms.Phi_t_rate.conservativeResize(m);
  }

  std::shared_ptr<const System> system_;
  std::vector<int> rows_;
};

}  // namespace

std::vector<int> redundant_constraints(
  const System & system, const VectorD & start, const VectorD & theta)
{
  const Eigen::Index m = system.constraints();
  if (m == 0 || m > most_constraints)
  {
    return {};
  }
  Point<double> estimate{0.0, start, VectorD::Zero(start.size()), theta};
  const auto here = kept(system, estimate);
  // Next to it, so that a singular configuration is not taken for redundancy.
  Random random(1);
  for (Eigen::Index i = 0; here && i < start.size(); ++i)
  {
    estimate.q(i) = here->q(i) + random.uniform(-1e-2, 1e-2) * (1.0 + std::abs(here->q(i)));
  }
  const auto there = here ? kept(system, estimate) : std::nullopt;
  if (!there)
  {
    return {};
  }
  Terms<double> terms;
  system.evaluate(*here, terms);
  const Eigen::Index rank_here = rank(terms.Phi_q, rank_threshold);
  system.evaluate(*there, terms);
  const Eigen::Index independent = rank(terms.Phi_q, rank_threshold);
  if (independent == m || rank_here != independent)
  {
    return {};
  }
  const std::vector<int> order = pivot_order(terms.Phi_q.transpose());
  std::vector<int> rows(order.begin() + independent, order.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::shared_ptr<const System> without_constraints(
  std::shared_ptr<const System> system, const std::vector<int> & rows)
{
  return std::make_shared<FewerConstraints>(std::move(system), rows);
}

}  // namespace fivebar_control::multibody
