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
  // Of plans that have learned; empty in others.
  std::vector<double> learned1{},
    learned4{};                          ///< V, the part of u1, u4 that the robot's model lacks
  std::vector<double> lead1{}, lead4{};  ///< rad, by which phi is ahead of its driven link

  std::size_t size() const { return t.size(); }
  bool has_learned() const { return !learned1.empty(); }
  Eigen::Vector2d learned(std::size_t i) const
  {
    return has_learned() ? Eigen::Vector2d(learned1[i], learned4[i]) : Eigen::Vector2d(0.0, 0.0);
  }
  Eigen::Vector2d lead(std::size_t i) const
  {
    return has_learned() ? Eigen::Vector2d(lead1[i], lead4[i]) : Eigen::Vector2d(0.0, 0.0);
  }
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

/// The same for what only plans that have learned have.
template <class Samples, class Visit>
void visit_learned_columns(Samples & s, Visit && visit)
{
  visit("learned1", s.learned1);
  visit("learned4", s.learned4);
  visit("lead1", s.lead1);
  visit("lead4", s.lead4);
}

const std::vector<std::string> & sample_columns();
/// With those of what has been learned, if anything has.
std::vector<std::string> columns_of(const PlanSamples & samples);

// Plans and responses are sealed tables of these columns. Numbers are written so that they read
// back to the last bit.

void write_samples(const PlanSamples & samples, SealedWriter & writer);

/// Checks that time increases, too; reads what has been learned where the table has it. Throws
/// InputError.
SealedTable read_samples(
  const std::string & text, const std::string & name, const SealedKind & kind,
  PlanSamples & samples);

}  // namespace fivebar_control
