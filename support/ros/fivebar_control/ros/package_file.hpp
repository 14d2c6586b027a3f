#pragma once

#include <ament_index_cpp/get_package_share_directory.hpp>
#include <string>

namespace fivebar_control
{

/// `path` itself or, where it is empty, a file of this package's installed config folder.
inline std::string config_file(const std::string & path, const std::string & in_config)
{
  return path.empty() ? ament_index_cpp::get_package_share_directory("fivebar_control") +
                          "/config/" + in_config
                      : path;
}

}  // namespace fivebar_control
