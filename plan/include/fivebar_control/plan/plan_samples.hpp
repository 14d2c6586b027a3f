// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "fivebar_control/support/sealed_table.hpp"

namespace fivebar_control
{

/// Voltages to play and the motion that the model makes with them, at nodes in time. Voltages and
/// angles are linear, respectively cubic (Hermite, with the speeds), between nodes.
struct PlanSamples
{
  std::vector<double> t;             ///< s, from 0, strictly increasing
  std::vector<double> u1, u4;        ///< V
  std::vector<double> phi1, phi4;    ///< rad
  std::vector<double> dphi1, dphi4;  ///< rad/s
  std::vector<double> x, y;          ///< m, end-effector

  std::size_t size() const { return t.size(); }
  Eigen::Vector2d volts(std::size_t i) const { return {u1[i], u4[i]}; }
  Eigen::Vector2d phi(std::size_t i) const { return {phi1[i], phi4[i]}; }
  Eigen::Vector2d speed(std::size_t i) const { return {dphi1[i], dphi4[i]}; }
  Eigen::Vector2d point(std::size_t i) const { return {x[i], y[i]}; }
};

/// Calls `visit(name, column)` for each column, in the order of the files.
template <class Samples, class Visit>
void visit_columns(Samples & s, Visit && visit)
{
  visit("t", s.t);
  visit("u1", s.u1);
  visit("u4", s.u4);
  visit("phi1", s.phi1);
  visit("phi4", s.phi4);
  visit("dphi1", s.dphi1);
  visit("dphi4", s.dphi4);
  visit("x", s.x);
  visit("y", s.y);
}

const std::vector<std::string> & sample_columns();

// Plans and responses are sealed tables of these columns. Numbers are written so that they read
// back to the last bit.

void write_samples(const PlanSamples & samples, SealedWriter & writer);

/// Checks that time increases, too. Throws InputError.
SealedTable read_samples(
  const std::string & text, const std::string & name, const SealedKind & kind,
  PlanSamples & samples);

}  // namespace fivebar_control
