#pragma once

#include <array>
#include <memory>
#include <string>

#include "fivebar_control/hardware/comedi_card.hpp"
#include "fivebar_control/hardware/hil_card.hpp"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/hardware/serial_board.hpp"
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
  double counts_per_turn() const
  {
    return counts_per_revolution * gear * (encoder_reversed ? -1 : 1);
  }
};

enum class HomingMethod
{
  known_pose,   ///< the links stand at `angle` (when powered up, or when opened)
  index_pulse,  ///< the encoder's index mark is at `angle`
  end_stop,     ///< the mechanical stop is at `angle`
};

struct Homing
{
  HomingMethod method = HomingMethod::known_pose;
  bool at_open = false;                             ///< known_pose: now rather than at zero counts
  Eigen::Vector2d angle = Eigen::Vector2d::Zero();  ///< rad
  Eigen::Vector2d voltage =
    Eigen::Vector2d::Zero();  ///< V that moves the links there, with its sign
  double still_time = 0.15;   ///< s without a count: the stop is reached
  double timeout = 5.0;       ///< s per joint
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
};

/// Reads and validates; throws InputError with file, line, column and key. Angles that the file
/// does not give for a known pose are the robot's home.
Calibration load_calibration(const std::string & path, const RobotModel & robot);
Calibration parse_calibration(
  const std::string & text, const std::string & name, const RobotModel & robot);

/// A device with its calibration: volts at the motors, angles of the links. Homing is part of
/// open(), and may move the robot if the calibration says so.
class CalibratedHardware : public MotorHardware
{
public:
  CalibratedHardware(std::unique_ptr<MotorHardware> device, const Calibration & calibration);

  HardwareError open() override;
  HardwareError arm() override { return device_->arm(); }
  HardwareError read(MotorSample & sample) noexcept override { return device_->read(sample); }
  HardwareError write(const Eigen::Vector2d & volts) noexcept override;
  Eigen::Vector2d terminal_volts(const Eigen::Vector2d & volts) const noexcept override;
  HardwareError disarm() noexcept override { return device_->disarm(); }
  void close() noexcept override { device_->close(); }
  Encoder encoder() const override { return encoder_; }
  HardwareClock clock() const override { return device_->clock(); }
  std::string description() const override { return device_->description(); }
  const LinkStatistics * statistics() const override { return device_->statistics(); }
  std::string explanation() const override;

private:
  HardwareError home();
  HardwareError first_sample(MotorSample & sample);
  HardwareError search(std::size_t joint, std::int64_t & counts);
  void set_zero(std::size_t joint, std::int64_t counts);

  std::unique_ptr<MotorHardware> device_;
  Calibration calibration_;
  Encoder encoder_;
  std::string complaint_;
};

/// The device that `name` stands for, with its calibration: "serial:DEVICE", "hil:CARD[:ID]",
/// "comedi:DEVICE". Null if the name is none of these; throws InputError if it is not complete.
std::unique_ptr<MotorHardware> make_device(
  const std::string & name, const Calibration & calibration);

/// "serial", "hil", "comedi": also the name of its file in config/hardware. Empty for others.
std::string device_kind(const std::string & name);

}  // namespace fivebar_control
