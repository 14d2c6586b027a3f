// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace fivebar_control
{

/// What a page sees of a command that the studio has started.
struct JobView
{
  int id = 0;
  std::string command;  ///< as at a terminal
  bool running = false;
  int code = 0;  ///< exit code; 128 + signal of one that was killed
  std::string text;
  std::size_t size = 0;  ///< of the text so far
};

/// Commands of this program that run as processes of their own, in the studio's folder: what a page
/// asks for is what the same command does at a terminal, and the studio's death is an interrupt for
/// them (a robot then stops smoothly). A few at a time.
class Jobs
{
public:
  /// `program`: the path of fivebar.
  Jobs(std::string program, std::string folder);
  ~Jobs();

  /// `words` without the program; `shown` is what a page sees. One job at a time may be the one
  /// that moves a robot. Throws InputError if too many run.
  int start(const std::vector<std::string> & words, const std::string & shown, bool moves_robot);
  /// The text from `from` on. Waits a moment for news of a job that runs. Throws InputError.
  JobView view(int id, std::size_t from);
  /// All that are remembered, without their text.
  std::vector<JobView> list();
  void interrupt(int id);
  /// Ends them all, a moving robot smoothly.
  void close();

  /// To the job that moves a robot, if there is one: needs no lock, waits for nobody.
  bool signal_robot(int signal) noexcept;
  bool robot_moves() const noexcept { return robot_.load() != 0; }
  /// Of the live view of that job; 0 as long as it has not said where it is.
  int robot_port() const noexcept { return robot_port_.load(); }

private:
  struct Job
  {
    JobView view;
    pid_t pid = 0;
    int output = -1;
    bool moves_robot = false;
    std::thread reader;
  };

  pid_t spawn(const std::vector<std::string> & words, int & output) const;
  void follow(Job & job);
  void forget_old();

  std::string program_, folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Job>> jobs_;
  int last_id_ = 0;
  bool closed_ = false;
  std::atomic<pid_t> robot_{0};
  std::atomic<int> robot_port_{0};
};

}  // namespace fivebar_control
