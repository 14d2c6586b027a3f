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

/// A file that cannot be used. what() reads "file:line:column: what is wrong, what was expected".
class FileError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
  FileError(FileLocation where, const std::string & message)
  : std::runtime_error(where.text() + ": " + message), where_(std::move(where))
  {
  }

  /// Empty where the message does not begin with a place.
  const FileLocation & where() const { return where_; }

private:
  FileLocation where_;
};

}  // namespace fivebar_control
