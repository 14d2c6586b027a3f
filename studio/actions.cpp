// SPDX-License-Identifier: Apache-2.0
#include "actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/support/errors.hpp"
#include "plan_answer.hpp"

namespace fivebar_control
{
namespace
{

using nlohmann::json;
using Endings = std::vector<std::string>;

/// A question with the files that it names, checked.
class Question
{
public:
  Question(const Desk & desk, const json & given) : desk_(desk), given_(given) {}

  std::string text(const char * key) const
  {
    const auto found = given_.find(key);
    if (found == given_.end() || !found->is_string())
    {
      throw InputError::of(key, "expected a text");
    }
    return found->get<std::string>();
  }
  bool flag(const char * key) const
  {
    const auto found = given_.find(key);
    return found != given_.end() && found->is_boolean() && found->get<bool>();
  }
  int number(const char * key, int low, int high) const
  {
    const auto found = given_.find(key);
    if (found == given_.end() || !found->is_number_integer() || *found < low || *found > high)
    {
      throw InputError::of(key, fmt::format("expected a whole number from {} to {}", low, high));
    }
    return found->get<int>();
  }
  std::string file(const char * key, const Endings & endings) const
  {
    return desk_.folder.checked(text(key), endings);
  }
  std::vector<std::string> files(const char * key) const
  {
    std::vector<std::string> names;
    const auto found = given_.find(key);
    if (found == given_.end() || !found->is_array() || found->empty() || found->size() > 20)
    {
      throw InputError::of(key, "expected a list of 1 to 20 files");
    }
    for (const json & name : *found)
    {
      names.push_back(
        desk_.folder.checked(name.is_string() ? name.get<std::string>() : "", {".csv"}));
    }
    return names;
  }
  std::string plant() const
  {
    return given_.contains("plant") ? plant_file(desk_, text("plant")) : "";
  }
  std::string mode() const
  {
    const std::string name = text("mode");
    if (!control_mode_named(name))
    {
      throw InputError::of("mode", "expected feedforward+pd, pd or feedforward");
    }
    return name;
  }

private:
  const Desk & desk_;
  const json & given_;
};

/// "b.plan.csv" with ".report.html" is "b.report.html".
std::string beside(const std::string & file, const std::string & ending)
{
  std::string stem = std::filesystem::path(file).replace_extension().generic_string();
  if (stem.ends_with(".plan"))
  {
    stem.resize(stem.size() - 5);
  }
  return stem + ending;
}

/// What an action adds to its command line.
enum class Uses
{
  robot,
  robot_and_controller,
};

struct Action
{
  Uses uses;
  ActionCommand (*command)(const Question &);
};

void add_plant(ActionCommand & c, const Question & q)
{
  if (const std::string plant = q.plant(); !plant.empty())
  {
    c.words.insert(c.words.end(), {"--plant", plant});
  }
}

ActionCommand plan(const Question & q)
{
  const std::string curve = q.file("curve", {".yaml"});
  const std::string out = plan_name_of(curve);
  return {{"plan", curve, "--out", out}, {out}, ""};
}

ActionCommand compare(const Question & q)
{
  const std::string file = q.file("plan", {".csv"});
  const std::string page = beside(file, ".report.html");
  ActionCommand c{{"compare", file, "--report", page}, {page}, ""};
  if (q.flag("robustness"))
  {
    c.words.emplace_back("--robustness");
  }
  add_plant(c, q);
  return c;
}

ActionCommand run(const Question & q)
{
  const std::string file = q.file("plan", {".csv"});
  const std::string mode = q.mode();
  const std::string log = beside(file, "." + mode + ".log.csv");
  ActionCommand c{{"run", file, "--fast", "--mode", mode, "--log", log}, {log}, ""};
  add_plant(c, q);
  return c;
}

ActionCommand learning_runs(const Question & q)
{
  const std::string file = q.file("plan", {".csv"});
  const std::string prefix = beside(file, ".learn");
  const std::string count = std::to_string(q.number("updates", 1, 10));
  ActionCommand c{{"run", file, "--fast", "--learn", count, "--learn-out", prefix}, {}, ""};
  add_plant(c, q);
  return c;
}

ActionCommand report(const Question & q)
{
  const std::string file = q.file("plan", {".csv"});
  const std::string page = beside(file, ".report.html");
  ActionCommand c{{"report", file}, {page}, ""};
  const std::vector<std::string> logs = q.files("logs");
  c.words.insert(c.words.end(), logs.begin(), logs.end());
  c.words.insert(c.words.end(), {"--out", page});
  return c;
}

ActionCommand excite(const Question & q)
{
  const std::string out = q.file("out", {".csv"});
  return {{"excite", "--out", out}, {out}, ""};
}

ActionCommand identify(const Question & q)
{
  const std::string out = q.file("out", {".yaml"});
  const std::string page = beside(out, ".identify.html");
  ActionCommand c{{"identify"}, {out, page}, ""};
  const std::vector<std::string> logs = q.files("logs");
  c.words.insert(c.words.end(), logs.begin(), logs.end());
  c.words.insert(c.words.end(), {"--out", out, "--report", page});
  return c;
}

ActionCommand learn(const Question & q)
{
  const std::string file = q.file("plan", {".csv"});
  const std::string out = beside(file, ".learned.plan.csv");
  ActionCommand c{{"learn", file}, {out}, ""};
  const std::vector<std::string> logs = q.files("logs");
  c.words.insert(c.words.end(), logs.begin(), logs.end());
  c.words.insert(c.words.end(), {"--out", out});
  return c;
}

ActionCommand animate(const Question & q)
{
  const std::string file = q.file("plan", {".csv"});
  const std::string out = beside(file, ".svg");
  return {{"animate", file, "--out", out}, {out}, ""};
}

}  // namespace

ActionCommand command_of(const Desk & desk, const json & question)
{
  static const std::map<std::string, Action> actions{
    {"plan", {Uses::robot, plan}},
    {"compare", {Uses::robot_and_controller, compare}},
    {"run", {Uses::robot_and_controller, run}},
    {"learning-runs", {Uses::robot_and_controller, learning_runs}},
    {"report", {Uses::robot, report}},
    {"excite", {Uses::robot, excite}},
    {"identify", {Uses::robot, identify}},
    {"learn", {Uses::robot, learn}},
    {"animate", {Uses::robot, animate}}};
  const Question q(desk, question);
  const auto found = actions.find(q.text("action"));
  if (found == actions.end())
  {
    throw InputError::of("action", "there is no such action");
  }
  ActionCommand command = found->second.command(q);
  std::vector<std::string> & words = command.words;
  words.insert(words.end(), desk.robot_options.begin(), desk.robot_options.end());
  if (found->second.uses == Uses::robot_and_controller)
  {
    words.insert(words.end(), desk.controller_options.begin(), desk.controller_options.end());
  }
  command.shown = "fivebar " + shell_line(words);
  return command;
}

}  // namespace fivebar_control
