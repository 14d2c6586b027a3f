// SPDX-License-Identifier: Apache-2.0
#include "desk.hpp"

#include <algorithm>
#include <cctype>

#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::string_view shipped = "shipped:";

bool is_word(const std::string & word)
{
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("._-+/:=@%,").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string plant_file(const Desk & desk, const std::string & plant)
{
  if (plant.empty())
  {
    return "";
  }
  if (plant.starts_with(shipped))
  {
    const std::string name = plant.substr(shipped.size());
    desk.folder.checked(name + ".yaml", {".yaml"});  // a plain name
    return find_config("plants/" + name + ".yaml");
  }
  return desk.folder.checked(plant, {".yaml"});
}

PlantParameters studio_plant(const Desk & desk, const std::string & plant)
{
  const std::string file = plant_file(desk, plant);
  return file.empty() ? PlantParameters{} : load_plant(file);
}

std::string shell_line(const std::vector<std::string> & words)
{
  std::string line;
  for (const std::string & word : words)
  {
    line += line.empty() ? "" : " ";
    if (is_word(word))
    {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word)
    {
      line += c == '\'' ? "'\\''" : std::string(1, c);
    }
    line += '\'';
  }
  return line;
}

std::string command_line(
  const Desk & desk, std::vector<std::string> words, bool controller, const std::string & plant)
{
  words.insert(words.end(), desk.robot_options.begin(), desk.robot_options.end());
  if (controller)
  {
    words.insert(words.end(), desk.controller_options.begin(), desk.controller_options.end());
  }
  if (const std::string file = plant_file(desk, plant); !file.empty())
  {
    words.insert(words.end(), {"--plant", file});
  }
  return shell_line(words);
}

}  // namespace fivebar_control
