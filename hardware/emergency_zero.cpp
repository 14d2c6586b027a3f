// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/emergency_zero.hpp"

#include <array>
#include <atomic>

namespace fivebar_control
{
namespace
{

struct Place
{
  std::atomic<bool> taken{false};
  std::atomic<EmergencyZero::Function> function{nullptr};
  std::atomic<void *> device{nullptr};
};

static_assert(std::atomic<EmergencyZero::Function>::is_always_lock_free, "used in signal handlers");

std::array<Place, 8> places;
std::atomic<bool> stay_off{false};

}  // namespace

bool EmergencyZero::offer(Function function, void * device) noexcept
{
  withdraw();
  for (std::size_t i = 0; i < places.size(); ++i)
  {
    if (!places[i].taken.exchange(true))
    {
      place_ = static_cast<int>(i);
      places[i].device = device;
      places[i].function = function;
      return true;
    }
  }
  return false;
}

void EmergencyZero::withdraw() noexcept
{
  if (place_ >= 0)
  {
    Place & place = places[static_cast<std::size_t>(place_)];
    place.function = nullptr;
    place.taken = false;
  }
  place_ = -1;
}

void zero_all_motors() noexcept
{
  stay_off = true;
  for (Place & place : places)
  {
    if (const EmergencyZero::Function function = place.function)
    {
      function(place.device);
    }
  }
}

bool motors_are_to_stay_off() noexcept { return stay_off; }

}  // namespace fivebar_control
