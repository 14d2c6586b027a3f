#pragma once

#include <string>

#include "fivebar_control/controller/cycle_record.hpp"
#include "fivebar_control/report/run_record.hpp"
#include "run_loop.hpp"

namespace fivebar_control
{

/// Keeps a whole run in memory, as its log would have it. For runs that need not be punctual: it
/// allocates.
class RecordKeeper : public RecordSink
{
public:
  explicit RecordKeeper(const RobotModel & robot) : robot_(robot) {}

  void take(const CycleRecord & record) noexcept override;

  /// The run with what its log's header would say.
  RunRecord finish(
    const std::string & curve, const std::string & hardware, ControlMode mode,
    const ControllerSettings & settings, double rate, const RunOutcome & outcome);

private:
  const RobotModel & robot_;
  RunRecord run_;
};

}  // namespace fivebar_control
