// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "fivebar_control/support/suggestion.hpp"
#include "yaml_state.hpp"

namespace fivebar_control
{
namespace
{

/// The element or the value of that name; for a value at the end of a path it may be new.
YAML::Node descend(YAML::Node & node, const std::string & key, bool may_be_new)
{
  if (node.IsSequence())
  {
    std::size_t index = 0;
    const auto [stop, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (error != std::errc() || stop != key.data() + key.size() || index >= node.size())
    {
      throw InputError(fmt::format("'{}' is not the number of an element of that list", key));
    }
    return node[index];
  }
  if (!node.IsMap())
  {
    throw InputError(fmt::format("there is nothing below the key before '{}'", key));
  }
  const YAML::Node & constant = node;
  if (!may_be_new && !constant[key].IsDefined())
  {
    throw InputError(fmt::format("there is no key '{}'", key));
  }
  return node[key];
}

void set_below(YAML::Node node, std::string_view path, const std::string & value)
{
  const std::size_t dot = path.find('.');
  const bool last = dot == std::string_view::npos;
  const std::string key(path.substr(0, dot));
  if (key.empty())
  {
    throw InputError("empty key");
  }
  YAML::Node child = descend(node, key, last);
  if (!last)
  {
    return set_below(child, path.substr(dot + 1), value);
  }
  try
  {
    child = YAML::Load(value);
  }
  catch (const YAML::Exception & error)
  {
    throw InputError(fmt::format("'{}' is not valid YAML: {}", value, error.msg));
  }
}

}  // namespace

void YamlMap::set(const std::string & path, const std::string & value)
{
  try
  {
    set_below(state_->node, path, value);
  }
  catch (const InputError & error)
  {
    throw InputError({state_->file}, fmt::format("cannot set '{}': {}", path, error.what()));
  }
}

std::vector<std::string> YamlMap::keys() const
{
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto & entry : state_->node)
  {
    if (!entry.first.IsScalar())
    {
      throw InputError(
        locate(state_->file, entry.first.Mark()),
        fmt::format("expected a plain key, got {}", describe(entry.first)));
    }
    const std::string & name = entry.first.Scalar();
    if (!seen.insert(name).second)
    {
      throw InputError(
        locate(state_->file, entry.first.Mark()),
        fmt::format("key '{}' appears twice", full_key(name)));
    }
    names.push_back(name);
  }
  return names;
}

void YamlMap::allow_only(const std::vector<std::string> & known) const
{
  for (const auto & entry : state_->node)
  {
    const std::string & name = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), name) != known.end())
    {
      continue;
    }
    const FileLocation where = locate(state_->file, entry.first.Mark());
    const std::string nearest = nearest_name(name, known);
    if (!nearest.empty())
    {
      throw InputError(
        where, fmt::format("unknown key '{}', did you mean '{}'?", full_key(name), nearest));
    }
    throw InputError(
      where,
      fmt::format("unknown key '{}', expected one of {}", full_key(name), fmt::join(known, ", ")));
  }
}

}  // namespace fivebar_control
