// SPDX-License-Identifier: Apache-2.0
#include "mujoco_model.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

MujocoModel load_mujoco_model(const std::string & mjcf)
{
  // Versions of MuJoCo differ in how they read from memory, not in how they read a file.
  const std::string path = fmt::format(
    "{}/fivebar_{}_{}.xml", std::filesystem::temp_directory_path().string(), getpid(),
    std::hash<std::string>{}(mjcf));
  write_file_atomically(path, mjcf);
  std::array<char, 1000> complaint{};
  MujocoModel model(mujoco_library().load_xml(
    path.c_str(), nullptr, complaint.data(), static_cast<int>(complaint.size())));
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (!model)
  {
    throw InputError(fmt::format("MuJoCo refuses the MJCF: {}", complaint.data()));
  }
  return model;
}

int mujoco_id(const mjModel & model, mjtObj type, const std::string & name)
{
  const int found = mujoco_library().name_to_id(&model, type, name.c_str());
  if (found < 0)
  {
    throw InputError(fmt::format("MuJoCo: the MJCF has no '{}'", name));
  }
  return found;
}

std::string mujoco_name()
{
  const int version = mujoco_library().version();
  // 222 is 2.2.2; from 3.3 on the last number has more digits (3003001).
  return version < 1000
           ? fmt::format("MuJoCo {}.{}.{}", version / 100, version / 10 % 10, version % 10)
           : fmt::format(
               "MuJoCo {}.{}.{}", version / 1000000, version / 1000 % 1000, version % 1000);
}

}  // namespace fivebar_control
