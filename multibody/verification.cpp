// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/verification.hpp"

#include "verification_rows.hpp"

namespace fivebar_control::multibody
{

const char * name(Evidence evidence)
{
  switch (evidence)
  {
    case Evidence::printed:
      return "printed";
    case Evidence::reference:
      return "own reference";
    case Evidence::self_check:
      return "self-check";
  }
  return "?";
}

double VerificationRow::printed_value() const { return std::stod(printed); }

double VerificationRow::digits() const
{
  const double value = printed_value();
  const double error = std::abs(ours - value);
  const double scale = value == 0.0 ? 1.0 : std::abs(value);
  return error == 0.0 ? 16.0 : std::min(16.0, std::max(0.0, -std::log10(error / scale)));
}

bool VerificationRow::exact() const
{
  if (at_most)
  {
    return ours <= printed_value();
  }
  const std::size_t mantissa_end = printed.find_first_of("eE");
  const std::string mantissa = printed.substr(0, mantissa_end);
  const std::size_t point = mantissa.find('.');
  const auto decimals =
    point == std::string::npos ? 0.0 : static_cast<double>(mantissa.size() - point - 1);
  const double exponent =
    mantissa_end == std::string::npos ? 0.0 : std::stod(printed.substr(mantissa_end + 1));
  // Half a unit of the last printed digit; a value that was rounded once more may be off by a hair.
  return std::abs(ours - printed_value()) <= 0.5001 * std::pow(10.0, exponent - decimals);
}

bool VerificationRow::agrees() const
{
  return exact() || std::abs(ours - printed_value()) <= allowance;
}

std::vector<VerificationRow> verify(const std::function<void(const std::string &)> & progress)
{
  std::vector<VerificationRow> rows;
  Verification collector(rows);
  const std::pair<const char *, void (*)(Verification &)> groups[] = {
    {"five-bar with springs, all methods", verify_springs},
    {"five-bar with springs, other costs", verify_other_costs},
    {"trapezoidal rule", verify_trapezoidal},
    {"discrete adjoints", verify_discrete},
    {"optimum", verify_optimum},
    {"mass, centre and length parameters", verify_body_parameters},
    {"the same in independent coordinates", verify_matrix_r},
    {"the same semi-recursively", verify_joint_coordinates},
    {"Hamiltonian adjoint", verify_hamiltonian},
    {"events", verify_events},
    {"replacement reference problem", verify_schaffer},
    {"pendulum on a Hooke joint", verify_hooke_pendulum},
    {"spatial slider-crank", verify_slider_crank},
    {"storage of the adjoints", verify_storage},
    {"cart with a chain of pendula", verify_chain},
    {"double pendulum on a cart", verify_cart},
    {"work, threads and speed-ups", verify_cost_model},
    {"limits", verify_limits}};
  for (const auto & [group, run] : groups)
  {
    progress(group);
    run(collector);
  }
  return rows;
}

}  // namespace fivebar_control::multibody
