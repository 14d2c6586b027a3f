// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "input_choice.hpp"
#include "input_cost.hpp"
#include "interval_model.hpp"
#include "sweep_row.hpp"

namespace fivebar_control
{

/// The backward sweep for one instruction set. Four intervals are linearised together; the
/// recursion itself goes node by node, with rows of eight numbers as two vectors of four.
template <class Arch>
class BackwardSweep
{
public:
  explicit BackwardSweep(const SweepData & data)
  : data_(data), constants_(broadcast<P>(*data.dynamics))
  {
  }

  SweepReport run()
  {
    const std::size_t last = data_.intervals;
    std::size_t i = last - last % 4;  // the pack that holds the last node
    IntervalModel<P> model;
    NodeModel<P> first = linearize_dynamics<P>(constants_, data_, i, model.transition);
    start_at_last_node(first, last - i);
    NodeModel<P> later = first;
    for (std::size_t lanes = last - i;; lanes = 4)
    {
      if (lanes > 0)
      {
        const NodeModel<P> second = shift(first, later);
        cost_gradients<P>(data_, i, first, second, model);
        if (data_.gains != nullptr)
        {
          cost_hessian<P>(data_, first, second, model);
        }
        for (std::size_t lane = lanes; lane-- > 0;)
        {
          step(i + lane, lane, model);
        }
      }
      if (i == 0)
      {
        break;
      }
      i -= 4;
      later = first;
      first = linearize_dynamics<P>(constants_, data_, i, model.transition);
    }
    finish_at_first_node();
    if (data_.input_step[0] != nullptr)
    {
      unroll();
    }
    return report_;
  }

private:
  using P = Pack<Arch>;
  using Row = SweepRow<Arch>;

  /// The step with its feedback through the linear model, forward. Linearises once more: keeping
  /// all transitions of the way back would double the memory of a plan.
  void unroll() const
  {
    // (dx, du) of a node and du of the next.
    double z[8] = {};
    z[4] = data_.input_step[0][0] = data_.gains[0].feedforward[0];
    z[5] = data_.input_step[1][0] = data_.gains[0].feedforward[1];
    for (std::size_t i = 0; i < data_.intervals; i += 4)
    {
      IntervalModel<P> model;
      linearize_dynamics<P>(constants_, data_, i, model.transition);
      for (std::size_t lane = 0; lane < 4 && i + lane < data_.intervals; ++lane)
      {
        const std::size_t next = i + lane + 1;
        for (std::size_t j = 0; j < 2; ++j)
        {
          z[6 + j] = data_.gains[next].feedforward[j];
          for (std::size_t c = 0; c < 6; ++c)
          {
            z[6 + j] += data_.gains[next].feedback[j][c] * z[c];
          }
          data_.input_step[j][next] = z[6 + j];
        }
        double moved[4] = {};
        for (std::size_t r = 0; r < 4; ++r)
        {
          for (std::size_t c = 0; c < 8; ++c)
          {
            moved[r] += model.transition[r][c].lane(lane) * z[c];
          }
        }
        for (std::size_t r = 0; r < 4; ++r)
        {
          z[r] = moved[r];
        }
        z[4] = z[6];
        z[5] = z[7];
      }
    }
  }

  /// Node models of the second nodes: those of the first nodes, moved by one lane.
  static NodeModel<P> shift(const NodeModel<P> & first, const NodeModel<P> & later)
  {
    const auto moved = [](const P & a, const P & b) {
#ifdef __clang__
      return P(__builtin_shufflevector(a.v, b.v, 1, 2, 3, 4));
#else
      using Mask = long long __attribute__((vector_size(32)));
      return P(__builtin_shuffle(a.v, b.v, Mask{1, 2, 3, 4}));
#endif
    };
    NodeModel<P> second;
    for (int r = 0; r < 4; ++r)
    {
      second.error[r] = moved(first.error[r], later.error[r]);
    }
    for (int r = 0; r < 2; ++r)
    {
      for (int c = 0; c < 2; ++c)
      {
        second.jp[r][c] = moved(first.jp[r][c], later.jp[r][c]);
        second.jv[r][c] = moved(first.jv[r][c], later.jv[r][c]);
      }
    }
    return second;
  }

  void start_at_last_node(const NodeModel<P> & nodes, std::size_t lane)
  {
    const double h = data_.step;
    const double running = (1.0 - data_.weights.alpha) * h / 3.0;
    const double wr = running + 2.0 * data_.weights.alpha;
    const double wv = running * data_.weights.beta;
    double jacobian[4][4] = {};
    double error[4];
    for (std::size_t r = 0; r < 2; ++r)
    {
      error[r] = nodes.error[r].lane(lane);
      error[2 + r] = nodes.error[2 + r].lane(lane);
      for (std::size_t c = 0; c < 2; ++c)
      {
        jacobian[r][c] = nodes.jp[r][c].lane(lane);
        jacobian[2 + r][c] = nodes.jv[r][c].lane(lane);
        jacobian[2 + r][2 + c] = nodes.jp[r][c].lane(lane);
      }
    }
    for (std::size_t r = 0; r < 4; ++r)
    {
      for (std::size_t a = 0; a < 4; ++a)
      {
        const double weighted = (a < 2 ? wr : wv) * jacobian[a][r];
        costate_[r] += weighted * error[a];
        for (std::size_t c = 0; c < 4; ++c)
        {
          value_[r].low[c] += weighted * jacobian[a][c];
        }
      }
      slope_[r] = costate_[r];
    }
  }

  /// From the value function of node i + 1 to that of node i.
  void step(std::size_t i, std::size_t lane, const IntervalModel<P> & model)
  {
    Row transition[4];
    for (std::size_t r = 0; r < 4; ++r)
    {
      for (std::size_t c = 0; c < 4; ++c)
      {
        transition[r].low[c] = model.transition[r][c].lane(lane);
        transition[r].high[c] = model.transition[r][4 + c].lane(lane);
      }
      const double middle = model.gradient_second[r].lane(lane);
      costate_[r] += middle;
      slope_[r] += middle;
    }
    const InputCost<Arch> inputs[2] = {
      InputCost<Arch>(data_, data_.input[0][i], data_.input[0][i + 1]),
      InputCost<Arch>(data_, data_.input[1][i], data_.input[1][i + 1])};

    // Discrete adjoint: total derivatives by the inputs and the state of node i.
    Row adjoint;
    for (std::size_t r = 0; r < 4; ++r)
    {
      adjoint.add_scaled(costate_[r], transition[r]);
    }
    for (std::size_t j = 0; j < 2; ++j)
    {
      gradient_of_node(i + 1, j, later_input_gradient_[j] + adjoint.high[2 + j] + inputs[j].g1);
      later_input_gradient_[j] = adjoint.high[j] + inputs[j].g0;
    }
    for (std::size_t r = 0; r < 4; ++r)
    {
      costate_[r] = adjoint.low[r] + model.gradient_first[r].lane(lane);
    }
    if (data_.gains != nullptr)
    {
      riccati_step(i, lane, model, transition, inputs);
    }
  }

  void riccati_step(
    std::size_t i, std::size_t lane, const IntervalModel<P> & model, const Row (&transition)[4],
    const InputCost<Arch> (&inputs)[2])
  {
    // w = Vxx T + Vxu E, with E selecting the second node's input from z.
    Row w[4];
    for (std::size_t r = 0; r < 4; ++r)
    {
      for (std::size_t c = 0; c < 4; ++c)
      {
        w[r].add_scaled(value_[r].low[c], transition[c]);
      }
      w[r].high[2] += value_[r].high[0];
      w[r].high[3] += value_[r].high[1];
    }
    // q = H + T' w + E' (Vux T + Vuu E); s its linear part.
    Row q[8];
    Row s;
    for (std::size_t r = 0; r < 8; ++r)
    {
      for (std::size_t c = 0; c < 4; ++c)
      {
        q[r].low[c] = (c >= r ? model.hessian[r][c] : model.hessian[c][r]).lane(lane);
        q[r].high[c] = (4 + c >= r ? model.hessian[r][4 + c] : model.hessian[4 + c][r]).lane(lane);
      }
    }
    for (std::size_t c = 0; c < 4; ++c)
    {
      for (std::size_t r = 0; r < 8; ++r)
      {
        q[r].add_scaled(transition[c][r], w[c]);
      }
      s.add_scaled(slope_[c], transition[c]);
      q[6].add_scaled(value_[c].high[0], transition[c]);
      q[7].add_scaled(value_[c].high[1], transition[c]);
      s.low[c] += model.gradient_first[c].lane(lane);
    }
    for (std::size_t j = 0; j < 2; ++j)
    {
      q[6 + j].high[2] += value_[4 + j].high[0];
      q[6 + j].high[3] += value_[4 + j].high[1];
      q[4 + j].add(4 + j, inputs[j].h00);
      q[4 + j].add(6 + j, inputs[j].h01);
      q[6 + j].add(4 + j, inputs[j].h01);
      q[6 + j].add(6 + j, inputs[j].h11);
      s.add(4 + j, inputs[j].g0);
      s.add(6 + j, slope_[4 + j] + inputs[j].g1);
    }
    eliminate(i + 1, q, s);
  }

  /// The step and the feedback of a node, which has none from its own inputs.
  void store_gain(std::size_t node, const double (&du)[2], Row (&feedback)[2]) const
  {
    NodeGain & gain = data_.gains[node];
    for (std::size_t j = 0; j < 2; ++j)
    {
      feedback[j].high[2] = 0.0;
      feedback[j].high[3] = 0.0;
      gain.feedforward[j] = du[j];
      for (std::size_t c = 0; c < 6; ++c)
      {
        gain.feedback[j][c] = feedback[j][c];
      }
    }
  }

  /// Minimises over the input of node `node` (entries 6 and 7), stores the gain and leaves the
  /// value function of the node before.
  void eliminate(std::size_t node, const Row (&q)[8], const Row & s)
  {
    const double quu[3] = {q[6][6], q[6][7], q[7][7]};
    const double su[2] = {s[6], s[7]};
    double du[2];
    int side[2];
    Row feedback[2];
    const auto curvature = choice_.regularized(quu);
    report_.convex = choice_.choose(node, curvature, su, du, side) && report_.convex;
    if (side[0] == 0 && side[1] == 0)
    {
      const double inverse = 1.0 / curvature.determinant;
      feedback[0].add_scaled(-curvature.q2 * inverse, q[6]);
      feedback[0].add_scaled(curvature.q1 * inverse, q[7]);
      feedback[1].add_scaled(-curvature.q0 * inverse, q[7]);
      feedback[1].add_scaled(curvature.q1 * inverse, q[6]);
    }
    else
    {
      for (std::size_t j = 0; j < 2; ++j)
      {
        if (side[j] == 0)
        {
          feedback[j].add_scaled(-1.0 / curvature.of(j), q[6 + j]);
        }
        else
        {
          ++report_.active_bounds;
        }
      }
    }
    store_gain(node, du, feedback);
    const double curved[2] = {quu[0] * du[0] + quu[1] * du[1], quu[1] * du[0] + quu[2] * du[1]};
    report_.linear_decrease += su[0] * du[0] + su[1] * du[1];
    report_.quadratic_decrease += curved[0] * du[0] + curved[1] * du[1];

    // V = Qzz + Qzu K + K' (Quu K + Quz), v = sz + Qzu k + K' (Quu k + su): valid for any K, k.
    Row rest[2] = {q[6], q[7]};
    rest[0].add_scaled(quu[0], feedback[0]);
    rest[0].add_scaled(quu[1], feedback[1]);
    rest[1].add_scaled(quu[1], feedback[0]);
    rest[1].add_scaled(quu[2], feedback[1]);
    const double force[2] = {curved[0] + su[0], curved[1] + su[1]};
    for (std::size_t r = 0; r < 6; ++r)
    {
      Row row = q[r];
      row.add_scaled(q[6][r], feedback[0]);
      row.add_scaled(q[7][r], feedback[1]);
      row.add_scaled(feedback[0][r], rest[0]);
      row.add_scaled(feedback[1][r], rest[1]);
      value_[r] = row;
      slope_[r] = s[r] + q[6][r] * du[0] + q[7][r] * du[1] + feedback[0][r] * force[0] +
                  feedback[1][r] * force[1];
    }
  }

  void gradient_of_node(std::size_t node, std::size_t j, double value)
  {
    data_.gradient[j][node] = value;
    if (choice_.blocking_side(node, j, value) == 0)
    {
      squared_gradient_ += value * value;
    }
  }

  void finish_at_first_node()
  {
    for (std::size_t j = 0; j < 2; ++j)
    {
      gradient_of_node(0, j, later_input_gradient_[j]);
    }
    report_.projected_gradient = __builtin_sqrt(squared_gradient_);
    if (data_.gains == nullptr)
    {
      return;
    }
    const double quu[3] = {value_[4][4], value_[4][5], value_[5][5]};
    const double su[2] = {slope_[4], slope_[5]};
    double du[2];
    int side[2];
    report_.convex = choice_.choose(0, choice_.regularized(quu), su, du, side) && report_.convex;
    for (std::size_t j = 0; j < 2; ++j)
    {
      data_.gains[0].feedforward[j] = du[j];
      report_.active_bounds += side[j] != 0 ? 1U : 0U;
      report_.linear_decrease += su[j] * du[j];
    }
    report_.quadratic_decrease +=
      quu[0] * du[0] * du[0] + 2.0 * quu[1] * du[0] * du[1] + quu[2] * du[1] * du[1];
  }

  const SweepData & data_;
  InputChoice<Arch> choice_{data_};
  DynamicsConstants<P> constants_;
  SweepReport report_;
  Row value_[6];            // V of (dx, du) at the current node, rows of eight
  double slope_[6] = {};    // its linear part
  double costate_[4] = {};  // dJ/dx of the current node
  double later_input_gradient_[2] =
    {};  // part of dJ/du of the current node from the interval after
  double squared_gradient_ = 0.0;
};

}  // namespace fivebar_control
