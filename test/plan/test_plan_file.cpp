// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "planner/problems.hpp"
#include "support/resealed.hpp"

namespace fivebar_control
{
namespace
{

class PlanFile : public testing::Test
{
protected:
  static void SetUpTestSuite()
  {
    const RobotModel robot = test::default_robot();
    plan_ = std::make_unique<Plan>(make_plan(robot, test::request_of("b_gentle")).plan);
    const std::string path = testing::TempDir() + "fivebar_plan_file.csv";
    save_plan(*plan_, path);
    text_ = read_text_file(path, 100000000);
    std::filesystem::remove(path);
  }
  static void TearDownTestSuite() { plan_.reset(); }

  static std::string error_of(const std::string & text)
  {
    try
    {
      require_plan_fits(parse_plan(text, "b.csv"), test::default_robot(), "b.csv");
    }
    catch (const InputError & error)
    {
      return error.what();
    }
    return "no error";
  }

  static std::string replaced(const std::string & what, const std::string & by)
  {
    std::string text = text_;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
  }

  static std::unique_ptr<Plan> plan_;
  static std::string text_;
};

std::unique_ptr<Plan> PlanFile::plan_;
std::string PlanFile::text_;

using testing::HasSubstr;

}  // namespace

TEST_F(PlanFile, AsTextIsWhatTheFileHolds) { EXPECT_EQ(plan_text(*plan_), text_); }

TEST_F(PlanFile, RefusesSwappedColumnNames)
{
  EXPECT_THAT(error_of(replaced("\nt,u1,u4,", "\nt,u4,u1,")), HasSubstr("plan was changed"));
}

TEST_F(PlanFile, RefusesAChangedHeader)
{
  EXPECT_THAT(error_of(replaced("curve B", "curve A")), HasSubstr("plan was changed"));
}

TEST_F(PlanFile, ReadsPlansOfTheFirstSchemaAndNoticesTheirChanges)
{
  // There the checksum was of the rows alone and stood in the header; the content had no name.
  std::string text = replaced("# schema: 2\n# content: plan\n", "# schema: 1\n");
  const std::size_t rows = text.find('\n', text.find("\nt,u1,") + 1) + 1;
  const std::size_t end = text.find("\n#", rows) + 1;
  Checksum checksum;
  checksum.add(std::string_view(text).substr(rows, end - rows));
  text = text.substr(0, end);
  text.insert(text.find("\nt,u1,") + 1, "# rows: 1201\n# checksum: \"" + checksum.hex() + "\"\n");
  EXPECT_EQ(parse_plan(text, "b.csv").samples.u1, plan_->samples.u1);
  std::string swapped = text;
  swapped.replace(swapped.find("\nt,u1,u4,"), 9, "\nt,u4,u1,");
  EXPECT_THAT(error_of(swapped), HasSubstr("column names were changed"));
  text[text.size() - 20] ^= 1;
  EXPECT_THAT(error_of(text), HasSubstr("plan was changed"));
}

TEST_F(PlanFile, RefusesAPlanThatDoesNotBeginAtZero)
{
  Plan late = *plan_;
  for (double & t : late.samples.t)
  {
    t += 1.0;
  }
  EXPECT_THAT(error_of(plan_text(late)), HasSubstr("begins at 0 s, got 1 s"));
}

TEST_F(PlanFile, RefusesAHistoryThatCountsBeyondReason)
{
  EXPECT_THAT(
    error_of(test::resealed(replaced("- [0, 0,", "- [1e300, 0,"))),
    HasSubstr("from 0 to 1e9, got 1e+300"));
}

TEST_F(PlanFile, ReadsBackToTheLastDigit)
{
  const Plan back = parse_plan(text_, "b.csv");
  EXPECT_EQ(back.samples.t, plan_->samples.t);
  EXPECT_EQ(back.samples.u1, plan_->samples.u1);
  EXPECT_EQ(back.samples.u4, plan_->samples.u4);
  EXPECT_EQ(back.samples.phi1, plan_->samples.phi1);
  EXPECT_EQ(back.samples.phi4, plan_->samples.phi4);
  EXPECT_EQ(back.samples.dphi1, plan_->samples.dphi1);
  EXPECT_EQ(back.samples.dphi4, plan_->samples.dphi4);
  EXPECT_EQ(back.samples.x, plan_->samples.x);
  EXPECT_EQ(back.samples.y, plan_->samples.y);
  EXPECT_EQ(back.robot_name, plan_->robot_name);
  EXPECT_EQ(back.robot_fingerprint, plan_->robot_fingerprint);
  EXPECT_EQ(back.curve_name, plan_->curve_name);
  EXPECT_EQ(back.request, plan_->request);
  EXPECT_EQ(back.time_step, plan_->time_step);
  EXPECT_EQ(back.weights.rho, plan_->weights.rho);
  EXPECT_EQ(back.bounds.voltage, plan_->bounds.voltage);
  EXPECT_EQ(back.bounds.voltage_rate, plan_->bounds.voltage_rate);
  EXPECT_EQ(back.solver, plan_->solver);
  EXPECT_EQ(back.verdict, plan_->verdict);
  EXPECT_EQ(back.iterations, plan_->iterations);
  EXPECT_EQ(back.history, plan_->history);
  EXPECT_EQ(back.history.size(), static_cast<std::size_t>(back.iterations) + 1);
  EXPECT_EQ(back.history.back().cost, back.quality.cost);
  EXPECT_EQ(back.quality.cost, plan_->quality.cost);
  EXPECT_EQ(back.quality.ise, plan_->quality.ise);
  EXPECT_EQ(error_of(text_), "no error");
}

TEST_F(PlanFile, CarriesTheRequestItWasMadeFrom)
{
  const PlanRequest again = parse_plan_request(parse_plan(text_, "b.csv").request, "request");
  EXPECT_EQ(again.intervals, 1200u);
  EXPECT_EQ(again.name, "curve B, gentle");
}

TEST_F(PlanFile, ReadsFilesThatHaveNoHistory)
{
  std::string text = text_;
  const std::size_t begin = text.find("# history:");
  const std::size_t end = text.find("# request:");
  ASSERT_LT(begin, end);
  const Plan back = parse_plan(test::resealed(text.erase(begin, end - begin)), "b.csv");
  EXPECT_TRUE(back.history.empty());
  EXPECT_EQ(back.quality.cost, plan_->quality.cost);
}

TEST_F(PlanFile, RefusesAFlippedDigit)
{
  std::string text = text_;
  const std::size_t position = text.size() / 2;
  text[position] = text[position] == '5' ? '6' : '5';
  EXPECT_THAT(
    error_of(text), HasSubstr("b.csv: the plan was changed after it was written: its checksum is"));
}

TEST_F(PlanFile, RefusesACutFile)
{
  EXPECT_THAT(
    error_of(text_.substr(0, text_.size() / 2)),
    testing::MatchesRegex("b.csv: the plan is cut: it ends after [0-9]+ rows, without .*"));
  const std::size_t row = text_.find('\n', text_.size() / 2);
  EXPECT_THAT(
    error_of(text_.substr(0, row) + text_.substr(text_.find('\n', row + 1))),
    HasSubstr("the plan is cut: 1200 of 1201 data rows are there"));
  EXPECT_EQ(
    error_of(text_.substr(0, text_.find("\nt,u1") + 1)),
    "b.csv: the plan is cut: it ends before the data rows");
  EXPECT_THAT(error_of(text_.substr(0, text_.find("curve:"))), HasSubstr("is cut"));
}

TEST_F(PlanFile, RefusesAForeignRobot)
{
  EXPECT_THAT(
    error_of(test::resealed(replaced(plan_->robot_fingerprint, "0123456789abcdef"))),
    HasSubstr("b.csv: the plan was made for another robot ('five-bar with Quanser motors', "
              "fingerprint 0123456789abcdef)"));
}

TEST_F(PlanFile, RefusesANewerSchema)
{
  EXPECT_THAT(
    error_of(replaced("# schema: 2", "# schema: 7")),
    HasSubstr("the plan has schema 7, this program reads up to 2: update fivebar_control"));
}

TEST_F(PlanFile, RefusesWhatIsNoPlan)
{
  EXPECT_THAT(error_of("t,u1,u4\n0,1,2\n"), HasSubstr("b.csv:1: not a plan: expected a header"));
  EXPECT_THAT(
    error_of(test::resealed(replaced("# time_step: ", "# time_stop: "))), HasSubstr("missing key"));
}

TEST_F(PlanFile, RefusesPlansBeyondTheRobotsLimits)
{
  const auto refusal = [](const Plan & plan) {
    try
    {
      require_plan_fits(plan, test::default_robot(), "b.csv");
    }
    catch (const InputError & error)
    {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  Plan plan = *plan_;
  plan.samples.u4[100] = -11.0;
  EXPECT_EQ(
    refusal(plan), "b.csv: at t = 0.5 s the plan has voltage u4 = -11, the robot's limit is 10 V");
  plan = *plan_;
  plan.samples.phi1[200] = 5.0;
  EXPECT_EQ(
    refusal(plan),
    "b.csv: at t = 1 s the plan has angle phi1 = 5, the robot's limit is -1.3 to 2.3 rad");
  plan = *plan_;
  plan.samples.dphi4[200] = 99.0;
  EXPECT_EQ(
    refusal(plan),
    "b.csv: at t = 1 s the plan has speed dphi4 = 99, the robot's limit is 25 rad/s");
  plan = *plan_;
  plan.samples.t[3] = plan.samples.t[2] + 1e-9;
  plan.samples.u1[3] += 0.1;
  EXPECT_THAT(refusal(plan), HasSubstr("the plan has voltage rate of u1"));
  plan = *plan_;
  plan.samples.phi1[300] = 1.5698;
  plan.samples.phi4[300] = 1.5718;
  EXPECT_THAT(refusal(plan), HasSubstr("the plan has singularity margin"));
}

TEST_F(PlanFile, RefusesWhatLiesBetweenItsNodes)
{
  const auto refusal = [](const Plan & plan) {
    try
    {
      require_plan_fits(plan, test::default_robot(), "b.csv");
    }
    catch (const InputError & error)
    {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  // Half a radian within one time step: no node is out of range, no node is fast.
  Plan plan = *plan_;
  for (std::size_t i = 201; i < plan.samples.size(); ++i)
  {
    plan.samples.phi4[i] += 0.5;
  }
  EXPECT_THAT(refusal(plan), HasSubstr("b.csv: at t = 1.001 s the plan has speed dphi4 = "));
  // Speeds that swing the path out of the joint range between two nodes.
  plan = *plan_;
  RobotParameters narrow = test::default_robot().parameters();
  narrow.limits.joint_maximum[0] = 0.2;
  plan.samples = PlanSamples{{0.0, 0.5},  {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {1.57, 1.57},
                             {2.0, -2.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
  plan.time_step = 0.5;
  EXPECT_EQ(refusal(plan), "no error");
  EXPECT_THROW(require_plan_fits(plan, RobotModel(narrow), "b.csv"), InputError);
  // Out to 0.203 rad and back within a second: a fifth of it before and after it is within 0.2 rad.
  plan.samples.t[1] = 0.9;
  plan.samples.dphi1 = {1.523, 0.0};
  plan.time_step = 0.9;
  EXPECT_EQ(refusal(plan), "no error");
  EXPECT_THROW(require_plan_fits(plan, RobotModel(narrow), "b.csv"), InputError);
  plan.samples.t[1] = 1.1;
  EXPECT_THAT(refusal(plan), HasSubstr("there is a gap of 1.1 s"));
  // Nothing for half a second.
  plan = *plan_;
  for (std::size_t i = 201; i < plan.samples.size(); ++i)
  {
    plan.samples.t[i] += 0.5;
  }
  EXPECT_THAT(refusal(plan), HasSubstr("there is a gap of 0.505 s before t = 1.505 s"));
}

TEST_F(PlanFile, RefusesDrivenLinksInLineWithTheirDistalLinks)
{
  RobotParameters parameters = test::default_robot().parameters();
  parameters.limits.serial_singularity_margin = 0.9;
  EXPECT_THROW(require_plan_fits(*plan_, RobotModel(parameters), "b.csv"), InputError);
}

TEST_F(PlanFile, LeavesTheOldFileWhenItCannotWrite)
{
  EXPECT_THROW(save_plan(*plan_, "/nonexistent-folder/b.csv"), InputError);
}

}  // namespace fivebar_control
