// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

// `excite`, `identify` and `learn` at the command line: what they do together, and a clear word for
// whatever they cannot use, with nothing written.

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

const std::string config = std::string(FIVEBAR_SOURCE_DIR) + "/config/";

std::string replaced(std::string text, const std::string & from, const std::string & to)
{
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class LearningCommands : public ProgramTest
{
protected:
  void good(const std::vector<std::string> & arguments) const
  {
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << arguments[0] << ": " << outcome.err;
  }
  /// Plans curve B and plays it on the mismatched robot, with whatever else `run` is told.
  void play(
    const std::string & plan, const std::string & log,
    const std::vector<std::string> & more = {}) const
  {
    std::vector<std::string> arguments{
      "run", plan, "--fast", "--plant", config + "plants/mismatched.yaml", "--log", log};
    arguments.insert(arguments.end(), more.begin(), more.end());
    good(arguments);
  }
  void plan_b() const { good({"plan", config + "curves/b.yaml", "--quiet", "--out", "b.csv"}); }
  /// A figure of this size and duration, planned and played.
  void play_small(const std::string & size, const std::string & duration) const
  {
    std::string curve = content_of(config + "curves/b_gentle.yaml");
    curve = replaced(curve, "[0.0508, 0.0508]", "[" + size + ", " + size + "]");
    curve = replaced(curve, "duration: 5.0 ", "duration: " + duration + " ");
    write("curve.yaml", replaced(curve, "ramp: {in: 1.0, out: 1.0}", "ramp: {in: 0.1, out: 0.1}"));
    good({"plan", "curve.yaml", "--quiet", "--out", "small.csv"});
    play("small.csv", "small.log.csv");
  }

  Outcome refused(
    const std::vector<std::string> & arguments, const std::string & words, int code = 2) const
  {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--out", "new"});
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(path("new"))) << words;
    return outcome;
  }
};

TEST_F(LearningCommands, ExciteRunIdentifyShowTheRobotToAQuarterOfAPercent)
{
  good({"excite", "--motions", "300", "--quiet", "--out", "e.csv", "--json", "e.json"});
  const auto expected = nlohmann::json::parse(content_of(path("e.json")));
  EXPECT_LT(expected["worst_percent"], 0.25);
  play("e.csv", "e.log.csv");
  good({"identify", "e.log.csv", "--out", "found.yaml", "--json", "found.json"});
  const auto found = nlohmann::json::parse(content_of(path("found.json")));
  EXPECT_NEAR(found["chi_square_per_reading"], 1.0, 0.05);
  double worst = 0.0;
  for (const auto & e : found["base"])
  {
    const std::string name = e["name"];
    const double value = name == "c2y" || name == "c3y" ? 6.29e-4 : e["value"].get<double>();
    worst = std::max(worst, 100.0 * e["sigma"].get<double>() / std::abs(value));
  }
  std::printf(
    "worst sigma of inertias: predicted %.3f %%, achieved %.3f %%\n",
    expected["worst_percent"].get<double>(), worst);
  EXPECT_LT(worst, 0.25);
  good({"plan", config + "curves/b.yaml", "--quiet", "--robot", "found.yaml", "--out", "b2.csv"});
}

TEST_F(LearningCommands, ExcitePlansShowInReportAndAnimation)
{
  good({"excite", "--motions", "20", "--quiet", "--out", "e.csv"});
  play("e.csv", "e.log.csv");
  good({"report", "e.csv", "e.log.csv", "--out", "e.html"});
  good({"animate", "e.csv", "e.log.csv", "--out", "e.svg"});
  good({"check", "e.csv"});
}

TEST_F(LearningCommands, ExciteSaysWhatIsWrong)
{
  refused({"excite", "--clearance", "0.95"}, "no room to move");
  refused({"excite", "--duration", "1"}, "--duration");
  refused({"excite", "--for", "colour"}, "--for");
  refused({"excite", "--robot", "nobody.yaml"}, "nobody.yaml");
  refused({"excite", "--robot", config + "curves/b.yaml"}, "b.yaml");
  write("robot.yaml", content_of(config + "robot.yaml"));
  const Outcome outcome = run({"excite", "--robot", "robot.yaml", "--out", "robot.yaml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is the robot file"));
  EXPECT_EQ(content_of(path("robot.yaml")), content_of(config + "robot.yaml"));
}

TEST_F(LearningCommands, IdentifyRefusesALogThatIsTooShortOrAtRest)
{
  play_small("0.02", "0.2");
  refused({"identify", "small.log.csv"}, "too short: the plan was played for");
  play_small("0.0002", "2.0");
  refused({"identify", "small.log.csv"}, "was at rest");
}

TEST_F(LearningCommands, IdentifyWritesNoRobotThatTheDataDoNotShow)
{
  play_small("0.005", "2.0");
  const Outcome outcome = refused(
    {"identify", "small.log.csv", "--delay", "0"}, "these data do not show the whole robot", 3);
  EXPECT_THAT(outcome.out, HasSubstr("These data hardly show"));
}

TEST_F(LearningCommands, IdentifyNamesWhatReachesItsBounds)
{
  // Figures of three millimetres, as fast as curve C and without a ramp.
  std::string curve = content_of(config + "curves/c.yaml");
  curve = replaced(curve, "[0.0508, 0.0508]", "[0.003, 0.003]");
  write("curve.yaml", replaced(curve, "duration: 3.0 ", "duration: 2.0 "));
  good({"plan", "curve.yaml", "--quiet", "--voltage-limit", "10", "--out", "small.csv"});
  play("small.csv", "small.log.csv");
  const Outcome outcome = refused(
    {"identify", "small.log.csv", "--delay", "0"}, "these data do not show the whole robot", 3);
  EXPECT_THAT(outcome.out, HasSubstr("is at the edge of what is plausible"));
}

TEST_F(LearningCommands, IdentifyRefusesALogThatWasSaturatedThroughout)
{
  good({"plan", config + "curves/b_gentle.yaml", "--quiet", "--out", "g.csv"});
  std::string controller =
    replaced(content_of(config + "controller.yaml"), "kp: 22.7", "kp: 1.0e6");
  controller = replaced(
    controller, "\nguard:",
    "\nguard:\n  switched_off: [chatter, saturation, motor_overload, implausible_motion, "
    "implausible_scale, following_error, encoder_frozen, encoder_jump]");
  write("bang.yaml", controller);
  play("g.csv", "g.log.csv", {"--voltage-limit", "1.5", "--controller", "bang.yaml"});
  refused({"identify", "g.log.csv"}, "both motors were at their limit of 1.5 V");
}

TEST_F(LearningCommands, IdentifyRefusesOtherRobotsModesAndFiles)
{
  plan_b();
  play("b.csv", "b.log.csv");
  refused(
    {"identify", "b.log.csv", "--robot", config + "robots/unequal.yaml"}, "another robot file");
  std::string other =
    replaced(content_of(config + "robot.yaml"), "assembly_mode: left", "assembly_mode: right");
  other = replaced(other, "phi4: 1.5707963267948966}", "phi4: -1.5}");
  write("right.yaml", replaced(other, "phi4: [0.0, 3.5]", "phi4: [-3.5, 3.5]"));
  refused({"identify", "b.log.csv", "--robot", "right.yaml"}, "another robot file");
  refused({"identify", "b.csv"}, "this is a plan, not a run log");
  refused({"identify", "nobody.csv"}, "nobody.csv: cannot be read");
  refused({"identify", "b.log.csv", "--free", "inertia", "gain"}, "chi^2/N", 3);
  write("cut.csv", content_of(path("b.log.csv")).substr(0, 200000));
  refused({"identify", "cut.csv"}, "cut.csv");
}

TEST_F(LearningCommands, IdentifyFindsElasticDrivesAndPlansKnowThem)
{
  plan_b();
  write(
    "blind.yaml", replaced(
                    content_of(config + "controller.yaml"), "\nguard:",
                    "\nguard:\n  switched_off: [implausible_motion, implausible_scale, "
                    "following_error]"));
  const std::string plant = config + "plants/outside/elastic_15_link.yaml";
  good(
    {"run", "b.csv", "--fast", "--plant", plant, "--controller", "blind.yaml", "--log",
     "e.log.csv"});
  refused({"identify", "e.log.csv", "--rigid"}, "chi^2/N is 3.2", 3);
  const Outcome found = run({"identify", "e.log.csv", "--out", "found.yaml"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_THAT(found.err, HasSubstr("elastic drives: chi^2/N")) << "progress";
  EXPECT_THAT(content_of(path("found.yaml")), HasSubstr("stiffness"));
  const Outcome plan =
    run({"plan", config + "curves/b.yaml", "--robot", "found.yaml", "--out", "b2.csv"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("the feedforward knows them"));
  EXPECT_THAT(content_of(path("b2.csv")), HasSubstr("learned1,learned4,lead1,lead4"));
  good({"check", "b2.csv", "--robot", "found.yaml"});
}

TEST_F(LearningCommands, LearnRefusesLogsOfOtherPlansModesGainsAndRobots)
{
  plan_b();
  play("b.csv", "b.log.csv");
  play("b.csv", "pd.log.csv", {"--mode", "pd"});
  refused({"learn", "b.csv", "pd.log.csv"}, "this run was in mode 'pd'");
  play_small("0.02", "1.0");
  refused({"learn", "b.csv", "small.log.csv"}, "expected logs of this plan only");
  refused({"learn", "b.csv", "b.log.csv", "small.log.csv"}, "expected logs of this plan only");
  write("stiff.yaml", replaced(content_of(config + "controller.yaml"), "kp: 22.7", "kp: 30.0"));
  play("b.csv", "stiff.log.csv", {"--controller", "stiff.yaml"});
  refused({"learn", "b.csv", "b.log.csv", "stiff.log.csv"}, "had another controller");
  play("b.csv", "along.log.csv", {"--controller", config + "controller_tvlqr.yaml"});
  refused({"learn", "b.csv", "along.log.csv"}, "feedback.method 'tvlqr'");
  refused(
    {"learn", "b.csv", "b.log.csv", "--robot", config + "robots/unequal.yaml"}, "another robot");
  good({"learn", "b.csv", "b.log.csv", "--out", "b2.csv"});
  refused({"learn", "b2.csv", "b.log.csv"}, "b.log.csv");
  refused({"learn", "b.csv"}, "at least one LOG.csv");
}

TEST_F(LearningCommands, LearnRefusesARunThatDidNotFinish)
{
  plan_b();
  write("stuck.yaml", "schema: 1\nname: stuck\nencoder: {stuck: 4, at: 0.5}\n");
  const Outcome stopped =
    run({"run", "b.csv", "--fast", "--plant", "stuck.yaml", "--log", "stuck.log.csv"});
  ASSERT_EQ(stopped.exit_code, 5) << stopped.err;
  refused({"learn", "b.csv", "stuck.log.csv"}, "stuck.log.csv");
}

TEST_F(LearningCommands, CompareKnowsEveryLawAndOtherPlansOfTheCurve)
{
  plan_b();
  play("b.csv", "b.log.csv");
  good({"learn", "b.csv", "b.log.csv", "--out", "learned.csv"});
  good({"identify", "b.log.csv", "--delay", "0", "--out", "found.yaml"});
  good({"plan", config + "curves/b.yaml", "--quiet", "--robot", "found.yaml", "--out", "b2.csv"});
  const Outcome outcome = run(
    {"compare", "b.csv", "--plant", config + "plants/mismatched.yaml", "--also", "learned.csv",
     "--also", "b2.csv@found.yaml", "--report", "b.html", "--json", "c.json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("feedforward+kalman+tvlqr"));
  EXPECT_THAT(outcome.out, HasSubstr("feedforward+kalman+mpc"));
  EXPECT_THAT(outcome.out, HasSubstr("learned+pd"));
  EXPECT_THAT(outcome.out, HasSubstr("times less ISE at the encoder"));
  EXPECT_THAT(content_of(path("b.html")), HasSubstr("feedforward+kalman+mpc"));
  const auto json = nlohmann::json::parse(content_of(path("c.json")))["plans"][0];
  EXPECT_NEAR(json["feedforward_tvlqr"]["ise_ratio"], 2547.0, 255.0);
  EXPECT_NEAR(json["feedforward_mpc"]["ise_ratio"], 2547.0, 255.0);
  EXPECT_NEAR(json["also"][0]["feedforward_pd"]["ise_ratio"], 4235.0, 424.0);
  EXPECT_GT(json["also"][1]["feedforward_pd"]["ise_ratio"], 1000.0);
  EXPECT_GT(json["also"][1]["feedforward_tvlqr"]["ise_ratio"], 2547.0);
}

}  // namespace
}  // namespace fivebar_control::test
