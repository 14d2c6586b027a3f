// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/yaml_map.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "fivebar_control/support/suggestion.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "yaml_state.hpp"

namespace fivebar_control
{
YamlMap::YamlMap(std::unique_ptr<State> state) : state_(std::move(state)) {}
YamlMap::~YamlMap() = default;
YamlMap::YamlMap(YamlMap &&) noexcept = default;
YamlMap & YamlMap::operator=(YamlMap &&) noexcept = default;

YamlMap YamlMap::load(const std::string & path, std::size_t max_bytes)
{
  return parse_mapping(read_text_file(path, max_bytes), path);
}

YamlMap YamlMap::parse(const std::string & text, const std::string & name)
{
  return parse_mapping(text, name);
}

YamlMap YamlMap::parse_mapping(const std::string & text, const std::string & name)
{
  auto state = std::make_unique<State>();
  state->file = name;
  try
  {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    state->node = documents.empty() ? YAML::Node() : documents.front();
    if (documents.size() > 1)
    {
      throw InputError(
        locate(name, documents[1].Mark()),
        "a second YAML document begins here ('---'), expected one: it would not be read");
    }
  }
  catch (const YAML::Exception & error)
  {
    throw InputError(locate(name, error.mark), fmt::format("not valid YAML: {}", error.msg));
  }
  if (!state->node.IsMap())
  {
    throw InputError(
      locate(name, state->node.Mark()),
      fmt::format("expected a mapping of keys to values, got {}", describe(state->node)));
  }
  YamlMap result(std::move(state));
  result.keys();  // refuses duplicates
  return result;
}

YamlMap YamlMap::child(const std::string & key, const YAML::Node & node) const
{
  if (!node.IsMap())
  {
    refuse(key, node, "a mapping of keys to values");
  }
  auto state = std::make_unique<State>();
  state->file = state_->file;
  state->path = full_key(key) + ".";
  state->node = node;
  YamlMap result(std::move(state));
  result.keys();  // refuses duplicates
  return result;
}

std::string YamlMap::full_key(const std::string & key) const { return state_->path + key; }

const std::string & YamlMap::file() const { return state_->file; }

std::string YamlMap::canonical_text() const { return YAML::Dump(state_->node); }

FileLocation YamlMap::location(const std::string & key) const
{
  const YAML::Node node = key.empty() ? state_->node : find(key);
  return locate(state_->file, node.IsDefined() ? node.Mark() : state_->node.Mark());
}

void YamlMap::fail(const std::string & key, const std::string & message) const
{
  std::string name = full_key(key);
  if (!name.empty() && name.back() == '.')
  {
    name.pop_back();
  }
  if (name.empty())
  {
    throw InputError(location(key), message);
  }
  throw InputError(location(key), fmt::format("key '{}': {}", name, message));
}

void YamlMap::refuse(
  const std::string & key, const YAML::Node & node, const std::string & expectation) const
{
  throw InputError(
    locate(state_->file, node.Mark()),
    fmt::format("key '{}': expected {}, got {}", full_key(key), expectation, describe(node)));
}

YAML::Node YamlMap::find(const std::string & key) const
{
  // yaml-cpp's const operator[] yields an undefined node for a missing key.
  const YAML::Node & node = state_->node;
  return node[key];
}

YAML::Node YamlMap::require(const std::string & key, const std::string & expectation) const
{
  const YAML::Node node = find(key);
  if (!node.IsDefined())
  {
    throw InputError(
      location(), fmt::format("missing key '{}': expected {}", full_key(key), expectation));
  }
  return node;
}

bool YamlMap::has(const std::string & key) const { return find(key).IsDefined(); }

bool YamlMap::is_list(const std::string & key) const { return has(key) && find(key).IsSequence(); }

double YamlMap::to_number(
  const std::string & key, const YAML::Node & node, const NumberRule & rule) const
{
  if (!node.IsScalar())
  {
    refuse(key, node, rule.expectation);
  }
  const std::string & text = node.Scalar();
  const char * begin = text.data() + (text.size() > 1 && text.front() == '+' ? 1 : 0);
  const char * end = text.data() + text.size();
  double value = 0.0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  const bool below = rule.exclusive_minimum ? !(value > rule.minimum) : !(value >= rule.minimum);
  if (
    error != std::errc() || stop != end || !std::isfinite(value) || below ||
    !(value <= rule.maximum))
  {
    refuse(key, node, rule.expectation);
  }
  return value;
}

double YamlMap::number(const std::string & key, const NumberRule & rule) const
{
  return to_number(key, require(key, rule.expectation), rule);
}

double YamlMap::number_or(const std::string & key, const NumberRule & rule, double fallback) const
{
  return has(key) ? number(key, rule) : fallback;
}

int YamlMap::integer(const std::string & key, int minimum, int maximum) const
{
  NumberRule rule = between(minimum, maximum, "whole number");
  const double value = number(key, rule);
  if (value != std::floor(value))
  {
    refuse(key, find(key), rule.expectation);
  }
  return static_cast<int>(value);
}

int YamlMap::integer_or(const std::string & key, int minimum, int maximum, int fallback) const
{
  return has(key) ? integer(key, minimum, maximum) : fallback;
}

bool YamlMap::boolean_or(const std::string & key, bool fallback) const
{
  if (!has(key))
  {
    return fallback;
  }
  return choice(key, {"false", "true"}) == 1;
}

std::string YamlMap::text(const std::string & key) const
{
  const YAML::Node node = require(key, "a text");
  if (!node.IsScalar() || node.Scalar().empty())
  {
    refuse(key, node, "a text");
  }
  return node.Scalar();
}

std::string YamlMap::text_or(const std::string & key, const std::string & fallback) const
{
  return has(key) ? text(key) : fallback;
}

std::size_t YamlMap::choice(const std::string & key, const std::vector<std::string> & choices) const
{
  const std::string expectation = fmt::format("one of {}", fmt::join(choices, ", "));
  const YAML::Node node = require(key, expectation);
  if (node.IsScalar())
  {
    const auto found = std::find(choices.begin(), choices.end(), node.Scalar());
    if (found != choices.end())
    {
      return static_cast<std::size_t>(found - choices.begin());
    }
  }
  refuse(key, node, expectation);
}

std::vector<double> YamlMap::numbers(
  const std::string & key, std::size_t size, const NumberRule & rule) const
{
  const std::string expectation = size == 0
                                    ? fmt::format("a list, each {}", rule.expectation)
                                    : fmt::format("a list of {}, each {}", size, rule.expectation);
  const YAML::Node node = require(key, expectation);
  if (!node.IsSequence() || (size != 0 && node.size() != size))
  {
    refuse(key, node, expectation);
  }
  std::vector<double> values;
  for (const YAML::Node & element : node)
  {
    values.push_back(to_number(key, element, rule));
  }
  return values;
}

std::vector<std::string> YamlMap::texts(const std::string & key, std::size_t size) const
{
  const std::string expectation =
    size == 0 ? "a list of texts" : fmt::format("a list of {} texts", size);
  const YAML::Node node = require(key, expectation);
  if (!node.IsSequence() || (size != 0 && node.size() != size))
  {
    refuse(key, node, expectation);
  }
  std::vector<std::string> values;
  for (const YAML::Node & element : node)
  {
    if (!element.IsScalar() || element.Scalar().empty())
    {
      refuse(key, element, expectation);
    }
    values.push_back(element.Scalar());
  }
  return values;
}

std::vector<std::vector<double>> YamlMap::table(
  const std::string & key, std::size_t width, const NumberRule & rule) const
{
  const std::string expectation =
    fmt::format("a list of lists of {}, each {}", width, rule.expectation);
  const YAML::Node node = require(key, expectation);
  if (!node.IsSequence())
  {
    refuse(key, node, expectation);
  }
  std::vector<std::vector<double>> rows;
  for (const YAML::Node & row : node)
  {
    if (!row.IsSequence() || row.size() != width)
    {
      refuse(key, row, fmt::format("a list of {}, each {}", width, rule.expectation));
    }
    std::vector<double> values;
    for (const YAML::Node & element : row)
    {
      values.push_back(to_number(key, element, rule));
    }
    rows.push_back(std::move(values));
  }
  return rows;
}

YamlMap YamlMap::map(const std::string & key) const
{
  return child(key, require(key, "a mapping of keys to values"));
}

std::optional<YamlMap> YamlMap::optional_map(const std::string & key) const
{
  if (!has(key))
  {
    return std::nullopt;
  }
  return map(key);
}

std::vector<YamlMap> YamlMap::maps(const std::string & key) const
{
  const YAML::Node node = require(key, "a list of mappings");
  if (!node.IsSequence())
  {
    refuse(key, node, "a list of mappings");
  }
  std::vector<YamlMap> result;
  for (std::size_t i = 0; i < node.size(); ++i)
  {
    result.push_back(child(fmt::format("{}[{}]", key, i), node[i]));
  }
  return result;
}

}  // namespace fivebar_control
