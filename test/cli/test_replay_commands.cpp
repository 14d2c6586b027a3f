// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

class ReplayCommands : public ProgramTest
{
protected:
  std::string plan() const
  {
    const Outcome outcome = run(
      {"plan", std::string(FIVEBAR_SOURCE_DIR) + "/config/curves/b.yaml", "--out", path("b.csv")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return path("b.csv");
  }
  std::string log_of_run(const std::string & plan_file) const
  {
    const Outcome outcome = run({"run", plan_file, "--fast", "--log", path("run.csv")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return path("run.csv");
  }
};

std::size_t count(const std::string & text, const std::string & part)
{
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
  {
    ++found;
  }
  return found;
}

}  // namespace

#if FIVEBAR_WITH_MUJOCO
TEST_F(ReplayCommands, RunOnMujocoIsRepeatableAndReportsTheLoop)
{
  const std::string plan_file = plan();
  for (const char * name : {"1", "2"})
  {
    const Outcome outcome = run(
      {"run", plan_file, "--hardware", "mujoco", "--fast", "--log", path(std::string("log") + name),
       "--json", path("run.json")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("closed loop"));
  }
  EXPECT_EQ(content_of(path("log1")), content_of(path("log2")));
  EXPECT_THAT(content_of(path("log1")), HasSubstr("MuJoCo"));
  const auto json = nlohmann::json::parse(content_of(path("run.json")));
  EXPECT_GT(json["loop_error"].get<double>(), 0.0);
  EXPECT_LT(json["loop_error"].get<double>(), 1e-6);
}
#else
TEST_F(ReplayCommands, RunOnMujocoSaysThatThisBuildHasNone)
{
  const Outcome outcome = run({"run", plan(), "--hardware", "mujoco", "--fast"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("built without it"));
}
#endif

#if FIVEBAR_WITH_GAZEBO
TEST_F(ReplayCommands, RunInGazeboIsRepeatableAndReportsTheLoop)
{
  const std::string plan_file = plan();
  for (const char * name : {"1", "2"})
  {
    const Outcome outcome = run(
      {"run", plan_file, "--hardware", "gazebo", "--fast", "--log", path(std::string("log") + name),
       "--json", path("run.json")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("closed loop"));
  }
  EXPECT_EQ(content_of(path("log1")), content_of(path("log2")));
  EXPECT_THAT(content_of(path("log1")), HasSubstr("Gazebo Sim"));
  const auto json = nlohmann::json::parse(content_of(path("run.json")));
  EXPECT_GT(json["loop_error"].get<double>(), 0.0);
  EXPECT_LT(json["loop_error"].get<double>(), 2e-4);
}

TEST_F(ReplayCommands, GazeboRefusesAPeriodThatIsNoMultipleOfItsStep)
{
  const Outcome outcome = run({"run", plan(), "--hardware", "gazebo", "--fast", "--rate", "1500"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("such as --rate 1000"));
}
#else
TEST_F(ReplayCommands, RunInGazeboSaysThatThisBuildHasNone)
{
  const Outcome outcome = run({"run", plan(), "--hardware", "gazebo", "--fast"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("built where Gazebo Harmonic (gz-sim 8) is found"));
}
#endif

TEST_F(ReplayCommands, DescribesTheRobotOfAPlantForGazebo)
{
  const std::string plants = std::string(FIVEBAR_SOURCE_DIR) + "/config/plants/";
  Outcome outcome = run(
    {"describe", "--format", "urdf", "--interface", "volts", "--plant", plants + "mismatched.yaml",
     "--controllers", "c.yaml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("friction=\"0.01"));
  EXPECT_THAT(outcome.out, HasSubstr("<param name=\"plant\">" + plants + "mismatched.yaml<"));
  outcome = run({"describe", "--format", "world", "--model", "/tmp/fivebar.urdf"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("<uri>/tmp/fivebar.urdf</uri>"));

  outcome = run({"describe", "--format", "mjcf", "--plant", plants + "mismatched.yaml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--plant is for --format urdf and world"));
  outcome = run({"describe", "--format", "urdf", "--model", "fivebar.urdf"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--model is for --format world"));
  write("elastic.yaml", "schema: 1\nname: elastic\ndrive: {frequency: 20}\n");
  outcome = run({"describe", "--format", "urdf", "--plant", path("elastic.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("plant 'elastic': the model for Gazebo cannot have"));
}

TEST_F(ReplayCommands, AnimateWritesAnSvgThatMoves)
{
  const std::string plan_file = plan();
  const Outcome outcome =
    run({"animate", plan_file, log_of_run(plan_file), "--out", path("motion.svg")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string svg = content_of(path("motion.svg"));
  // Four growing paths, two cursors, three groups of links, five joints.
  EXPECT_EQ(count(svg, "<animate "), 4U + 2U * 2U + 3U + 5U * 2U);
  for (const char * label : {"x [m]", "y [m]", "time [s]", "voltage [V]", "error [mm]", "motor 4"})
  {
    EXPECT_THAT(svg, HasSubstr(label));
  }
  EXPECT_EQ(count(svg, "href"), 0U) << "self-contained";
}

TEST_F(ReplayCommands, AnimateRefusesWhatItCannotWrite)
{
  const std::string plan_file = plan();
  Outcome outcome = run({"animate", plan_file, "--out", path("motion.avi")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("must end in .svg"));
  outcome = run({"animate", plan_file, plan_file, "--out", path("motion.svg")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(path("motion.svg")));
}

#if FIVEBAR_WITH_CAIRO
TEST_F(ReplayCommands, AnimateWritesAPictureOfTheAskedWidth)
{
  const Outcome outcome = run({"animate", plan(), "--out", path("still.png"), "--width", "480"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string png = content_of(path("still.png"));
  ASSERT_GT(png.size(), 24U);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(png[i]); };
  EXPECT_EQ(byte(18) * 256 + byte(19), 480);
  EXPECT_EQ(byte(22) * 256 + byte(23), 270);
}

TEST_F(ReplayCommands, AnimateWithoutFfmpegSaysWhatToInstall)
{
  const std::string plan_file = plan();
  const std::string before = std::getenv("PATH");
  setenv("PATH", path("nowhere").c_str(), 1);
  const Outcome outcome = run({"animate", plan_file, "--out", path("motion.gif")});
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("install the package ffmpeg"));
  EXPECT_FALSE(std::filesystem::exists(path("motion.gif")));
}

TEST_F(ReplayCommands, AnimateWritesFilms)
{
  if (std::system("ffmpeg -version >/dev/null 2>&1") != 0)
  {
    GTEST_SKIP() << "ffmpeg is not installed";
  }
  const std::string plan_file = plan();
  for (const char * name : {"motion.gif", "motion.mp4"})
  {
    const Outcome outcome =
      run({"animate", plan_file, "--out", path(name), "--fps", "5", "--width", "320"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_EQ(content_of(path("motion.gif")).substr(0, 6), "GIF89a");
  EXPECT_EQ(content_of(path("motion.mp4")).substr(4, 4), "ftyp");
  EXPECT_FALSE(std::filesystem::exists(path("motion.gif.part")));
}
#endif

TEST_F(ReplayCommands, DescribeWritesTheRobotForOtherSimulators)
{
  const std::pair<const char *, const char *> formats[] = {
    {"mjcf", "<mujoco model=\"fivebar\">"},
    {"urdf", "<robot name=\"fivebar\">"},
    {"world", "<world name=\"fivebar\">"}};
  for (const auto & [format, part] : formats)
  {
    const Outcome outcome = run({"describe", "--format", format, "--out", path(format)});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(content_of(path(format)), HasSubstr(part));
  }
}

}  // namespace fivebar_control::test
