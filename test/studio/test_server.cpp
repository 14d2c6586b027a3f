// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/studio/studio_server.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

const std::string gentle =
  "schema: 1\ncurve:\n  type: circle\n  center: [0.127, 0.127]\n  radius: 0.03\n  duration: 3.0\n"
  "ramp: {in: 1.0, out: 1.0}\n";

struct Reply
{
  int status = 0;
  std::string head, body;
  json content() const { return json::parse(body); }
};

/// A studio in a folder of its own, and raw requests to it.
class Studio : public testing::Test
{
protected:
  void SetUp() override
  {
    const auto * info = testing::UnitTest::GetInstance()->current_test_info();
    root_ = testing::TempDir() + "fivebar_studio_" + info->name() + "_" + std::to_string(getpid());
    fs::create_directories(root_ / "start");
    std::ofstream(root_ / "secret.yaml") << "secret";
    setenv("FIVEBAR_CONFIG_DIR", FIVEBAR_SOURCE_DIR "/config", 1);
    options_.web.address = "127.0.0.1:0";
    options_.folder = (root_ / "start").string();
    options_.program = FIVEBAR_PROGRAM;
  }
  void TearDown() override
  {
    server_.reset();
    fs::remove_all(root_);
    unsetenv("FIVEBAR_WEB_TOKEN");
  }
  void start()
  {
    server_.emplace(options_);
    host_ = "127.0.0.1:" + std::to_string(server_->port());
  }

  Reply send(const std::string & text) const
  {
    const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(connection, reinterpret_cast<sockaddr *>(&place), sizeof(place)), 0);
    for (std::size_t sent = 0; sent < text.size();)
    {
      const ssize_t n = ::send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0)
      {
        break;
      }
      sent += static_cast<std::size_t>(n);
    }
    std::string all;
    std::array<char, 65536> bytes{};
    for (ssize_t got = 1; got > 0;)
    {
      got = recv(connection, bytes.data(), bytes.size(), 0);
      all.append(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    close(connection);
    Reply reply;
    const std::size_t end = std::min(all.find("\r\n\r\n"), all.size());
    reply.head = all.substr(0, end);
    reply.body = end < all.size() ? all.substr(end + 4) : "";
    reply.status = all.size() > 12 ? std::atoi(all.c_str() + 9) : 0;
    return reply;
  }
  Reply get(const std::string & path, const std::string & host = "") const
  {
    return send("GET " + path + " HTTP/1.1\r\nHost: " + (host.empty() ? host_ : host) + "\r\n\r\n");
  }
  Reply post(
    const std::string & path, const std::string & body,
    const std::string & headers = "X-Fivebar: studio\r\n", const std::string & host = "") const
  {
    return send(
      "POST " + path + " HTTP/1.1\r\nHost: " + (host.empty() ? host_ : host) + "\r\n" + headers +
      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  Reply ask(const std::string & path, const json & question) const
  {
    return post(path, question.dump());
  }

  /// Then the robot plays.
  void wait_until_rows_are_logged() const
  {
    for (int i = 0; i < 3000; ++i)
    {
      for (const auto & entry : fs::directory_iterator(root_ / "start"))
      {
        std::error_code error;
        const bool log =
          entry.path().filename().string().find(".robot.log.csv") != std::string::npos;
        if (log && fs::file_size(entry.path(), error) > 50'000 && !error)
        {
          return;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL() << "the run has logged nothing";
  }

  fs::path root_;
  StudioOptions options_;
  std::optional<StudioServer> server_;
  std::string host_;
};

const std::vector<std::string> questions{
  "/api/start",     "/api/plan", "/api/play",      "/api/logs",       "/api/files",
  "/api/open",      "/api/save", "/api/save-plan", "/api/action",     "/api/job",
  "/api/interrupt", "/api/arm",  "/api/run",       "/emergency-stop", "/smooth-stop"};

}  // namespace

TEST_F(Studio, NothingIsChangedOrAskedByGet)
{
  start();
  for (const std::string & path : questions)
  {
    EXPECT_EQ(get(path + "?name=a.yaml&text=x").status, 404) << path;
  }
  EXPECT_TRUE(fs::is_empty(root_ / "start"));
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(Studio, CompressesNothing)
{
  start();
  const json question{{"text", gentle}, {"name", "c.yaml"}, {"client", "c"}};
  const Reply reply = post(
    "/api/plan", question.dump(), "X-Fivebar: studio\r\naccept-encoding: gzip, deflate, br\r\n");
  EXPECT_THAT(reply.head, Not(HasSubstr("Content-Encoding")));
  EXPECT_TRUE(reply.content()["ok"]);
}

TEST_F(Studio, RefusesForeignPages)
{
  start();
  for (const std::string & path : questions)
  {
    const std::string word = path.starts_with("/api") ? "studio" : "stop";
    const std::string own = "X-Fivebar: " + word + "\r\n";
    EXPECT_EQ(post(path, "{}", "").status, 403) << path;
    EXPECT_EQ(post(path, "{}", "X-Fivebar: other\r\n").status, 403) << path;
    EXPECT_EQ(post(path, "{}", own + "Origin: http://evil.example\r\n").status, 403) << path;
    EXPECT_EQ(post(path, "{}", own + "Origin: null\r\n").status, 403) << path;
    EXPECT_EQ(post(path, "{}", own, "evil.example").status, 403) << path;
    EXPECT_EQ(post(path, "{}", own, "127.0.0.1:1").status, 403) << path;
    EXPECT_NE(post(path, "{}", own + "Origin: http://" + host_ + "\r\n").status, 403) << path;
  }
  EXPECT_EQ(get("/", "evil.example").status, 403);
  EXPECT_EQ(send("OPTIONS /api/save HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n").status, 404);
}

TEST_F(Studio, NeedsTheTokenWhereThereIsOne)
{
  options_.web.token = "0123456789abcdef";
  start();
  EXPECT_EQ(get("/").status, 403);
  EXPECT_EQ(get("/?token=0123456789abcdeX").status, 403);
  EXPECT_EQ(get("/?token=0123456789abcdef").status, 200);
  EXPECT_EQ(post("/api/start", "{}").status, 403);
  EXPECT_EQ(post("/api/start?token=0123456789abcdef", "{}").status, 200);
  EXPECT_THAT(server_->url(), Not(HasSubstr("0123456789abcdef")));
}

TEST_F(Studio, BindsOnlyTheMachineItselfUnlessToldOtherwise)
{
  options_.web.address = "0.0.0.0:0";
  EXPECT_THROW(StudioServer{options_}, InputError);
  options_.web.remote = true;
  EXPECT_THROW(StudioServer{options_}, InputError);
  options_.web.address = "nonsense";
  EXPECT_THROW(StudioServer{options_}, InputError);
}

TEST_F(Studio, LimitsTheSizeOfQuestions)
{
  start();
  const std::string head =
    "POST /api/plan HTTP/1.1\r\nHost: " + host_ + "\r\nX-Fivebar: studio\r\n";
  EXPECT_EQ(send(head + "Content-Length: 5000000\r\n\r\n").status, 413);
  EXPECT_EQ(
    post("/api/save", json{{"name", "a.yaml"}, {"text", std::string(4'100'000, 'a')}}.dump())
      .status,
    413);
  EXPECT_TRUE(fs::is_empty(root_ / "start"));
  EXPECT_EQ(
    ask("/api/plan", {{"text", std::string(3'000'000, '[')}, {"name", "a.yaml"}, {"client", "c"}})
      .content()["state"],
    "error");
}

TEST_F(Studio, AnswersWhatIsNoQuestionWithAReason)
{
  start();
  for (const std::string & path : questions)
  {
    if (!path.starts_with("/api") || path == "/api/start" || path == "/api/files")
    {
      continue;
    }
    for (const std::string body : {"", "{", "[]", "3", "null", "{\"name\":3,\"text\":[]}"})
    {
      const Reply reply = post(path, body);
      if (path == "/api/interrupt" && reply.status == 200)
      {
        continue;  // nobody to interrupt
      }
      EXPECT_EQ(reply.status, 400) << path << " " << body << " " << reply.body;
      EXPECT_FALSE(reply.content()["error"]["message"].get<std::string>().empty()) << path;
    }
  }
}

TEST_F(Studio, ReadsAndWritesOnlyBelowItsFolder)
{
  start();
  for (const std::string name : {"../secret.yaml", "/etc/passwd", "../new.yaml", "a/../../x.yaml"})
  {
    EXPECT_EQ(ask("/api/open", {{"name", name}, {"kind", "curve"}}).status, 400) << name;
    EXPECT_EQ(ask("/api/save", {{"name", name}, {"text", "x"}, {"replace", true}}).status, 400);
    EXPECT_EQ(ask("/api/save-plan", {{"name", name}, {"text", gentle}}).status, 400);
    EXPECT_EQ(ask("/api/plan", {{"name", name}, {"text", gentle}, {"client", "c"}}).status, 400);
    EXPECT_EQ(get("/file?name=" + name).status, 404) << name;
  }
  EXPECT_EQ(get("/file?name=%2e%2e%2fsecret.yaml").status, 404);
  EXPECT_FALSE(fs::exists(root_ / "new.yaml"));
  EXPECT_EQ(ask("/api/save", {{"name", "a.yaml"}, {"text", "x"}}).status, 200);
  EXPECT_EQ(ask("/api/open", {{"name", "a.yaml"}, {"kind", "curve"}}).content()["text"], "x");
}

TEST_F(Studio, PagesOfTheFolderMayAskForNothing)
{
  start();
  std::ofstream(root_ / "start/r.html") << "<script>alert(1)</script>";
  const Reply page = get("/file?name=r.html");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.head, HasSubstr("sandbox allow-scripts; default-src 'none'"));
  EXPECT_THAT(get("/").head, HasSubstr("frame-ancestors 'none'"));
}

TEST_F(Studio, APlanIsTheOneOfTheCommandLineToTheLastByte)
{
  start();
  for (const std::string name : {"a", "b_gentle", "c"})
  {
    std::ifstream file(config_path("curves/" + name + ".yaml"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string curve = name + ".yaml";
    ASSERT_EQ(ask("/api/save", {{"name", curve}, {"text", text}}).status, 200);
    ASSERT_EQ(ask("/api/save-plan", {{"name", curve}, {"text", text}}).status, 200);
    const std::string folder = options_.folder;
    const std::string command = "cd '" + folder + "' && '" FIVEBAR_PROGRAM "' plan " + curve +
                                " --out command.csv --quiet 2> /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(
      plan_text(load_plan(folder + "/command.csv")),
      plan_text(load_plan(folder + "/" + name + ".plan.csv")));
    EXPECT_EQ(
      std::system(
        ("cmp '" + folder + "/command.csv' '" + folder + "/" + name + ".plan.csv'").c_str()),
      0);
  }
}

TEST_F(Studio, PlaysWithAndWithoutFeedforward)
{
  start();
  const json answer = ask(
                        "/api/play", {{"text", gentle},
                                      {"name", "c.yaml"},
                                      {"client", "c"},
                                      {"plant", "shipped:mismatched"},
                                      {"laws", {"pd", "feedforward_pd"}}})
                        .content();
  ASSERT_EQ(answer["runs"].size(), 2u) << answer.dump();
  const json & pd = answer["runs"][0];
  const json & both = answer["runs"][1];
  EXPECT_EQ(pd["ended"], "finished");
  EXPECT_GT(pd["ise"].get<double>(), 5.0 * both["ise"].get<double>());
  EXPECT_EQ(both["series"]["t"].size(), both["series"]["error"].size());
  EXPECT_EQ(
    answer["command"],
    "fivebar compare c.plan.csv --plant " FIVEBAR_SOURCE_DIR "/config/plants/mismatched.yaml");
  EXPECT_EQ(
    ask(
      "/api/play",
      {{"text", gentle}, {"name", "c.yaml"}, {"client", "c"}, {"plant", "../secret.yaml"}})
      .status,
    400);
}

TEST_F(Studio, ARobotNeedsHardwareAnArmedPlanAndMovesOnce)
{
  start();
  ask("/api/save-plan", {{"name", "c.yaml"}, {"text", gentle}});
  const json arming{{"plan", "c.plan.csv"}, {"mode", "feedforward+pd"}, {"align", true}};
  EXPECT_THAT(ask("/api/arm", arming).body, HasSubstr("start the studio with --hardware"));
  options_.hardware = "sim";
  server_.reset();
  start();
  EXPECT_EQ(ask("/api/run", {{"ticket", ""}}).status, 400);
  EXPECT_EQ(ask("/api/run", {{"ticket", "guess"}}).status, 400);
  EXPECT_EQ(ask("/api/arm", {{"plan", "none.csv"}, {"mode", "pd"}}).status, 400);
  EXPECT_EQ(ask("/api/arm", {{"plan", "c.plan.csv"}, {"mode", "full"}}).status, 400);

  const std::string old = ask("/api/arm", arming).content()["ticket"];
  std::string slower = gentle;
  slower.replace(slower.find("3.0"), 3, "4.0");
  ask("/api/save-plan", {{"name", "c.yaml"}, {"text", slower}, {"replace", true}});
  EXPECT_THAT(ask("/api/run", {{"ticket", old}}).body, HasSubstr("plan has changed"));

  const std::string ticket = ask("/api/arm", arming).content()["ticket"];
  const Reply begun = ask("/api/run", {{"ticket", ticket}});
  ASSERT_EQ(begun.status, 200) << begun.body;
  EXPECT_EQ(ask("/api/run", {{"ticket", ticket}}).status, 400);
  EXPECT_THAT(ask("/api/arm", arming).body, HasSubstr("moved already"));
  const int id = begun.content()["id"];
  const auto view = [&] { return ask("/api/job", {{"id", id}, {"from", 0}}).content(); };
  while (view()["text"].get<std::string>().find("live view at") == std::string::npos &&
         view()["running"].get<bool>())
  {
  }
  wait_until_rows_are_logged();
  const json stopped = post("/emergency-stop", "", "X-Fivebar: stop\r\n").content();
  EXPECT_EQ(stopped["sent"], true);
  EXPECT_EQ(stopped["zero_volts"], true) << stopped.dump();
  std::printf(
    "zero volts confirmed %.1f ms after the button\n", stopped["milliseconds"].get<double>());
  json over = view();
  while (over["running"].get<bool>())
  {
    over = view();
  }
  EXPECT_EQ(over["code"], 131) << over["text"];
  EXPECT_EQ(post("/emergency-stop", "", "X-Fivebar: stop\r\n").content()["sent"], false);
}

}  // namespace fivebar_control::test
