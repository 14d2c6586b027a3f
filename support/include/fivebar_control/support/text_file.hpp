// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace fivebar_control
{

/// Reads a whole text file. Throws InputError if it is missing, unreadable, a directory, empty,
/// larger than `max_bytes`, or not text (contains a NUL byte).
std::string read_text_file(const std::string & path, std::size_t max_bytes);

/// The same, and refuses pipes and devices, which may never give an answer, without waiting for it.
std::string read_regular_text_file(const std::string & path, std::size_t max_bytes);

/// Whether there is something of that name that is neither a file nor a folder.
bool is_pipe_or_device(const std::string & path);

/// "3.2 MB" for messages.
std::string human_size(std::size_t bytes);

}  // namespace fivebar_control
