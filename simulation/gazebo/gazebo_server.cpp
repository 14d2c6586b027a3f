// SPDX-License-Identifier: Apache-2.0
// A Gazebo server in this process as a plant's engine; loaded by gazebo_engine.cpp.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gz/common/Console.hh>
#include <gz/sim/Server.hh>
#include <gz/sim/ServerConfig.hh>
#include <gz/sim/config.hh>
#include <limits>

#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_control/simulation/gazebo_description.hpp"
#include "fivebar_control/simulation/gazebo_engine.hpp"
#include "fivebar_control/simulation/outside_plant.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "hands.hpp"

namespace fivebar_control
{
namespace
{

/// Gazebo wants SIGINT and SIGTERM for itself; they stay with the program.
class KeptSignals
{
public:
  KeptSignals()
  {
    sigaction(SIGINT, nullptr, &interrupt_);
    sigaction(SIGTERM, nullptr, &terminate_);
  }
  ~KeptSignals()
  {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }
  KeptSignals(const KeptSignals &) = delete;
  KeptSignals & operator=(const KeptSignals &) = delete;

private:
  struct sigaction interrupt_
  {
  };
  struct sigaction terminate_
  {
  };
};

/// No other Gazebo is to hear this one, neither on this machine, unless its user says so, nor on
/// others.
void keep_to_itself()
{
  static const bool users = std::getenv("GZ_PARTITION") != nullptr;
  static int number = 0;
  if (!users)
  {
    setenv("GZ_PARTITION", fmt::format("fivebar_{}_{}", getpid(), ++number).c_str(), 1);
  }
  setenv("GZ_IP", "127.0.0.1", 0);
}

/// The world's model stands in a file beside it while it is read.
class ModelFile
{
public:
  explicit ModelFile(const std::string & urdf)
  : path_(fmt::format(
      "{}/fivebar_{}_{}.urdf", std::filesystem::temp_directory_path().string(), getpid(),
      std::hash<std::string>{}(urdf)))
  {
    write_file_atomically(path_, urdf);
  }
  ~ModelFile()
  {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ModelFile(const ModelFile &) = delete;
  ModelFile & operator=(const ModelFile &) = delete;
  const std::string & path() const { return path_; }

private:
  std::string path_;
};

class GazeboEngine : public PlantEngine
{
public:
  GazeboEngine(const RobotModel & planned, const PlantParameters & plant)
  : robot_(plant_model(planned, plant)),
    drives_(plant_drives(planned, plant)),
    home_(joint_states(robot_.kinematics(), robot_.parameters().home, Eigen::Vector2d::Zero())),
    hands_(std::make_shared<Hands>())
  {
    hands_->torque_gain = robot_.constants().torque_gain;
    hands_->cogging = plant.effects.cogging;
    hands_->home = robot_.parameters().home;
    keep_to_itself();
    gz::common::Console::SetVerbosity(1);
    GazeboOptions options;
    options.time_step = gazebo_step;
    options.watched = false;
    options.plant = plant;
    const ModelFile model(gazebo_urdf_of(planned, options));
    options.model_file = model.path();
    gz::sim::ServerConfig config;
    config.SetSdfString(gazebo_world_of(planned, options));
    const KeptSignals kept;
    server_ = std::make_unique<gz::sim::Server>(config);
    if (!server_->AddSystem(hands_).value_or(false))
    {
      throw InputError("Gazebo did not take the world of this robot");
    }
    // Without letting time pass: the loop is welded where it closes, at home.
    settle();
    settle();
    if (!hands_->found)
    {
      throw InputError("the model in Gazebo does not have the joints of this robot");
    }
  }

  void reset(const Eigen::Vector4d & state) override
  {
    const JointStates now = joint_states(robot_.kinematics(), state.head<2>(), state.tail<2>());
    lost_ = false;
    const auto turn = [](const std::array<double, 4> & of) {
      return of[1] + of[3] - of[0] - of[2];
    };
    for (std::size_t i = 0; i < now.angle.size(); ++i)
    {
      lost_ = lost_ || !std::isfinite(now.angle[i]);
      hands_->angle[i] = now.angle[i] - home_.angle[i];
      hands_->speed[i] = now.speed[i];
    }
    hands_->angle[4] = turn(now.angle) - turn(home_.angle);
    hands_->speed[4] = turn(now.speed);
    hands_->volts.setZero();
    hands_->to_be_put = !lost_;
    if (!lost_)
    {
      settle();
      watch_loop();
    }
  }

  void advance(const Eigen::Vector2d & volts, double duration) noexcept override
  {
    hands_->volts = volts;
    const long steps = std::lround(duration / gazebo_step);
    lost_ = lost_ || std::abs(static_cast<double>(steps) * gazebo_step - duration) > 1e-9;
    for (long i = 0; i < steps && !lost_; ++i)
    {
      step();
      lost_ = !state_of_joints().allFinite();
      watch_loop();
    }
  }

  Eigen::Vector4d state() const noexcept override
  {
    return lost_ ? Eigen::Vector4d::Constant(std::numeric_limits<double>::quiet_NaN())
                 : state_of_joints();
  }
  Eigen::Vector2d end_effector() const noexcept override { return end_of(0, 2, 0, 1); }
  double largest_loop_error() const noexcept override { return largest_loop_error_; }
  Eigen::Vector2d back_emf_constants() const noexcept override
  {
    return back_emf_of(robot_.physics());
  }
  const Drives & drives() const noexcept override { return drives_; }
  std::string name() const override { return "Gazebo Sim " GZ_SIM_VERSION_FULL; }

private:
  void step() noexcept
  {
    const KeptSignals kept;
    server_->Run(true, 1, false);
    hands_->look();
  }
  /// Gazebo does everything that a step does but lets no time pass.
  void settle()
  {
    const KeptSignals kept;
    server_->RunOnce(true);
    hands_->look();
  }

  Eigen::Vector4d state_of_joints() const noexcept
  {
    const Eigen::Vector2d home = robot_.parameters().home;
    return {
      home[0] + hands_->angle[0], home[1] + hands_->angle[1], hands_->speed[0], hands_->speed[1]};
  }

  /// Where a chain of a driven and a passive joint ends: at P, if the loop is closed.
  Eigen::Vector2d end_of(
    std::size_t driven, std::size_t passive, int motor, std::size_t distal) const noexcept
  {
    const Physics<double> & physics = robot_.physics();
    const auto along = [](double angle) {
      return Eigen::Vector2d(std::cos(angle), std::sin(angle));
    };
    const double first = home_.angle[driven] + hands_->angle[driven];
    const double second = first + home_.angle[passive] + hands_->angle[passive];
    const double length = physics.links[motor == 0 ? 0 : 3].length;
    return (motor == 0 ? physics.pivot_1 : physics.pivot_4) + length * along(first) +
           physics.links[distal].length * along(second);
  }

  void watch_loop() noexcept
  {
    largest_loop_error_ =
      std::max(largest_loop_error_, (end_of(0, 2, 0, 1) - end_of(1, 3, 1, 2)).norm());
  }

  RobotModel robot_;
  Drives drives_;
  JointStates home_;
  std::shared_ptr<Hands> hands_;
  std::unique_ptr<gz::sim::Server> server_;
  double largest_loop_error_ = 0.0;
  bool lost_ = true;
};

}  // namespace
}  // namespace fivebar_control

extern "C" __attribute__((visibility("default"))) fivebar_control::PlantEngine *
fivebar_make_gazebo_engine(
  const fivebar_control::RobotModel & robot, const fivebar_control::PlantParameters & plant)
{
  return new fivebar_control::GazeboEngine(robot, plant);
}
