// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"
#include "fivebar_control/support/package_version.hpp"

PYBIND11_MODULE(_fivebar, module)
{
  using namespace fivebar_python;
  module.doc() = "The compiled part of fivebar; import fivebar instead.";
  module.attr("__version__") = fivebar_control::package_version();
  bind_errors(module);
  bind_robot(module);
  bind_request(module);
  bind_plan(module);
  bind_problem(module);
  bind_run(module);
  bind_sensitivity(module);
}
