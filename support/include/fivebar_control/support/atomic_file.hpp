// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace fivebar_control
{

/// Writes a file so that readers see either the old content or the whole new one: everything goes
/// to a temporary name beside the target, which is renamed by commit(). Without commit() the target
/// is left as it was and the temporary file is removed. A target that is no regular file (a pipe, a
/// device) is written directly: renaming would replace the device. So is one of our own descriptors
/// (/dev/stdout, /dev/fd/3), whatever it was opened for. Throws InputError.
class AtomicFile
{
public:
  /// `mark` becomes part of the temporary name, for files that may outlive an accident.
  explicit AtomicFile(std::string path, std::string_view mark = "");
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile & operator=(const AtomicFile &) = delete;

  void write(std::string_view text);
  /// Hands over to the system what was written, so that it survives the end of this process; with
  /// `to_disk` also the end of the machine's power.
  void flush(bool to_disk = false);
  void commit();

  /// From now on what was written stays, under its temporary name, if it is never committed.
  void keep_unfinished() { keep_ = true; }
  /// Where it is until commit(); the target itself when that is written directly.
  const std::string & unfinished_path() const { return temporary_.empty() ? path_ : temporary_; }

private:
  [[noreturn]] void fail(const char * what) const;

  std::string path_;
  std::string temporary_;  ///< empty when the target is written directly
  std::FILE * file_ = nullptr;
  bool keep_ = false;
};

/// The whole of it in one call.
void write_file_atomically(const std::string & path, std::string_view text);

}  // namespace fivebar_control
