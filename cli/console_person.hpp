// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "fivebar_control/commission/person.hpp"

namespace fivebar_control::cli
{

/// A file of answers (--answers), by the keys of their questions. Strict; throws InputError.
std::map<std::string, std::string> load_answers(const std::string & path);

/// The person at the terminal; a file may answer instead, and --yes may confirm.
class ConsolePerson : public commission::Person
{
public:
  /// `other` plays the person in a rehearsal; null: there is a real one. `interrupted` ends
  /// waiting.
  ConsolePerson(
    std::map<std::string, std::string> answers, bool confirms, commission::Person * other,
    std::function<bool()> interrupted)
  : answers_(std::move(answers)),
    confirms_(confirms),
    other_(other),
    interrupted_(std::move(interrupted))
  {
  }

  void tell(const std::string & key, const std::string & text) override;
  std::string ask(const commission::Question & question) override;

  /// The question that nobody answered; empty if there was none.
  const std::string & unanswered() const { return unanswered_; }

private:
  std::string ask_terminal(const commission::Question & question);
  std::optional<std::string> read_line() const;

  std::map<std::string, std::string> answers_;
  bool confirms_;
  commission::Person * other_;
  std::function<bool()> interrupted_;
  std::string unanswered_;
};

/// The text in lines of at most 96 characters, each with this many spaces before it.
std::string wrapped(const std::string & text, std::size_t indent);

}  // namespace fivebar_control::cli
