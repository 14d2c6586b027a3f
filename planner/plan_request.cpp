// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/plan_request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{
namespace
{

constexpr int schema_version = 1;
constexpr std::size_t most_intervals = 10000000;

Eigen::Vector2d pair(const YamlMap & map, const std::string & key, const std::string & unit)
{
  const std::vector<double> values = map.numbers(key, 2, any_number(unit));
  return {values[0], values[1]};
}

Eigen::Vector2d pair_or(
  const YamlMap & map, const std::string & key, const std::string & unit,
  const Eigen::Vector2d & fallback)
{
  return map.has(key) ? pair(map, key, unit) : fallback;
}

CurvePointer read_lissajous(const YamlMap & map)
{
  map.allow_only({"type", "center", "amplitude", "angular_frequency", "phase", "duration"});
  return make_curve(Lissajous{
    pair(map, "center", "m"), pair(map, "amplitude", "m"), pair(map, "angular_frequency", "rad/s"),
    pair_or(map, "phase", "rad", Eigen::Vector2d::Zero()), map.number("duration", positive("s"))});
}

CurvePointer read_circle(const YamlMap & map)
{
  map.allow_only({"type", "center", "radius", "start_angle", "turns", "duration"});
  return make_curve(Circle{
    pair(map, "center", "m"), map.number("radius", positive("m")),
    map.number_or("start_angle", any_number("rad"), 0.0),
    map.number_or("turns", any_number("turns"), 1.0), map.number("duration", positive("s"))});
}

std::vector<Eigen::Vector2d> read_points(const YamlMap & map, std::size_t at_least)
{
  std::vector<Eigen::Vector2d> points;
  for (const std::vector<double> & row : map.table("points", 2, any_number("m")))
  {
    points.emplace_back(row[0], row[1]);
  }
  if (points.size() < at_least)
  {
    map.fail("points", fmt::format("expected at least {} points, got {}", at_least, points.size()));
  }
  return points;
}

CurvePointer read_polyline(const YamlMap & map)
{
  map.allow_only({"type", "points", "speed", "blend"});
  return map.judged_at("points", [&map] {
    return make_curve(Polyline{
      read_points(map, 2), map.number("speed", positive("m/s")),
      map.number("blend", positive("s"))});
  });
}

CurvePointer read_spline(const YamlMap & map)
{
  map.allow_only({"type", "points", "times", "ends"});
  const std::vector<Eigen::Vector2d> points = read_points(map, 3);
  const std::vector<double> times = map.numbers("times", points.size(), any_number("s"));
  const bool at_rest = !map.has("ends") || map.choice("ends", {"rest", "natural"}) == 0;
  return map.judged_at("times", [&] { return make_curve(SplinePath{times, points, at_rest}); });
}

CurvePointer read_samples(const YamlMap & map)
{
  map.allow_only({"type", "file", "ends"});
  std::filesystem::path path = map.text("file");
  if (path.is_relative())
  {
    path = std::filesystem::path(map.file()).parent_path() / path;
  }
  const std::string name = path.string();
  const std::string text = read_text_file(name, 100000000);
  const CsvTable table = parse_csv(text, name, {"t", "x", "y"});
  require_increasing_time(table, name);
  if (table.rows() < 3)
  {
    throw InputError({name}, fmt::format("expected at least 3 samples, got {}", table.rows()));
  }
  SplinePath spline;
  spline.times = column(table, "t");
  const std::vector<double> & x = column(table, "x");
  const std::vector<double> & y = column(table, "y");
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    spline.points.emplace_back(x[i], y[i]);
  }
  spline.at_rest_at_ends = map.has("ends") && map.choice("ends", {"rest", "natural"}) == 0;
  return make_curve(spline);
}

CurvePointer read_curve(const YamlMap & map)
{
  const std::vector<std::string> types{"lissajous", "circle", "polyline", "spline", "samples"};
  switch (map.choice("type", types))
  {
    case 0:
      return read_lissajous(map);
    case 1:
      return read_circle(map);
    case 2:
      return read_polyline(map);
    case 3:
      return read_spline(map);
    default:
      return read_samples(map);
  }
}

CurvePointer read_placement(const YamlMap & map, CurvePointer curve)
{
  map.allow_only({"about", "translate", "scale", "rotate"});
  Placement placement;
  placement.about = pair_or(map, "about", "m", curve->at(0.0).position);
  placement.translate = pair_or(map, "translate", "m", Eigen::Vector2d::Zero());
  placement.scale = map.number_or("scale", positive("factor"), 1.0);
  placement.rotate = map.number_or("rotate", any_number("rad"), 0.0);
  return place(std::move(curve), placement);
}

/// Keys that are given replace those of `base`.
CostWeights read_cost(const YamlMap & map, CostWeights base)
{
  map.allow_only({"alpha", "beta", "gamma", "soft_voltage", "rho"});
  base.alpha = map.number_or("alpha", between(0.0, 1.0, "share of the terminal cost"), base.alpha);
  base.beta = map.number_or("beta", not_negative("s^2"), base.beta);
  base.gamma = map.number_or("gamma", not_negative("m^2/V^2"), base.gamma);
  base.soft_voltage = map.number_or("soft_voltage", positive("V"), base.soft_voltage);
  base.rho = map.number_or("rho", not_negative("m^2 s^2/V^2"), base.rho);
  if (base.gamma > 0.0 && base.soft_voltage <= 0.0)
  {
    map.fail("", "gamma needs soft_voltage, the voltage above which it counts [V]");
  }
  return base;
}

void read_limits(const YamlMap & map, PlanRequest & request)
{
  map.allow_only({"voltage", "voltage_rate"});
  if (map.has("voltage") && map.text("voltage") != "robot")
  {
    NumberRule rule = positive("V");
    rule.expectation += ", 'robot' or 'none'";
    request.voltage = map.text("voltage") == "none" ? unbounded : map.number("voltage", rule);
  }
  if (map.has("voltage_rate") && map.text("voltage_rate") != "none")
  {
    NumberRule rule = positive("V/s");
    rule.expectation += " or 'none'";
    request.voltage_rate = map.number("voltage_rate", rule);
  }
}

void read_solver(const YamlMap & map, PlanRequest & request)
{
  map.allow_only({"method", "initial_guess", "max_iterations", "tolerance"});
  if (map.has("method"))
  {
    request.solver =
      static_cast<SolverKind>(map.choice("method", {"riccati", "lbfgs", "mma", "slsqp"}));
  }
  if (map.has("initial_guess"))
  {
    request.guess =
      static_cast<InitialGuess>(map.choice("initial_guess", {"inverse-dynamics", "zero"}));
  }
  request.options.max_iterations =
    map.integer_or("max_iterations", 1, 1000000, request.options.max_iterations);
  request.options.tolerance = map.number_or(
    "tolerance", between(1e-16, 1.0, "relative change of the cost"), request.options.tolerance);
}

CurvePointer read_ramps(const YamlMap & map, const YamlMap & ramps, const CurvePointer & curve)
{
  ramps.allow_only({"in", "out"});
  const double in = ramps.number_or("in", not_negative("s"), 0.0);
  const double out = ramps.number_or("out", not_negative("s"), 0.0);
  if (0.5 * (in + out) > curve->duration())
  {
    map.fail(
      "ramp", fmt::format(
                "half of both ramps ({:.4g} s) is longer than the curve ({:.4g} s)",
                0.5 * (in + out), curve->duration()));
  }
  return ramp(curve, in, out);
}

Eigen::Vector4d read_start(const YamlMap & map)
{
  map.allow_only({"phi1", "phi4", "dphi1", "dphi4"});
  return {
    map.number("phi1", any_number("rad")), map.number("phi4", any_number("rad")),
    map.number_or("dphi1", any_number("rad/s"), 0.0),
    map.number_or("dphi4", any_number("rad/s"), 0.0)};
}

/// Those of `stages`, then `cost` itself.
std::vector<CostWeights> read_stages(const YamlMap & map)
{
  CostWeights cost;
  if (const auto given = map.optional_map("cost"))
  {
    cost = read_cost(*given, cost);
  }
  std::vector<CostWeights> stages;
  if (map.has("stages"))
  {
    for (const YamlMap & stage : map.maps("stages"))
    {
      stages.push_back(read_cost(stage, cost));
    }
  }
  stages.push_back(cost);
  return stages;
}

std::string read_name(const YamlMap & map)
{
  const std::string name = map.text_or("name", std::filesystem::path(map.file()).stem().string());
  // It is printed: a file must not move the cursor of a terminal.
  if (std::any_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
      }))
  {
    map.fail("name", "expected a name without control characters");
  }
  return name;
}

/// A polyline's duration follows from its speed: it gets the longest time step that fits.
double fitting_time_step(const YamlMap & map, double duration, double longest)
{
  return map.map("curve").text("type") == "polyline"
           ? duration / std::max(2.0, std::ceil(duration / longest * (1.0 - 1e-12)))
           : longest;
}

PlanRequest read_request(const YamlMap & map)
{
  map.allow_only(
    {"schema", "name", "curve", "placement", "ramp", "time_step", "accuracy", "start", "cost",
     "stages", "limits", "solver"});
  const int schema = map.integer("schema", 1, 1000000);
  if (schema > schema_version)
  {
    map.fail(
      "schema", fmt::format(
                  "this program reads curve files up to schema {}, the file has schema {}",
                  schema_version, schema));
  }
  PlanRequest request;
  request.name = read_name(map);
  request.curve = read_curve(map.map("curve"));
  if (const auto placement = map.optional_map("placement"))
  {
    request.curve = read_placement(*placement, request.curve);
  }
  if (const auto ramps = map.optional_map("ramp"))
  {
    request.curve = read_ramps(map, *ramps, request.curve);
  }
  request.time_step = map.number_or("time_step", positive("s"), request.time_step);
  request.accuracy = map.number_or("accuracy", between(1e-9, 1.0, "m"), request.accuracy);
  request.time_step = fitting_time_step(map, request.curve->duration(), request.time_step);
  request.intervals = map.judged_at(map.has("time_step") ? "time_step" : "curve", [&request] {
    return count_intervals(request.curve->duration(), request.time_step);
  });
  if (const auto start = map.optional_map("start"))
  {
    request.start = read_start(*start);
  }
  request.stages = read_stages(map);
  if (const auto limits = map.optional_map("limits"))
  {
    read_limits(*limits, request);
  }
  if (const auto solver = map.optional_map("solver"))
  {
    read_solver(*solver, request);
  }
  request.canonical_text = map.canonical_text();
  return request;
}

}  // namespace

std::string to_string(SolverKind kind)
{
  switch (kind)
  {
    case SolverKind::riccati:
      return "riccati";
    case SolverKind::lbfgs:
      return "lbfgs";
    case SolverKind::mma:
      return "mma";
    case SolverKind::slsqp:
      return "slsqp";
  }
  return "unknown";
}

std::size_t count_intervals(double duration, double time_step)
{
  const double count = std::round(duration / time_step);
  if (count < 2.0 || std::abs(count * time_step - duration) > 1e-9 * duration)
  {
    throw InputError(fmt::format(
      "the duration of {:.10g} s must be a whole number of time steps (at least 2) of {:.10g} s; "
      "{:.10g} s would fit",
      duration, time_step, duration / std::max(2.0, count)));
  }
  if (count > static_cast<double>(most_intervals))
  {
    throw InputError(
      fmt::format("{:.3g} time steps are more than the {} allowed", count, most_intervals));
  }
  return static_cast<std::size_t>(count);
}

PlanRequest load_plan_request(const std::string & path)
{
  return read_request(YamlMap::load(path));
}

PlanRequest parse_plan_request(const std::string & text, const std::string & name)
{
  return read_request(YamlMap::parse(text, name));
}

}  // namespace fivebar_control
