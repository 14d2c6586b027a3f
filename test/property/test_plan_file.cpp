// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"
#include "property/property.hpp"

namespace fivebar_control::test
{
namespace
{

using Column = std::vector<double> PlanSamples::*;
constexpr std::array<Column, 9> columns{
  &PlanSamples::t,     &PlanSamples::u1,   &PlanSamples::u4,
  &PlanSamples::phi1,  &PlanSamples::phi4, &PlanSamples::dphi1,
  &PlanSamples::dphi4, &PlanSamples::x,    &PlanSamples::y};

/// Letters, digits, and everything that YAML or CSV could stumble over.
std::string any_name(Random & random)
{
  static const std::string letters = "aZ09 _-.,:;#'\"\\{}[]|>&*!%@`\t\n\r\x01\x7f~=+?/()";
  std::string name(static_cast<std::size_t>(random.integer(1, 20)), ' ');
  for (char & letter : name)
  {
    letter = letters[random.bits() % letters.size()];
  }
  return name;
}

double any_positive(Random & random)
{
  const double number = std::abs(any_finite(random));
  return number > 0.0 ? number : 1.0;
}

Plan any_plan(Random & random)
{
  Plan plan;
  plan.package_version = any_name(random);
  plan.robot_name = any_name(random);
  plan.robot_fingerprint = any_name(random);
  plan.curve_name = any_name(random);
  plan.time_step = any_positive(random);
  plan.weights = {
    random.uniform(0.0, 1.0), any_positive(random), any_positive(random), any_positive(random),
    any_positive(random)};
  plan.bounds.voltage = random.chance(0.3) ? unbounded : any_positive(random);
  plan.bounds.voltage_rate = random.chance(0.3) ? unbounded : any_positive(random);
  plan.solver = any_name(random);
  plan.verdict = static_cast<Verdict>(random.integer(0, 3));
  plan.iterations = random.integer(0, 1000);
  plan.projected_gradient = any_positive(random);
  for (int i = random.integer(0, 5); i > 0; --i)
  {
    plan.history.push_back(
      {random.integer(0, 9), random.integer(0, 999), any_finite(random), any_finite(random),
       random.chance(0.5)});
  }
  plan.quality = {any_finite(random), any_finite(random), any_finite(random), any_finite(random),
                  any_finite(random), any_finite(random), any_finite(random), any_finite(random)};
  const int rows = random.integer(2, 30);
  double t = 0.0;
  for (int i = 0; i < rows; ++i)
  {
    for (const Column column : columns)
    {
      (plan.samples.*column).push_back(any_finite(random));
    }
    plan.samples.t.back() = t;
    t += random.uniform(1e-9, 1.0);
  }
  return plan;
}

/// To the last bit; -0 is not 0.
bool same(double a, double b)
{
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same(const std::vector<double> & a, const std::vector<double> & b)
{
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return same(x, y); });
}

bool same_samples(const PlanSamples & a, const PlanSamples & b)
{
  return std::all_of(
    columns.begin(), columns.end(), [&](Column column) { return same(a.*column, b.*column); });
}

TEST(PlanFileProperty, APlanReadsBackEqualToTheLastBit)
{
  for_all(3'000, [](Random & random) {
    const Plan plan = any_plan(random);
    const Plan back = parse_plan(plan_text(plan), "any.csv");
    for (const Column column : columns)
    {
      ASSERT_TRUE(same(back.samples.*column, plan.samples.*column));
    }
    ASSERT_EQ(back.package_version, plan.package_version);
    ASSERT_EQ(back.robot_name, plan.robot_name);
    ASSERT_EQ(back.robot_fingerprint, plan.robot_fingerprint);
    ASSERT_EQ(back.curve_name, plan.curve_name);
    ASSERT_EQ(back.solver, plan.solver);
    ASSERT_EQ(back.verdict, plan.verdict);
    ASSERT_EQ(back.iterations, plan.iterations);
    ASSERT_EQ(back.history, plan.history);
    const std::array<std::pair<double, double>, 17> numbers{
      {{back.time_step, plan.time_step},
       {back.weights.alpha, plan.weights.alpha},
       {back.weights.beta, plan.weights.beta},
       {back.weights.gamma, plan.weights.gamma},
       {back.weights.soft_voltage, plan.weights.soft_voltage},
       {back.weights.rho, plan.weights.rho},
       {back.bounds.voltage, plan.bounds.voltage},
       {back.bounds.voltage_rate, plan.bounds.voltage_rate},
       {back.projected_gradient, plan.projected_gradient},
       {back.quality.cost, plan.quality.cost},
       {back.quality.ise, plan.quality.ise},
       {back.quality.largest_error, plan.quality.largest_error},
       {back.quality.largest_error_time, plan.quality.largest_error_time},
       {back.quality.end_error, plan.quality.end_error},
       {back.quality.largest_voltage, plan.quality.largest_voltage},
       {back.quality.first_voltage, plan.quality.first_voltage},
       {back.quality.first_interval_cost_share, plan.quality.first_interval_cost_share}}};
    for (const auto & [read, written] : numbers)
    {
      ASSERT_TRUE(same(read, written)) << read << " " << written;
    }
  });
}

TEST(PlanFileProperty, AChangedByteAboveTheSealIsRefused)
{
  for_all(5'000, [](Random & random) {
    const Plan plan = any_plan(random);
    std::string text = plan_text(plan);
    const std::size_t seal = text.find("\n#", text.find("\nt,u1,") + 1) + 1;
    const std::size_t at = random.bits() % seal;
    text[at] = static_cast<char>(text[at] ^ (1 << random.integer(0, 7)));
    ASSERT_THROW(parse_plan(text, "any.csv"), InputError) << at;
  });
}

TEST(PlanFileProperty, AChangeAnywhereIsRefusedOrLeavesTheRowsAsTheyWere)
{
  for_all(3'000, [](Random & random) {
    const Plan plan = any_plan(random);
    std::string text = plan_text(plan);
    const std::size_t at = random.bits() % text.size();
    switch (random.integer(0, 2))
    {
      case 0:
        text[at] = static_cast<char>(random.bits());
        break;
      case 1:
        text.erase(at, 1 + random.bits() % 40);
        break;
      default:
        text.insert(at, text.substr(random.bits() % text.size(), 1 + random.bits() % 40));
        break;
    }
    try
    {
      ASSERT_TRUE(same_samples(parse_plan(text, "any.csv").samples, plan.samples));
    }
    catch (const InputError &)
    {
    }
  });
}

TEST(FingerprintProperty, ChangesWithTheLastBitOfAnyParameter)
{
  const std::array<RobotModel, 2> robots{default_robot(), unequal_robot()};
  for_all(10'000, [&](Random & random) {
    const RobotModel & robot = random.pick(robots);
    RobotParameters changed = robot.parameters();
    const int which = random.integer(0, parameter_count + 1);
    const double direction = random.chance(0.5) ? INFINITY : -INFINITY;
    int index = 0;
    visit_parameters(changed.physics, [&](const std::string &, double & value) {
      // Zero has the smallest denormal as its neighbour.
      value = index++ == which ? std::nextafter(value, value == 0.0 ? INFINITY : direction) : value;
    });
    if (which >= parameter_count)
    {
      double & angle = changed.home[which - parameter_count];
      angle = std::nextafter(angle, direction);
    }
    ASSERT_NE(RobotModel(changed).fingerprint(), robot.fingerprint()) << which;
    changed = robot.parameters();
    changed.name = any_name(random);
    changed.limits.voltage *= random.uniform(0.5, 2.0);
    ASSERT_EQ(RobotModel(changed).fingerprint(), robot.fingerprint());
  });
}

}  // namespace
}  // namespace fivebar_control::test
