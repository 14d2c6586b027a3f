// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/hil_card.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{

/// The functions that are used, with the types that the vendor's hil.h gives them: t_error is int,
/// t_card a pointer, t_boolean char.
struct HilCard::Library
{
  int (*open)(const char *, const char *, void **) = nullptr;
  int (*close)(void *) = nullptr;
  int (*read_encoder)(void *, const std::uint32_t *, std::uint32_t, std::int32_t *) = nullptr;
  int (*write_analog)(void *, const std::uint32_t *, std::uint32_t, const double *) = nullptr;
  int (*write_digital)(void *, const std::uint32_t *, std::uint32_t, const char *) = nullptr;
  int (*set_digital_directions)(
    void *, const std::uint32_t *, std::uint32_t, const std::uint32_t *, std::uint32_t) = nullptr;
  int (*set_encoder_counts)(void *, const std::uint32_t *, std::uint32_t, const std::int32_t *) =
    nullptr;
  int (*watchdog_set_analog)(void *, const std::uint32_t *, std::uint32_t, const double *) =
    nullptr;
  int (*watchdog_start)(void *, double) = nullptr;
  int (*watchdog_reload)(void *) = nullptr;
  int (*watchdog_stop)(void *) = nullptr;
  int (*watchdog_clear)(void *) = nullptr;
};

HilCard::HilCard(std::string card_type, std::string identifier, const HilSettings & settings)
: card_type_(std::move(card_type)),
  identifier_(std::move(identifier)),
  settings_(settings),
  line_levels_(settings.enable_lines.size())
{
}

HilCard::~HilCard()
{
  HilCard::close();
  delete library_;
}

std::string HilCard::description() const { return "HIL card " + card_type_ + " " + identifier_; }

HardwareError HilCard::load()
{
  if (library_ != nullptr)
  {
    return HardwareError::none;
  }
  void * handle = dlopen(settings_.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
  {
    explanation_ = std::string(dlerror()) +
                   ". Install the Quanser SDK (QUARC, or the Quanser SDK for Linux), or give the "
                   "path of its HIL library as 'hil: {library: ...}' in the hardware file";
    return HardwareError::library_missing;
  }
  Library found;
  const char * missing = nullptr;
  const auto find = [&](auto & function, const char * name) {
    void * symbol = dlsym(handle, name);
    missing = symbol == nullptr ? name : missing;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(found.open, "hil_open");
  find(found.close, "hil_close");
  find(found.read_encoder, "hil_read_encoder");
  find(found.write_analog, "hil_write_analog");
  find(found.write_digital, "hil_write_digital");
  find(found.set_digital_directions, "hil_set_digital_directions");
  find(found.set_encoder_counts, "hil_set_encoder_counts");
  find(found.watchdog_set_analog, "hil_watchdog_set_analog_expiration_state");
  find(found.watchdog_start, "hil_watchdog_start");
  find(found.watchdog_reload, "hil_watchdog_reload");
  find(found.watchdog_stop, "hil_watchdog_stop");
  find(found.watchdog_clear, "hil_watchdog_clear");
  if (missing != nullptr)
  {
    explanation_ = settings_.library + " has no function " + missing +
                   "; a HIL library of the Quanser SDK is expected";
    return HardwareError::library_missing;
  }
  library_ = new Library(found);
  return HardwareError::none;
}

HardwareError HilCard::check(int result, const char * function)
{
  if (result >= 0)
  {
    return HardwareError::none;
  }
  explanation_ = std::string(function) + " failed with the vendor's error " +
                 std::to_string(result) + " (see quanser_errors.h)";
  return HardwareError::no_device;
}

HardwareError HilCard::open()
{
  close();
  explanation_.clear();
  statistics_ = {};
  if (const HardwareError error = load(); error != HardwareError::none)
  {
    return error;
  }
  const Library & hil = *library_;
  HardwareError error =
    check(hil.open(card_type_.c_str(), identifier_.c_str(), &card_), "hil_open");
  if (error != HardwareError::none)
  {
    card_ = nullptr;
    return error;
  }
  // Zero volts before anything else, also for the moment when we are gone.
  constexpr std::array<double, 2> zero_volts{};
  constexpr std::array<std::int32_t, 2> zero_counts{};
  const auto * lines = settings_.enable_lines.data();
  const auto line_count = static_cast<std::uint32_t>(settings_.enable_lines.size());
  struct Step
  {
    int result;
    const char * function;
  };
  const std::uint32_t * analog = settings_.analog_channels.data();
  for (const Step & step :
       {Step{hil.write_analog(card_, analog, 2, zero_volts.data()), "hil_write_analog"},
        Step{
          hil.watchdog_set_analog(card_, analog, 2, zero_volts.data()),
          "hil_watchdog_set_analog_expiration_state"},
        Step{
          line_count == 0 ? 0 : hil.set_digital_directions(card_, nullptr, 0, lines, line_count),
          "hil_set_digital_directions"},
        Step{
          hil.set_encoder_counts(card_, settings_.encoder_channels.data(), 2, zero_counts.data()),
          "hil_set_encoder_counts"}})
  {
    error = error == HardwareError::none ? check(step.result, step.function) : error;
  }
  if (error == HardwareError::none)
  {
    error = set_enabled(false);
  }
  if (error != HardwareError::none)
  {
    close();
  }
  return error;
}

HardwareError HilCard::set_enabled(bool enabled) noexcept
{
  if (settings_.enable_lines.empty())
  {
    return HardwareError::none;
  }
  std::fill(line_levels_.begin(), line_levels_.end(), static_cast<char>(enabled ? 1 : 0));
  const int result = library_->write_digital(
    card_, settings_.enable_lines.data(), static_cast<std::uint32_t>(line_levels_.size()),
    line_levels_.data());
  return result < 0 ? HardwareError::bad_data : HardwareError::none;
}

HardwareError HilCard::arm()
{
  if (card_ == nullptr)
  {
    return HardwareError::no_device;
  }
  watchdog_tripped_ = false;
  library_->watchdog_clear(card_);  // of an expiry before; an error only if there was none
  if (const HardwareError error = set_enabled(true); error != HardwareError::none)
  {
    return error;
  }
  const int result = library_->watchdog_start(card_, settings_.watchdog_time);
  armed_ = result >= 0;
  return check(result, "hil_watchdog_start");
}

HardwareError HilCard::read(MotorSample & sample) noexcept
{
  std::array<std::int32_t, 2> counts{};
  HardwareError error = HardwareError::no_device;
  if (card_ != nullptr)
  {
    const std::int64_t asked = monotonic_now_ns();
    const int result =
      library_->read_encoder(card_, settings_.encoder_channels.data(), 2, counts.data());
    const std::int64_t now = monotonic_now_ns();
    ++statistics_.requests;
    statistics_.round_trip.add(now - asked);
    error = result < 0 ? HardwareError::bad_data : HardwareError::none;
    if (result >= 0)
    {
      last_.time_ns = asked + (now - asked) / 2;
      last_.counts = {counts[0], counts[1]};
    }
  }
  statistics_.stale_reads += error != HardwareError::none ? 1 : 0;
  last_.status = (armed_ && !watchdog_tripped_ ? motor_status::armed : 0U) |
                 (watchdog_tripped_ ? motor_status::watchdog_tripped : 0U);
  last_.age_ns = monotonic_now_ns() - last_.time_ns;
  sample = last_;
  return error;
}

HardwareError HilCard::write(const Eigen::Vector2d & volts) noexcept
{
  if (!armed_)
  {
    return HardwareError::not_armed;
  }
  if (!volts.allFinite())
  {
    return HardwareError::bad_data;
  }
  const int written =
    library_->write_analog(card_, settings_.analog_channels.data(), 2, volts.data());
  // 1: reloaded in time; 0: it had expired, and the card holds zero volts until it is cleared.
  const int reloaded = library_->watchdog_reload(card_);
  watchdog_tripped_ = watchdog_tripped_ || reloaded == 0;
  return written < 0 || reloaded < 0 ? HardwareError::bad_data : HardwareError::none;
}

HardwareError HilCard::disarm() noexcept
{
  if (card_ == nullptr)
  {
    return HardwareError::no_device;
  }
  constexpr std::array<double, 2> zero{};
  const int written =
    library_->write_analog(card_, settings_.analog_channels.data(), 2, zero.data());
  const HardwareError disabled = set_enabled(false);
  if (armed_)
  {
    library_->watchdog_stop(card_);
  }
  armed_ = false;
  confirmed_ = written >= 0 && disabled == HardwareError::none;
  return written < 0 ? HardwareError::bad_data : disabled;
}

void HilCard::close() noexcept
{
  if (card_ != nullptr)
  {
    HilCard::disarm();
    library_->close(card_);
  }
  card_ = nullptr;
}

}  // namespace fivebar_control
