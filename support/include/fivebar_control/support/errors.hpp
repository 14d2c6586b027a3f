// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace fivebar_control
{

/// Where something stands in a text file. Lines and columns count from 1; 0 means unknown.
struct FileLocation
{
  std::string file;
  int line = 0;
  int column = 0;

  /// "file", "file:line" or "file:line:column", whatever is known.
  std::string text() const;
};

/// Base of all that this package throws. what() is a sentence for the user.
class Error : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// Input that cannot be used: a file, an option, an argument.
class InputError : public Error
{
public:
  using Error::Error;

  /// what() reads "file:line:column: what is wrong, what was expected".
  InputError(FileLocation where, const std::string & message)
  : Error(where.text() + ": " + message), where_(std::move(where)), message_(message)
  {
  }

  /// A value that did not come from a file; what() reads "key: what was expected".
  static InputError of(const std::string & key, const std::string & message)
  {
    InputError error(key + ": " + message);
    error.key_ = key;
    error.message_ = message;
    return error;
  }

  /// Empty where the message does not begin with a place.
  const FileLocation & where() const { return where_; }
  /// Empty unless made by of().
  const std::string & key() const { return key_; }
  /// Without place and key; empty where what() has neither.
  const std::string & message() const { return message_; }

private:
  FileLocation where_;
  std::string key_, message_;
};

/// Good input that asks for what the robot or the mechanism cannot do.
class NotReachable : public Error
{
public:
  using Error::Error;
};

/// Motors, encoders or what connects them cannot be used.
class HardwareFailure : public Error
{
public:
  using Error::Error;
};

/// A defect of this package.
class InternalError : public Error
{
public:
  using Error::Error;
};

/// Does `work`; if it is not reachable, the error begins with its subject: "curve.yaml: ...".
template <class Work>
auto concerning(const std::string & subject, Work && work)
{
  try
  {
    return std::forward<Work>(work)();
  }
  catch (const NotReachable & error)
  {
    throw NotReachable(subject + ": " + error.what());
  }
}

}  // namespace fivebar_control
