// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>

#include <array>
#include <string>
#include <vector>

#include "bind.hpp"

namespace fivebar_python
{

/// Numbers from the user: lists and arrays of any type and layout become doubles in rows.
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A read-only array on memory that `owner` owns; it keeps the owner alive.
template <class Value>
py::array view(const Value * data, std::vector<py::ssize_t> shape, py::handle owner)
{
  py::array_t<Value> array(std::move(shape), data, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

template <class Value>
py::array view(const std::vector<Value> & values, py::handle owner)
{
  return view(values.data(), {static_cast<py::ssize_t>(values.size())}, owner);
}

/// A new array of u1 in the first row and u4 in the second.
py::array two_rows(const double * u1, const double * u4, std::size_t count);

/// The two rows u1 and u4 [V] of a user's array. Throws std::invalid_argument unless its shape is
/// (2, count) and all of it is finite.
std::array<std::vector<double>, 2> read_voltages(const Numbers & voltages, std::size_t count);

/// One row of finite numbers. Throws std::invalid_argument that names it otherwise.
std::vector<double> read_row(const Numbers & numbers, const char * name);

/// The attributes of these names as columns of a pandas.DataFrame. Throws ImportError with a hint.
py::object to_pandas(const py::object & owner, const std::vector<std::string> & names);

}  // namespace fivebar_python
