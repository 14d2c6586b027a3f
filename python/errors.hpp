#pragma once

#include <stdexcept>

namespace fivebar_python
{

/// Voltages under which the robot cannot move on: fivebar.LeavesWorkspace in Python.
class LeavesWorkspace : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

}  // namespace fivebar_python
