// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/zero_memory.hpp"

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "fivebar_control/support/yaml_map.hpp"
#include "fivebar_control/support/yaml_text.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::size_t largest_file = 10000;  // bytes

/// A name that any file system takes, and that is still another one for every device.
std::string file_name_for(const std::string & device)
{
  std::string name;
  for (const char c : device)
  {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name.push_back(plain ? c : '_');
  }
  Checksum checksum;
  checksum.add(device);
  return name.substr(0, 60) + "_" + checksum.hex().substr(0, 8) + ".yaml";
}

std::array<double, 2> angles(const YamlMap & map, const char * key)
{
  const auto values = map.numbers(key, 2, between(-1e6, 1e6, "rad"));
  return {values[0], values[1]};
}

}  // namespace

RememberedZero parse_remembered_zero(const std::string & text, const std::string & name)
{
  const YamlMap map = YamlMap::parse(text, name);
  map.allow_only(
    {"schema", "device", "session", "calibration", "zero_angle", "last_angle", "certain",
     "written"});
  map.integer("schema", 1, 1);
  RememberedZero zero;
  zero.device = map.text("device");
  const std::string session = map.text("session");
  const char * end = session.data() + session.size();
  const auto [stop, error] = std::from_chars(session.data(), end, zero.session);
  if (error != std::errc() || stop != end)
  {
    map.fail("session", "expected the number of a session, from 0 to 4294967295");
  }
  zero.calibration = map.text("calibration");
  zero.zero_angle = angles(map, "zero_angle");
  zero.last_angle = angles(map, "last_angle");
  zero.certain = map.boolean_or("certain", false);
  zero.written = map.text_or("written", "");
  return zero;
}

std::string to_text(const RememberedZero & zero)
{
  return fmt::format(
    "# Where the encoders of a motor board have their zero: written by fivebar run, read by the\n"
    "# next one. If it is not true, remove it; the next run then asks for --homed.\n"
    "schema: 1\ndevice: {}\nsession: \"{}\"\ncalibration: {}\nzero_angle: [{}, {}]\n"
    "last_angle: [{}, {}]\ncertain: {}\nwritten: {}\n",
    yaml_quoted(zero.device), zero.session, yaml_quoted(zero.calibration), zero.zero_angle[0],
    zero.zero_angle[1], zero.last_angle[0], zero.last_angle[1], zero.certain,
    yaml_quoted(zero.written));
}

ZeroMemory::ZeroMemory(const std::string & folder, const std::string & device)
: path_(folder.empty() ? "" : folder + "/" + file_name_for(device))
{
}

std::optional<RememberedZero> ZeroMemory::load() const
{
  if (path_.empty() || !std::filesystem::exists(path_))
  {
    return std::nullopt;
  }
  return parse_remembered_zero(read_text_file(path_, largest_file), path_);
}

void ZeroMemory::save(const RememberedZero & zero) const
{
  if (path_.empty())
  {
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  RememberedZero dated = zero;
  const std::time_t now = std::time(nullptr);
  std::tm calendar{};
  std::array<char, 32> text{};
  if (gmtime_r(&now, &calendar) != nullptr)
  {
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &calendar);
  }
  dated.written = text.data();
  write_file_atomically(path_, to_text(dated));
}

std::string default_state_folder()
{
  const auto value = [](const char * name) {
    const char * text = std::getenv(name);
    return text == nullptr ? std::string() : std::string(text);
  };
  for (const char * name : {"FIVEBAR_STATE_DIR", "STATE_DIRECTORY"})
  {
    if (const std::string folder = value(name); !folder.empty())
    {
      return folder;
    }
  }
  if (const std::string folder = value("XDG_STATE_HOME"); !folder.empty())
  {
    return folder + "/fivebar";
  }
  const std::string home = value("HOME");
  return home.empty() ? "." : home + "/.local/state/fivebar";
}

}  // namespace fivebar_control
