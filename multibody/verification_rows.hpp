// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cmath>

#include "fivebar_control/multibody/sensitivity.hpp"
#include "fivebar_control/multibody/verification.hpp"

namespace fivebar_control::multibody
{

/// Why digits of a source may differ, and by how much.
struct KnownAccuracy
{
  std::string why;
  double relative_allowance = 0.0;
};

/// Collects rows of one kind of evidence at a time.
class Verification
{
public:
  explicit Verification(std::vector<VerificationRow> & rows) : rows_(rows) {}

  template <class Function>
  auto timed(Function && function)
  {
    const auto begin = std::chrono::steady_clock::now();
    auto result = function();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }
  VerificationRow & add(
    Evidence evidence, const std::string & source, const std::string & quantity,
    const std::string & expected, double ours, const std::string & method)
  {
    VerificationRow row;
    row.evidence = evidence;
    row.source = source;
    row.quantity = quantity;
    row.printed = expected;
    row.ours = ours;
    row.method = method;
    row.seconds = seconds_;
    rows_.push_back(row);
    return rows_.back();
  }
  /// Several numbers of one table.
  void add_all(
    Evidence evidence, const std::string & source, const std::string & quantity,
    const std::vector<std::string> & names, const std::vector<std::string> & expected,
    const MatrixD & ours, const std::string & method, const KnownAccuracy & known = {})
  {
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
      VerificationRow & row = add(
        evidence, source, quantity + names[i], expected[i], ours(0, static_cast<Eigen::Index>(i)),
        method);
      row.explanation = row.exact() ? "" : known.why;
      row.allowance = row.exact() ? 0.0 : known.relative_allowance * std::abs(row.printed_value());
    }
  }
  /// A reference of our own and how far we may be off: its integrator is another one.
  void add_near(
    const std::string & source, const std::string & quantity, const std::string & expected,
    double ours, double tolerance, const std::string & method)
  {
    VerificationRow & row = add(Evidence::reference, source, quantity, expected, ours, method);
    if (!row.exact())
    {
      row.allowance = tolerance;
      row.explanation = "the reference's integrator is another one";
    }
  }
  /// The source says that something stays below `limit`.
  void add_limit(
    Evidence evidence, const std::string & source, const std::string & quantity,
    const std::string & limit, double ours, const std::string & method)
  {
    add(evidence, source, quantity, limit, ours, method).at_most = true;
  }
  /// A printed number that cannot be recomputed; `ours` is the nearest thing that we have.
  void add_not_reproducible(
    const std::string & source, const std::string & quantity, const std::string & printed,
    double ours, const std::string & method, const std::string & why)
  {
    VerificationRow & row = add(Evidence::printed, source, quantity, printed, ours, method);
    row.reproducible = false;
    row.explanation = why;
  }

private:
  std::vector<VerificationRow> & rows_;
  double seconds_ = 0.0;
};

inline const std::vector<std::string> rest_lengths{"/dL01", "/dL02"};

// One function per group of numbers.
void verify_springs(Verification & rows);
void verify_other_costs(Verification & rows);
void verify_trapezoidal(Verification & rows);
void verify_discrete(Verification & rows);
void verify_optimum(Verification & rows);
void verify_body_parameters(Verification & rows);
void verify_matrix_r(Verification & rows);
void verify_joint_coordinates(Verification & rows);
void verify_hamiltonian(Verification & rows);
void verify_events(Verification & rows);
void verify_schaffer(Verification & rows);
void verify_hooke_pendulum(Verification & rows);
void verify_slider_crank(Verification & rows);
void verify_storage(Verification & rows);
void verify_cost_model(Verification & rows);
void verify_limits(Verification & rows);
void verify_chain(Verification & rows);
void verify_cart(Verification & rows);

}  // namespace fivebar_control::multibody
