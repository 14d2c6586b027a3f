// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "commission/rig.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control::test
{
namespace
{

using commission::Record;
using commission::StepEnd;
using testing::HasSubstr;

/// As if all steps had passed.
Record passed_record(const Calibration & calibration)
{
  Record record;
  record.subject = commission::subject_of("serial:/dev/fivebar", default_robot(), calibration);
  record.subject.board = "protocol 1.0, watchdog 48 ms, full scale 24000 mV";
  record.date = "2026-03-01T14:05:00Z";
  record.rate = 1000.0;
  record.voltage = 1.5;
  for (const commission::Step & step : commission::steps())
  {
    commission::StepResult result;
    result.name = step.name;
    result.add({"figure", "0.10 rad", ">= 0.02 rad", true, false, 0.1, "rad"});
    record.put(result);
  }
  return record;
}

class Stamp : public testing::Test
{
protected:
  void SetUp() override
  {
    file_ = testing::TempDir() + "fivebar_stamp_" + std::to_string(getpid()) + ".json";
    calibration_.name = "bench";
  }
  void TearDown() override { std::filesystem::remove(file_); }
  void write(const std::string & text) const { std::ofstream(file_) << text; }
  std::string objection(const commission::Subject & subject) const
  {
    return commission::objection(file_, subject);
  }

  std::string file_;
  Calibration calibration_;
};

TEST_F(Stamp, IsReadBackAsItWasWritten)
{
  const Record record = passed_record(calibration_);
  const Record again = commission::parse_record(commission::to_text(record), "stamp");
  EXPECT_TRUE(again.is_complete());
  EXPECT_EQ(commission::to_text(again), commission::to_text(record));
  write(commission::to_text(record));
  EXPECT_EQ(objection(record.subject), "");
}

TEST_F(Stamp, HoldsForNoOtherRobotCalibrationBoardOrDevice)
{
  const Record record = passed_record(calibration_);
  write(commission::to_text(record));
  commission::Subject other = record.subject;
  other.hardware = "serial:/dev/ttyACM1";
  EXPECT_THAT(objection(other), HasSubstr("is the stamp of serial:/dev/fivebar"));
  other = record.subject;
  other.board = "protocol 1.0, watchdog 48 ms, full scale 12000 mV";
  EXPECT_THAT(objection(other), HasSubstr("another board answers"));

  Calibration changed = calibration_;
  changed.joints[1].encoder_reversed = true;
  other = commission::subject_of("serial:/dev/fivebar", default_robot(), changed);
  EXPECT_THAT(objection(other), HasSubstr("the calibration has changed"));
  RobotParameters parameters = default_robot().parameters();
  parameters.limits.joint_maximum[0] += 0.1;
  other = commission::subject_of("serial:/dev/fivebar", RobotModel(parameters), calibration_);
  EXPECT_THAT(objection(other), HasSubstr("the robot file is not the one"));
}

TEST_F(Stamp, DoesNotChangeWithNamesOfCalibrations)
{
  Calibration renamed = calibration_;
  renamed.name = "the same under another name";
  EXPECT_EQ(commission::fingerprint_of(renamed), commission::fingerprint_of(calibration_));
}

TEST_F(Stamp, IsNoneIfItIsMissingBrokenOrNotComplete)
{
  Record record = passed_record(calibration_);
  EXPECT_THAT(objection(record.subject), HasSubstr("there is no stamp"));
  std::string text = commission::to_text(record);
  text.replace(text.find("0.10 rad"), 8, "0.20 rad");
  write(text);
  EXPECT_THAT(objection(record.subject), HasSubstr("the seal is broken"));
  write("{\"content\": \"commissioning\"");
  EXPECT_THAT(objection(record.subject), HasSubstr("no record of a commissioning"));
  write("[]");
  EXPECT_THAT(objection(record.subject), HasSubstr("no record of a commissioning"));
  commission::StepResult failed;
  failed.name = "watchdog";
  failed.end = StepEnd::failed;
  record.put(failed);
  write(commission::to_text(record));
  EXPECT_THAT(objection(record.subject), HasSubstr("not complete"));
}

TEST_F(Stamp, LacksNothingIfTheRobotHasNoEndStopsButEverythingElseIsNeeded)
{
  for (const commission::Step & step : commission::steps())
  {
    Record record = passed_record(calibration_);
    commission::StepResult skipped;
    skipped.name = step.name;
    skipped.end = StepEnd::skipped;
    record.put(skipped);
    EXPECT_EQ(record.is_complete(), std::string(step.name) == "end_stops") << step.name;
  }
}

TEST_F(Stamp, ARecordThatLacksAKeySaysSo)
{
  // Sealed rightly, but without steps.
  EXPECT_THROW(commission::parse_record("{}", "stamp"), InputError);
  EXPECT_THROW(commission::parse_record("", "stamp"), InputError);
  EXPECT_THROW(
    commission::parse_record("{\"content\": \"commissioning\", \"schema\": 7}", "stamp"),
    InputError);
}

}  // namespace
}  // namespace fivebar_control::test
