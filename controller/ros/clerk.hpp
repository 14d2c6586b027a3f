// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace fivebar_control
{

/// A thread for what may take its time: files on a slow disk, or on one that does not answer at
/// all. Jobs are done one after the other. Nobody waits for a job that hangs, not even the
/// destructor: the thread is then left behind, and what its job may touch afterwards it must hold
/// by weak pointers.
class Clerk
{
public:
  using Job = std::function<void()>;

  Clerk();
  /// Waits for the jobs, but at most a second; those that have not begun by then are dropped.
  ~Clerk();
  Clerk(const Clerk &) = delete;
  Clerk & operator=(const Clerk &) = delete;

  /// False if so many jobs wait that this one is not taken.
  bool take(Job job);

private:
  struct Desk;
  std::shared_ptr<Desk> desk_;
};

}  // namespace fivebar_control
