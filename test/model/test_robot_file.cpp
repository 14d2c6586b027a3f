// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <ostream>
#include <random>
#include <set>
#include <sstream>

#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

using testing::HasSubstr;

std::string default_text() { return read_text_file(test::config_path("robot.yaml"), 100000); }

std::string replaced(std::string text, const std::string & from, const std::string & to)
{
  const auto where = text.find(from);
  EXPECT_NE(where, std::string::npos) << "not in the file: " << from;
  return where == std::string::npos ? text : text.replace(where, from.size(), to);
}

template <class Function>
std::string error_of(Function && function)
{
  try
  {
    function();
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "no error";
}

std::string error_of_text(const std::string & text)
{
  return error_of([&] { parse_robot(text, "robot.yaml"); });
}

/// The default robot file with one passage changed must be refused with this message.
struct BadFile
{
  const char * from;
  const char * to;
  const char * message;
};

void PrintTo(const BadFile & bad, std::ostream * out) { *out << bad.message; }

class ARobotFileWith : public testing::TestWithParam<BadFile>
{
};

}  // namespace

TEST_P(ARobotFileWith, OneFaultIsRefusedWithPlaceKeyAndExpectation)
{
  const BadFile & bad = GetParam();
  EXPECT_EQ(error_of_text(replaced(default_text(), bad.from, bad.to)), bad.message);
}

INSTANTIATE_TEST_SUITE_P(
  UnknownKeys, ARobotFileWith,
  testing::Values(
    BadFile{"gravity:", "gravty:", "robot.yaml:6:1: unknown key 'gravty', did you mean 'gravity'?"},
    BadFile{"  o4:", "  o5:", "robot.yaml:10:3: unknown key 'pivots.o5', did you mean 'o1'?"},
    BadFile{
      "  link_3:", "  link3:",
      "robot.yaml:20:3: unknown key 'links.link3', did you mean 'link_3'?"},
    BadFile{
      "{length: 0.127", "{lenght: 0.127",
      "robot.yaml:18:12: unknown key 'links.link_1.lenght', did you mean 'length'?"},
    BadFile{
      "    resistance:", "    resistence:",
      "robot.yaml:28:5: unknown key 'motors.motor_1.resistence', did you mean 'resistance'?"},
    BadFile{
      "coulomb: 0.0", "colomb: 0.0",
      "robot.yaml:40:27: unknown key 'friction.joint_1.colomb', did you mean 'coulomb'?"},
    BadFile{
      "  voltage_rate:", "  voltagerate:",
      "robot.yaml:45:3: unknown key 'limits.voltagerate', did you mean 'voltage_rate'?"},
    BadFile{
      "home: {phi1", "home: {colour: red, phi1",
      "robot.yaml:13:8: unknown key 'home.colour', expected one of phi1, phi4"}));

INSTANTIATE_TEST_SUITE_P(
  MissingKeys, ARobotFileWith,
  testing::Values(
    BadFile{
      "schema: 1\n", "",
      "robot.yaml:3:1: missing key 'schema': expected a number from 1 to 1000 [whole number]"},
    BadFile{
      "assembly_mode: left", "",
      "robot.yaml:3:1: missing key 'assembly_mode': expected one of left, right"},
    BadFile{
      "mass: 0.065, ", "",
      "robot.yaml:18:11: missing key 'links.link_1.mass': expected a positive number [kg]"},
    BadFile{
      "    gear_ratio: 70             # rotor turns per link turn\n", "",
      "robot.yaml:25:5: missing key 'motors.motor_1.gear_ratio': expected a positive number [rotor "
      "turns per link turn]"},
    BadFile{
      "  joint_speed: 25.0            # rad/s\n", "",
      "robot.yaml:44:3: missing key 'limits.joint_speed': expected a positive number [rad/s]"}));

INSTANTIATE_TEST_SUITE_P(
  WrongTypes, ARobotFileWith,
  testing::Values(
    BadFile{
      "mass: 0.065", "mass: heavy",
      "robot.yaml:18:33: key 'links.link_1.mass': expected a positive number [kg], got 'heavy'"},
    BadFile{
      "mass: 0.065", "mass: [1, 2]",
      "robot.yaml:18:33: key 'links.link_1.mass': expected a positive number [kg], got a list of "
      "2"},
    BadFile{
      "o1: [0.0, 0.0]", "o1: 0.0",
      "robot.yaml:9:7: key 'pivots.o1': expected a list of 2, each a finite number [m], got '0.0'"},
    BadFile{
      "home: {phi1: 0.0, phi4: 1.5707963267948966}", "home: [0, 1]",
      "robot.yaml:13:7: key 'home': expected a mapping of keys to values, got a list of 2"},
    BadFile{
      "assembly_mode: left", "assembly_mode: up",
      "robot.yaml:12:16: key 'assembly_mode': expected one of left, right, got 'up'"}));

INSTANTIATE_TEST_SUITE_P(
  NonPhysicalValues, ARobotFileWith,
  testing::Values(
    BadFile{
      "mass: 0.065", "mass: -0.065",
      "robot.yaml:18:33: key 'links.link_1.mass': expected a positive number [kg], got '-0.065'"},
    BadFile{
      "inertia: 9.0e-5}", "inertia: 0}",
      "robot.yaml:18:65: key 'links.link_1.inertia': expected a positive number [kg m^2], got '0'"},
    BadFile{
      "resistance: 2.6", "resistance: 0.0",
      "robot.yaml:28:17: key 'motors.motor_1.resistance': expected a positive number [ohm], got "
      "'0.0'"},
    BadFile{
      "length: 0.127", "length: .nan",
      "robot.yaml:18:20: key 'links.link_1.length': expected a positive number [m], got '.nan'"},
    BadFile{
      "gravity: [0.0, 0.0]", "gravity: [0.0, .inf]",
      "robot.yaml:6:16: key 'gravity': expected a finite number [m/s^2], got '.inf'"},
    BadFile{
      "singularity_margin: 0.15", "singularity_margin: 1.5",
      "robot.yaml:49:23: key 'limits.singularity_margin': expected a number from 0 to 1 [|sin|], "
      "got '1.5'"},
    BadFile{
      "phi1: [-1.3, 2.3]", "phi1: [2.3, -1.3]",
      "robot.yaml:46:9: key 'limits.phi1': the lower limit must be below the upper"}));

INSTANTIATE_TEST_SUITE_P(
  ImpossibleHomePoses, ARobotFileWith,
  testing::Values(
    BadFile{
      "phi1: 0.0, phi4: 1.5707963267948966", "phi1: 2.3, phi4: 0.0",
      "robot.yaml:13:7: key 'home': the home pose cannot be assembled: the elbows are 0.475151 m "
      "apart, links 2 and 3 need 0 m to 0.254 m"},
    BadFile{
      "o4: [0.254, 0.0]", "o4: [0.379, 0.0]",
      "robot.yaml:13:7: key 'home': the home pose cannot be assembled: the elbows are 0.282193 m "
      "apart, links 2 and 3 need 0 m to 0.254 m"},
    BadFile{
      "o4: [0.254, 0.0]", "o4: [0.3465, 0.0]",
      "robot.yaml:13:7: key 'home': the home pose is too near a singularity: links 2 and 3 have "
      "|sin| = 0.113, the limit singularity_margin is 0.15"},
    BadFile{
      "phi4: [0.0, 3.5]", "phi4: [2.0, 3.5]",
      "robot.yaml:13:25: key 'home.phi4': the home pose lies outside the joint limits 2 to 3.5 "
      "rad"}));

INSTANTIATE_TEST_SUITE_P(
  NewerSchemas, ARobotFileWith,
  testing::Values(BadFile{
    "schema: 1", "schema: 2",
    "robot.yaml:3:9: key 'schema': this program reads robot files up to schema 1, the file has "
    "schema 2"}));

TEST(RobotFile, CutOffAnywhereIsRefusedOrTheSameRobot)
{
  // Only the end of the limits may be missing: the last key is optional.
  const std::string text = default_text();
  const std::string fingerprint = parse_robot(text, "f").fingerprint();
  int refused = 0;
  for (std::size_t length = 0; length < text.size(); length += 3)
  {
    try
    {
      EXPECT_EQ(parse_robot(text.substr(0, length), "f").fingerprint(), fingerprint);
    }
    catch (const InputError & error)
    {
      EXPECT_THAT(error.what(), testing::StartsWith("f"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 600);
}

TEST(RobotFile, CutOffInsideALinkSaysWhereTheYamlEnds)
{
  const std::string text = default_text();
  EXPECT_EQ(
    error_of_text(text.substr(0, text.find("mass: 0.065") + 4)),
    "robot.yaml:18:1: not valid YAML: end of map flow not found");
}

TEST(RobotFile, MissingEmptyHugeAndBinaryFilesAreOneClearErrorEach)
{
  const std::string folder = testing::TempDir() + "fivebar_robot_file";
  std::filesystem::create_directories(folder);
  const auto error_with = [&](const std::string & content) {
    write_file_atomically(folder + "/f.yaml", content);
    return error_of([&] { load_robot(folder + "/f.yaml"); });
  };
  const std::string file = folder + "/f.yaml: ";
  EXPECT_EQ(error_with(""), file + "the file is empty");
  EXPECT_EQ(error_with(" \n\n"), file + "the file is empty");
  EXPECT_EQ(
    error_with(std::string("schema: 1\n\0\1\2", 13)), file + "is a binary file, expected text");
  EXPECT_EQ(
    error_with(std::string(10'000'000, 'x')),
    file + "is larger than 1.0 MB, the most that is expected of such a file");
  EXPECT_EQ(
    error_of([&] { load_robot(folder + "/missing.yaml"); }),
    folder + "/missing.yaml: cannot be read: No such file or directory");
  EXPECT_EQ(error_of([&] { load_robot(folder); }), folder + ": is a directory, expected a file");
  EXPECT_EQ(
    error_with("# only a comment\n"),
    folder + "/f.yaml: expected a mapping of keys to values, got nothing");
  std::filesystem::remove_all(folder);
}

TEST(RobotFile, AnyChangedBytesGiveARobotOrAFileError)
{
  const std::string text = default_text();
  std::mt19937 generator(11);
  int refused = 0;
  for (int trial = 0; trial < 3000; ++trial)
  {
    std::string changed = text;
    for (int i = 0; i < 1 + trial % 4; ++i)
    {
      changed[generator() % changed.size()] = static_cast<char>(generator());
    }
    try
    {
      parse_robot(changed, "f");
    }
    catch (const InputError &)
    {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(RobotFile, SpecifiesStraightLinksByOneNumberOrTwo)
{
  const RobotModel one = test::default_robot();
  const RobotModel two =
    parse_robot(replaced(default_text(), "center: 0.0635", "center: [0.0635, 0.0]"), "f");
  EXPECT_EQ(one.fingerprint(), two.fingerprint());
}

TEST(Fingerprint, StaysTheSameUnderReformatting)
{
  const std::string text = default_text();
  const std::string expected = parse_robot(text, "f").fingerprint();
  EXPECT_EQ(expected.size(), 16u);

  std::string compact;  // without comments and blank lines
  std::string line;
  for (std::istringstream stream(text); std::getline(stream, line);)
  {
    line = line.substr(0, line.find('#'));
    compact += line.find_first_not_of(' ') == std::string::npos ? "" : line + "\n";
  }
  EXPECT_LT(compact.size(), text.size() / 2 + 500);
  EXPECT_EQ(parse_robot(compact, "f").fingerprint(), expected);

  const std::string home = "home: {phi1: 0.0, phi4: 1.5707963267948966}";
  const std::string reordered =
    replaced(replaced(text, home, ""), "schema: 1", home + "\nschema: 1");
  EXPECT_EQ(parse_robot(reordered, "f").fingerprint(), expected);

  const std::string link = "{length: 0.127, mass: 0.065, center: 0.0635, inertia: 9.0e-5}";
  const std::string other_numbers =
    "{inertia: 0.00009, mass: 65e-3, length: 1.27e-1, center: +6.35e-2}";
  EXPECT_EQ(parse_robot(replaced(text, link, other_numbers), "f").fingerprint(), expected);
  EXPECT_EQ(
    parse_robot(replaced(text, "gravity: [0.0, 0.0]", "gravity: [-0.0, 0]"), "f").fingerprint(),
    expected);
}

TEST(Fingerprint, ChangesWithEachPhysicalParameterModeAndHome)
{
  RobotParameters parameters = test::unequal_robot().parameters();
  std::set<std::string> seen = {RobotModel(parameters).fingerprint()};
  int visited = 0;
  visit_parameters(parameters.physics, [&](const std::string & name, double & value) {
    const double before = value;
    value += 1e-9;
    EXPECT_TRUE(seen.insert(RobotModel(parameters).fingerprint()).second) << name;
    value = before;
    ++visited;
  });
  EXPECT_EQ(visited, parameter_count);
  for (int i = 0; i < 2; ++i)
  {
    RobotParameters moved = parameters;
    moved.home[i] += 1e-9;
    EXPECT_TRUE(seen.insert(RobotModel(moved).fingerprint()).second) << "home " << i;
  }
  RobotParameters mirrored = parameters;
  mirrored.assembly_mode = AssemblyMode::left;
  EXPECT_TRUE(seen.insert(RobotModel(mirrored).fingerprint()).second);
}

TEST(Fingerprint, DoesNotDependOnNameAndLimits)
{
  RobotParameters parameters = test::default_robot().parameters();
  const std::string expected = RobotModel(parameters).fingerprint();
  parameters.name = "another name";
  parameters.limits.voltage = 5.0;
  parameters.limits.voltage_rate = 50.0;
  parameters.limits.joint_minimum = {-0.5, 1.0};
  parameters.limits.joint_maximum = {0.5, 2.0};
  parameters.limits.joint_speed = 1.0;
  parameters.limits.singularity_margin = 0.3;
  parameters.limits.serial_singularity_margin = 0.3;
  EXPECT_EQ(RobotModel(parameters).fingerprint(), expected);
}

}  // namespace fivebar_control
