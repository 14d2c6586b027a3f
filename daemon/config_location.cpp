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

std::vector<fs::path> config_folders()
{
  std::vector<fs::path> folders;
  if (const char * chosen = std::getenv("FIVEBAR_CONFIG_DIR"); chosen != nullptr && *chosen != '\0')
  {
    folders.emplace_back(chosen);
  }
  folders.emplace_back("config");
  // In the build tree there is a link to config/ beside the program. Installed it is
  // <prefix>/bin/fivebar or, by ament, <prefix>/lib/<package>/fivebar.
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error)
  {
    const fs::path folder = program.parent_path();
    const fs::path shared = fs::path("share") / "fivebar_control" / "config";
    folders.push_back(folder / "config");
    folders.push_back(folder.parent_path() / shared);
    folders.push_back(folder.parent_path().parent_path() / shared);
  }
  return folders;
}

}  // namespace

std::string find_config(const std::string & relative)
{
  const std::vector<fs::path> folders = config_folders();
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
  throw FileError(fmt::format(
    "{}: not found in {}; name the file, or set FIVEBAR_CONFIG_DIR", relative,
    fmt::join(tried, ", ")));
}

std::string given_or_config(const std::string & path, const std::string & relative)
{
  return path.empty() ? find_config(relative) : path;
}

}  // namespace fivebar_control::cli
