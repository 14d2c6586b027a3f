// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>

#include "fivebar_control/hardware/comedi_card.hpp"
#include "fivebar_control/hardware/hil_card.hpp"
#include "fivebar_control/hardware/homing.hpp"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/hardware/serial_board.hpp"
#include "fivebar_control/hardware/zero_memory.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// Between one link and its motor and encoder.
struct JointCalibration
{
  double counts_per_revolution = 4096.0;  ///< of the encoder, all edges
  double gear = 1.0;                      ///< encoder revolutions per link revolution
  bool encoder_reversed = false;          ///< counts fall when the link turns counter-clockwise
  bool motor_reversed = false;            ///< positive output turns the link clockwise
  double offset = 0.0;                    ///< rad, added to every angle
  double output_per_volt = 1.0;           ///< volts at the device's output per volt at the motor
  double output_limit = 10.0;             ///< V at the device's output
  double dead_band = 0.0;                 ///< V at the motor below which nothing moves
  double dead_band_width = 0.05;          ///< V over which its compensation comes in
  double voltage_limit = 1000.0;          ///< V at the motor: the robot's, whatever the rest says

  /// Volts at the device's output for `volts` at the motor: gain and sign of
  /// volts + dead_band * sat(volts / dead_band_width), limited.
  double output(double volts) const noexcept;
  /// Volts that the motor gets then.
  double terminal(double volts) const noexcept;
  /// V at the device's output, the most that is ever asked for.
  double largest_output() const noexcept;
  double counts_per_turn() const
  {
    return counts_per_revolution * gear * (encoder_reversed ? -1 : 1);
  }
};

/// Everything that config/hardware/*.yaml holds.
struct Calibration
{
  std::string name;
  std::array<JointCalibration, 2> joints;
  Homing homing;
  SerialSettings serial;
  HilSettings hil;
  ComediSettings comedi;
  std::shared_ptr<const RobotModel> robot{};  ///< whose limits hold while homing

  /// 16 hexadecimal digits over all that turns counts into angles; names and connections are not
  /// part of it.
  std::string fingerprint() const;
};

/// Reads and validates; throws InputError with file, line, column and key. Angles that the file
/// does not give for a known pose are the robot's home.
Calibration load_calibration(const std::string & path, const RobotModel & robot);
Calibration parse_calibration(
  const std::string & text, const std::string & name, const RobotModel & robot);

/// Where the zero of the encoders is remembered from run to run, and what the user says about it.
struct ZeroOptions
{
  std::string folder{};  ///< empty: nothing is remembered, and a known pose is taken for granted
  bool homed = false;    ///< the user says that the links stand where the calibration says
};

/// A device with its calibration: volts at the motors, angles of the links. open() moves nothing;
/// a known pose must be remembered from this session of the device, or be confirmed by the user.
/// home() moves the links if the calibration says so, within the limits of the robot.
class CalibratedHardware : public MotorHardware
{
public:
  CalibratedHardware(
    std::unique_ptr<MotorHardware> device, const Calibration & calibration,
    const ZeroOptions & zero = {});

  HardwareError open() override;
  HardwareError home(const HomingCalls & calls) override;
  bool is_homed() const noexcept override { return homed_; }
  HardwareError arm() override;
  HardwareError read(MotorSample & sample) noexcept override;
  HardwareError write(const Eigen::Vector2d & volts) noexcept override;
  Eigen::Vector2d terminal_volts(const Eigen::Vector2d & volts) const noexcept override;
  OutputLine output_line(int joint) const override;
  BoardPlayer * player() noexcept override { return homed_ ? device_->player() : nullptr; }
  HardwareError disarm() noexcept override { return device_->disarm(); }
  void close() noexcept override;
  bool confirms_zero() noexcept override { return device_->confirms_zero(); }
  std::optional<std::uint32_t> session() const override { return device_->session(); }
  std::optional<double> full_scale() const override { return device_->full_scale(); }
  void doubt_zero() noexcept override;
  Encoder encoder() const override { return encoder_; }
  HardwareClock clock() const override { return device_->clock(); }
  std::string description() const override { return device_->description(); }
  const LinkStatistics * statistics() const override { return device_->statistics(); }
  std::string explanation() const override;

private:
  /// For the zero of one joint.
  struct Search
  {
    HomingSearch motion;
    std::size_t joint = 0;
    HomingSearch::State state = HomingSearch::State::searching;
    HardwareError read_error = HardwareError::none;
    int failed_reads = 0;
    std::int64_t before_ns = 0;  ///< when the sample before was taken
  };

  HardwareError take_known_pose();
  bool recall_zero();
  HardwareError compare_full_scale();
  void remember_zero(bool certain) noexcept;
  HardwareError first_sample(MotorSample & sample);
  HardwareError find(std::size_t joint, const HomingCalls & calls);
  HardwareError step(Search & search, const HomingCalls & calls);
  HardwareError judge(Search & search, const MotorSample & sample, bool stop);
  void pause();
  void set_zero(std::size_t joint, std::int64_t counts, double angle);

  std::unique_ptr<MotorHardware> device_;
  Calibration calibration_;
  ZeroMemory memory_;
  bool homed_by_user_;
  bool homed_ = false;  ///< since it was opened
  bool doubted_ = false;
  MotorSample last_;
  Encoder encoder_;
  std::string complaint_;
};

/// The device that `name` stands for, with its calibration: "serial:DEVICE", "hil:CARD[:ID]",
/// "comedi:DEVICE". Null if the name is none of these; throws InputError if it is not complete.
std::unique_ptr<MotorHardware> make_device(
  const std::string & name, const Calibration & calibration, const ZeroOptions & zero = {});

/// "serial", "hil", "comedi": also the name of its file in config/hardware. Empty for others.
std::string device_kind(const std::string & name);

}  // namespace fivebar_control
