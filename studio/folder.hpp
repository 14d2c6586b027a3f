// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fivebar_control
{

struct FolderEntry
{
  std::string name;  ///< relative, with '/' between folders
  std::string kind;  ///< "curve", "plant", "plan", "log", "page", "picture" or "other"
  std::size_t bytes = 0;
  double modified = 0.0;  ///< s since 1970
};

/// The files that a page may see: those below one folder, by plain names, of kinds that we know.
/// Symbolic links out of it count as out of it. All functions throw InputError.
class Folder
{
public:
  explicit Folder(std::filesystem::path root);

  const std::filesystem::path & root() const { return root_; }
  /// The name itself if it is one of a file that may be in the folder, with one of these endings
  /// (".yaml"); whether it is there is another matter.
  std::string checked(const std::string & name, const std::vector<std::string> & endings) const;
  /// Whole path of a checked name.
  std::string path_of(const std::string & name) const { return (root_ / name).string(); }
  std::string read(const std::string & name, const std::vector<std::string> & endings) const;
  bool has(const std::string & name, const std::vector<std::string> & endings) const;
  /// Refuses to replace a file unless `replace`.
  void write(
    const std::string & name, const std::vector<std::string> & endings, const std::string & text,
    bool replace) const;
  /// Newest first; at most a few hundred, at most three folders deep.
  std::vector<FolderEntry> list() const;

private:
  std::filesystem::path root_;
};

}  // namespace fivebar_control
