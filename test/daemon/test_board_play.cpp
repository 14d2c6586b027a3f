// SPDX-License-Identifier: Apache-2.0
// The board plays by itself: real firmware, real host's stream and supervisor, in simulated time.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "daemon/board_rig.hpp"
#include "fivebar_control/daemon/experiment.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/planner.hpp"

namespace fivebar_control::test
{
namespace
{

const RobotModel & robot()
{
  static const RobotModel model = load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml");
  return model;
}

const Plan & plan_of(const std::string & curve)
{
  static std::map<std::string, Plan> plans;
  const auto found = plans.find(curve);
  if (found != plans.end())
  {
    return found->second;
  }
  const PlanRequest request =
    load_plan_request(FIVEBAR_SOURCE_DIR "/config/curves/" + curve + ".yaml");
  return plans.emplace(curve, make_plan(robot(), request).plan).first->second;
}

PlantParameters mismatched()
{
  return load_plant(FIVEBAR_SOURCE_DIR "/config/plants/mismatched.yaml");
}

double simulated_ise(const Plan & plan, ControlMode mode, const ControllerSettings & settings)
{
  const PlayablePlan playable(plan.samples);
  const ExperimentResult result = run_experiment({robot(), playable, settings}, mismatched(), mode);
  EXPECT_EQ(result.outcome.end, RunEnd::finished);
  return result.score.ise;
}

constexpr auto both = ControlMode::feedforward_and_feedback;

class BoardPlays : public testing::TestWithParam<std::pair<const char *, ControlMode>>
{
};

TEST_P(BoardPlays, AsTheHostDoesToWithinTheRoundingOfItsNumbers)
{
  const auto [curve, mode] = GetParam();
  const Plan & plan = plan_of(curve);
  const ControllerSettings settings;
  BoardRig rig(robot(), plan, mismatched(), settings, mode);
  rig.run();
  EXPECT_FALSE(rig.supervisor().finding()) << describe(rig.supervisor().finding());
  EXPECT_TRUE(rig.stream().is_over());
  EXPECT_EQ(rig.stream().statistics().lost_cycles, 0);
  EXPECT_EQ(rig.stream().statistics().resent, 0);
  const double host = simulated_ise(plan, mode, settings);
  EXPECT_NEAR(rig.score().ise / host, 1.0, 0.01);
  // 16 bits for the largest volts and speeds, 1 mV of the output.
  EXPECT_LT(rig.largest_difference(), 2e-3);
  fmt::print(
    "| {} | {} | {:.4g} | {:.4g} | {:.3f} mV |\n", curve, to_string(mode), rig.score().ise, host,
    1e3 * rig.largest_difference());
}

INSTANTIATE_TEST_SUITE_P(
  Curves, BoardPlays,
  testing::Values(
    std::pair("a_gentle", both), std::pair("b_gentle", both), std::pair("c_gentle", both),
    std::pair("b", both), std::pair("b_gentle", ControlMode::feedback_only)),
  [](const auto & tested) {
    return std::string(tested.param.first) +
           (tested.param.second == both ? "_with_feedforward" : "_pd");
  });

TEST(BoardPlay, AStalledHostChangesNotOneVolt)
{
  const Plan & plan = plan_of("b_gentle");
  BoardRig quiet(robot(), plan, mismatched(), {}, both);
  quiet.run();
  BoardTrouble trouble;
  trouble.host_hiccups = 0.5;
  trouble.at = 2.0;
  trouble.duration = 0.2;
  trouble.host_away = true;
  BoardRig stalled(robot(), plan, mismatched(), {}, both, trouble);
  stalled.run();
  EXPECT_FALSE(stalled.supervisor().finding()) << describe(stalled.supervisor().finding());
  EXPECT_EQ(stalled.stream().statistics().lost_cycles, 0);
  ASSERT_EQ(stalled.records().size(), quiet.records().size());
  for (std::size_t i = 0; i < quiet.records().size(); ++i)
  {
    ASSERT_EQ(stalled.records()[i].volts, quiet.records()[i].volts) << "cycle " << i;
    ASSERT_EQ(stalled.records()[i].counts, quiet.records()[i].counts) << "cycle " << i;
  }
}

TEST(BoardPlay, StatesFollowEachOtherAsTheHostsDo)
{
  const Plan & plan = plan_of("b_gentle");
  const PlayablePlan playable(plan.samples);
  struct Keep : RecordSink
  {
    void take(const CycleRecord & record) noexcept override { states.push_back(record.state); }
    std::vector<ControlState> states;
  } host;
  run_experiment({robot(), playable, {}}, mismatched(), both, &host);
  BoardRig rig(robot(), plan, mismatched(), {}, both);
  rig.run();
  ASSERT_EQ(rig.records().size(), host.states.size());
  for (std::size_t i = 0; i < host.states.size(); ++i)
  {
    ASSERT_EQ(rig.records()[i].state, host.states[i]) << "cycle " << i;
  }
}

TEST(BoardPlay, AlignsFirst)
{
  PlantParameters plant = mismatched();
  const Plan & plan = plan_of("b_gentle");
  plant.start = PlayablePlan(plan.samples).start() + Eigen::Vector2d(0.15, -0.1);
  BoardRig rig(robot(), plan, plant, {}, both);
  rig.run();
  EXPECT_FALSE(rig.supervisor().finding()) << describe(rig.supervisor().finding());
  ASSERT_FALSE(rig.records().empty());
  EXPECT_EQ(rig.records().front().state, ControlState::aligning);
  EXPECT_NEAR(rig.score().ise / simulated_ise(plan, both, {}), 1.0, 0.05);
}

TEST(BoardPlay, ObserverAndIntegralAreTheHosts)
{
  ControllerSettings settings;
  settings.velocity.method = VelocityMethod::tracking_observer;
  settings.gains.ki = 40.0;
  const Plan & plan = plan_of("b_gentle");
  BoardRig rig(robot(), plan, mismatched(), settings, both);
  rig.run();
  EXPECT_FALSE(rig.supervisor().finding()) << describe(rig.supervisor().finding());
  EXPECT_LT(rig.largest_difference(), 2e-3);
  EXPECT_NEAR(rig.score().ise / simulated_ise(plan, both, settings), 1.0, 0.02);
}

TEST(BoardPlay, CyclesThatGetLostOnTheWayAreAskedForAgain)
{
  Fault noise;
  noise.kind = FaultKind::lose;
  noise.whole_frames = true;
  noise.share = 0.05;
  BoardTrouble trouble;
  trouble.at = 0.0;
  trouble.line = {noise};
  const Plan & plan = plan_of("b_gentle");
  BoardRig rig(robot(), plan, mismatched(), {}, both, trouble, 3);
  rig.run();
  EXPECT_FALSE(rig.supervisor().finding()) << describe(rig.supervisor().finding());
  EXPECT_TRUE(rig.stream().is_over());
  EXPECT_GT(rig.stream().statistics().repeats, 20);
  EXPECT_EQ(
    rig.stream().statistics().cycles + rig.stream().statistics().lost_cycles,
    static_cast<std::int64_t>(rig.board().player.cycles));
  EXPECT_EQ(rig.records().size(), rig.board().player.cycles);
  EXPECT_NEAR(rig.score().ise / simulated_ise(plan, both, {}), 1.0, 0.02);
}

TEST(BoardPlay, ThereIsOneMasterAtATime)
{
  const Plan & plan = plan_of("b_gentle");
  BoardTrouble trouble;
  trouble.at = 1.0;
  std::int32_t before = 0, after = 0;
  BoardRig * self = nullptr;
  trouble.to_board = [&](fivebar_board & board) {
    before = board.output[0];
    self->hear_directly(serial::command(self->next_sequence(), {9.0, 9.0}));
    after = board.output[0];
  };
  BoardRig rig(robot(), plan, mismatched(), {}, both, trouble);
  self = &rig;
  rig.run();
  EXPECT_EQ(before, after);
  EXPECT_FALSE(rig.supervisor().finding());
}

TEST(BoardPlay, ABoardThatGivesOtherVoltsThanTheLawIsSwitchedOff)
{
  BoardTrouble trouble;
  trouble.at = 1.0;
  trouble.to_board = [](fivebar_board & board) {
    std::uint32_t & word = board.player.settings[FIVEBAR_SET_VOLTS_UNIT];
    word = std::bit_cast<std::uint32_t>(1.5F * std::bit_cast<float>(word));
  };
  BoardRig rig(robot(), plan_of("b_gentle"), mismatched(), {}, both, trouble);
  rig.run();
  EXPECT_EQ(rig.supervisor().finding().reason, Reason::device_fault);
  EXPECT_TRUE(rig.supervisor().output_differs());
  EXPECT_LT(rig.zero_after_ms(), 1500);
}

/// One row of the table of docs/safety.md.
struct Row
{
  const char * name;
  BoardTrouble trouble;
  serial::PlayReason reason;
  bool smooth;           ///< along the path; otherwise zero volts at once
  std::int64_t at_most;  ///< ms to zero volts
};

Fault on_line(FaultKind kind, double share, LineDirection direction = LineDirection::both)
{
  Fault fault;
  fault.kind = kind;
  fault.share = share;
  fault.direction = direction;
  fault.whole_frames = true;
  return fault;
}

std::vector<Row> rows()
{
  using serial::PlayReason;
  const auto with = [](auto && change) {
    BoardTrouble trouble;
    trouble.at = 2.0;
    change(trouble);
    return trouble;
  };
  const double inf = std::numeric_limits<double>::infinity();
  const auto line = [&](const Fault & fault) {
    return with([&](BoardTrouble & t) { t.line = {fault}; });
  };
  // 0.8 s of silence, 0.3 s along the path, 0.7 s of rest, 0.3 s of fading.
  constexpr std::int64_t silence = 2150, stop = 1350;
  return {
    {"host killed", with([](BoardTrouble & t) { t.host_away = true; }), PlayReason::host_silent,
     true, silence},
    {"host stopped for 200 ms", with([](BoardTrouble & t) {
       t.host_away = true;
       t.duration = 0.2;
     }),
     PlayReason::none, true, 0},
    {"host stopped for 2 s", with([](BoardTrouble & t) {
       t.host_away = true;
       t.duration = 2.0;
     }),
     PlayReason::host_silent, true, silence},
    {"cable out, stream cut", line(on_line(FaultKind::lose, 1.0)), PlayReason::host_silent, true,
     silence},
    {"cut to the board only", line(on_line(FaultKind::lose, 1.0, LineDirection::to_board)),
     PlayReason::host_silent, true, silence},
    {"one frame in ten lost", line(on_line(FaultKind::lose, 0.1)), PlayReason::none, true, 0},
    {"one frame in ten corrupted", line(on_line(FaultKind::corrupt, 0.1)), PlayReason::none, true,
     0},
    {"half of all frames lost", line(on_line(FaultKind::lose, 0.5)), PlayReason::stream_dry, true,
     5000},
    {"every frame corrupted", line(on_line(FaultKind::corrupt, 1.0)), PlayReason::host_silent, true,
     silence},
    {"frames reordered", line(on_line(FaultKind::reorder, 0.3)), PlayReason::none, true, 0},
    {"frames repeated", line(on_line(FaultKind::duplicate, 1.0)), PlayReason::none, true, 0},
    {"everything replayed 50 ms later", with([inf](BoardTrouble & t) {
       t.replay = true;
       t.duration = inf;
     }),
     PlayReason::none, true, 0},
    {"the plan's nodes get lost", with([](BoardTrouble & t) { t.lose_nodes = true; }),
     PlayReason::stream_dry, true, 4000},
    {"user asks to stop", with([](BoardTrouble & t) { t.interrupt = true; }),
     PlayReason::asked_to_stop, true, stop},
    {"host disarms", with([](BoardTrouble & t) { t.disarm = true; }), PlayReason::disarmed, false,
     1},
    {"emergency stop", with([](BoardTrouble & t) { t.emergency_stop = true; }),
     PlayReason::device_fault, false, 1},
    {"board reboots", with([](BoardTrouble & t) { t.reboot = true; }), PlayReason::none, false, 0},
  };
}

/// V from one period to the next while nothing is wrong: what single counts make of the law.
double quiet_jump()
{
  static const double jump = [] {
    BoardTrouble nothing;
    nothing.at = 2.0;
    BoardRig rig(robot(), plan_of("b_gentle"), mismatched(), {}, both, nothing, 5);
    rig.run();
    return rig.largest_jump();
  }();
  return jump;
}

class BoardFaults : public testing::TestWithParam<std::size_t>
{
};

TEST_P(BoardFaults, EndAsDocumented)
{
  const Row row = rows()[GetParam()];
  BoardRig rig(robot(), plan_of("b_gentle"), mismatched(), {}, both, row.trouble, 5);
  rig.run(20.0);
  const bool survives = row.reason == serial::PlayReason::none && row.smooth;
  EXPECT_EQ(rig.board().output[0], 0);
  EXPECT_EQ(rig.board().output[1], 0);
  EXPECT_FALSE(rig.board().armed);
  if (survives)
  {
    EXPECT_FALSE(rig.supervisor().finding()) << describe(rig.supervisor().finding());
    EXPECT_EQ(rig.board_reason(), serial::PlayReason::none);
  }
  else
  {
    EXPECT_GE(rig.zero_after_ms(), 0);
    EXPECT_LE(rig.zero_after_ms(), row.at_most);
    EXPECT_EQ(
      row.reason, row.smooth || row.reason != serial::PlayReason::none
                    ? static_cast<serial::PlayReason>(rig.board().player.reason)
                    : row.reason);
  }
  if (row.smooth)
  {
    EXPECT_LT(rig.largest_jump(), 1.25 * quiet_jump()) << "V from one period to the next";
    EXPECT_LT(rig.state().tail<2>().cwiseAbs().maxCoeff(), 0.05);
  }
  fmt::print(
    "| {} | {} | {} | {} | {:.2f} |\n", row.name,
    survives ? "the plan is played to its end"
             : (row.smooth ? "smooth stop, hold, relax" : "zero volts at once"),
    rig.stopping_after_ms() < 0 ? "" : fmt::format("{}", rig.stopping_after_ms()),
    survives ? "" : fmt::format("{}", rig.zero_after_ms()), rig.largest_jump());
}

INSTANTIATE_TEST_SUITE_P(Table, BoardFaults, testing::Range<std::size_t>(0, rows().size()));

}  // namespace
}  // namespace fivebar_control::test
