// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/support/yaml_map.hpp"

using fivebar_control::any_number;
using fivebar_control::InputError;
using fivebar_control::positive;
using fivebar_control::YamlMap;
using testing::HasSubstr;

namespace
{

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

}  // namespace

TEST(YamlMap, NamesFileLineColumnKeyAndExpectationOfABadValue)
{
  const YamlMap map = YamlMap::parse("a: 1\nlink:\n  mass: -3\n", "robot.yaml");
  EXPECT_EQ(
    error_of([&] { map.map("link").number("mass", positive("kg")); }),
    "robot.yaml:3:9: key 'link.mass': expected a positive number [kg], got '-3'");
}

TEST(InputError, KnowsItsPlaceApartFromItsText)
{
  const YamlMap map = YamlMap::parse("a: 1\nmass: -3\n", "robot.yaml");
  try
  {
    map.number("mass", positive("kg"));
    FAIL() << "no error";
  }
  catch (const InputError & error)
  {
    EXPECT_EQ(error.where().file, "robot.yaml");
    EXPECT_EQ(error.where().line, 2);
    EXPECT_EQ(error.where().column, 7);
  }
  EXPECT_EQ(InputError("--rate: expected a number").where().file, "");
}

TEST(YamlMap, NamesAMissingKey)
{
  const YamlMap map = YamlMap::parse("a: 1\n", "robot.yaml");
  EXPECT_EQ(
    error_of([&] { map.number("b", any_number("m")); }),
    "robot.yaml:1:1: missing key 'b': expected a finite number [m]");
}

TEST(YamlMap, SuggestsTheNearestKnownKey)
{
  const YamlMap map = YamlMap::parse("lenght: 1\n", "robot.yaml");
  EXPECT_EQ(
    error_of([&] {
      map.allow_only({"length", "mass"});
    }),
    "robot.yaml:1:1: unknown key 'lenght', did you mean 'length'?");
}

TEST(YamlMap, ListsTheKnownKeysWhenNoneIsNear)
{
  const YamlMap map = YamlMap::parse("colour: red\n", "robot.yaml");
  EXPECT_EQ(
    error_of([&] {
      map.allow_only({"length", "mass"});
    }),
    "robot.yaml:1:1: unknown key 'colour', expected one of length, mass");
}

TEST(YamlMap, RefusesAKeyThatAppearsTwice)
{
  EXPECT_EQ(
    error_of([] { YamlMap::parse("a: 1\na: 2\n", "robot.yaml"); }),
    "robot.yaml:2:1: key 'a' appears twice");
}

TEST(YamlMap, RefusesTextWhereANumberIsExpected)
{
  const YamlMap map = YamlMap::parse("a: 1 kg\nb: .nan\nc: [1]\nd: 1e999\n", "f");
  for (const char * key : {"a", "b", "c", "d"})
  {
    EXPECT_THAT(
      error_of([&] { map.number(key, any_number("kg")); }),
      HasSubstr("expected a finite number [kg], got"))
      << key;
  }
}

TEST(YamlMap, RefusesAListOfTheWrongLength)
{
  const YamlMap map = YamlMap::parse("a: [1, 2, 3]\n", "f");
  EXPECT_EQ(
    error_of([&] { map.numbers("a", 2, any_number("m")); }),
    "f:1:4: key 'a': expected a list of 2, each a finite number [m], got a list of 3");
}

TEST(YamlMap, SaysWhereTheYamlIsBroken)
{
  EXPECT_THAT(
    error_of([] { YamlMap::parse("a: {b: [1, 2\n", "f"); }), HasSubstr("f:2:1: not valid YAML"));
}

TEST(YamlMap, RefusesAFileThatIsNotAMapping)
{
  EXPECT_THAT(
    error_of([] { YamlMap::parse("- 1\n- 2\n", "f"); }),
    HasSubstr("expected a mapping of keys to values, got a list of 2"));
  EXPECT_THAT(
    error_of([] { YamlMap::parse(std::string(100000, '['), "f"); }), HasSubstr("not valid YAML"));
}

TEST(YamlMap, RefusesASecondDocument)
{
  EXPECT_THAT(
    error_of([] { YamlMap::parse("a: 1\n---\na: 2\n", "f.yaml"); }),
    HasSubstr("a second YAML document begins here"));
}

TEST(YamlMap, ReadsWhatIsThere)
{
  const YamlMap map = YamlMap::parse(
    "x: +1.5e-3\nn: 7\nflag: true\nname: abc\nmode: right\npoints: [[1, 2], [3, 4]]\n"
    "items: [{a: 1}, {a: 2}]\n",
    "f");
  EXPECT_EQ(map.number("x", any_number("m")), 1.5e-3);
  EXPECT_EQ(map.number_or("missing", any_number("m"), 2.0), 2.0);
  EXPECT_EQ(map.integer("n", 0, 10), 7);
  EXPECT_TRUE(map.boolean_or("flag", false));
  EXPECT_EQ(map.text("name"), "abc");
  EXPECT_EQ(map.choice("mode", {"left", "right"}), 1u);
  EXPECT_EQ(map.table("points", 2, any_number("m"))[1][0], 3.0);
  EXPECT_EQ(map.maps("items")[1].number("a", any_number("m")), 2.0);
  EXPECT_FALSE(map.has("nothing"));
}
