// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/number_rule.hpp"

namespace YAML
{
class Node;
}

namespace fivebar_control
{

/// One mapping of a YAML file, read strictly. All errors are InputErrors that name file, line,
/// column and the full key, and say what was expected. Readers call allow_only() first, so that a
/// misspelled key is reported as such and not as a missing one.
class YamlMap
{
public:
  /// `max_bytes` guards against files that cannot be meant.
  static YamlMap load(const std::string & path, std::size_t max_bytes = 1000000);
  static YamlMap parse(const std::string & text, const std::string & name);

  ~YamlMap();
  YamlMap(YamlMap &&) noexcept;
  YamlMap & operator=(YamlMap &&) noexcept;

  bool has(const std::string & key) const;
  bool is_list(const std::string & key) const;

  double number(const std::string & key, const NumberRule & rule) const;
  double number_or(const std::string & key, const NumberRule & rule, double fallback) const;
  int integer(const std::string & key, int minimum, int maximum) const;
  int integer_or(const std::string & key, int minimum, int maximum, int fallback) const;
  bool boolean_or(const std::string & key, bool fallback) const;
  std::string text(const std::string & key) const;
  std::string text_or(const std::string & key, const std::string & fallback) const;
  /// One of `choices`; returns its index.
  std::size_t choice(const std::string & key, const std::vector<std::string> & choices) const;
  /// A list of numbers; `size` 0 means any length.
  std::vector<double> numbers(
    const std::string & key, std::size_t size, const NumberRule & rule) const;
  /// A list of texts; `size` 0 means any length.
  std::vector<std::string> texts(const std::string & key, std::size_t size) const;
  /// A list of equally long lists of numbers.
  std::vector<std::vector<double>> table(
    const std::string & key, std::size_t width, const NumberRule & rule) const;

  YamlMap map(const std::string & key) const;
  std::optional<YamlMap> optional_map(const std::string & key) const;
  std::vector<YamlMap> maps(const std::string & key) const;
  /// Overrides one value, as if the file had it: "duration", "points.p2.0" (element by number). All
  /// keys but the last must exist; readers then judge the result.
  void set(const std::string & path, const std::string & value);

  /// All keys of this mapping in the order of the file.
  std::vector<std::string> keys() const;

  /// Refuses any key that is not in `known`, with the nearest one as a suggestion.
  void allow_only(const std::vector<std::string> & known) const;

  /// For checks that span several keys: an error at `key` (or at this mapping if it is empty).
  [[noreturn]] void fail(const std::string & key, const std::string & message) const;
  /// Does `work` with the value of `key`: what it refuses is an error at that key.
  template <class Work>
  auto judged_at(const std::string & key, Work && work) const
  {
    try
    {
      return std::forward<Work>(work)();
    }
    catch (const InputError & error)
    {
      if (!error.where().file.empty())
      {
        throw;
      }
      fail(key, error.what());
    }
  }
  FileLocation location(const std::string & key = "") const;
  const std::string & file() const;
  /// The mapping as YAML again: same content, comments and formatting gone.
  std::string canonical_text() const;

private:
  struct State;
  explicit YamlMap(std::unique_ptr<State> state);
  static YamlMap parse_mapping(const std::string & text, const std::string & name);
  YAML::Node find(const std::string & key) const;
  YAML::Node require(const std::string & key, const std::string & expectation) const;
  [[noreturn]] void refuse(
    const std::string & key, const YAML::Node & node, const std::string & expectation) const;
  double to_number(const std::string & key, const YAML::Node & node, const NumberRule & rule) const;
  YamlMap child(const std::string & key, const YAML::Node & node) const;
  std::string full_key(const std::string & key) const;

  std::unique_ptr<State> state_;
};

}  // namespace fivebar_control
