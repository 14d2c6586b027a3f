// SPDX-License-Identifier: Apache-2.0
#include "jobs.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/signal_sets.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::size_t most_running = 3;
constexpr std::size_t most_remembered = 30;
constexpr std::size_t largest_text = 400'000;

/// In the child, between fork and exec: nothing here allocates or locks.
[[noreturn]] void become(
  const char * program, const char * folder, char ** arguments, int output, pid_t parent)
{
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  setpgid(0, 0);  // Ctrl-C at the terminal is the studio's
  prctl(PR_SET_PDEATHSIG, SIGINT);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (getppid() == parent && chdir(folder) == 0)
  {
    execv(program, arguments);
  }
  _exit(127);
}

/// From "live view at http://127.0.0.1:40123/"; 0 if it does not say so.
int live_port_in(const std::string & text)
{
  constexpr std::string_view word = "live view at http://";
  const std::size_t at = text.find(word);
  const std::size_t colon = at == std::string::npos ? at : text.find(':', at + word.size());
  int port = 0;
  if (colon != std::string::npos && text.find('/', colon) != std::string::npos)
  {
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
  }
  return port;
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Jobs::Jobs(std::string program, std::string folder)
: program_(std::move(program)), folder_(std::move(folder))
{
}

Jobs::~Jobs() { close(); }

pid_t Jobs::spawn(const std::vector<std::string> & words, int & output) const
{
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
  {
    throw InputError(fmt::format("the command cannot be started: {}", std::strerror(errno)));
  }
  std::vector<std::string> all{program_};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char *> arguments;
  for (std::string & word : all)
  {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0)
  {
    become(program_.c_str(), folder_.c_str(), arguments.data(), ends[1], parent);
  }
  ::close(ends[1]);
  if (pid < 0)
  {
    ::close(ends[0]);
    throw InputError(fmt::format("the command cannot be started: {}", std::strerror(errno)));
  }
  output = ends[0];
  return pid;
}

int Jobs::start(const std::vector<std::string> & words, const std::string & shown, bool moves_robot)
{
  const std::lock_guard lock(mutex_);
  const auto running = static_cast<std::size_t>(
    std::count_if(jobs_.begin(), jobs_.end(), [](const auto & job) { return job->view.running; }));
  if (closed_ || running >= most_running)
  {
    throw InputError("three commands are running already: wait for one of them, or stop it");
  }
  if (moves_robot && robot_.load() != 0)
  {
    throw InputError("the robot is being moved already");
  }
  forget_old();
  auto job = std::make_unique<Job>();
  job->view.id = ++last_id_;
  job->view.command = shown;
  job->view.running = true;
  job->moves_robot = moves_robot;
  job->pid = spawn(words, job->output);
  if (moves_robot)
  {
    robot_port_.store(0);
    robot_.store(job->pid);
  }
  const SignalsLeftToOthers by_the_thread;  // it inherits it
  job->reader = std::thread([this, &followed = *job] { follow(followed); });
  jobs_.push_back(std::move(job));
  return last_id_;
}

/// Reads until nobody can write any more, and then how it ended.
void Jobs::follow(Job & job)
{
  std::array<char, 4096> bytes;
  for (;;)
  {
    const ssize_t got = read(job.output, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR)
    {
      continue;
    }
    if (got <= 0)
    {
      break;
    }
    const std::lock_guard lock(mutex_);
    const std::size_t room = largest_text - job.view.text.size();
    job.view.text.append(bytes.data(), std::min(static_cast<std::size_t>(got), room));
    if (job.moves_robot && robot_port_.load() == 0)
    {
      robot_port_.store(live_port_in(job.view.text));
    }
    changed_.notify_all();
  }
  ::close(job.output);
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(job.pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
  {
  }
  pid_t expected = job.pid;
  robot_.compare_exchange_strong(expected, 0);  // before the number can belong to anybody else
  int status = 0;
  const std::lock_guard lock(mutex_);
  waitpid(job.pid, &status, 0);
  job.pid = 0;
  job.view.running = false;
  job.view.code = code_of(status);
  changed_.notify_all();
}

void Jobs::forget_old()
{
  while (jobs_.size() >= most_remembered && !jobs_.front()->view.running)
  {
    jobs_.front()->reader.join();
    jobs_.pop_front();
  }
}

JobView Jobs::view(int id, std::size_t from)
{
  std::unique_lock lock(mutex_);
  const auto find = [&] {
    return std::find_if(
      jobs_.begin(), jobs_.end(), [id](const auto & job) { return job->view.id == id; });
  };
  const auto news = [&] {
    const auto found = find();
    return closed_ || found == jobs_.end() || !(*found)->view.running ||
           (*found)->view.text.size() > from;
  };
  changed_.wait_for(lock, std::chrono::milliseconds(500), news);
  const auto found = find();
  if (found == jobs_.end())
  {
    throw InputError::of("id", "expected the number of a command that was started here");
  }
  JobView view = (*found)->view;
  view.size = view.text.size();
  view.text.erase(0, std::min(from, view.text.size()));
  return view;
}

std::vector<JobView> Jobs::list()
{
  const std::lock_guard lock(mutex_);
  std::vector<JobView> views;
  for (const auto & job : jobs_)
  {
    const JobView & v = job->view;
    views.push_back({v.id, v.command, v.running, v.code, "", v.text.size()});
  }
  return views;
}

void Jobs::interrupt(int id)
{
  const std::lock_guard lock(mutex_);
  for (const auto & job : jobs_)
  {
    if (job->view.id == id && job->pid != 0)
    {
      kill(job->pid, SIGINT);
    }
  }
}

bool Jobs::signal_robot(int signal) noexcept
{
  const pid_t pid = robot_.load();
  return pid != 0 && kill(pid, signal) == 0;
}

void Jobs::close()
{
  {
    std::unique_lock lock(mutex_);
    closed_ = true;
    const auto all_over = [this] {
      return std::none_of(
        jobs_.begin(), jobs_.end(), [](const auto & job) { return job->pid != 0; });
    };
    const auto tell_all = [this](int signal) {
      for (const auto & job : jobs_)
      {
        if (job->pid != 0)
        {
          kill(job->pid, signal);
        }
      }
    };
    tell_all(SIGINT);
    if (!changed_.wait_for(lock, std::chrono::seconds(5), all_over))
    {
      tell_all(SIGKILL);  // of a run, the board's watchdog takes the volts
    }
  }
  for (const auto & job : jobs_)
  {
    if (job->reader.joinable())
    {
      job->reader.join();
    }
  }
}

}  // namespace fivebar_control
