// SPDX-License-Identifier: Apache-2.0
#include "motion_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace fivebar_control
{

void MotionFit::set_free(const std::vector<LumpGroup> & groups)
{
  free_.clear();
  for (int i = 0; i < lump_count; ++i)
  {
    const LumpGroup group = group_of(static_cast<Lump>(i));
    if (std::find(groups.begin(), groups.end(), group) != groups.end())
    {
      free_.push_back(i);
    }
  }
}

double MotionFit::chi_square(const MotionModel & at, const Prediction & prediction) const
{
  double sum = 0.0;
  for (std::size_t i = 0; i < motions_.size(); ++i)
  {
    sum +=
      fivebar_control::chi_square(model_, at.lumps, at.start[i], motions_[i], prediction, nullptr);
  }
  return sum;
}

FitModel MotionFit::linearised(
  const MotionModel & at, const Prediction & prediction, std::vector<Scores> * scores) const
{
  const auto shared = static_cast<Eigen::Index>(free_.size());
  const Eigen::Index size = shared + 2 * static_cast<Eigen::Index>(motions_.size());
  FitModel fit;
  fit.information = Eigen::MatrixXd::Zero(size, size);
  fit.gradient = Eigen::VectorXd::Zero(size);
  for (std::size_t m = 0; m < motions_.size(); ++m)
  {
    Pulls pulls;
    const OutputError error = output_error(
      model_, at.lumps, at.start[m], motions_[m], prediction, scores != nullptr ? &pulls : nullptr);
    fit.chi_square += error.chi_square;
    fit.readings += error.readings;
    // Where each of this log's unknowns is among all.
    std::vector<std::pair<Eigen::Index, int>> places;
    for (Eigen::Index i = 0; i < shared; ++i)
    {
      places.emplace_back(i, free_[static_cast<std::size_t>(i)]);
    }
    for (int i = 0; i < 2; ++i)
    {
      places.emplace_back(shared + 2 * static_cast<Eigen::Index>(m) + i, lump_count + i);
    }
    for (const auto & [row, from_row] : places)
    {
      fit.gradient[row] += error.gradient[from_row];
      for (const auto & [column, from_column] : places)
      {
        fit.information(row, column) += error.information(from_row, from_column);
      }
    }
    if (scores != nullptr)
    {
      scores->push_back(Scores::Zero(static_cast<Eigen::Index>(pulls.size()), size));
      for (std::size_t k = 0; k < pulls.size(); ++k)
      {
        for (const auto & [row, from_row] : places)
        {
          scores->back()(static_cast<Eigen::Index>(k), row) = pulls[k][from_row];
        }
      }
    }
  }
  return fit;
}

MotionModel MotionFit::moved(const MotionModel & from, const Eigen::VectorXd & step) const
{
  MotionModel to = from;
  Eigen::Index next = 0;
  for (const int lump : free_)
  {
    to.lumps[lump] =
      std::clamp(from.lumps[lump] + step[next++], model_.lowest()[lump], model_.highest()[lump]);
  }
  for (Eigen::Vector2d & start : to.start)
  {
    start += step.segment<2>(next);
    next += 2;
  }
  return to;
}

Eigen::VectorXd MotionFit::step_of(
  const FitModel & fit, const MotionModel & at, double damping, double & predicted) const
{
  // A lump at its bound that wants to go further is left out of this step.
  std::vector<bool> fixed(static_cast<std::size_t>(fit.gradient.size()), false);
  for (std::size_t i = 0; i < free_.size(); ++i)
  {
    const int lump = free_[i];
    const double pull = fit.gradient[static_cast<Eigen::Index>(i)];
    fixed[i] = (at.lumps[lump] <= model_.lowest()[lump] && pull < 0.0) ||
               (at.lumps[lump] >= model_.highest()[lump] && pull > 0.0);
  }
  Eigen::MatrixXd damped = fit.information;
  damped.diagonal() *= 1.0 + damping;
  Eigen::VectorXd right = fit.gradient;
  for (Eigen::Index i = 0; i < right.size(); ++i)
  {
    if (fixed[static_cast<std::size_t>(i)])
    {
      damped.row(i).setZero();
      damped.col(i).setZero();
      damped(i, i) = 1.0;
      right[i] = 0.0;
    }
  }
  const Eigen::VectorXd scale =
    damped.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();  // units differ by far
  const Eigen::MatrixXd scaled = scale.asDiagonal() * damped * scale.asDiagonal();
  const Eigen::VectorXd step = scale.cwiseProduct(scaled.ldlt().solve(scale.cwiseProduct(right)));
  predicted = 2.0 * right.dot(step) - step.dot(fit.information * step);
  return step;
}

MotionFit::Result MotionFit::improve(
  MotionModel & at, const Prediction & prediction, int most_iterations) const
{
  // Less than a tenth of a standard deviation in every direction.
  constexpr double negligible = 0.01;
  Result result;
  double damping = 1e-3;
  FitModel fit = linearised(at, prediction);
  result.chi_square = fit.chi_square;
  while (std::isfinite(result.chi_square) && result.iterations < most_iterations)
  {
    ++result.iterations;
    double predicted = 0.0;
    bool accepted = false;
    for (; !accepted && damping < 1e10; damping *= accepted ? 0.1 : 10.0)
    {
      const Eigen::VectorXd step = step_of(fit, at, damping, predicted);
      if (!step.allFinite())
      {
        continue;
      }
      const MotionModel trial = moved(at, step);
      const double trial_chi_square = chi_square(trial, prediction);
      accepted = std::isfinite(trial_chi_square) && trial_chi_square < result.chi_square;
      if (accepted)
      {
        at = trial;
        result.chi_square = trial_chi_square;
      }
      else if (predicted < negligible)
      {
        result.converged = true;
        return result;
      }
    }
    if (!accepted)
    {
      return result;
    }
    if (predicted < negligible)
    {
      result.converged = true;
      return result;
    }
    damping = std::max(damping, 1e-12);
    fit = linearised(at, prediction);
  }
  return result;
}

std::vector<Lump> MotionFit::at_bound(const MotionModel & at) const
{
  std::vector<Lump> found;
  for (const int lump : free_)
  {
    // Friction may vanish: its lower bound is a value like any other.
    const bool lowest = at.lumps[lump] <= model_.lowest()[lump] &&
                        group_of(static_cast<Lump>(lump)) != LumpGroup::coulomb;
    if (lowest || at.lumps[lump] >= model_.highest()[lump])
    {
      found.push_back(static_cast<Lump>(lump));
    }
  }
  return found;
}

}  // namespace fivebar_control
