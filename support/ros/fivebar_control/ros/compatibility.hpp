// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hardware_interface/version.h>
#include <hardware_interface/handle.hpp>
#include <hardware_interface/hardware_info.hpp>

#include <hardware_interface/loaned_command_interface.hpp>
#include <hardware_interface/loaned_state_interface.hpp>
#include <hardware_interface/types/hardware_interface_return_values.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <rclcpp/duration.hpp>
#include <rclcpp/logger.hpp>
#include <rclcpp/time.hpp>
#include <string>
#include <vector>

#if __has_include(<realtime_tools/realtime_publisher.hpp>)
#include <realtime_tools/realtime_publisher.hpp>
#else
#include <realtime_tools/realtime_publisher.h>
#endif

#if __has_include(<realtime_tools/lock_free_queue.hpp>)
#include <realtime_tools/lock_free_queue.hpp>
#else
#include <boost/lockfree/spsc_queue.hpp>
#endif

// The one place that knows how the distributions differ: Humble has hardware_interface 2, Jazzy 4,
// Kilted 5, Lyrical 6. Where a function only gained a variant, the compiler is asked for it; the
// version decides where a signature to override or the owner of the values changed.

// From 4.18 on, which Jazzy got in an update, the framework owns the values of a hardware's
// interfaces; before, the hardware does and hands out pointers.
#if HARDWARE_INTERFACE_VERSION_GTE(4, 18, 0)
#define FIVEBAR_FRAMEWORK_OWNS_VALUES 1
#else
#define FIVEBAR_FRAMEWORK_OWNS_VALUES 0
#endif

// The same for the reference interfaces of chainable controllers. It came to three lines of
// versions at the same time: 4.44 (Jazzy), 5.13 (Kilted) and 6.5 (Lyrical).
#if HARDWARE_INTERFACE_VERSION_GTE(6, 5, 0) ||                                              \
  (HARDWARE_INTERFACE_VERSION_GTE(5, 13, 0) && !HARDWARE_INTERFACE_VERSION_GTE(6, 0, 0)) || \
  (HARDWARE_INTERFACE_VERSION_GTE(4, 44, 0) && !HARDWARE_INTERFACE_VERSION_GTE(5, 0, 0))
#define FIVEBAR_FRAMEWORK_OWNS_REFERENCES 1
#else
#define FIVEBAR_FRAMEWORK_OWNS_REFERENCES 0
#endif

#if __has_include(<hardware_interface/types/hardware_component_interface_params.hpp>)
#include <hardware_interface/types/hardware_component_interface_params.hpp>
#define FIVEBAR_HARDWARE_INIT_HAS_PARAMETERS 1
#else
#define FIVEBAR_HARDWARE_INIT_HAS_PARAMETERS 0
#endif

// update_reference_from_subscribers() got time and period after Humble.
#if HARDWARE_INTERFACE_VERSION_GTE(3, 0, 0)
#define FIVEBAR_SUBSCRIBER_UPDATE_ARGUMENTS const rclcpp::Time &, const rclcpp::Duration &
#else
#define FIVEBAR_SUBSCRIBER_UPDATE_ARGUMENTS
#endif

namespace fivebar_control::compatibility
{

#if FIVEBAR_HARDWARE_INIT_HAS_PARAMETERS
using HardwareInit = hardware_interface::HardwareComponentInterfaceParams;
inline const hardware_interface::HardwareInfo & info_of(const HardwareInit & init)
{
  return init.hardware_info;
}
#else
using HardwareInit = hardware_interface::HardwareInfo;
inline const hardware_interface::HardwareInfo & info_of(const HardwareInit & init) { return init; }
#endif

/// Nothing if the value could not be had without waiting.
template <class LoanedInterface>
std::optional<double> get(const LoanedInterface & interface)
{
  if constexpr (requires { interface.get_optional(); })
  {
    return interface.get_optional();
  }
  else
  {
    return interface.get_value();
  }
}

/// False if the value could not be set without waiting.
template <class LoanedInterface>
bool set(LoanedInterface & interface, double value)
{
  if constexpr (requires { bool(interface.set_value(value)); })
  {
    return interface.set_value(value);
  }
  else
  {
    interface.set_value(value);
    return true;
  }
}

/// The logger that the framework gave the component, which has its name; one of that name where it
/// gives none.
template <class Component>
rclcpp::Logger component_logger(const Component & component, const std::string & name)
{
  if constexpr (requires { component.get_logger(); })
  {
    return component.get_logger();
  }
  else
  {
    return rclcpp::get_logger(name);
  }
}

/// What write() returns to have the component deactivated, and with it the controllers that command
/// it. Humble knows only the error, after which it has to be configured anew.
template <class Return = hardware_interface::return_type>
constexpr Return deactivate_hardware()
{
  if constexpr (requires { Return::DEACTIVATE; })
  {
    return Return::DEACTIVATE;
  }
  else
  {
    return Return::ERROR;
  }
}

/// The rate at which the hardware is read; 0 where the distribution does not tell.
template <class Info>
unsigned int read_rate(const Info & info)
{
  if constexpr (requires { info.rw_rate; })
  {
    return info.rw_rate;
  }
  else
  {
    return 0U;
  }
}

/// Hands a message to the publisher's thread; drops it if that is still busy with the last one.
template <class Publisher, class Message>
void publish(Publisher & publisher, const Message & message)
{
  if constexpr (requires { publisher.try_publish(message); })
  {
    publisher.try_publish(message);
  }
  else if (publisher.trylock())
  {
    publisher.msg_ = message;
    publisher.unlockAndPublish();
  }
}

/// One producer, one consumer, neither ever waits.
#if __has_include(<realtime_tools/lock_free_queue.hpp>)
template <class T, std::size_t capacity>
using LockFreeQueue = realtime_tools::LockFreeSPSCQueue<T, capacity>;
#else
template <class T, std::size_t capacity>
using LockFreeQueue = boost::lockfree::spsc_queue<T, boost::lockfree::capacity<capacity>>;
#endif

/// How many elements wait in a queue, as its producer sees it.
template <class Queue>
std::size_t waiting(const Queue & queue)
{
  if constexpr (requires { queue.size(); })
  {
    return queue.size();
  }
  else
  {
    return queue.read_available();
  }
}

/// A value of the hardware that controllers read or command. Set and read without waiting.
template <class Handle>
class Value
{
public:
#if FIVEBAR_FRAMEWORK_OWNS_VALUES
  /// Takes the handle of that name, if it is among the framework's.
  void find(const std::string & name, const std::vector<std::shared_ptr<Handle>> & handles)
  {
    for (const std::shared_ptr<Handle> & handle : handles)
    {
      handle_ = handle->get_name() == name ? handle : handle_;
    }
  }
  bool exists() const { return handle_ != nullptr; }
  bool set(double value) { return handle_ == nullptr || compatibility::set(*handle_, value); }
  std::optional<double> get() const
  {
    return handle_ == nullptr ? std::nullopt : compatibility::get(*handle_);
  }

private:
  std::shared_ptr<Handle> handle_;
#else
  void export_to(
    std::vector<Handle> & handles, const std::string & component, const std::string & interface)
  {
    value_ = std::make_unique<double>(std::numeric_limits<double>::quiet_NaN());
    handles.emplace_back(component, interface, value_.get());
  }
  bool exists() const { return value_ != nullptr; }
  bool set(double value)
  {
    if (value_ != nullptr)
    {
      *value_ = value;
    }
    return true;
  }
  std::optional<double> get() const
  {
    return value_ == nullptr ? std::nullopt : std::optional<double>(*value_);
  }

private:
  std::unique_ptr<double> value_;
#endif
};

}  // namespace fivebar_control::compatibility
