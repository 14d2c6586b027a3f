// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "mujoco_library.hpp"

namespace fivebar_control
{

struct MujocoModelDeleter
{
  void operator()(mjModel * model) const { mujoco_library().delete_model(model); }
};
struct MujocoDataDeleter
{
  void operator()(mjData * data) const { mujoco_library().delete_data(data); }
};
using MujocoModel = std::unique_ptr<mjModel, MujocoModelDeleter>;
using MujocoData = std::unique_ptr<mjData, MujocoDataDeleter>;

/// Throws InputError with MuJoCo's complaint.
MujocoModel load_mujoco_model(const std::string & mjcf);

/// The number of something by its name; throws InputError if the model has none.
int mujoco_id(const mjModel & model, mjtObj type, const std::string & name);

/// "MuJoCo 3.2.7".
std::string mujoco_name();

}  // namespace fivebar_control
