// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace fivebar_python
{

namespace py = pybind11;

// One function per topic, so that each source compiles quickly.
void bind_errors(py::module_ & module);
void bind_robot(py::module_ & module);
void bind_request(py::module_ & module);
void bind_plan(py::module_ & module);
void bind_problem(py::module_ & module);
void bind_run(py::module_ & module);
void bind_sensitivity(py::module_ & module);

}  // namespace fivebar_python
