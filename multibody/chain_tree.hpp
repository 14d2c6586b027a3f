// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "chain_algebra.hpp"
#include "team.hpp"

namespace fivebar_control::multibody
{

/// What a sweep over the tree computes beside the loads at the joints.
enum class Sweep
{
  matrices,
  forces,
  loads
};

/// The binary tree of divide and conquer (Maciąg 3.4.1). A node is a stretch of the chain with two
/// handles; x1 = z11 T1 + z12 T2 + z10 and x2 = z12^T T1 + z22 T2 + z20 give the (rates of the)
/// velocities at its handles by the loads there. Leaves are bodies. The tree does not depend on the
/// number of threads, and no sum is shared between them: nor do results.
template <class S>
class ChainTree
{
public:
  struct Node
  {
    int left = -1, right = -1, body = -1;
    Matrix3<S> z11, z12, z22, W;
    Twist<S> z10, z20, c, T1, T2;
    // Accumulated forces (Maciąg 3.4.2): of the stretch at its handle 1, of all beyond at its
    // handle 2.
    Twist<S> force, beyond;
    Plane<S> length;  ///< from handle 1 to handle 2
    Plane<S> origin;  ///< handle 1
  };

  ChainTree(std::size_t bodies, bool sliding, double axis_x, double axis_y, Team * team)
  : leaves_(bodies), sliding_(sliding), axis_x_(axis_x), axis_y_(axis_y), team_(team)
  {
    build(0, static_cast<int>(bodies));
    // A subtree for each thread, or a few where that is no power of two. Only the few nodes above
    // them pass from one core to another.
    const int threads = team == nullptr ? 1 : team->size();
    int depth = 0;
    while ((1 << depth) < threads)
    {
      ++depth;
    }
    divide(static_cast<int>(nodes_.size()) - 1, (1 << depth) == threads ? depth : depth + 2);
  }

  Node & leaf(std::size_t body) { return nodes_[static_cast<std::size_t>(leaves_[body])]; }
  const Node & leaf(std::size_t body) const
  {
    return nodes_[static_cast<std::size_t>(leaves_[body])];
  }

  /// Solves for the loads T1 at all joints after prepare(body, node) has set a leaf's z
  /// (3.39, 3.42, 3.44). `Sweep::matrices`: the z of all stretches are computed, and where their
  /// handles are, from the root's `origin`; else only the right-hand sides. `Sweep::forces`: forces
  /// accumulate towards the ground beside it (3.49, 3.50). finish(body, node) is called when all of
  /// a leaf is known.
  template <Sweep kind, class Prepare, class Finish>
  void solve(Prepare && prepare, Finish && finish)
  {
    up([&](Node & node) {
      if (node.body >= 0)
      {
        prepare(static_cast<std::size_t>(node.body), node);
        return;
      }
      join<kind>(at(node.left), at(node.right), node);
    });
    Node & root = nodes_.back();
    if constexpr (kind == Sweep::matrices)
    {
      set_root();
    }
    root.T1 = root_W_ * root.z10;
    root.T2 = root.beyond = {S(0.0), S(0.0), S(0.0)};
    down([&](Node & node) {
      if (node.body >= 0)
      {
        finish(static_cast<std::size_t>(node.body), node);
        return;
      }
      part<kind>(node, at(node.left), at(node.right));
    });
  }

  /// Where the first handle is.
  void set_origin(const Plane<S> & origin) { nodes_.back().origin = origin; }

private:
  struct Piece
  {
    int first, last;  ///< nodes, in the order of going up
  };

  Node & at(int index) { return nodes_[static_cast<std::size_t>(index)]; }

  /// Nodes in post-order, so that a stretch and all in it are neighbours.
  int build(int first, int count)
  {
    if (count == 1)
    {
      leaves_[static_cast<std::size_t>(first)] = static_cast<int>(nodes_.size());
      nodes_.emplace_back();
      nodes_.back().body = first;
      sizes_.push_back(1);
      return static_cast<int>(nodes_.size()) - 1;
    }
    const int left = build(first, count / 2);
    const int right = build(first + count / 2, count - count / 2);
    nodes_.emplace_back();
    nodes_.back().left = left;
    nodes_.back().right = right;
    sizes_.push_back(
      1 + sizes_[static_cast<std::size_t>(left)] + sizes_[static_cast<std::size_t>(right)]);
    return static_cast<int>(nodes_.size()) - 1;
  }

  void divide(int node, int depth)
  {
    if (depth == 0 || at(node).body >= 0)
    {
      pieces_.push_back({node - sizes_[static_cast<std::size_t>(node)] + 1, node});
      return;
    }
    divide(at(node).left, depth - 1);
    divide(at(node).right, depth - 1);
    top_.push_back(node);
  }

  /// Each piece on one thread.
  template <class Work>
  void in_pieces(Work && work)
  {
    const std::size_t team = team_ == nullptr ? 1 : static_cast<std::size_t>(team_->size());
    const auto share = [&](int thread) {
      const std::size_t number = static_cast<std::size_t>(thread);
      const std::size_t first = number * pieces_.size() / team;
      const std::size_t last = (number + 1) * pieces_.size() / team;
      for (std::size_t i = first; i < last; ++i)
      {
        work(pieces_[i]);
      }
    };
    if (team > 1 && pieces_.size() > 1)
    {
      team_->run(share);
      return;
    }
    for (const Piece & piece : pieces_)
    {
      work(piece);
    }
  }

  template <class Use>
  void up(Use && use)
  {
    in_pieces([&](const Piece & piece) {
      for (int i = piece.first; i <= piece.last; ++i)
      {
        use(at(i));
      }
    });
    for (const int i : top_)
    {
      use(at(i));
    }
  }

  template <class Use>
  void down(Use && use)
  {
    for (std::size_t i = top_.size(); i-- > 0;)
    {
      use(at(top_[i]));
    }
    in_pieces([&](const Piece & piece) {
      for (int i = piece.last; i >= piece.first; --i)
      {
        use(at(i));
      }
    });
  }

  template <Sweep kind>
  static void join(const Node & A, const Node & B, Node & node)
  {
    if constexpr (kind == Sweep::matrices)
    {
      join_matrices(A, B, node);
      node.length = {A.length.x + B.length.x, A.length.y + B.length.y};
    }
    if constexpr (kind == Sweep::forces)
    {
      node.force = A.force + shifted(A.length, B.force);
    }
    node.c = node.W * (B.z10 - A.z20);
    node.z10 = A.z10 - A.z12 * node.c;
    node.z20 = B.z20 + transposed_times(B.z12, node.c);
  }

  template <Sweep kind>
  static void part(const Node & node, Node & A, Node & B)
  {
    A.T1 = node.T1;
    B.T2 = node.T2;
    B.T1 = node.W * (B.z12 * B.T2 - transposed_times(A.z12, A.T1)) + node.c;
    A.T2 = -B.T1;
    if constexpr (kind == Sweep::matrices)
    {
      A.origin = node.origin;
      B.origin = {A.origin.x + A.length.x, A.origin.y + A.length.y};
    }
    if constexpr (kind == Sweep::forces)
    {
      B.beyond = node.beyond;
      A.beyond = B.force + shifted(B.length, B.beyond);
    }
  }

  /// W = D B^-1 D^T with B = -D^T (z11 of B + z22 of A) D; a revolute joint has D = (e_x, e_y).
  static void join_matrices(const Node & A, const Node & B, Node & node)
  {
    const S xx = B.z11.m[0][0] + A.z22.m[0][0];
    const S xy = B.z11.m[0][1] + A.z22.m[0][1];
    const S yy = B.z11.m[1][1] + A.z22.m[1][1];
    const S factor = -1.0 / (xx * yy - xy * xy);
    Matrix3<S> & W = node.W;
    W.m[0][0] = factor * yy;
    W.m[1][1] = factor * xx;
    W.m[0][1] = W.m[1][0] = -(factor * xy);
    const Matrix3<S> AW = A.z12 * W;
    node.z11 = A.z11;
    add(node.z11, AW * transposed(A.z12), 1.0);
    node.z12 = Matrix3<S>();
    add(node.z12, AW * B.z12, -1.0);
    node.z22 = B.z22;
    add(node.z22, transposed(B.z12) * (W * B.z12), 1.0);
  }

  /// T1 = root_W z10 keeps handle 1 at the ground (3.44).
  void set_root()
  {
    const Matrix3<S> & z = nodes_.back().z11;
    root_W_ = Matrix3<S>();
    if (!sliding_)
    {
      const S factor = -1.0 / (z.m[0][0] * z.m[1][1] - z.m[0][1] * z.m[1][0]);
      root_W_.m[0][0] = factor * z.m[1][1];
      root_W_.m[1][1] = factor * z.m[0][0];
      root_W_.m[0][1] = root_W_.m[1][0] = -(factor * z.m[0][1]);
      return;
    }
    // D = (n, e_w) with n normal to the axis.
    const double n[3] = {-axis_y_, axis_x_, 0.0};
    S nn(0.0), nw(0.0);
    for (int i = 0; i < 2; ++i)
    {
      nw += n[i] * z.m[i][2];
      for (int j = 0; j < 2; ++j)
      {
        nn += n[i] * n[j] * z.m[i][j];
      }
    }
    const S ww = z.m[2][2];
    const S factor = -1.0 / (nn * ww - nw * nw);
    for (int i = 0; i < 2; ++i)
    {
      for (int j = 0; j < 2; ++j)
      {
        root_W_.m[i][j] = n[i] * n[j] * factor * ww;
      }
      root_W_.m[i][2] = root_W_.m[2][i] = -(n[i] * factor * nw);
    }
    root_W_.m[2][2] = factor * nn;
  }

  std::vector<Node> nodes_;
  std::vector<int> sizes_, leaves_, top_;
  std::vector<Piece> pieces_;
  Matrix3<S> root_W_;
  bool sliding_;
  double axis_x_, axis_y_;
  Team * team_;
};

}  // namespace fivebar_control::multibody
