// SPDX-License-Identifier: Apache-2.0
// The soak's own checks must be able to fail: each broken promise is shown to the monitor once.

#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "model/robots.hpp"
#include "monitor.hpp"

namespace fivebar_control::soak
{
namespace
{

constexpr std::int64_t period_ns = 1'000'000;

class SoakMonitor : public testing::Test
{
protected:
  SoakMonitor()
  {
    clock.begin_run(&quiet);
    monitor.begin_run(requests, ControlState::idle);
    record.state = ControlState::playing;
    for (int cycle = 0; cycle < 10; ++cycle)
    {
      show();
    }
    EXPECT_EQ(monitor.violation(), nullptr);
  }

  /// A next cycle with a change; the violation that it makes.
  std::string show(const std::function<void(CycleRecord &)> & change = [](CycleRecord &) {})
  {
    clock.begin_cycle();
    change(record);
    monitor.take(record);
    record.plan_time += 1e-4;
    return monitor.violation() == nullptr ? "" : monitor.violation();
  }

  const std::vector<Incident> quiet;
  Random random{1};
  TroubledClock clock{period_ns, false, random};
  SimulatedRobot simulated{test::default_robot(), {}, {0.0, 1.5707963267948966}, period_ns};
  TroubledRobot robot{simulated, clock};
  RunRequests requests;
  Monitor monitor{{10.0, 1000.0, period_ns, 3, 5, 1000}, robot, clock};
  CycleRecord record;
};

TEST_F(SoakMonitor, LetsAQuietCyclePass)
{
  EXPECT_EQ(show([](CycleRecord & r) { r.volts[0] = 1.0; }), "");
}

TEST_F(SoakMonitor, SeesVoltsBeyondTheLimit)
{
  EXPECT_EQ(show([](CycleRecord & r) { r.volts[1] = -10.001; }), "volts beyond the limit");
}

TEST_F(SoakMonitor, SeesVoltsThatAreNoNumber)
{
  EXPECT_EQ(
    show([](CycleRecord & r) { r.volts[1] = std::numeric_limits<double>::quiet_NaN(); }),
    "volts that are NaN or infinite");
}

TEST_F(SoakMonitor, SeesVoltsThatChangeTooFast)
{
  EXPECT_EQ(show([](CycleRecord & r) { r.volts[0] = 1.01; }), "volts faster than the slew limit");
}

TEST_F(SoakMonitor, SeesVoltsInAFault)
{
  EXPECT_EQ(
    show([](CycleRecord & r) {
      r.volts[0] = 0.1;
      r.state = ControlState::fault;
    }),
    "volts in idle or fault");
}

TEST_F(SoakMonitor, SeesAnEdgeThatIsNotDocumented)
{
  EXPECT_EQ(
    show([](CycleRecord & r) { r.state = ControlState::relaxing; }),
    "the state changed along no known edge");
}

TEST_F(SoakMonitor, SeesAFaultThatGoesByItself)
{
  show([](CycleRecord & r) { r.state = ControlState::fault; });
  EXPECT_EQ(
    show([](CycleRecord & r) { r.state = ControlState::idle; }),
    "the state changed along no known edge");
}

TEST_F(SoakMonitor, SeesPlanTimeThatJumps)
{
  EXPECT_EQ(show([](CycleRecord & r) { r.plan_time += 0.002; }), "the plan's time jumped");
}

TEST_F(SoakMonitor, SeesPlanTimeThatGoesBack)
{
  EXPECT_EQ(show([](CycleRecord & r) { r.plan_time -= 0.002; }), "the plan's time went back");
}

TEST_F(SoakMonitor, SeesFailedReadsWithoutAFault)
{
  const auto failed = [](CycleRecord & r) { r.read_good = false; };
  EXPECT_EQ(show(failed), "");
  EXPECT_EQ(show(failed), "");
  EXPECT_EQ(show(failed), "failed reads were ignored");
}

TEST_F(SoakMonitor, SeesFailedWritesWithoutAFault)
{
  const auto failed = [](CycleRecord & r) { r.write_good = false; };
  for (int i = 0; i < 3; ++i)
  {
    EXPECT_EQ(show(failed), "");
  }
  EXPECT_EQ(show(failed), "failed writes were ignored");
}

TEST_F(SoakMonitor, SeesLateCyclesWithoutAFault)
{
  const auto late = [](CycleRecord & r) { r.late = true; };
  for (int i = 0; i < 4; ++i)
  {
    EXPECT_EQ(show(late), "");
  }
  EXPECT_EQ(show(late), "late cycles were ignored");
}

TEST_F(SoakMonitor, EndsARunThatDoesNotEnd)
{
  std::string violation;
  for (int i = 0; i < 1000 && violation.empty(); ++i)
  {
    violation = show();
  }
  EXPECT_EQ(violation, "a run does not end");
  EXPECT_EQ(requests.interrupts.load(), 2);
}

}  // namespace
}  // namespace fivebar_control::soak
