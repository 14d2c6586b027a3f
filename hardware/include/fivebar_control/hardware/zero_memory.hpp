// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace fivebar_control
{

/// What is known about a device's encoders from run to run.
struct RememberedZero
{
  std::string device;                  ///< its description
  std::uint32_t session{};             ///< of the device, when it was homed
  std::string calibration;             ///< fingerprint
  std::array<double, 2> zero_angle{};  ///< rad at zero counts
  std::array<double, 2> last_angle{};  ///< rad, where the links were last seen
  bool certain = true;                 ///< false: an encoder failed since
  std::string written;                 ///< date and time, for people
};

/// Reads a state file; throws InputError with file, line, column and key.
RememberedZero parse_remembered_zero(const std::string & text, const std::string & name);
std::string to_text(const RememberedZero & zero);

/// One state file per device, in a folder. Without a folder nothing is remembered.
class ZeroMemory
{
public:
  ZeroMemory() = default;
  ZeroMemory(const std::string & folder, const std::string & device);

  bool is_used() const { return !path_.empty(); }
  const std::string & path() const { return path_; }
  /// None if there is no file yet. Throws InputError for one that cannot be understood.
  std::optional<RememberedZero> load() const;
  /// Makes the folder if need be. Throws InputError.
  void save(const RememberedZero & zero) const;

private:
  std::string path_;
};

/// $FIVEBAR_STATE_DIR, $STATE_DIRECTORY (of systemd), $XDG_STATE_HOME/fivebar or
/// ~/.local/state/fivebar, whichever is set first; "." if none of them is.
std::string default_state_folder();

}  // namespace fivebar_control
