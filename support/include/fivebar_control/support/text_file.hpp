// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace fivebar_control
{

/// Reads a whole text file. Throws InputError if it is missing, unreadable, a directory, empty,
/// larger than `max_bytes`, or not text (contains a NUL byte).
std::string read_text_file(const std::string & path, std::size_t max_bytes);

/// The same, and refuses whatever is not a regular file without waiting for it: pipes and devices
/// may never give an answer.
std::string read_regular_text_file(const std::string & path, std::size_t max_bytes);

/// "3.2 MB" for messages.
std::string human_size(std::size_t bytes);

}  // namespace fivebar_control
