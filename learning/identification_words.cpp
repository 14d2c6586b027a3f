// SPDX-License-Identifier: Apache-2.0
#include "identification_words.hpp"

#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace fivebar_control
{
namespace
{

using Row = Eigen::Matrix<double, 1, lump_count>;

/// A linear combination of lumps: value = constant + row * lumps.
struct Combination
{
  std::string name;
  Row row = Row::Zero();
  double constant = 0.0;
};

std::string ratio_text(double numerator, double denominator, const char * text)
{
  return std::abs(numerator - denominator) < 1e-9 ? std::string() : std::string(text);
}

/// What is left of inertias and couplings when a point mass at P, which may sit on either chain,
/// drops out.
std::vector<Combination> base_combinations(const LumpModel & model)
{
  const DynamicsConstants<double> & k = model.robot().constants();
  const Geometry<double> & g = k.geometry;
  const int x = index_of(Lump::coupling_x);
  const Eigen::Vector2d & scale = model.coupling_scale();
  std::vector<Combination> all;
  const auto inertia = [&](Lump lump, const std::string & name, double factor, int chain) {
    Combination c{name};
    c.row[index_of(lump)] = 1.0;
    c.row[x] = -factor * scale[chain];
    c.constant = -factor * (chain == 0 ? k.coupling_2[0] : k.coupling_3[0]);
    all.push_back(c);
  };
  inertia(Lump::inertia_1, "I1 - c2x" + ratio_text(g.l1, g.l2, " l1/l2"), g.l1 / g.l2, 0);
  inertia(Lump::inertia_2, "I2 - c2x" + ratio_text(g.l1, g.l2, " l2/l1"), g.l2 / g.l1, 0);
  inertia(Lump::inertia_3, "I3 - c3x" + ratio_text(g.l3, g.l4, " l3/l4"), g.l3 / g.l4, 1);
  inertia(Lump::inertia_4, "I4 - c3x" + ratio_text(g.l3, g.l4, " l4/l3"), g.l4 / g.l3, 1);
  const double other = g.l1 * g.l2 / (g.l3 * g.l4);
  Combination sum{"c2x + c3x" + ratio_text(g.l1 * g.l2, g.l3 * g.l4, " l1 l2/(l3 l4)")};
  sum.row[x] = scale[0] + other * scale[1];
  sum.constant = k.coupling_2[0] + other * k.coupling_3[0];
  all.push_back(sum);
  for (const auto & [lump, name] :
       {std::pair(Lump::coupling_2y, "c2y"), std::pair(Lump::coupling_3y, "c3y")})
  {
    Combination c{name};
    c.row[index_of(lump)] = 1.0;
    all.push_back(c);
  }
  return all;
}

const char * words_of(Lump lump)
{
  constexpr std::array<const char *, lump_count> words{
    "the inertia about axis 1",
    "the inertia of link 2",
    "the inertia of link 3",
    "the inertia about axis 4",
    "the mass of the distal links",
    "how far the centre of link 2 is beside its line",
    "how far the centre of link 3 is beside its line",
    "the torque of motor 4 against motor 1",
    "the damping of joint 1",
    "the damping of joint 4",
    "the dry friction of joint 1",
    "the dry friction of joint 4",
    "the tilt along x",
    "the tilt along y",
    "the weight of link 1 along it",
    "the weight of link 1 beside its line",
    "the weight of link 4 along it",
    "the weight of link 4 beside its line",
    "the offset of encoder 1",
    "the offset of encoder 4"};
  return words[static_cast<std::size_t>(lump)];
}

/// Directions in which the data leave more than this share of a great surprise open.
constexpr double open_share = 0.3;

std::vector<std::string> unseen_directions(
  const LumpModel & model, const Eigen::Matrix<double, lump_count, lump_count> & covariance,
  double & least_known)
{
  const LumpValues<double> weight = model.scale().cwiseInverse();
  const Eigen::Matrix<double, lump_count, lump_count> scaled =
    weight.asDiagonal() * covariance * weight.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, lump_count, lump_count>> solver(scaled);
  std::vector<std::string> words;
  least_known = std::sqrt(std::max(0.0, solver.eigenvalues()[lump_count - 1]));
  for (int i = lump_count - 1; i >= 0; --i)
  {
    const double sigma = std::sqrt(std::max(0.0, solver.eigenvalues()[i]));
    if (sigma < open_share)
    {
      break;
    }
    const LumpValues<double> direction = solver.eigenvectors().col(i);
    const double most = direction.cwiseAbs().maxCoeff();
    std::string parts;
    for (int j = 0; j < lump_count; ++j)
    {
      if (std::abs(direction[j]) > 0.35 * most)
      {
        parts +=
          (parts.empty() ? "" : " together with ") + std::string(words_of(static_cast<Lump>(j)));
      }
    }
    words.push_back(fmt::format("{} (known to {:.0f} % only)", parts, 100.0 * sigma));
  }
  return words;
}

}  // namespace

void describe_estimates(
  const LumpModel & model, const Eigen::Matrix<double, lump_count, lump_count> & covariance,
  Identification & found)
{
  const LumpValues<double> & lumps = found.model.lumps;
  if (found.is_free[index_of(Lump::inertia_1)])
  {
    for (const Combination & c : base_combinations(model))
    {
      const double variance = (c.row * covariance).dot(c.row);
      found.base.push_back(
        {c.name, "kg m^2", c.constant + c.row.dot(lumps), std::sqrt(std::max(0.0, variance)),
         c.constant + c.row.dot(model.nominal())});
    }
  }
  for (int i = 0; i < lump_count; ++i)
  {
    if (found.is_free[static_cast<std::size_t>(i)])
    {
      const auto lump = static_cast<Lump>(i);
      found.lumps.push_back(
        {to_string(lump), unit_of(lump), lumps[i], found.sigma[i], model.nominal()[i]});
    }
  }
  found.unseen = unseen_directions(model, covariance, found.least_known);
}

}  // namespace fivebar_control
