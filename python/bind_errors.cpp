// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <exception>

#include "bind.hpp"
#include "fivebar_control/model/kinematics.hpp"
#include "fivebar_control/multibody/problem.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_python
{
namespace
{

/// A message quotes parts of files, which may be any bytes.
py::str text_of(const char * bytes)
{
  return py::reinterpret_steal<py::str>(
    PyUnicode_DecodeUTF8(bytes, static_cast<Py_ssize_t>(std::strlen(bytes)), "replace"));
}

/// Sets Python's current error to fivebar.<name>(message, **attributes).
void raise(const char * name, const char * message, const py::dict & attributes = {})
{
  const py::object type = py::module_::import("fivebar._errors").attr(name);
  const py::object error = type(text_of(message), **attributes);
  PyErr_SetObject(type.ptr(), error.ptr());
}

py::object known(int number) { return number > 0 ? py::object(py::int_(number)) : py::none(); }

void translate(std::exception_ptr thrown)
{
  using namespace fivebar_control;
  if (!thrown)
  {
    return;
  }
  try
  {
    std::rethrow_exception(thrown);
  }
  catch (const InputError & error)
  {
    py::dict where;
    const FileLocation & place = error.where();
    where["file"] = place.file.empty() ? py::object(py::none()) : text_of(place.file.c_str());
    where["line"] = known(place.line);
    where["column"] = known(place.column);
    where["key"] = error.key().empty() ? py::object(py::none()) : text_of(error.key().c_str());
    raise("InputError", error.what(), where);
  }
  catch (const LeavesWorkspace & error)
  {
    py::dict when;
    when["time"] = error.time ? py::object(py::float_(*error.time)) : py::none();
    raise("LeavesWorkspace", error.what(), when);
  }
  catch (const multibody::MechanismError & error)
  {
    raise("MechanismError", error.what());
  }
  catch (const NotReachable & error)
  {
    raise("NotReachable", error.what());
  }
  catch (const HardwareFailure & error)
  {
    raise("HardwareFailure", error.what());
  }
  catch (const Error & error)
  {
    raise("Error", error.what());
  }
}

}  // namespace

void bind_errors(py::module_ &) { py::register_local_exception_translator(translate); }

}  // namespace fivebar_python
