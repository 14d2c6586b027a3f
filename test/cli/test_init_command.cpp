// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "cli/command_line.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

class InitCommand : public CommandLineTest
{
protected:
  std::vector<std::string> entries(const std::string & folder) const
  {
    std::vector<std::string> names;
    for (const auto & entry : std::filesystem::directory_iterator(path(folder)))
    {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

const std::vector<std::string> all_files{
  "README.txt", "controller.yaml", "curve.yaml", "plant.yaml", "robot.yaml"};

TEST_F(InitCommand, WritesTheShippedFilesWithTheirComments)
{
  const Outcome outcome = run({"init", "lab"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(entries("lab"), all_files);
  EXPECT_EQ(content_of(path("lab/robot.yaml")), content_of(config + "robot.yaml"));
  EXPECT_EQ(content_of(path("lab/controller.yaml")), content_of(config + "controller.yaml"));
  EXPECT_EQ(content_of(path("lab/curve.yaml")), content_of(config + "curves/b_gentle.yaml"));
  EXPECT_EQ(content_of(path("lab/plant.yaml")), content_of(config + "plants/mismatched.yaml"));
}

TEST_F(InitCommand, PrintsCommandsThatWorkWordForWord)
{
  const Outcome outcome = run({"init", "my lab"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string commands = outcome.out.substr(outcome.out.find("\n\n") + 2);
  EXPECT_EQ(std::count(commands.begin(), commands.end(), '\n'), 4) << commands;
  EXPECT_THAT(
    content_of(path("my lab/README.txt")), HasSubstr(commands.substr(commands.find('\n'))));
  const std::string folder = std::filesystem::path(FIVEBAR_PROGRAM).parent_path().string();
  const Outcome shell = run_program("sh", {"-e", "-c", "PATH='" + folder + "':$PATH\n" + commands});
  EXPECT_EQ(shell.exit_code, 0) << shell.err;
  EXPECT_TRUE(std::filesystem::exists(path("my lab/curve.log.csv")));
  EXPECT_TRUE(std::filesystem::exists(path("my lab/curve.plan.report.html")));
}

TEST_F(InitCommand, WritesFilesThatPassTheCheck)
{
  ASSERT_EQ(run({"init", "lab"}).exit_code, 0);
  const Outcome check =
    run({"check", "lab/robot.yaml", "lab/curve.yaml", "lab/controller.yaml", "lab/plant.yaml"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("within reach of lab/robot.yaml"));
}

TEST_F(InitCommand, RefusesAFolderThatHasOneOfTheFiles)
{
  std::filesystem::create_directory(path("lab"));
  write("lab/plant.yaml", "mine");
  const Outcome refused = run({"init", "lab"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "fivebar: lab/plant.yaml: is there already; --force replaces it\n");
  EXPECT_EQ(entries("lab"), std::vector<std::string>{"plant.yaml"});
  EXPECT_EQ(content_of(path("lab/plant.yaml")), "mine");
  EXPECT_EQ(run({"init", "lab", "--force"}).exit_code, 0);
  EXPECT_EQ(entries("lab"), all_files);
}

TEST_F(InitCommand, KeepsOtherFilesOfAFolder)
{
  std::filesystem::create_directory(path("lab"));
  write("lab/notes.txt", "mine");
  EXPECT_EQ(run({"init", "lab"}).exit_code, 0);
  EXPECT_EQ(content_of(path("lab/notes.txt")), "mine");
}

TEST_F(InitCommand, WritesNothingIfItCannotWriteEverything)
{
  write("file", "");
  EXPECT_EQ(run({"init", "file"}).exit_code, 2);
  EXPECT_EQ(run({"init", "file/lab"}).exit_code, 2);
  // A folder where a file should be: its name cannot be taken.
  std::filesystem::create_directories(path("lab/plant.yaml"));
  EXPECT_EQ(run({"init", "lab", "--force"}).exit_code, 2);
  EXPECT_EQ(entries("lab"), std::vector<std::string>{"plant.yaml"});
}

}  // namespace
}  // namespace fivebar_control::test
