// SPDX-License-Identifier: Apache-2.0
#include "folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/sealed_table.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 200;
constexpr std::size_t largest_text = 60'000'000;  // a log of some minutes
constexpr std::size_t most_entries = 400;
constexpr int deepest = 3;

bool is_plain(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-' ||
         c == ' ' || c == '+' || c == '/';
}

/// Letters, digits, " ._-+"; no part is empty, hidden, or looks like an option.
bool is_plain_name(const std::string & name)
{
  if (
    name.empty() || name.size() > longest_name || !std::all_of(name.begin(), name.end(), is_plain))
  {
    return false;
  }
  for (std::size_t begin = 0; begin <= name.size();)
  {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (end == begin || name[begin] == '.' || name[begin] == '-' || name[begin] == ' ')
    {
      return false;
    }
    begin = end + 1;
  }
  return true;
}

std::string kind_by_key(const YamlMap & map)
{
  if (map.has("curve"))
  {
    return "curve";
  }
  const bool plant = map.has("scale") || map.has("supply_voltage") || map.has("encoder");
  return plant && !map.has("links") && !map.has("joint_1") ? "plant" : "other";
}

std::string kind_of_file(const fs::path & path, std::size_t bytes)
{
  const std::string ending = path.extension().string();
  if (ending == ".html")
  {
    return "page";
  }
  if (ending == ".svg")
  {
    return "picture";
  }
  std::string head(2000, '\0');
  std::ifstream file(path);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (ending == ".csv")
  {
    const std::string content = sealed_content(head);
    return content == "plan" ? "plan" : content == "run log" ? "log" : "other";
  }
  try
  {
    return bytes < 1'000'000 ? kind_by_key(YamlMap::load(path.string())) : "other";
  }
  catch (const Error &)
  {
    // A curve that is being written is opened to be mended.
    return head.find("\ncurve:") != std::string::npos ? "curve" : "other";
  }
}

double seconds_of(fs::file_time_type time)
{
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace

Folder::Folder(fs::path root) : root_(fs::canonical(root)) {}

std::string Folder::checked(
  const std::string & name, const std::vector<std::string> & endings) const
{
  const std::string ending = fs::path(name).extension().string();
  if (!is_plain_name(name) || std::find(endings.begin(), endings.end(), ending) == endings.end())
  {
    throw InputError::of(
      "file", fmt::format(
                "expected the name of a file below the folder that the studio was started in, "
                "ending in {}, of letters, digits and ' ._-+/'",
                fmt::join(endings, " or ")));
  }
  std::error_code error;
  const fs::path real = fs::weakly_canonical(root_ / name, error);
  const auto [end, rest] = std::mismatch(root_.begin(), root_.end(), real.begin(), real.end());
  if (error || end != root_.end() || rest == real.end())
  {
    throw InputError::of("file", fmt::format("'{}' leads out of the folder", name));
  }
  return name;
}

std::string Folder::read(const std::string & name, const std::vector<std::string> & endings) const
{
  return read_regular_text_file(path_of(checked(name, endings)), largest_text);
}

bool Folder::has(const std::string & name, const std::vector<std::string> & endings) const
{
  return fs::exists(path_of(checked(name, endings)));
}

void Folder::write(
  const std::string & name, const std::vector<std::string> & endings, const std::string & text,
  bool replace) const
{
  const std::string path = path_of(checked(name, endings));
  if (!replace && fs::exists(path))
  {
    throw InputError::of("file", fmt::format("'{}' is there already", name));
  }
  if (is_pipe_or_device(path))
  {
    throw InputError::of("file", fmt::format("'{}' is no regular file", name));
  }
  write_file_atomically(path, text);
}

std::vector<FolderEntry> Folder::list() const
{
  std::vector<FolderEntry> entries;
  std::error_code error;
  fs::recursive_directory_iterator walk(
    root_, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && walk != end; walk.increment(error))
  {
    const fs::path & path = walk->path();
    const std::string name = path.lexically_relative(root_).generic_string();
    if (path.filename().string().starts_with('.') || walk.depth() > deepest)
    {
      walk.disable_recursion_pending();
      continue;
    }
    const std::string ending = path.extension().string();
    const bool known =
      ending == ".yaml" || ending == ".csv" || ending == ".html" || ending == ".svg";
    if (!known || !walk->is_regular_file(error) || walk->is_symlink(error) || !is_plain_name(name))
    {
      continue;
    }
    const std::size_t bytes = walk->file_size(error);
    entries.push_back({name, "", bytes, seconds_of(walk->last_write_time(error))});
    if (entries.size() >= 10 * most_entries)
    {
      break;
    }
  }
  std::sort(entries.begin(), entries.end(), [](const FolderEntry & a, const FolderEntry & b) {
    return a.modified != b.modified ? a.modified > b.modified : a.name < b.name;
  });
  entries.resize(std::min(entries.size(), most_entries));
  for (FolderEntry & entry : entries)
  {
    entry.kind = kind_of_file(root_ / entry.name, entry.bytes);
  }
  return entries;
}

}  // namespace fivebar_control
