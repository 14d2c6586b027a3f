// SPDX-License-Identifier: Apache-2.0
#include "mujoco_library.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

/// MuJoCo's own handler waits for the return key, its handler of warnings writes a file into the
/// current folder. Neither suits a program without a user; warnings are read from mjData.
[[noreturn]] void end_with_message(const char * message)
{
  std::fprintf(stderr, "fivebar: MuJoCo: %s\n", message);
  std::_Exit(4);  // a hardware fault; MuJoCo allows no way back from here
}
void ignore_warning(const char *) {}

template <class Pointer>
void find(void * library, const char * name, Pointer & pointer)
{
  pointer = reinterpret_cast<Pointer>(dlsym(library, name));
  if (pointer == nullptr)
  {
    throw InputError(fmt::format("MuJoCo: {} has no {}", FIVEBAR_MUJOCO_FILE, name));
  }
}

MujocoLibrary load()
{
  void * library = dlopen(FIVEBAR_MUJOCO_FILE, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
  {
    throw InputError(fmt::format(
      "MuJoCo: the library cannot be loaded ({}); install it (Debian: libmujoco2.2.2, or "
      "libmujoco-dev) or name its folder in LD_LIBRARY_PATH",
      dlerror()));
  }
  MujocoLibrary found{};
  find(library, "mj_version", found.version);
  if (found.version() != mjVERSION_HEADER)
  {
    throw InputError(fmt::format(
      "MuJoCo: {} is version {}, this program was built for {}; build it again",
      FIVEBAR_MUJOCO_FILE, found.version(), mjVERSION_HEADER));
  }
  find(library, "mj_loadXML", found.load_xml);
  find(library, "mj_deleteModel", found.delete_model);
  find(library, "mj_makeData", found.make_data);
  find(library, "mj_deleteData", found.delete_data);
  find(library, "mj_resetData", found.reset_data);
  find(library, "mj_forward", found.forward);
  find(library, "mj_kinematics", found.kinematics);
  find(library, "mj_step", found.step);
  find(library, "mj_name2id", found.name_to_id);
  find(library, "mjcb_passive", found.passive_force_callback);
  void (**on_error)(const char *) = nullptr;
  void (**on_warning)(const char *) = nullptr;
  find(library, "mju_user_error", on_error);
  find(library, "mju_user_warning", on_warning);
  *on_error = end_with_message;
  *on_warning = ignore_warning;
  return found;
}

}  // namespace

const MujocoLibrary & mujoco_library()
{
  static const MujocoLibrary library = load();
  return library;
}

}  // namespace fivebar_control
