// SPDX-License-Identifier: Apache-2.0
#include "identification_report.hpp"

#include <fmt/core.h>

#include <cmath>

#include "fivebar_control/support/package_version.hpp"

namespace fivebar_control::cli
{
namespace
{

std::string relative(const Estimate & e, double part)
{
  // Of what may as well be zero there is no share.
  return std::abs(e.value) > part ? fmt::format("{:.2g} %", 100.0 * part / std::abs(e.value))
                                  : std::string();
}

std::string row(const Estimate & e)
{
  return fmt::format(
    "  {:<14} {:>13.6g} +- {:<10.2g} {:<10} was {:<12.6g} {}\n", e.name, e.value, e.half_interval(),
    e.unit, e.nominal, relative(e, e.half_interval()));
}

nlohmann::json to_json(const Estimate & e)
{
  return {
    {"name", e.name},
    {"unit", e.unit},
    {"value", e.value},
    {"sigma", e.sigma},
    {"interval_95", {e.value - e.half_interval(), e.value + e.half_interval()}},
    {"nominal", e.nominal}};
}

std::string free_groups(const Identification & found)
{
  std::string text;
  for (const LumpGroup group : lump_groups)
  {
    for (int i = 0; i < lump_count; ++i)
    {
      if (found.is_free[static_cast<std::size_t>(i)] && group_of(static_cast<Lump>(i)) == group)
      {
        text += (text.empty() ? "" : ", ") + std::string(to_string(group));
        break;
      }
    }
  }
  for (const DriveGroup group : found.drive_groups)
  {
    text += std::string(", ") + to_string(group);
  }
  return text;
}

}  // namespace

std::string summary(const IdentificationReport & report)
{
  const Identification & found = report.found;
  std::string text = fmt::format(
    "Identified '{}' from {} log{}: chi^2/N = {:.3f}, {}\n", report.robot.parameters().name,
    report.motions.size(), report.motions.size() == 1 ? "" : "s", found.reduced(),
    verdict_of(found));
  text += fmt::format(
    "  delay {} cycle{}, {:.0f} readings, {} iterations{}; free: {}\n", found.delay,
    found.delay == 1 ? "" : "s", found.readings, found.iterations,
    found.converged ? "" : " (not converged)", free_groups(found));
  if (found.delay > 0 && found.reduced() > doubtful_misfit)
  {
    text += "  the delay is not to be trusted: what the model does not know can look like one\n";
  }
  text += "\n  with 95 % intervals; torques in units of motor 1, whose gain is the robot file's\n";
  for (const Estimate & e : found.base)
  {
    text += row(e);
  }
  for (const Estimate & e : found.lumps)
  {
    const bool inertial = e.name.starts_with("inertia") || e.name.starts_with("coupling");
    text += inertial ? std::string() : row(e);
  }
  for (const Estimate & e : found.drive_numbers)
  {
    text += row(e);
  }
  if (!found.drive_groups.empty())
  {
    text += fmt::format(
      "  drives: with rigid ones and ideal amplifiers chi^2/N would be {:.3f}\n",
      found.rigid_chi_square);
  }
  for (const Lump lump : found.at_bound)
  {
    text += fmt::format(
      "  {} is at the edge of what is plausible: the data want more, or do not show it\n",
      to_string(lump));
  }
  for (const std::string & direction : found.unseen)
  {
    text += fmt::format("  These data hardly show {}.\n", direction);
  }
  text +=
    "\n  No motion shows: a common factor of all torques, a point mass at P on one chain or the "
    "other,\n  mass against inertia, rotor against link, back-EMF against rotor friction, one "
    "factor of all\n  lengths. The file keeps the given robot's shares of these.\n";
  return text;
}

nlohmann::json to_json(const IdentificationReport & report)
{
  const Identification & found = report.found;
  nlohmann::json json{
    {"schema", 1},
    {"content", "identify"},
    {"robot",
     {{"name", report.robot.parameters().name}, {"fingerprint", report.robot.fingerprint()}}},
    {"chi_square_per_reading", found.reduced()},
    {"explains_the_data", found.reduced() <= doubtful_misfit},
    {"readings", found.readings},
    {"iterations", found.iterations},
    {"converged", found.converged},
    {"delay_cycles", found.delay},
    {"chi_square_by_delay", found.chi_square_of},
    {"unseen", found.unseen},
    {"free", free_groups(found)},
    {"rigid_chi_square_per_reading", found.rigid_chi_square}};
  json["logs"] = nlohmann::json::array();
  for (std::size_t i = 0; i < report.motions.size(); ++i)
  {
    const RecordedMotion & motion = report.motions[i];
    json["logs"].push_back(
      {{"file", motion.name},
       {"rows", motion.size()},
       {"chi_square_per_reading", found.chi_square_by_log[i]},
       {"reading_sigma", {std::sqrt(motion.variance[0]), std::sqrt(motion.variance[1])}},
       {"start", {found.model.start[i][0], found.model.start[i][1]}}});
  }
  for (const auto & [key, estimates] :
       {std::pair("base", &found.base), std::pair("lumps", &found.lumps),
        std::pair("drives", &found.drive_numbers)})
  {
    json[key] = nlohmann::json::array();
    for (const Estimate & e : *estimates)
    {
      json[key].push_back(to_json(e));
    }
  }
  json["at_bound"] = nlohmann::json::array();
  for (const Lump lump : found.at_bound)
  {
    json["at_bound"].push_back(to_string(lump));
  }
  return json;
}

}  // namespace fivebar_control::cli
