// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fivebar_control/multibody/mechanism.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control::multibody
{

/// A mechanism with a question about it, as a YAML file states it (docs/sensitivity.md).
struct MechanismFile
{
  Problem problem;
  Settings settings;
  std::vector<std::string> cost_names;
  std::shared_ptr<const Mechanism> mechanism;  ///< of the start
  std::map<std::string, Anchor> anchors;       ///< points by name
};

/// Throws InputError; mechanisms that cannot start are refused too.
MechanismFile read_mechanism(const YamlMap & yaml);

/// A key such as "points.p2.0" and the value that it gets instead of the file's.
using MechanismOverride = std::pair<std::string, std::string>;
MechanismFile load_mechanism(
  const std::string & path, const std::vector<MechanismOverride> & overrides = {});

}  // namespace fivebar_control::multibody
