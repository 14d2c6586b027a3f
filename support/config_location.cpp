// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/config_location.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

namespace fs = std::filesystem;

/// Folders of the program, plugin or Python module that this code was linked into: as it was
/// called, and where links lead to.
std::vector<fs::path> own_folders()
{
  std::vector<fs::path> folders;
  Dl_info own = {};
  std::error_code error;
  fs::path file;
  if (dladdr(reinterpret_cast<const void *>(&own_folders), &own) != 0 && own.dli_fname != nullptr)
  {
    file = own.dli_fname;
  }
  if (!file.is_absolute())
  {
    file = fs::read_symlink("/proc/self/exe", error);  // a program is named as it was typed
  }
  if (file.is_absolute())
  {
    folders.push_back(file.parent_path());
    const fs::path real = fs::canonical(file, error).parent_path();
    if (!error && real != folders.front())
    {
      folders.push_back(real);
    }
  }
  return folders;
}

std::vector<fs::path> config_folders()
{
  // <prefix>/lib/python3/dist-packages/fivebar is four levels deep.
  constexpr int levels = 4;
  std::vector<fs::path> folders;
  if (const char * chosen = std::getenv("FIVEBAR_CONFIG_DIR"); chosen != nullptr && *chosen != '\0')
  {
    folders.emplace_back(chosen);
  }
  folders.emplace_back("config");
  for (const fs::path & home : own_folders())
  {
    folders.push_back(home / "config");
    fs::path above = home;
    for (int level = 0; level < levels; ++level)
    {
      above = above.parent_path();
      folders.push_back(above / "share" / "fivebar_control" / "config");
    }
  }
  return folders;
}

}  // namespace

std::string find_config(const std::string & relative)
{
  std::vector<std::string> tried;
  for (const fs::path & folder : config_folders())
  {
    std::error_code error;
    fs::path candidate = folder / relative;
    if (fs::exists(candidate, error))
    {
      return candidate.string();
    }
    tried.push_back(folder.string());
  }
  throw InputError(
    {relative},
    fmt::format(
      "not found in {}; name the file, or set FIVEBAR_CONFIG_DIR", fmt::join(tried, ", ")));
}

std::string taken_from_here(const std::string & path, const std::string & relative)
{
  const fs::path here = fs::path("config") / relative;
  if (fs::path(path) != here)
  {
    return {};
  }
  for (const fs::path & folder : config_folders())
  {
    std::error_code error;
    const fs::path candidate = folder / relative;
    if (candidate != here && fs::equivalent(candidate, here, error) && !error)
    {
      return {};
    }
  }
  return fmt::format("{} of the current folder is used, not the program's own", here.string());
}

std::string given_or_config(const std::string & path, const std::string & relative)
{
  return path.empty() ? find_config(relative) : path;
}

}  // namespace fivebar_control
