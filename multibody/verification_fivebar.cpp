// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/optimise.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "verification_rows.hpp"

namespace fivebar_control::multibody
{

void verify_springs(Verification & rows)
{
  const Problem problem = fivebar_springs();
  struct Way
  {
    Formulation formulation;
    Method method;
    const char * label;
  };
  const Way ways[] = {
    {Formulation::index1, Method::direct, "direct, index-1"},
    {Formulation::maggi, Method::direct, "direct, Maggi"},
    {Formulation::maggi, Method::adjoint, "adjoint-1, Maggi"},
    {Formulation::maggi, Method::adjoint_semi_explicit, "adjoint-2, Maggi"},
    {Formulation::index1, Method::adjoint, "canonical adjoint, index-1"},
    {Formulation::penalty, Method::adjoint, "adjoint, penalty"},
    {Formulation::hamilton, Method::hamiltonian_adjoint, "Hamiltonian adjoint, absolute"},
    {Formulation::hamilton, Method::hamiltonian_adjoint_joint, "Hamiltonian adjoint, joint"},
    {Formulation::index1, Method::piecewise_adjoint, "piecewise adjoint"},
    {Formulation::index1, Method::complex_step, "complex step"}};
  for (const Way & way : ways)
  {
    Settings settings;
    settings.formulation = way.formulation;
    if (way.formulation == Formulation::maggi)
    {
      settings.independent = {2, 3};
    }
    settings.penalty = 1e11;
    // The converged values need ten digits: the step error of 1e-3 s is a few units of the tenth.
    settings.step = 5e-4;
    const Gradient g =
      rows.timed([&] { return gradient(problem, settings, problem.rho, way.method); });
    rows.add(Evidence::reference, "five-bar", "psi(5 s)", "0.7268774613", g.costs(0), way.label);
    rows.add_all(
      Evidence::reference, "five-bar", "dpsi", rest_lengths, {"-4.2288108552", "3.2116041030"},
      g.gradient, way.label,
      {"the tenth decimal depends on the step and on the drift of the constraints", 1e-10});
    if (way.method == Method::complex_step)
    {
      rows.add_all(
        Evidence::printed, "Dopico et al. table 1, num. diff. complex", "dpsi", rest_lengths,
        {"-4.2288", "3.2116"}, g.gradient, way.label);
    }
  }
  const Gradient real =
    rows.timed([&] { return finite_difference(problem, Settings(), problem.rho, 1e-7); });
  rows.add_all(
    Evidence::printed, "Dopico et al. table 1, num. diff. real", "dpsi", rest_lengths,
    {"-4.2288", "3.2116"}, real.gradient, "forward difference 1e-7");
}

void verify_trapezoidal(Verification & rows)
{
  const Problem problem = fivebar_springs();
  Settings settings;
  settings.formulation = Formulation::maggi;
  settings.integrator = Integrator::trapezoidal;
  settings.independent = {2, 3};
  settings.step = 1e-2;
  struct Line
  {
    Method method;
    const char * label;
    std::vector<std::string> checked, published;
  };
  const Line lines[] = {
    {Method::direct, "direct, trapezoidal 1e-2 s", {"-4.2295", "3.2114"}, {"-4.2300", "3.2112"}},
    {Method::adjoint,
     "adjoint-1, trapezoidal 1e-2 s",
     {"-4.2289", "3.2094"},
     {"-4.2294", "3.2092"}},
    {Method::adjoint_semi_explicit,
     "adjoint-2, trapezoidal 1e-2 s",
     {"-4.2290", "3.2092"},
     {"-4.2294", "3.2087"}}};
  for (const Line & line : lines)
  {
    const Gradient g =
      rows.timed([&] { return gradient(problem, settings, problem.rho, line.method); });
    rows.add_all(
      Evidence::reference, "five-bar", "dpsi", rest_lengths, line.checked, g.gradient, line.label);
    rows.add_all(
      Evidence::printed, "Dopico et al. table 1", "dpsi", rest_lengths, line.published, g.gradient,
      line.label,
      {"integrator and independent coordinates are not named by Dopico et al.: only the order of "
       "the step "
       "error can agree (and -42294 there is a misprint of -4.2294)",
       2e-4});
  }
  const char * why =
    "Dopico et al. ran FATODE's adaptive integrators with tolerance 1e-3, and say no more about "
    "them";
  const Gradient g = gradient(problem, settings, problem.rho, Method::direct);
  rows.add_not_reproducible(
    "Dopico et al. table 1, FATODE", "dpsi/dL01", "-4.2254", g.gradient(0, 0), lines[0].label, why);
  rows.add_not_reproducible(
    "Dopico et al. table 1, FATODE", "dpsi/dL02", "3.2083", g.gradient(0, 1), lines[0].label, why);
}

/// Exactness of the discrete adjoints: relative difference to complex steps of the same scheme.
void verify_discrete(Verification & rows)
{
  FivebarOptions options;
  options.body_parameters = true;
  options.three_costs = true;
  const Problem problem = fivebar_springs(options);
  Settings settings;
  settings.step = 1e-2;
  const auto compare = [&](const char * label) {
    const double difference = rows.timed([&] {
      const MatrixD exact = gradient(problem, settings, problem.rho, Method::complex_step).gradient;
      const MatrixD ours =
        gradient(problem, settings, problem.rho, Method::discrete_adjoint).gradient;
      return ((ours - exact).array() / exact.array()).abs().maxCoeff();
    });
    rows.add_limit(
      Evidence::self_check, "own scheme", "discrete adjoint - complex step, relative", "1e-9",
      difference, label);
  };
  settings.formulation = Formulation::maggi;
  settings.integrator = Integrator::trapezoidal;
  settings.independent = {2, 3};
  compare("discrete adjoint, trapezoidal");
  settings.formulation = Formulation::ali3p;
  compare("discrete adjoint, ALI3-P/Newmark");
}

void verify_optimum(Verification & rows)
{
  FivebarOptions options;
  options.duration = 1.0;
  const Problem problem = fivebar_springs(options);
  const Optimisation best = rows.timed([&] { return gauss_newton(problem, Settings()); });
  rows.add(
    Evidence::reference, "statics", "optimal L01", "2.4319235745", best.rho(0),
    "Gauss-Newton, T = 1 s");
  rows.add(
    Evidence::reference, "statics", "optimal L02", "1.8448688868", best.rho(1),
    "Gauss-Newton, T = 1 s");
  const Optimisation other =
    rows.timed([&] { return quasi_newton(problem, Settings(), Method::adjoint); });
  rows.add(
    Evidence::printed, "Maciąg section 5.2", "optimal L01", "2.4319236", other.rho(0),
    "L-BFGS (NLopt), adjoint");
  rows.add(
    Evidence::printed, "Maciąg section 5.2", "optimal L02", "1.8448689", other.rho(1),
    "L-BFGS (NLopt), adjoint");
}

/// The rows of one table of sensitivities, for all five parameters.
struct Table
{
  const char * number;
  std::vector<std::string> printed, reference, direct, continuous, discrete;
};
const Table body_tables[] = {
  {"7.4",
   {"-4.228", "3.212", "0.3186", "0.4423", "3.360"},
   {"-4.22881", "3.21160", "0.318657", "0.442351", "3.35981"},
   {"-4.228", "3.212", "0.3186", "0.4423", "3.359"},
   {"-4.228", "3.212", "0.3186", "0.4423", "3.360"},
   {"-4.228", "3.213", "0.3186", "0.4424", "3.360"}},
  {"7.5",
   {"-15.45", "50.32", "0.9700", "0.7454", "-27.37"},
   {"-15.45207", "50.30880", "0.970124", "0.745604", "-27.35926"},
   {"-15.45", "50.32", "0.9700", "0.7454", "-27.37"},
   {"-15.45", "50.32", "0.9700", "0.7453", "-27.37"},
   {"-15.46", "50.32", "0.9707", "0.7460", "-27.36"}},
  {"7.6",
   {"221.8", "2437", "-32.51", "-85.70", "-2547"},
   {"221.6398", "2436.607", "-32.49753", "-85.65679", "-2546.589"},
   {"221.7", "2437", "-32.51", "-85.70", "-2547"},
   {"221.8", "2437", "-32.51", "-85.70", "-2547"},
   {"221.1", "2437", "-32.43", "-85.67", "-2547"}}};

const std::vector<std::string> body_names{"/dLs1", "/dLs2", "/dm_A1", "/dr_G", "/dL_A1"};
const char * const scatter =
  "López Varela's own methods scatter by up to 0.5 % in this table; independent programs agree "
  "with ours (the rows of our own references)";

void verify_body_parameters(Verification & rows)
{
  FivebarOptions options;
  options.body_parameters = true;
  options.three_costs = true;
  const Problem problem = fivebar_springs(options);
  // López Varela's settings for ALI3-P (table 7.2): h = 1 ms, penalty 1e9, tolerance 1e-10.
  Settings ali3p;
  ali3p.formulation = Formulation::ali3p;
  ali3p.tolerance = 1e-10;
  const Gradient g = rows.timed([&] { return adjoint(problem, Settings(), problem.rho); });
  const auto add = [&](
                     const char * row, const MatrixD & ours, const char * method, auto numbers,
                     double allowance) {
    for (int i = 0; i < 3; ++i)
    {
      const Table & table = body_tables[i];
      rows.add_all(
        Evidence::printed, fmt::format("López Varela table {}, {}", table.number, row),
        fmt::format("dpsi{}", i + 1), body_names, numbers(table), ours.row(i), method,
        {scatter, allowance});
    }
  };
  add(
    "reference", g.gradient, "adjoint, index-1", [](const Table & t) { return t.printed; }, 8e-4);
  for (int i = 0; i < 3; ++i)
  {
    rows.add_all(
      Evidence::reference, "five-bar", fmt::format("dpsi{}", i + 1), body_names,
      body_tables[i].reference, g.gradient.row(i), "adjoint, index-1",
      {"the reference integrated with steps of 1e-3 s in other coordinates", 4e-6});
  }
  const Gradient d = rows.timed([&] { return direct(problem, ali3p, problem.rho); });
  add(
    "DDM", d.gradient, "direct, ALI3-P", [](const Table & t) { return t.direct; }, 6e-4);
  const Gradient k = rows.timed([&] { return ali3p_adjoint(problem, ali3p, problem.rho); });
  add(
    "CAVM", k.gradient, "continuous adjoint, ALI3-P", [](const Table & t) { return t.continuous; },
    8e-4);
  const Gradient a = rows.timed([&] { return discrete_adjoint(problem, ali3p, problem.rho); });
  add(
    "DAVM", a.gradient, "discrete adjoint, ALI3-P", [](const Table & t) { return t.discrete; },
    2.5e-3);
}

/// Matrix R's rows of the same tables, which print the reference's digits.
void verify_matrix_r(Verification & rows)
{
  FivebarOptions options;
  options.body_parameters = true;
  options.three_costs = true;
  const Problem problem = fivebar_springs(options);
  Settings settings;
  settings.formulation = Formulation::maggi;
  for (const Method method : {Method::direct, Method::adjoint})
  {
    const Gradient g = rows.timed([&] { return gradient(problem, settings, problem.rho, method); });
    for (int i = 0; i < 3; ++i)
    {
      rows.add_all(
        Evidence::printed,
        fmt::format(
          "López Varela table {}, Matrix R {}", body_tables[i].number,
          method == Method::direct ? "DDM" : "CAVM"),
        fmt::format("dpsi{}", i + 1), body_names, body_tables[i].printed, g.gradient.row(i),
        fmt::format("{}, Maggi", name(method)), {scatter, 8e-4});
    }
  }
}

/// The same tables semi-recursively in joint coordinates, with both reference points.
void verify_joint_coordinates(Verification & rows)
{
  for (const auto & [point, version] :
       {std::pair("centre", "RTdyn0"), std::pair("origin", "RTdyn1")})
  {
    const MechanismFile file =
      load_mechanism(find_config("mechanisms/fivebar_joints.yaml"), {{"reference_point", point}});
    for (const Formulation formulation : {Formulation::maggi, Formulation::ali3p})
    {
      const bool projected = formulation == Formulation::maggi;
      Settings settings = file.settings;
      settings.formulation = formulation;
      settings.tolerance = projected ? settings.tolerance : 1e-10;
      const Gradient g = rows.timed(
        [&] { return gradient(file.problem, settings, file.problem.rho, Method::direct); });
      for (int i = 0; i < 3; ++i)
      {
        const Table & table = body_tables[i];
        rows.add_all(
          Evidence::printed,
          fmt::format(
            "López Varela table {}, {} DDM {}", table.number, projected ? "Matrix R" : "ALI3-P",
            version),
          fmt::format("dpsi{}", i + 1), body_names, projected ? table.printed : table.direct,
          g.gradient.row(i), fmt::format("direct, {}, joint", name(formulation)), {scatter, 8e-4});
      }
    }
  }
}

void verify_other_costs(Verification & rows)
{
  FivebarOptions options;
  options.three_costs = true;
  const Problem problem = fivebar_springs(options);
  Settings settings;
  settings.step = 5e-4;
  const DirectResult direct =
    rows.timed([&] { return direct_with_states(problem, settings, problem.rho, false); });
  const std::string method = "direct, index-1";
  rows.add(
    Evidence::reference, "five-bar", "integral |v2|^2", "7.3422877928", direct.gradient.costs(1),
    method);
  rows.add(
    Evidence::reference, "five-bar", "integral |a2|^2", "304.92069321", direct.gradient.costs(2),
    method);
  rows.add_all(
    Evidence::reference, "five-bar", "d integral |v2|^2", rest_lengths,
    {"-15.4520690697", "50.3087848515"}, direct.gradient.gradient.row(1), method,
    {"the last digit of the reference is uncertain", 1e-9});
  rows.add_all(
    Evidence::reference, "five-bar", "d integral |a2|^2", rest_lengths,
    {"221.64006823", "2436.60734762"}, direct.gradient.gradient.row(2), method,
    {"the last digit of the reference is uncertain", 1e-9});
  rows.add_all(
    Evidence::reference, "five-bar", "dx2(5 s)", rest_lengths, {"-2.79799200", "0.21009430"},
    direct.q.row(2), method);
  rows.add_all(
    Evidence::reference, "five-bar", "dvy2(5 s)", rest_lengths, {"4.44464698", "3.24325332"},
    direct.v.row(3), method);
}

}  // namespace fivebar_control::multibody
