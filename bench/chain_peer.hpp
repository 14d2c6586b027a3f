// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

/// The cart with a straight chain of pendula in MuJoCo: the outside peer of divide and conquer.
class MujocoChain
{
public:
  /// `angle` gives the absolute angle of pendulum 1, ...
  MujocoChain(int bodies, double (*angle)(int));
  ~MujocoChain();
  MujocoChain(const MujocoChain &) = delete;
  MujocoChain & operator=(const MujocoChain &) = delete;

  /// Whether MuJoCo is there and takes a chain of this length.
  bool usable() const { return inside_ != nullptr; }
  void forward();
  double cart_acceleration() const;
  /// The derivative of one step by state and input.
  void transition();

private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};
