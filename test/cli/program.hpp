// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fivebar_control::test
{

/// What a run of the program left behind.
struct Outcome
{
  int exit_code = -1;  ///< -1 if a signal ended it
  std::string out, err;
};

inline std::string content_of(const std::string & path)
{
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Tests that run the built `fivebar` in a folder of their own.
class ProgramTest : public testing::Test
{
protected:
  void SetUp() override
  {
    const auto * info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "fivebar_cli_" + info->name() + "_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string & name) const { return folder_ + "/" + name; }

  std::string write(const std::string & name, const std::string & content) const
  {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  /// Runs `fivebar ARGUMENTS` there and waits for it.
  Outcome run(const std::vector<std::string> & arguments) const
  {
    return run_program(FIVEBAR_PROGRAM, arguments);
  }

  /// The same with another program, which is looked for as shells do.
  Outcome run_program(const std::string & program, const std::vector<std::string> & arguments) const
  {
    const std::string out = path("stdout.log");
    const std::string err = path("stderr.log");
    std::vector<char *> pointers = {const_cast<char *>(program.c_str())};
    for (const std::string & argument : arguments)
    {
      pointers.push_back(const_cast<char *>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0)
    {
      const int flags = O_WRONLY | O_CREAT | O_TRUNC;
      dup2(open(out.c_str(), flags, 0600), STDOUT_FILENO);
      dup2(open(err.c_str(), flags, 0600), STDERR_FILENO);
      if (chdir(folder_.c_str()) == 0)
      {
        execvp(program.c_str(), pointers.data());
      }
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
  }

private:
  std::string folder_;
};

}  // namespace fivebar_control::test
