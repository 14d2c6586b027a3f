#include "config_location.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "fivebar_control/support/file_error.hpp"

namespace fivebar_control::cli
{
namespace
{

namespace fs = std::filesystem;

/// `home`: the folder of the program or library that asks; empty if nobody knows.
std::vector<fs::path> config_folders(const fs::path & home, int levels)
{
  std::vector<fs::path> folders;
  if (const char * chosen = std::getenv("FIVEBAR_CONFIG_DIR"); chosen != nullptr && *chosen != '\0')
  {
    folders.emplace_back(chosen);
  }
  folders.emplace_back("config");
  if (!home.empty())
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

std::string find_in(const std::vector<fs::path> & folders, const std::string & relative)
{
  std::vector<std::string> tried;
  for (const fs::path & folder : folders)
  {
    std::error_code error;
    fs::path candidate = folder / relative;
    if (fs::exists(candidate, error))
    {
      return candidate.string();
    }
    tried.push_back(folder.string());
  }
  throw FileError(
    {relative},
    fmt::format(
      "not found in {}; name the file, or set FIVEBAR_CONFIG_DIR", fmt::join(tried, ", ")));
}

}  // namespace

std::string find_config(const std::string & relative)
{
  // In the build tree there is a link to config/ beside the program. Installed it is
  // <prefix>/bin/fivebar or, by ament, <prefix>/lib/<package>/fivebar.
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return find_in(config_folders(error ? fs::path() : program.parent_path(), 2), relative);
}

std::string find_config(const std::string & relative, const fs::path & folder)
{
  // <prefix>/lib/python3/dist-packages/fivebar is four levels deep.
  return find_in(config_folders(folder, 4), relative);
}

std::string given_or_config(const std::string & path, const std::string & relative)
{
  return path.empty() ? find_config(relative) : path;
}

}  // namespace fivebar_control::cli
