// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{

struct YamlMap::State
{
  std::string file;
  std::string path;  // of this mapping, "links.link_1."
  YAML::Node node;
};

inline FileLocation locate(const std::string & file, const YAML::Mark & mark)
{
  if (mark.is_null())
  {
    return {file};
  }
  return {file, mark.line + 1, mark.column + 1};
}

inline std::string describe(const YAML::Node & node)
{
  switch (node.Type())
  {
    case YAML::NodeType::Scalar:
      return fmt::format("'{}'", node.Scalar().substr(0, 40));
    case YAML::NodeType::Sequence:
      return fmt::format("a list of {}", node.size());
    case YAML::NodeType::Map:
      return "a mapping";
    default:
      return "nothing";
  }
}

}  // namespace fivebar_control
