// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mujoco/mujoco.h>

namespace fivebar_control
{

/// The functions of MuJoCo that are used, from the library as it is found at run time.
struct MujocoLibrary
{
  decltype(&::mj_version) version;
  decltype(&::mj_loadXML) load_xml;
  decltype(&::mj_deleteModel) delete_model;
  decltype(&::mj_makeData) make_data;
  decltype(&::mj_deleteData) delete_data;
  decltype(&::mj_resetData) reset_data;
  decltype(&::mj_forward) forward;
  decltype(&::mj_kinematics) kinematics;
  decltype(&::mj_step) step;
  decltype(&::mj_name2id) name_to_id;
  mjfGeneric * passive_force_callback;  ///< the variable mjcb_passive
};

/// Loads it once; stays loaded. Throws InputError if it is missing or has another version than the
/// headers of this build, whose structures it would misread.
const MujocoLibrary & mujoco_library();

}  // namespace fivebar_control
