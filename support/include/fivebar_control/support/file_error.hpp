#pragma once

#include <stdexcept>
#include <string>

namespace fivebar_control
{

/// A file that cannot be used. what() reads "file:line:column: what is wrong, what was expected".
class FileError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// Where something stands in a text file. Lines and columns count from 1; 0 means unknown.
struct FileLocation
{
  std::string file;
  int line = 0;
  int column = 0;

  /// "file", "file:line" or "file:line:column", whatever is known.
  std::string text() const;
};

}  // namespace fivebar_control
