// SPDX-License-Identifier: Apache-2.0
#include "request_model.hpp"

#include <fmt/core.h>

#include <charconv>

#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

using nlohmann::json;

constexpr std::size_t most_intervals = 200'000;

json scalar(const std::string & text)
{
  double value = 0.0;
  const char * end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty() ? json(value) : json(text);
}

json section(const YamlMap & map)
{
  json result = json::object();
  for (const std::string & key : map.keys())
  {
    if (!map.is_list(key))
    {
      result[key] = scalar(map.text(key));
    }
    else if (key == "points")
    {
      result[key] = map.table(key, 2, any_number("m"));
    }
    else
    {
      result[key] = map.numbers(key, 0, any_number(""));
    }
  }
  return result;
}

}  // namespace

PlanRequest studio_request(
  const std::string & text, const std::string & name, const Folder & folder)
{
  const YamlMap map = YamlMap::parse(text, name);
  const auto curve = map.has("curve") ? map.optional_map("curve") : std::nullopt;
  if (curve && curve->has("file"))
  {
    const std::filesystem::path samples =
      std::filesystem::path(name).parent_path() / curve->text("file");
    curve->judged_at("file", [&] {
      return folder.checked(samples.lexically_normal().generic_string(), {".csv"});
    });
  }
  PlanRequest request = parse_plan_request(text, name);
  if (request.intervals > most_intervals)
  {
    map.fail(
      "time_step",
      fmt::format(
        "{} time steps are more than the {} that the studio plans: take longer ones, or 'fivebar "
        "plan'",
        request.intervals, most_intervals));
  }
  return request;
}

json request_model(const std::string & text, const std::string & name)
{
  const YamlMap map = YamlMap::parse(text, name);
  json model = json::object();
  for (const std::string & key : map.keys())
  {
    if (key == "stages")
    {
      model[key] = json::array();
      for (const YamlMap & stage : map.maps(key))
      {
        model[key].push_back(section(stage));
      }
    }
    else if (
      key == "curve" || key == "placement" || key == "ramp" || key == "start" || key == "cost" ||
      key == "limits" || key == "solver")
    {
      model[key] = section(map.map(key));
    }
    else
    {
      model[key] = scalar(map.text(key));
    }
  }
  return model;
}

}  // namespace fivebar_control
