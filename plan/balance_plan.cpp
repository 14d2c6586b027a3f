// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/plan/balance_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/sealed_table.hpp"
#include "fivebar_control/support/yaml_text.hpp"

namespace fivebar_control
{
namespace
{

constexpr SealedKind balance_kind{"balance plan", "fivebar balance --out", 2, 100'000'000};

std::string header_of(const BalancePlan & p, const std::string & package_version)
{
  std::string yaml = fmt::format(
    "package_version: {}\nname: {}\nfingerprint: {}\ntime_step: {}\nbound: {}\n",
    yaml_quoted(package_version), yaml_quoted(p.name), yaml_quoted(p.fingerprint), p.time_step,
    std::isfinite(p.bound) ? fmt::format("{}", p.bound) : std::string("none"));
  yaml += fmt::format(
    "solver: {{verdict: {}, iterations: {}, projected_gradient: {}, nodes_at_bound: {}}}\n",
    yaml_quoted(to_string(p.verdict)), p.iterations, p.gradient, p.nodes_at_bound);
  yaml += fmt::format("cost: {{total: {}, without_volts: {}}}\n", p.cost, p.cost_published);
  return yaml + "request:\n" + prefixed_lines(p.request, "  ");
}

}  // namespace

BalanceReference balance_reference(const BalancePlan & plan, double time)
{
  const double h = plan.time_step;
  const double place = std::clamp(time / h, 0.0, static_cast<double>(plan.volts.size() - 1));
  const std::size_t i = std::min(static_cast<std::size_t>(place), plan.volts.size() - 2);
  const double s = place - static_cast<double>(i);
  const double r = 1.0 - s;
  const PendulumState<double> & a = plan.states[i];
  const PendulumState<double> & b = plan.states[i + 1];
  const Eigen::Vector4d rise = b.head<4>() - a.head<4>();
  BalanceReference reference;
  reference.feedforward = r * plan.volts[i] + s * plan.volts[i + 1];
  reference.state << a.head<4>() + (s * s * (3.0 - 2.0 * s)) * rise +
                       (h * s * r) * (r * a.tail<4>() - s * b.tail<4>()),
    (6.0 * s * r / h) * rise + (r * (1.0 - 3.0 * s)) * a.tail<4>() +
      (s * (3.0 * s - 2.0)) * b.tail<4>();
  return reference;
}

void save_balance_plan(
  const BalancePlan & plan, const PendulumConstants<double> & constants,
  const std::string & package_version, const std::string & path)
{
  AtomicFile file(path);
  SealedWriter writer(
    [&file](std::string_view some) { file.write(some); }, balance_kind,
    header_of(plan, package_version),
    {"t", "u1", "u4", "phi1", "phi4", "a1", "a2", "dphi1", "dphi4", "da1", "da2", "x", "y",
     "tilt"});
  fmt::memory_buffer rows;
  for (std::size_t i = 0; i < plan.volts.size(); ++i)
  {
    const PendulumState<double> & x = plan.states[i];
    const Eigen::Vector2d p = end_effector_at(constants.robot.geometry, x.head<2>());
    fmt::format_to(
      std::back_inserter(rows), "{},{},{}", plan.time_step * static_cast<double>(i),
      plan.volts[i][0], plan.volts[i][1]);
    for (const double value : x)
    {
      fmt::format_to(std::back_inserter(rows), ",{}", value);
    }
    fmt::format_to(std::back_inserter(rows), ",{},{},{}\n", p[0], p[1], tilt_of(constants, x));
  }
  writer.write_rows({rows.data(), rows.size()});
  writer.close();
  file.commit();
}

}  // namespace fivebar_control
