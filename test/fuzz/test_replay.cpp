// SPDX-License-Identifier: Apache-2.0
// Replays the seeds and everything that ever broke a promise, in the ordinary suite.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

namespace fs = std::filesystem;

struct Target
{
  const char * name;  // and folder of its regressions
  void (*run)(Bytes);
  std::vector<std::string> seeds;  // folders or files
};

void PrintTo(const Target & target, std::ostream * out) { *out << target.name; }

const std::string corpus = FIVEBAR_SOURCE_DIR "/test/fuzz/corpus/";
const std::string regressions = FIVEBAR_SOURCE_DIR "/test/fuzz/regressions/";
const std::string config = FIVEBAR_SOURCE_DIR "/config/";

std::vector<fs::path> inputs_of(const Target & target)
{
  std::vector<std::string> places = target.seeds;
  places.push_back(regressions + target.name);
  std::vector<fs::path> files;
  for (const std::string & place : places)
  {
    if (fs::is_regular_file(place))
    {
      files.emplace_back(place);
    }
    else if (fs::is_directory(place))
    {
      std::copy_if(
        fs::directory_iterator(place), {}, std::back_inserter(files),
        [](const fs::path & path) { return fs::is_regular_file(path); });
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Replay : public testing::TestWithParam<Target>
{
};

TEST_P(Replay, KeepsEveryPromiseOnKnownInputs)
{
  const std::vector<fs::path> inputs = inputs_of(GetParam());
  EXPECT_FALSE(inputs.empty()) << "no seeds";
  for (const fs::path & path : inputs)
  {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    try
    {
      GetParam().run(bytes);
    }
    catch (const BrokenPromise & broken)
    {
      ADD_FAILURE() << path << ": " << broken.what;
    }
    catch (const std::exception & error)
    {
      ADD_FAILURE() << path << ": not refused, but failed with: " << error.what();
    }
  }
}

std::vector<Target> all_targets()
{
  std::vector<Target> targets{
    {"firmware", firmware, {corpus + "serial"}},
    {"host", host, {corpus + "serial"}},
    {"differential", differential, {corpus + "serial"}},
    {"board_play", board_play, {corpus + "serial", corpus + "play"}},
    {"program_stream", program_stream, {corpus + "serial", corpus + "play"}},
    {"play_codec", play_codec, {corpus + "serial", corpus + "play"}},
    {"robot_file", robot_file, {config + "robot.yaml", config + "robots"}},
    {"curve_file", curve_file, {config + "curves", corpus + "curve_file"}},
    {"settings_file", settings_file, {corpus + "settings_file"}},
    {"plan_file", plan_file, {corpus + "plan_file"}},
    {"run_log", run_log, {corpus + "run_log"}},
    {"timing_record", timing_record, {corpus + "timing_record"}},
    {"state_file", state_file, {corpus + "state_file"}},
    {"unfinished_log", unfinished_log, {corpus + "run_log"}},
    {"hardware_choice", hardware_choice, {corpus + "hardware_choice"}},
    {"mechanism_file", mechanism_file, {config + "mechanisms", corpus + "mechanism_file"}},
    {"control_cycles", control_cycles, {corpus + "control_cycles"}},
    {"joint_trajectory", joint_trajectory, {corpus + "joint_trajectory"}},
    {"commission_record", commission_record, {corpus + "commission_record"}}};
#ifdef FIVEBAR_HAS_LIVE_VIEW
  targets.push_back({"web_request", web_request, {corpus + "web_request"}});
#endif
  return targets;
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(all_targets()), [](const auto & target) {
  return std::string(target.param.name);
});

}  // namespace
}  // namespace fivebar_control::fuzz
