// SPDX-License-Identifier: Apache-2.0
#include "chain_peer.hpp"

struct MujocoChain::Inside
{
};
MujocoChain::MujocoChain(int bodies, double (*angle)(int))
{
  (void)bodies;
  (void)angle;
}
MujocoChain::~MujocoChain() = default;
void MujocoChain::forward() {}
double MujocoChain::cart_acceleration() const { return 0.0; }
void MujocoChain::transition() {}
