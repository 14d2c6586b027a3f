#pragma once

#include <filesystem>
#include <string>

namespace fivebar_control::cli
{

/// Path of a file of config/, such as "robot.yaml". Looks in $FIVEBAR_CONFIG_DIR, ./config, the
/// source tree this program was built from, and share/fivebar_control/config beside the installed
/// program, in this order. Throws FileError that names the places if it is in none of them.
std::string find_config(const std::string & relative);

/// The same for something that is not this program, such as a library in `folder`: there config/
/// may lie in it, and share/ beside one of the folders above it.
std::string find_config(const std::string & relative, const std::filesystem::path & folder);

/// What help says about options for such files.
inline constexpr const char * robot_text = "Robot file (default: robot.yaml of config/)";
inline constexpr const char * controller_text =
  "Gains and guard windows (default: controller.yaml of config/)";

/// `path` if one was given, else that file of config/.
std::string given_or_config(const std::string & path, const std::string & relative);

}  // namespace fivebar_control::cli
