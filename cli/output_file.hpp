// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI
{
class App;
class Option;
}  // namespace CLI

namespace fivebar_control::cli
{

/// Adds an option that names a file to write; "-" means standard output. From then on everything
/// that is meant for people goes to standard error, so that a program can read the rest. Only one
/// option of a call may have it.
CLI::Option * add_output(
  CLI::App & command, const std::string & name, std::string & path, const std::string & text);

/// What has to be opened for such an option: the path itself, or the descriptor that "-" means.
std::string output_target(const std::string & path);

/// The path as sentences name it.
std::string output_name(const std::string & path);

}  // namespace fivebar_control::cli
