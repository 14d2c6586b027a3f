// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>

#include "fivebar_control/multibody/mechanism.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"

namespace fivebar_control::multibody
{

/// Reads the parts of a mechanism file. Names become indices here, and every number whose path is
/// listed under `parameters` becomes an entry of theta.
class MechanismReader
{
public:
  explicit MechanismReader(const YamlMap & yaml) : yaml_(yaml) {}

  MechanismFile read();

private:
  // mechanism_parts.cpp: what moves
  void read_places();
  void read_rods();
  void read_bodies();
  void read_shafts();
  void read_joints(const YamlMap & owner, const std::string & prefix, Mechanism & mechanism);
  Joint read_joint(const YamlMap & map, const std::string & path);
  std::shared_ptr<const DriveTable> read_drive_table(
    const YamlMap & drive, const std::string & path);
  int shaft(const YamlMap & map) const;
  std::array<double, 2> start_of(const Anchor & anchor) const;

  // mechanism_chain.cpp: many pendula at once
  void read_pendula();
  void hang_pendula();

  // mechanism_space.cpp: spatial bodies and joints
  void read_space();
  void read_spatial_body(const YamlMap & one, const std::string & name);
  void read_spatial_joints();
  SpatialJoint read_spatial_joint(const YamlMap & one, const std::string & name);
  void name_rows();
  void read_drives();
  void add_closures(const YamlMap & mode, Mechanism & mechanism);
  std::pair<int, int> joint_component(const YamlMap & map) const;
  void read_joint_spring(const YamlMap & one, const std::string & path);
  void read_joint_motor(const YamlMap & one, const std::string & path);
  std::array<Value, 3> triple(
    const YamlMap & map, const std::string & path, const std::string & key,
    const NumberRule & rule);

  // mechanism_forces.cpp: what moves it
  void read_inputs();
  void read_forces();
  template <class Read>
  void each(const char * section, Read && read);
  void read_spring(const YamlMap & one, const std::string & path);
  void read_torsion_spring(const YamlMap & one, const std::string & path);
  void read_friction(const YamlMap & one, const std::string & path);
  void read_load(const YamlMap & one, const std::string & path);
  void read_motor(const YamlMap & one, const std::string & path);

  // mechanism_reader.cpp: numbers and names
  void read_moving_parts();
  Value value(
    const YamlMap & map, const std::string & path, const std::string & key,
    const NumberRule & rule);
  Value value_or(
    const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule,
    double fallback);
  /// A number, or the name of an input.
  Value value_or_input(
    const YamlMap & map, const std::string & path, const std::string & key,
    const NumberRule & rule);
  std::array<Value, 2> pair(
    const YamlMap & map, const std::string & path, const std::string & key,
    const NumberRule & rule);
  Value registered(const std::string & path, double number);
  Anchor anchor(const YamlMap & map, const std::string & key, const std::string & name) const;
  std::array<Anchor, 2> anchors(const YamlMap & map, const std::string & key) const;
  int coordinate(const YamlMap & map, const std::string & key, const std::string & name) const;

  // mechanism_questions.cpp: what is asked
  void read_modes(MechanismFile & file);
  void leave_out_redundant(MechanismFile & file, const std::vector<int> & rows) const;
  VectorD provisional_theta() const;
  void read_initial(MechanismFile & file);
  void read_equilibrium(MechanismFile & file, const VectorD & estimate);
  void read_costs(MechanismFile & file);
  void read_events(MechanismFile & file);
  Hold read_hold(const YamlMap & one, const std::string & path);
  Quantity quantity(const YamlMap & map, bool accelerations);
  std::shared_ptr<const EventFunction> threshold(const YamlMap & map, const std::string & path);

  // mechanism_settings.cpp: parameters and how to compute
  void read_parameters();
  void read_settings(MechanismFile & file);
  void read_stages(MechanismFile & file) const;
  void read_penalty(Settings & settings) const;
  void read_alpha_method(Settings & settings) const;
  void read_independent(MechanismFile & file);
  void finish(MechanismFile & file);
  void read_bounds(Problem & problem) const;

  const YamlMap & yaml_;
  Mechanism mechanism_;
  std::shared_ptr<const Mechanism> shared_;
  std::map<std::string, Anchor> anchors_;
  std::map<std::string, int> shafts_;
  std::map<std::string, int> bodies_;
  std::map<std::string, std::size_t> rods_;
  std::map<std::string, int> spatial_joints_;
  int first_drive_row_ = 0;
  std::vector<Hold> pendulum_holds_;
  bool reactions_known_ = true;  ///< no constraint is redundant
  std::map<std::string, int> modes_;
  std::map<std::string, std::pair<int, int>> joint_rows_;  ///< first multiplier and count
  std::map<std::string, int> inputs_;                      ///< index among the inputs
  std::vector<double> start_;                              ///< estimate of q

  std::vector<std::string> parameter_paths_;   ///< structural ones
  std::vector<std::string> input_parameters_;  ///< inputs whose nodes are parameters
  std::map<std::string, int> parameter_index_;
  std::vector<std::optional<double>> nominal_;
  std::vector<Input> input_signals_;
  std::vector<std::string> input_names_;
};

}  // namespace fivebar_control::multibody
