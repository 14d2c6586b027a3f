// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "actions.hpp"
#include "fivebar_control/support/errors.hpp"
#include "folder.hpp"
#include "jobs.hpp"
#include "latest_wins.hpp"
#include "model/robots.hpp"
#include "plan_answer.hpp"
#include "reach_map.hpp"
#include "request_model.hpp"

namespace fivebar_control::test
{
namespace
{

using nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

template <class Work>
std::string refusal(Work && work)
{
  try
  {
    work();
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "no error";
}

class StudioParts : public testing::Test
{
protected:
  void SetUp() override
  {
    const auto * info = testing::UnitTest::GetInstance()->current_test_info();
    root_ = testing::TempDir() + "fivebar_studio_" + info->name() + "_" + std::to_string(getpid());
    fs::create_directories(root_ / "start");
  }
  void TearDown() override { fs::remove_all(root_); }

  void put(const std::string & name, const std::string & text) const
  {
    std::ofstream(root_ / name) << text;
  }
  Folder folder() const { return Folder(root_ / "start"); }
  Desk desk() const { return {default_robot(), {}, folder(), {}, {}}; }

  fs::path root_;
};

const std::string gentle =
  "schema: 1\ncurve:\n  type: circle\n  center: [0.127, 0.127]\n  radius: 0.03\n  duration: 3.0\n"
  "ramp: {in: 1.0, out: 1.0}\n";

}  // namespace

TEST_F(StudioParts, FilesAreOnlyBelowTheFolder)
{
  put("secret.yaml", "a: 1");
  put("start/b.yaml", "a: 1");
  fs::create_symlink(root_ / "secret.yaml", root_ / "start/link.yaml");
  fs::create_directory_symlink(root_, root_ / "start/up");
  const Folder here = folder();
  EXPECT_EQ(here.read("b.yaml", {".yaml"}), "a: 1");
  for (const std::string name :
       {"../secret.yaml",
        "/etc/passwd",
        "/etc/passwd.yaml",
        "",
        ".",
        "..",
        "a/../../secret.yaml",
        "link.yaml",
        "up/secret.yaml",
        ".hidden.yaml",
        "a/.hidden.yaml",
        "-o.yaml",
        "b.txt",
        "b",
        "a//b.yaml",
        "a/",
        "b.yaml\n",
        "b\\c.yaml",
        "~/b.yaml",
        "b.yaml;ls",
        "$(id).yaml"})
  {
    EXPECT_NE(refusal([&] { here.read(name, {".yaml"}); }), "no error") << name;
    EXPECT_NE(refusal([&] { here.write(name, {".yaml"}, "x", true); }), "no error") << name;
  }
  EXPECT_NE(refusal([&] { here.checked(std::string("b\0.yaml", 7), {".yaml"}); }), "no error");
  EXPECT_NE(refusal([&] { here.checked(std::string(300, 'a') + ".yaml", {".yaml"}); }), "no error");
  EXPECT_EQ(Folder(root_).read("secret.yaml", {".yaml"}), "a: 1");
}

TEST_F(StudioParts, AFileIsReplacedOnlyWhenAsked)
{
  const Folder here = folder();
  here.write("b.yaml", {".yaml"}, "one", false);
  EXPECT_THAT(
    refusal([&] { here.write("b.yaml", {".yaml"}, "two", false); }), HasSubstr("there already"));
  EXPECT_EQ(here.read("b.yaml", {".yaml"}), "one");
  here.write("b.yaml", {".yaml"}, "two", true);
  EXPECT_EQ(here.read("b.yaml", {".yaml"}), "two");
}

TEST_F(StudioParts, ListsWhatItKnowsByItsContent)
{
  put("start/b.yaml", gentle);
  put("start/plant.yaml", "schema: 1\nname: p\nsupply_voltage: 24.0\n");
  put("start/broken.yaml", "schema: 1\ncurve:\n  type: circle\n bad\n");
  put("start/other.txt", "no");
  put("start/.hidden.yaml", gentle);
  fs::create_symlink(root_ / "start/b.yaml", root_ / "start/link.yaml");
  std::map<std::string, std::string> kinds;
  for (const FolderEntry & entry : folder().list())
  {
    kinds[entry.name] = entry.kind;
  }
  const std::map<std::string, std::string> expected{
    {"b.yaml", "curve"}, {"plant.yaml", "plant"}, {"broken.yaml", "curve"}};
  EXPECT_EQ(kinds, expected);
}

TEST_F(StudioParts, CommandLinesHoldNothingButCheckedWords)
{
  const Desk here = desk();
  EXPECT_EQ(
    command_of(here, {{"action", "compare"}, {"plan", "b.plan.csv"}, {"robustness", true}}).shown,
    "fivebar compare b.plan.csv --report b.report.html --robustness");
  EXPECT_EQ(
    command_of(here, {{"action", "plan"}, {"curve", "my curve.yaml"}}).shown,
    "fivebar plan 'my curve.yaml' --out 'my curve.plan.csv'");
  for (const json & question :
       {json{{"action", "shell"}}, json{{"action", "compare"}, {"plan", "--help"}},
        json{{"action", "compare"}, {"plan", "../b.csv"}},
        json{{"action", "compare"}, {"plan", "b.csv"}, {"plant", "shipped:../../robot"}},
        json{{"action", "run"}, {"plan", "b.csv"}, {"mode", "--hardware=serial:/dev/tty"}},
        json{{"action", "identify"}, {"logs", {"-x.csv"}}, {"out", "r.yaml"}},
        json{{"action", "identify"}, {"logs", json::array()}, {"out", "r.yaml"}},
        json{{"action", "learning-runs"}, {"plan", "b.csv"}, {"updates", 1000}}, json{},
        json{{"action", 3}}, json::array()})
  {
    EXPECT_NE(
      refusal([&] { command_of(here, question.is_object() ? question : json::object()); }),
      "no error")
      << question;
  }
}

TEST_F(StudioParts, SamplesComeFromTheFolderOnly)
{
  put("outside.csv", "t,x,y\n0,0,0\n1,0,0\n2,0,0\n");
  const auto with = [](const std::string & file) {
    return "schema: 1\ncurve:\n  type: samples\n  file: " + file + "\n";
  };
  for (const char * file : {"../outside.csv", "/etc/passwd", "a/../../outside.csv"})
  {
    EXPECT_THAT(
      refusal([&] { studio_request(with(file), "c.yaml", folder()); }), HasSubstr("c.yaml:4"))
      << file;
  }
}

TEST_F(StudioParts, TooManyNodesAreRefusedAtTheirLine)
{
  EXPECT_THAT(
    refusal([&] { studio_request(gentle + "time_step: 1.0e-6\n", "c.yaml", folder()); }),
    HasSubstr("c.yaml:8:12: key 'time_step': 4000000 time steps are more"));
}

TEST_F(StudioParts, AnswersWithPlanOrWithTheLineThatIsWrong)
{
  const GoOn always = [] { return true; };
  const Desk here = desk();
  const json good = json::parse(answer_plan(here, {gentle, "c.yaml"}, always));
  EXPECT_TRUE(good["ok"]);
  EXPECT_EQ(good["state"], "good");
  EXPECT_EQ(good["model"]["curve"]["radius"], 0.03);
  EXPECT_EQ(good["command"], "fivebar plan c.yaml --out c.plan.csv");
  EXPECT_EQ(good["series"]["t"].size(), good["series"]["error"].size());
  EXPECT_LE(good["series"]["t"].size(), 801u);

  const json bad = json::parse(answer_plan(here, {gentle + "rampp: 1\n", "c.yaml"}, always));
  EXPECT_FALSE(bad["ok"]);
  EXPECT_EQ(bad["state"], "error");
  EXPECT_EQ(bad["error"]["line"], 8);
  EXPECT_THAT(bad["error"]["message"], HasSubstr("did you mean 'ramp'"));
}

TEST_F(StudioParts, ACurveOutOfReachIsToldWithAMoveThatHelps)
{
  const GoOn always = [] { return true; };
  const Desk here = desk();
  std::string text = gentle;
  text.replace(text.find("0.127]"), 5, "0.215");
  const json far = json::parse(answer_plan(here, {text, "c.yaml"}, always));
  EXPECT_EQ(far["state"], "bad");
  ASSERT_TRUE(far["fix"].is_object()) << far.dump();
  const double dx = far["fix"]["translate"][0];
  const double dy = far["fix"]["translate"][1];
  text += "placement: {translate: [" + std::to_string(dx) + ", " + std::to_string(dy) + "]}\n";
  EXPECT_TRUE(json::parse(answer_plan(here, {text, "c.yaml"}, always))["ok"]);
}

TEST(StudioReach, TheMapAgreesWithThePlanner)
{
  for (const RobotModel & robot : {default_robot(), unequal_robot()})
  {
    const ReachMap map = reach_map(robot, 40);
    ASSERT_EQ(map.obstacles.size(), static_cast<std::size_t>(map.columns * map.rows));
    std::array<int, 8> count{};
    for (const char c : map.obstacles)
    {
      ++count.at(static_cast<std::size_t>(c - '0'));
    }
    EXPECT_GT(count[0], 30);
    EXPECT_GT(count[static_cast<int>(Obstacle::out_of_reach)], 30);
    EXPECT_GT(
      count[static_cast<int>(Obstacle::parallel_singularity)] +
        count[static_cast<int>(Obstacle::other_assembly)],
      0);
    const Eigen::Vector2d home = robot.kinematics().forward(robot.parameters().home)->end_effector;
    const Eigen::Vector2i cell = ((home - map.low) / map.cell).array().round().matrix().cast<int>();
    EXPECT_EQ(map.obstacles[static_cast<std::size_t>(cell[1] * map.columns + cell[0])], '0');
  }
}

TEST(LatestWins, OfEachClientTheNewestQuestionIsAnswered)
{
  LatestWins desk(0ms);
  std::atomic<bool> begun{false};
  std::optional<std::string> first, second;
  std::thread slow([&] {
    first = desk.ask("a", [&](const GoOn & go_on) {
      begun = true;
      while (go_on())
      {
        std::this_thread::sleep_for(1ms);
      }
      return std::string("first");
    });
  });
  while (!begun)
  {
    std::this_thread::sleep_for(1ms);
  }
  second = desk.ask("a", [](const GoOn &) { return std::string("second"); });
  slow.join();
  EXPECT_EQ(first, std::nullopt);
  EXPECT_EQ(second, "second");
}

TEST(LatestWins, ClientsTakeTurnsAndAnOutdatedQuestionThatWaitsIsDropped)
{
  LatestWins desk;
  std::atomic<bool> go{false};
  std::atomic<int> ran{0};
  std::thread holder([&] {
    desk.ask("holder", [&](const GoOn &) {
      while (!go)
      {
        std::this_thread::sleep_for(1ms);
      }
      return std::string();
    });
  });
  std::this_thread::sleep_for(20ms);
  std::optional<std::string> old, other;
  std::thread a([&] {
    old = desk.ask("a", [&](const GoOn &) {
      ++ran;
      return std::string("old");
    });
  });
  std::this_thread::sleep_for(20ms);
  std::thread b([&] {
    other = desk.ask("b", [&](const GoOn &) {
      ++ran;
      return std::string("b");
    });
  });
  std::this_thread::sleep_for(20ms);
  std::thread release([&] {
    std::this_thread::sleep_for(20ms);
    go = true;
  });
  const auto newest = desk.ask("a", [&](const GoOn &) {
    ++ran;
    return std::string("new");
  });
  for (std::thread * thread : {&holder, &a, &b, &release})
  {
    thread->join();
  }
  EXPECT_EQ(old, std::nullopt);
  EXPECT_EQ(newest, "new");
  EXPECT_EQ(other, "b");
  EXPECT_EQ(ran, 2);
}

TEST(LatestWins, PassesOnWhatAWorkThrows)
{
  LatestWins desk;
  const auto bad = [](const GoOn &) -> std::string { throw InputError("no"); };
  EXPECT_EQ(refusal([&] { desk.ask("a", bad); }), "no");
  desk.close();
  EXPECT_EQ(desk.ask("a", bad), std::nullopt);
}

TEST(StudioJobs, TellWhatACommandSaysAndHowItEnds)
{
  Jobs jobs("/bin/sh", testing::TempDir());
  const int id = jobs.start({"-c", "echo one; echo two >&2; exit 3"}, "shown", false);
  JobView view;
  std::string text;
  do
  {
    view = jobs.view(id, text.size());
    text += view.text;
  } while (view.running);
  EXPECT_EQ(text, "one\ntwo\n");
  EXPECT_EQ(view.code, 3);
  EXPECT_EQ(view.command, "shown");
  EXPECT_NE(refusal([&] { jobs.view(99, 0); }), "no error");
}

TEST(StudioJobs, AreInterruptedAndEndedWithTheStudio)
{
  auto jobs = std::make_unique<Jobs>("/bin/sh", testing::TempDir());
  const int id = jobs->start({"-c", "exec sleep 60"}, "", true);
  EXPECT_TRUE(jobs->robot_moves());
  EXPECT_NE(refusal([&] { jobs->start({"-c", "true"}, "", true); }), "no error");
  jobs->interrupt(id);
  while (jobs->view(id, 0).running)
  {
  }
  EXPECT_EQ(jobs->view(id, 0).code, 128 + SIGINT);
  EXPECT_FALSE(jobs->robot_moves());
  EXPECT_FALSE(jobs->signal_robot(SIGINT));
  jobs->start({"-c", "exec sleep 60"}, "", false);
  const auto begin = std::chrono::steady_clock::now();
  jobs.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

}  // namespace fivebar_control::test
