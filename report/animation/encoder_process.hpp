// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace fivebar_control
{

/// A child program that takes data on its standard input. No shell is involved.
class EncoderProcess
{
public:
  /// Throws InputError if the program is not there.
  explicit EncoderProcess(const std::vector<std::string> & command);
  ~EncoderProcess();
  EncoderProcess(const EncoderProcess &) = delete;
  EncoderProcess & operator=(const EncoderProcess &) = delete;

  /// False if the program takes no more: finish() knows why.
  bool write(const unsigned char * data, std::size_t bytes);
  /// Ends its input and waits; did it succeed?
  bool finish();

private:
  pid_t process_ = -1;
  int input_ = -1;
};

}  // namespace fivebar_control
