// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <fmt/core.h>
#include <httplib.h>

#include "actions.hpp"
#include "fivebar_control/controller/guard_reach.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/message.hpp"
#include "json_text.hpp"
#include "play_answer.hpp"
#include "request_model.hpp"
#include "studio_page.hpp"

namespace fivebar_control
{
namespace
{

using nlohmann::json;

const std::vector<std::string> readable{".yaml", ".csv", ".svg"};

Desk desk_of(const StudioOptions & o)
{
  Desk desk{
    load_robot(given_or_config(o.robot, "robot.yaml")),
    load_controller_settings(given_or_config(o.controller, "controller.yaml")),
    Folder(o.folder),
    {},
    {}};
  require_guard_can_act(
    desk.settings.guard, desk.robot, given_or_config(o.controller, "controller.yaml"));
  if (!o.robot.empty())
  {
    desk.robot_options = {"--robot", o.robot};
  }
  if (!o.controller.empty())
  {
    desk.controller_options = {"--controller", o.controller};
  }
  return desk;
}

std::string text_in(const json & question, const char * key)
{
  const auto found = question.find(key);
  if (found == question.end() || !found->is_string())
  {
    throw InputError::of(key, "expected a text");
  }
  return found->get<std::string>();
}

CurveText curve_in(const Desk & desk, const json & question)
{
  return {text_in(question, "text"), desk.folder.checked(text_in(question, "name"), {".yaml"})};
}

std::vector<std::string> texts_in(const json & question, const char * key)
{
  std::vector<std::string> texts;
  const auto found = question.find(key);
  if (found != question.end() && found->is_array())
  {
    for (const json & text : *found)
    {
      texts.push_back(text.is_string() ? text.get<std::string>() : "");
    }
  }
  return texts;
}

std::string failure_text(const std::string & message, const FileLocation & where)
{
  return text_of(
    {{"error", {{"message", message}, {"line", where.line}, {"column", where.column}}}});
}

/// The answer of `work`; what it throws as one that says so.
template <class Work>
void send_answer(httplib::Response & answer, Work && work)
{
  std::string text;
  try
  {
    text = work();
  }
  catch (const InputError & error)
  {
    answer.status = 400;
    text = failure_text(error.what(), error.where());
  }
  catch (const json::exception & error)
  {
    answer.status = 400;
    text = failure_text(fmt::format("no question: {}", error.what()), {});
  }
  catch (const std::exception & error)
  {
    answer.status = 500;
    text = failure_text(error.what(), {});
  }
  answer.set_header("Cache-Control", "no-store");
  answer.set_content(text, "application/json");
}

}  // namespace

StudioRoutes::StudioRoutes(const StudioOptions & options)
: options_(options),
  gate_(options.web),
  desk_(desk_of(options)),
  page_(studio_page()),
  jobs_(options.program, desk_.folder.root().string()),
  station_(options_, desk_, jobs_)
{
}

void StudioRoutes::close()
{
  planning_.close();
  playing_.close();
  jobs_.close();
}

void StudioRoutes::add(httplib::Server & server, const char * path, Answer answer)
{
  server.Post(path, [this, answer](const httplib::Request & request, httplib::Response & response) {
    if (gate_.from_own_page(request, response, "studio"))
    {
      send_answer(response, [&] { return (this->*answer)(json::parse(request.body)); });
    }
  });
}

void StudioRoutes::attach(httplib::Server & server)
{
  gate_.guard(server);
  server.Get("/", [this](const httplib::Request &, httplib::Response & answer) {
    WebGate::send_page(
      answer, page_,
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data: "
      "blob:; frame-src http://127.0.0.1:* http://" +
        gate_.address().host + ":*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  });
  server.Get("/file", [this](const httplib::Request & request, httplib::Response & answer) {
    send_file(request, answer);
  });
  add(server, "/api/start", &StudioRoutes::start);
  add(server, "/api/plan", &StudioRoutes::plan);
  add(server, "/api/play", &StudioRoutes::play);
  add(server, "/api/logs", &StudioRoutes::logs);
  add(server, "/api/files", &StudioRoutes::files);
  add(server, "/api/open", &StudioRoutes::open);
  add(server, "/api/save", &StudioRoutes::save);
  add(server, "/api/save-plan", &StudioRoutes::save_plan);
  add(server, "/api/action", &StudioRoutes::action);
  add(server, "/api/job", &StudioRoutes::job);
  add(server, "/api/interrupt", &StudioRoutes::interrupt);
  add(server, "/api/arm", &StudioRoutes::arm);
  add(server, "/api/run", &StudioRoutes::run);
  server.Post("/emergency-stop", [this](const httplib::Request & r, httplib::Response & answer) {
    stop(true, r, answer);
  });
  server.Post("/smooth-stop", [this](const httplib::Request & r, httplib::Response & answer) {
    stop(false, r, answer);
  });
}

/// A report or a picture of the folder: shown as a page that may ask the studio for nothing.
void StudioRoutes::send_file(const httplib::Request & request, httplib::Response & answer) const
{
  try
  {
    const std::string name = request.get_param_value("name");
    const std::string text = desk_.folder.read(name, {".html", ".svg"});
    const bool picture = name.ends_with(".svg");
    answer.set_header(
      "Content-Security-Policy",
      "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src "
      "'unsafe-inline'; img-src data:");
    answer.set_header("X-Content-Type-Options", "nosniff");
    answer.set_header("Referrer-Policy", "no-referrer");
    answer.set_content(text, picture ? "image/svg+xml" : "text/html; charset=utf-8");
  }
  catch (const Error & error)
  {
    answer.status = 404;
    answer.set_content(std::string(error.what()) + "\n", "text/plain");
  }
}

void StudioRoutes::stop(
  bool emergency, const httplib::Request & request, httplib::Response & answer)
{
  if (!gate_.from_own_page(request, answer, "stop"))
  {
    return;
  }
  const RobotStation::Stopped stopped = station_.stop(emergency);
  answer.set_content(
    text_of(
      {{"sent", stopped.sent},
       {"zero_volts", stopped.zero_volts},
       {"ended", stopped.ended},
       {"milliseconds", stopped.milliseconds}}),
    "application/json");
  if (stopped.sent)
  {
    say("fivebar: {} asked for by {}\n", emergency ? "E-stop" : "smooth stop", request.remote_addr);
  }
}

std::string StudioRoutes::start(const json &) { return answer_start(desk_, options_.hardware); }

std::string StudioRoutes::plan(const json & question)
{
  const CurveText curve = curve_in(desk_, question);
  const auto answer = planning_.ask(text_in(question, "client"), [&](const GoOn & go_on) {
    return answer_plan(desk_, curve, go_on);
  });
  return answer.value_or("{\"superseded\":true}");
}

std::string StudioRoutes::play(const json & question)
{
  const PlayQuestion play{
    curve_in(desk_, question), text_in(question, "plant"), texts_in(question, "laws")};
  const auto answer = playing_.ask(text_in(question, "client"), [&](const GoOn & go_on) {
    return answer_play(desk_, play, go_on);
  });
  return answer.value_or("{\"superseded\":true}");
}

std::string StudioRoutes::logs(const json & question)
{
  return answer_logs(desk_, text_in(question, "plan"), texts_in(question, "logs"));
}

std::string StudioRoutes::files(const json &)
{
  json list = json::array();
  for (const FolderEntry & entry : desk_.folder.list())
  {
    list.push_back(
      {{"name", entry.name},
       {"kind", entry.kind},
       {"bytes", entry.bytes},
       {"modified", entry.modified}});
  }
  return text_of({{"folder", desk_.folder.root().filename().string()}, {"files", list}});
}

/// A file's text; of a plan the curve that it was made from, which is what can be drawn.
std::string StudioRoutes::open(const json & question)
{
  const std::string name = text_in(question, "name");
  const std::string text = desk_.folder.read(name, readable);
  if (text_in(question, "kind") == "plan")
  {
    return text_of({{"text", parse_plan(text, name).request}});
  }
  if (text.size() > largest_question)
  {
    throw InputError::of("name", fmt::format("'{}' is too large for a page", name));
  }
  return text_of({{"text", text}});
}

std::string StudioRoutes::save(const json & question)
{
  const std::string name = text_in(question, "name");
  const std::string text = text_in(question, "text");
  const bool replace = question.value("replace", false);
  if (!replace && desk_.folder.has(name, readable))
  {
    return text_of({{"exists", name}});
  }
  desk_.folder.write(name, readable, text, replace);
  return text_of({{"name", name}});
}

std::string StudioRoutes::save_plan(const json & question)
{
  const CurveText curve = curve_in(desk_, question);
  const PlannedCurve planned = plan_text_of_page(desk_, curve, [] { return true; });
  if (!planned.outcome.result)
  {
    throw InputError(planned.outcome.error);
  }
  const std::string name = plan_name_of(curve.name);
  const bool replace = question.value("replace", false);
  if (!replace && desk_.folder.has(name, readable))
  {
    return text_of({{"exists", name}});
  }
  desk_.folder.write(name, {".csv"}, plan_text(planned.outcome.result->plan), replace);
  return text_of(
    {{"name", name},
     {"command", command_line(desk_, {"fivebar", "plan", curve.name, "--out", name}, false, "")}});
}

std::string StudioRoutes::action(const json & question)
{
  const ActionCommand command = command_of(desk_, question);
  const int id =
    question.value("only_show", false) ? 0 : jobs_.start(command.words, command.shown, false);
  return text_of({{"id", id}, {"command", command.shown}, {"outputs", command.outputs}});
}

std::string StudioRoutes::job(const json & question)
{
  const JobView view = jobs_.view(question.value("id", 0), question.value("from", std::size_t{0}));
  return text_of(
    {{"id", view.id},
     {"command", view.command},
     {"running", view.running},
     {"code", view.code},
     {"text", view.text},
     {"size", view.size}});
}

std::string StudioRoutes::interrupt(const json & question)
{
  jobs_.interrupt(question.value("id", 0));
  return "{}";
}

std::string StudioRoutes::arm(const json & question)
{
  const RobotStation::Armed armed = station_.arm(
    text_in(question, "plan"), text_in(question, "mode"), question.value("align", false));
  return text_of(
    {{"ticket", armed.ticket}, {"command", armed.command}, {"seconds", armed.seconds}});
}

std::string StudioRoutes::run(const json & question)
{
  return text_of({{"id", station_.start(text_in(question, "ticket"))}});
}

}  // namespace fivebar_control
