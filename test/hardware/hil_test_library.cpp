// SPDX-License-Identifier: Apache-2.0
// The functions of the vendor's hil.h that HilCard uses, on a simulated robot. Loaded by the tests
// in the vendor's place. Its time is the machine's, that of a program with a clock of its own
// (shared_clock.cpp), or what a test lets pass.
#include <dlfcn.h>

#include <cmath>
#include <cstring>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/simulation/live_robot.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

using fivebar_control::LiveRobot;
using fivebar_control::monotonic_now_ns;

namespace
{

constexpr int no_such_card = -1;
constexpr int bad_handle = -2;

std::int64_t passed_ns = -1;  // by the hand of a test; -1: no test has

std::int64_t now_ns() { return passed_ns < 0 ? monotonic_now_ns() : passed_ns; }

struct Card
{
  fivebar_control::RobotModel model =
    fivebar_control::load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml");
  LiveRobot robot{fivebar_control::make_equations_engine(model, {}), {}, model.parameters().home};
  std::int32_t offset[2] = {0, 0};
  double expiration_volts[2] = {1e9, 1e9};  // a card that nobody configured is not safe
  double timeout = 0.0;
  std::int64_t reloaded_ns = 0;
  bool watching = false;
  bool expired = false;

  void live()
  {
    const std::int64_t now = now_ns();
    const std::int64_t end = reloaded_ns + static_cast<std::int64_t>(timeout * 1e9);
    if (watching && !expired && now > end)
    {
      robot.advance_to(end);
      robot.set_volts({expiration_volts[0], expiration_volts[1]});
      expired = true;
    }
    robot.advance_to(now);
  }
};

Card * the_card = nullptr;

}  // namespace

extern "C" {

int hil_open(const char * type, const char *, void ** card)
{
  if (std::strcmp(type, "q2_usb") != 0)
  {
    return no_such_card;
  }
  if (void * take_shared_time = dlsym(RTLD_DEFAULT, "fivebar_take_shared_time"))
  {
    reinterpret_cast<void (*)()>(take_shared_time)();
  }
  *card = the_card = new Card;
  the_card->live();
  return 0;
}

int hil_close(void * card)
{
  delete static_cast<Card *>(card);
  the_card = nullptr;
  return 0;
}

int hil_read_encoder(
  void * card, const std::uint32_t * channels, std::uint32_t count, std::int32_t * counts)
{
  Card * c = static_cast<Card *>(card);
  if (c != the_card || c == nullptr)
  {
    return bad_handle;
  }
  c->live();
  for (std::uint32_t i = 0; i < count; ++i)
  {
    const auto channel = static_cast<int>(channels[i]);
    counts[i] = c->robot.counts()[static_cast<std::size_t>(channel)] - c->offset[channel];
  }
  return 0;
}

int hil_write_analog(void * card, const std::uint32_t *, std::uint32_t, const double * volts)
{
  Card * c = static_cast<Card *>(card);
  c->live();
  if (!c->expired)
  {
    c->robot.set_volts({volts[0], volts[1]});
  }
  return 0;
}

int hil_write_digital(void *, const std::uint32_t *, std::uint32_t, const char *) { return 0; }

int hil_set_digital_directions(
  void *, const std::uint32_t *, std::uint32_t, const std::uint32_t *, std::uint32_t)
{
  return 0;
}

int hil_set_encoder_counts(
  void * card, const std::uint32_t * channels, std::uint32_t count, const std::int32_t * counts)
{
  Card * c = static_cast<Card *>(card);
  for (std::uint32_t i = 0; i < count; ++i)
  {
    const auto channel = static_cast<int>(channels[i]);
    c->offset[channel] = c->robot.counts()[static_cast<std::size_t>(channel)] - counts[i];
  }
  return 0;
}

int hil_watchdog_set_analog_expiration_state(
  void * card, const std::uint32_t *, std::uint32_t, const double * volts)
{
  Card * c = static_cast<Card *>(card);
  c->expiration_volts[0] = volts[0];
  c->expiration_volts[1] = volts[1];
  return 0;
}

int hil_watchdog_start(void * card, double timeout)
{
  Card * c = static_cast<Card *>(card);
  c->timeout = timeout;
  c->reloaded_ns = now_ns();
  c->watching = true;
  return 0;
}

int hil_watchdog_reload(void * card)
{
  Card * c = static_cast<Card *>(card);
  c->live();
  c->reloaded_ns = now_ns();
  return c->expired ? 0 : 1;
}

int hil_watchdog_stop(void * card)
{
  static_cast<Card *>(card)->watching = false;
  return 0;
}

int hil_watchdog_clear(void * card)
{
  Card * c = static_cast<Card *>(card);
  c->expired = false;
  c->watching = false;
  return 0;
}

// For the tests only: time goes on by this, and otherwise stands from now on.
void fivebar_test_let_time_pass(double seconds)
{
  passed_ns = std::max<std::int64_t>(passed_ns, 1) + std::llround(1e9 * seconds);
}

// For the tests only: volts at the motors now.
void fivebar_test_volts(double * volts)
{
  the_card->live();
  volts[0] = the_card->robot.volts()[0];
  volts[1] = the_card->robot.volts()[1];
}

}  // extern "C"
