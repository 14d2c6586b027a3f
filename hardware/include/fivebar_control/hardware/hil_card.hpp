// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fivebar_control/hardware/motor_hardware.hpp"

namespace fivebar_control
{

struct HilSettings
{
  std::string library = "libhil.so";  ///< the vendor's; found as the dynamic linker finds others
  std::array<std::uint32_t, 2> encoder_channels{0, 1};
  std::array<std::uint32_t, 2> analog_channels{0, 1};
  std::vector<std::uint32_t> enable_lines;  ///< digital outputs that switch the amplifier on
  double watchdog_time = 0.05;              ///< s
};

/// A Quanser data acquisition card through the vendor's HIL API (hil.h), loaded when opened. Its
/// own watchdog sets the analog outputs to zero. Counts are zero when opened. The vendor's calls
/// wait for the card; how long is the card's business (a few 100 us by USB).
class HilCard : public MotorHardware
{
public:
  HilCard(std::string card_type, std::string identifier, const HilSettings & settings);
  ~HilCard() override;

  HardwareError open() override;
  HardwareError arm() override;
  HardwareError read(MotorSample & sample) noexcept override;
  HardwareError write(const Eigen::Vector2d & volts) noexcept override;
  HardwareError disarm() noexcept override;
  void close() noexcept override;
  bool confirms_zero() noexcept override { return confirmed_; }
  Encoder encoder() const override { return {}; }
  HardwareClock clock() const override { return HardwareClock::monotonic; }
  std::string description() const override;
  const LinkStatistics * statistics() const override { return &statistics_; }
  std::string explanation() const override { return explanation_; }

private:
  struct Library;
  HardwareError load();
  HardwareError check(int result, const char * function);
  HardwareError set_enabled(bool enabled) noexcept;

  std::string card_type_, identifier_, explanation_;
  HilSettings settings_;
  std::vector<char> line_levels_;
  Library * library_ = nullptr;  ///< loaded once and kept: vendors' libraries dislike dlclose
  void * card_ = nullptr;
  bool armed_ = false;
  bool confirmed_ = false;  ///< the last disarm() was carried out
  bool watchdog_tripped_ = false;
  MotorSample last_;
  LinkStatistics statistics_;
};

}  // namespace fivebar_control
