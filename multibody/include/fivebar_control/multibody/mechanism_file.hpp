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

/// A key such as "points.p2.0" and the value that it gets instead of the file's.
using MechanismOverride = std::pair<std::string, std::string>;
/// Of "key=value"; throws InputError.
MechanismOverride parse_override(const std::string & text);

/// A mechanism with a question about it, as a YAML file states it (docs/sensitivity.md).
struct MechanismFile
{
  Problem problem;
  Settings settings;
  std::vector<std::string> cost_names;
  /// For optimisation: what each stage changes in the file; it starts where the one before ended.
  std::vector<std::vector<MechanismOverride>> stages;
  std::shared_ptr<const Mechanism> mechanism;  ///< of the start
  std::vector<std::string> input_names;
  std::map<std::string, Anchor> anchors;  ///< points by name
  std::vector<std::string> notes;         ///< what the reader had to decide, for the user
};

/// Throws InputError; mechanisms that cannot start are refused too.
MechanismFile read_mechanism(const YamlMap & yaml);

MechanismFile load_mechanism(
  const std::string & path, const std::vector<MechanismOverride> & overrides = {});

}  // namespace fivebar_control::multibody
