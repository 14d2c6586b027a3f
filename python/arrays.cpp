// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fivebar_python
{
namespace
{

void require_finite(const std::vector<double> & values, const char * name)
{
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
  {
    throw std::invalid_argument(fmt::format("{}: expected finite numbers only", name));
  }
}

std::string shape_of(const Numbers & numbers)
{
  std::string text;
  for (py::ssize_t i = 0; i < numbers.ndim(); ++i)
  {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers.shape(i));
  }
  return "(" + text + ")";
}

}  // namespace

py::array two_rows(const double * u1, const double * u4, std::size_t count)
{
  py::array_t<double> array({static_cast<py::ssize_t>(2), static_cast<py::ssize_t>(count)});
  std::copy_n(u1, count, array.mutable_data(0, 0));
  std::copy_n(u4, count, array.mutable_data(1, 0));
  return array;
}

std::array<std::vector<double>, 2> read_voltages(const Numbers & voltages, std::size_t count)
{
  if (
    voltages.ndim() != 2 || voltages.shape(0) != 2 ||
    voltages.shape(1) != static_cast<py::ssize_t>(count))
  {
    throw std::invalid_argument(fmt::format(
      "voltages: expected an array of shape (2, {}), u1 and u4 at each time, got shape {}", count,
      shape_of(voltages)));
  }
  std::array<std::vector<double>, 2> rows;
  for (std::size_t i = 0; i < 2; ++i)
  {
    const double * row = voltages.data() + i * count;
    rows[i].assign(row, row + count);
    require_finite(rows[i], "voltages");
  }
  return rows;
}

std::vector<double> read_row(const Numbers & numbers, const char * name)
{
  if (numbers.ndim() != 1 || numbers.size() == 0)
  {
    throw std::invalid_argument(
      fmt::format("{}: expected one row of numbers, got shape {}", name, shape_of(numbers)));
  }
  std::vector<double> row(numbers.data(), numbers.data() + numbers.size());
  require_finite(row, name);
  return row;
}

py::object to_pandas(const py::object & owner, const std::vector<std::string> & names)
{
  py::dict columns;
  for (const std::string & name : names)
  {
    columns[py::str(name)] = owner.attr(name.c_str());
  }
  return py::module_::import("fivebar._pandas").attr("frame")(columns);
}

}  // namespace fivebar_python
