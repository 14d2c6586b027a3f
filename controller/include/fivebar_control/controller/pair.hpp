#pragma once

#include <Eigen/Core>
#include <array>

namespace fivebar_control
{

/// What the controller computes with, as records, messages and hardware take it.
inline std::array<double, 2> pair(const Eigen::Vector2d & vector) { return {vector[0], vector[1]}; }

}  // namespace fivebar_control
