// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/report/picture_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "mechanism_film.hpp"

namespace fivebar_control::cli
{
namespace
{

struct AnimateArguments
{
  std::string plan, log, out, robot;
  std::vector<std::string> overrides;
  MovieOptions movie;
};

Motion motion_of(const Plan & plan, const AnimateArguments & a)
{
  if (a.log.empty())
  {
    return motion_of_plan(plan);
  }
  const RunRecord run = load_run_record(a.log);
  require_run_of_plan(run, plan, a.plan);
  return motion_of_run(plan, run);
}

std::string ending_of(const std::string & path)
{
  return std::filesystem::path(path).extension().string();
}

/// A mechanism file instead of a plan.
void animate_mechanism(const AnimateArguments & a, const std::string & ending)
{
  if (!a.robot.empty())
  {
    throw InputError("--robot: a mechanism file has its own bodies");
  }
  const SkeletonPicture picture(skeleton_of_mechanism(a.plan, a.log, a.overrides));
  const auto write = ending == ".svg"   ? &write_framed_svg
                     : ending == ".png" ? &write_still
                                        : &write_movie;
  write(picture, a.movie, a.out);
  fmt::print("{}: {}, {:.2f} s of motion\n", a.out, picture.title(), picture.duration());
}

void run_animate(const AnimateArguments & a)
{
  const std::string ending = ending_of(a.out);
  if (ending != ".svg" && ending != ".png" && ending != ".gif" && ending != ".mp4")
  {
    throw InputError(fmt::format(
      "--out: {}: the name must end in .svg, .gif, .mp4, or .png for a still picture", a.out));
  }
  if (ending_of(a.plan) == ".yaml" || ending_of(a.plan) == ".yml")
  {
    animate_mechanism(a, ending);
    return;
  }
  if (!a.overrides.empty())
  {
    throw InputError("--set: only mechanism files have values to be replaced");
  }
  const RobotModel robot = load_robot(given_or_config(a.robot, "robot.yaml"));
  const Plan plan = load_plan(a.plan);
  require_plan_fits(plan, robot, a.plan);
  const Motion motion = motion_of(plan, a);
  const Scene scene(robot, motion);
  if (ending == ".svg")
  {
    write_animated_svg(scene, a.movie, a.out);
  }
  else if (ending == ".png")
  {
    write_still(scene, a.movie, a.out);
  }
  else
  {
    write_movie(scene, a.movie, a.out);
  }
  fmt::print("{}: {}, {:.2f} s of motion\n", a.out, motion.title, motion.duration());
}

}  // namespace

void add_animate(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<AnimateArguments>();
  CLI::App * command =
    app.add_subcommand("animate", "Draw a plan, or a run of it, as a picture that moves");
  command->footer(
    "Without a log it is the motion that the plan expects; with the log of 'fivebar run' the\n"
    "measured motion and the applied volts. The ending of --out chooses the format: .svg moves\n"
    "by itself in a browser; .gif and .mp4 need the program ffmpeg; .png is the last moment.\n"
    "Any mechanism moves, too, a spatial one in projection: its file, and the series that\n"
    "'fivebar sensitivity' or 'fivebar optimise' wrote with --series (without one: the motion of\n"
    "the file as it is).\n\n"
    "Examples:\n"
    "  fivebar animate b.plan.csv b.log.csv --out motion.gif\n"
    "  fivebar animate config/mechanisms/cart_chain.yaml --set pendula=10 --out chain.svg\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file.");
  command->add_option("PLAN.csv", a->plan, "Plan, as 'fivebar plan' writes it, or MECHANISM.yaml")
    ->required();
  command->add_option("LOG.csv", a->log, "Log of a run of this plan, or series of the mechanism");
  command
    ->add_option(
      "--set", a->overrides, "Replace a value of the mechanism file, as path.to.key=value")
    ->type_name("KEY=VALUE")
    ->expected(1)
    ->take_all();
  command->add_option("--out", a->out, "Picture to write: .svg, .gif, .mp4 or .png")
    ->required()
    ->type_name("FILE");
  command->add_option("--robot", a->robot, robot_text)->type_name("FILE.yaml");
  command->add_option("--fps", a->movie.frames_per_second, "Frames per second")
    ->type_name("N")
    ->capture_default_str()
    ->check(CLI::Range(1, 100));
  command->add_option("--speed", a->movie.speed, "1 is as fast as the robot, 0.5 half as fast")
    ->type_name("FACTOR")
    ->capture_default_str()
    ->check(CLI::Range(0.01, 100.0));
  command->add_option("--width", a->movie.width, "Width of the picture [pixels]")
    ->type_name("N")
    ->capture_default_str()
    ->check(CLI::Range(200, 4000));
  command->callback([a, &exit_code] {
    run_animate(*a);
    exit_code = done;
  });
}

}  // namespace fivebar_control::cli
