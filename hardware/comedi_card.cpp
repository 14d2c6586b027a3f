// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/comedi_card.hpp"

#include <comedilib.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <optional>

#include "fivebar_control/hardware/emergency_zero.hpp"
#include "fivebar_control/hardware/output_guardian.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{
namespace
{

/// Counters wrap at the width of the card's register; the sum of the steps does not.
class WideCounter
{
public:
  void start(lsampl_t value, lsampl_t largest)
  {
    largest_ = largest;
    last_ = value;
    total_ = 0;
  }
  std::int64_t add(lsampl_t value)
  {
    const auto turn = static_cast<std::int64_t>(largest_) + 1;
    std::int64_t step = static_cast<std::int64_t>(value) - static_cast<std::int64_t>(last_);
    step += step > turn / 2 ? -turn : (step < -turn / 2 ? turn : 0);
    last_ = value;
    total_ += step;
    return total_;
  }

private:
  lsampl_t largest_ = 0, last_ = 0;
  std::int64_t total_ = 0;
};

class ComediCard : public MotorHardware
{
public:
  ComediCard(std::string device, const ComediSettings & settings)
  : path_(std::move(device)),
    settings_(settings),
    guardian_([path = path_, settings] { zero_outputs(path, settings); })
  {
  }
  ~ComediCard() override { ComediCard::close(); }

  HardwareError open() override
  {
    close();
    card_ = comedi_open(path_.c_str());
    if (card_ == nullptr)
    {
      explanation_ = comedi_strerror(comedi_errno());
      return errno == EACCES ? HardwareError::no_rights : HardwareError::no_device;
    }
    const auto analog = static_cast<unsigned>(settings_.analog_subdevice);
    full_scale_ = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 2; ++i)
    {
      const auto channel = static_cast<unsigned>(settings_.analog_channels[i]);
      range_[i] =
        comedi_get_range(card_, analog, channel, static_cast<unsigned>(settings_.analog_range));
      largest_[i] = comedi_get_maxdata(card_, analog, channel);
      full_scale_ =
        range_[i] == nullptr ? 0.0 : std::min({full_scale_, -range_[i]->min, range_[i]->max});
      lsampl_t counts = 0;
      if (range_[i] == nullptr || largest_[i] == 0 || read_counter(i, counts) < 0)
      {
        explanation_ = comedi_strerror(comedi_errno());
        close();
        return HardwareError::wrong_device;
      }
      counters_[i].start(
        counts, comedi_get_maxdata(
                  card_, static_cast<unsigned>(settings_.counter_subdevices[i]),
                  static_cast<unsigned>(settings_.counter_channels[i])));
    }
    prepare_emergency();
    return put(Eigen::Vector2d::Zero());
  }

  HardwareError arm() override
  {
    if (card_ == nullptr)
    {
      return HardwareError::no_device;
    }
    if (!settings_.accept_no_watchdog)
    {
      explanation_ =
        "Comedi has no watchdog: if this machine dies, the motors keep their volts. Use an "
        "amplifier with an enable line and set 'comedi: {accept_no_watchdog: true}'";
      return HardwareError::device_fault;
    }
    if (motors_are_to_stay_off() || !guardian_.arm())
    {
      explanation_ = "there is no guardian process that would take the volts off the motors";
      return HardwareError::device_fault;
    }
    armed_ = true;
    return HardwareError::none;
  }

  HardwareError read(MotorSample & sample) noexcept override
  {
    const std::int64_t asked = monotonic_now_ns();
    std::array<lsampl_t, 2> raw{};
    const bool good =
      card_ != nullptr && read_counter(0, raw[0]) >= 0 && read_counter(1, raw[1]) >= 0;
    const std::int64_t now = monotonic_now_ns();
    if (good)
    {
      last_.time_ns = asked + (now - asked) / 2;
      last_.counts = {counters_[0].add(raw[0]), counters_[1].add(raw[1])};
      statistics_.round_trip.add(now - asked);
    }
    ++statistics_.requests;
    last_.status = (armed_ ? motor_status::armed : 0U) |
                   (guardian_.has_tripped() ? motor_status::watchdog_tripped : 0U);
    last_.age_ns = now - last_.time_ns;
    sample = last_;
    return good ? HardwareError::none : HardwareError::bad_data;
  }

  HardwareError write(const Eigen::Vector2d & volts) noexcept override
  {
    if (!armed_)
    {
      return HardwareError::not_armed;
    }
    guardian_.beat();
    const HardwareError error = volts.allFinite() ? put(volts) : HardwareError::bad_data;
    if (guardian_.has_tripped())
    {
      put(Eigen::Vector2d::Zero());  // what it took away stays away
      return HardwareError::not_armed;
    }
    return error;
  }

  HardwareError disarm() noexcept override
  {
    armed_ = false;
    const HardwareError error =
      card_ == nullptr ? HardwareError::no_device : put(Eigen::Vector2d::Zero());
    confirmed_ = error == HardwareError::none;
    guardian_.disarm();
    return error;
  }
  bool confirms_zero() noexcept override { return confirmed_; }

  void close() noexcept override
  {
    if (card_ != nullptr)
    {
      ComediCard::disarm();
      emergency_.withdraw();
      comedi_close(card_);
    }
    card_ = nullptr;
  }

  std::optional<double> full_scale() const override
  {
    return card_ == nullptr ? std::nullopt : std::optional(full_scale_);
  }
  Encoder encoder() const override { return {}; }
  HardwareClock clock() const override { return HardwareClock::monotonic; }
  std::string description() const override { return "Comedi card " + path_; }
  const LinkStatistics * statistics() const override { return &statistics_; }
  std::string explanation() const override { return explanation_; }

private:
  /// By a process of its own, with a connection of its own.
  static void zero_outputs(const std::string & path, const ComediSettings & settings)
  {
    if (comedi_t * card = comedi_open(path.c_str()))
    {
      const auto analog = static_cast<unsigned>(settings.analog_subdevice);
      const auto range = static_cast<unsigned>(settings.analog_range);
      for (const int number : settings.analog_channels)
      {
        const auto channel = static_cast<unsigned>(number);
        comedi_range * volts = comedi_get_range(card, analog, channel, range);
        const lsampl_t largest = comedi_get_maxdata(card, analog, channel);
        if (volts != nullptr)
        {
          comedi_data_write(
            card, analog, channel, range, AREF_GROUND, comedi_from_phys(0.0, volts, largest));
        }
      }
      comedi_close(card);
    }
  }
  /// The same as system calls on what is prepared here, for a signal handler.
  void prepare_emergency()
  {
    descriptor_ = comedi_fileno(card_);
    for (std::size_t i = 0; i < 2; ++i)
    {
      zero_data_[i] = comedi_from_phys(0.0, range_[i], largest_[i]);
      zero_instructions_[i] = {};
      zero_instructions_[i].insn = INSN_WRITE;
      zero_instructions_[i].n = 1;
      zero_instructions_[i].data = &zero_data_[i];
      zero_instructions_[i].subdev = static_cast<unsigned>(settings_.analog_subdevice);
      zero_instructions_[i].chanspec = CR_PACK(
        static_cast<unsigned>(settings_.analog_channels[i]),
        static_cast<unsigned>(settings_.analog_range), AREF_GROUND);
    }
    emergency_.offer(
      [](void * self) noexcept {
        ComediCard & card = *static_cast<ComediCard *>(self);
        for (comedi_insn & instruction : card.zero_instructions_)
        {
          ioctl(card.descriptor_, COMEDI_INSN, &instruction);
        }
      },
      this);
  }
  int read_counter(std::size_t i, lsampl_t & value) noexcept
  {
    return comedi_data_read(
      card_, static_cast<unsigned>(settings_.counter_subdevices[i]),
      static_cast<unsigned>(settings_.counter_channels[i]), 0, AREF_GROUND, &value);
  }
  HardwareError put(const Eigen::Vector2d & volts) noexcept
  {
    bool good = true;
    for (std::size_t i = 0; i < 2; ++i)
    {
      const lsampl_t data = comedi_from_phys(volts[i], range_[i], largest_[i]);
      good = comedi_data_write(
               card_, static_cast<unsigned>(settings_.analog_subdevice),
               static_cast<unsigned>(settings_.analog_channels[i]),
               static_cast<unsigned>(settings_.analog_range), AREF_GROUND, data) >= 0 &&
             good;
    }
    return good ? HardwareError::none : HardwareError::bad_data;
  }

  std::string path_, explanation_;
  ComediSettings settings_;
  comedi_t * card_ = nullptr;
  std::array<comedi_range *, 2> range_{};
  double full_scale_ = 0.0;  ///< V, either way, of the smaller range
  std::array<lsampl_t, 2> largest_{};
  std::array<WideCounter, 2> counters_;
  MotorSample last_;
  LinkStatistics statistics_;
  bool armed_ = false;
  bool confirmed_ = false;  ///< the last disarm() was carried out
  OutputGuardian guardian_;
  EmergencyZero emergency_;
  int descriptor_ = -1;
  std::array<lsampl_t, 2> zero_data_{};
  std::array<comedi_insn, 2> zero_instructions_{};
};

}  // namespace

std::unique_ptr<MotorHardware> make_comedi_card(
  const std::string & device, const ComediSettings & settings)
{
  return std::make_unique<ComediCard>(device, settings);
}

}  // namespace fivebar_control
