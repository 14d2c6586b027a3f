// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep_data.hpp"

namespace fivebar_control
{

/// Soft limit, rate term and rate barrier of an interval: gradient and Hessian by (u0, u1) of one
/// motor. A template on the instruction set, as all that the kernels share.
template <class Arch>
struct InputCost
{
  double g0 = 0.0, g1 = 0.0, h00 = 0.0, h01 = 0.0, h11 = 0.0;

  InputCost(const SweepData & data, double u0, double u1)
  {
    const CostWeights & w = data.weights;
    if (w.gamma > 0.0)
    {
      const double scale = w.gamma * data.step / 6.0;
      const double e0 = excess(w, u0);
      const double e1 = excess(w, u1);
      const double em = excess(w, 0.5 * (u0 + u1));
      const double m = em != 0.0 ? scale : 0.0;
      g0 = scale * (e0 + 2.0 * em);
      g1 = scale * (e1 + 2.0 * em);
      h00 = (e0 != 0.0 ? scale : 0.0) + m;
      h11 = (e1 != 0.0 ? scale : 0.0) + m;
      h01 = m;
    }
    if (w.rho > 0.0)
    {
      const double scale = 2.0 * w.rho / data.step;
      g0 += scale * (u0 - u1);
      g1 += scale * (u1 - u0);
      h00 += scale;
      h11 += scale;
      h01 -= scale;
    }
    if (data.bounds.rate_barrier > 0.0)
    {
      const double reach = data.bounds.voltage_rate * data.step;
      const double to_high = 1.0 / (reach - (u1 - u0));
      const double to_low = 1.0 / (reach + (u1 - u0));
      const double slope = data.bounds.rate_barrier * (to_high - to_low);
      const double curvature = data.bounds.rate_barrier * (to_high * to_high + to_low * to_low);
      g0 -= slope;
      g1 += slope;
      h00 += curvature;
      h11 += curvature;
      h01 -= curvature;
    }
  }

private:
  static double excess(const CostWeights & weights, double u)
  {
    const double limit = weights.soft_voltage;
    return u > limit ? u - limit : (u < -limit ? u + limit : 0.0);
  }
};

}  // namespace fivebar_control
