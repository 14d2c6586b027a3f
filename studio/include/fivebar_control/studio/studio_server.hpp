// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "fivebar_control/studio/studio_options.hpp"

namespace fivebar_control
{

/// Serves the page on which curves are drawn, planned and played, and what it asks for. Every
/// question stands for itself: pages keep what is drawn, the server keeps nothing of it.
/// docs/studio.md has the questions.
class StudioServer
{
public:
  /// Binds at once. Throws InputError for an address that cannot be used, and for robot and
  /// controller files.
  explicit StudioServer(const StudioOptions & options);
  /// Ends the commands that it has started; a robot that moves stops smoothly.
  ~StudioServer();

  int port() const;
  /// What to open in a browser, with dots for the token.
  std::string url() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fivebar_control
