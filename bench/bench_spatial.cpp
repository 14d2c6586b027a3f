// SPDX-License-Identifier: Apache-2.0
// One evaluation of accelerations of spatial mechanisms: the slider-crank in all coordinates, and
// chains of bodies on revolute joints, dense and body after body; beside them, where it is
// installed, MuJoCo's mj_forward on the same mechanisms (its loop is elastic, ours is exact).
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "fivebar_control/multibody/form.hpp"
#include "fivebar_control/multibody/initial.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#ifdef FIVEBAR_MUJOCO
#include <mujoco/mujoco.h>
#endif

namespace fivebar_control::multibody
{
namespace
{

/// Evaluates a file's mechanism at its start.
class Evaluation
{
public:
  Evaluation(MechanismFile file, Formulation formulation) : file_(std::move(file))
  {
    const auto & system = file_.problem.modes.front();
    at_.theta = file_.problem.local(0.0, file_.problem.rho);
    const InitialState<double> start = assemble<double>(*system, *file_.problem.initial, at_.theta);
    at_.q = start.q;
    at_.v = start.v;
    file_.settings.formulation = formulation;
    form_ = make_form(system, file_.settings, at_);
    y_ = form_->state(at_);
  }
  const VectorD & run()
  {
    form_->respond(0.0, y_, at_.theta, at_.q, response_);
    return response_.a;
  }

private:
  MechanismFile file_;
  Point<double> at_;
  std::unique_ptr<Form> form_;
  VectorD y_;
  Response<double> response_;
};

void measure(benchmark::State & state, Evaluation evaluation)
{
  for (auto unused : state)
  {
    benchmark::DoNotOptimize(evaluation.run().data());
  }
}

void slider_crank(
  benchmark::State & state, const char * coordinates, const char * reference,
  Formulation formulation)
{
  std::vector<MechanismOverride> overrides{{"coordinates", coordinates}};
  if (reference != nullptr)
  {
    overrides.emplace_back("reference_point", reference);
  }
  measure(
    state, Evaluation(
             load_mechanism(
               std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/slider_crank.yaml", overrides),
             formulation));
}
BENCHMARK_CAPTURE(slider_crank, joint_centre, "joint", "centre", Formulation::index1);
BENCHMARK_CAPTURE(slider_crank, joint_origin, "joint", "origin", Formulation::index1);
BENCHMARK_CAPTURE(slider_crank, joint_maggi, "joint", "centre", Formulation::maggi);
BENCHMARK_CAPTURE(slider_crank, absolute, "absolute", nullptr, Formulation::index1);
BENCHMARK_CAPTURE(slider_crank, natural, "natural", nullptr, Formulation::index1);

constexpr const char * axes[] = {"0, 0, 1", "0, 1, 0", "1, 0, 0"};
constexpr const char * inertia = "0.02, 0.03, 0.04";

std::string chain(int bodies)
{
  std::string parts, joints, holds;
  for (int i = 0; i < bodies; ++i)
  {
    parts += fmt::format(
      "  b{}: {{mass: 1.5, inertia: [{}], centre: [0.2, 0.05, 0], start: [{}, 0, 0], "
      "points: {{end: [0.4, 0, 0]}}}}\n",
      i, inertia, 0.4 * i);
    joints += fmt::format(
      "  j{}: {{type: revolute, between: [{}, b{}.origin], axis: [{}]}}\n", i,
      i == 0 ? "O" : fmt::format("b{}.end", i - 1), i, axes[i % 3]);
    holds += fmt::format("    h{}: {{joint: j{}, position: 0.3, velocity: 0.5}}\n", i, i);
  }
  return fmt::format(
    "coordinates: joint\ngravity: [0, 0, -9.81]\nduration: 1\nground: {{O: [0, 0, 0]}}\nbodies:\n{}"
    "joints:\n{}initial:\n  hold:\n{}costs: {{c: [{{of: b0.end, axis: x}}]}}\n",
    parts, joints, holds);
}

Evaluation chain_evaluation(int bodies, Formulation formulation)
{
  return {read_mechanism(YamlMap::parse(chain(bodies), "chain.yaml")), formulation};
}

void chain_recursive(benchmark::State & state)
{
  measure(state, chain_evaluation(static_cast<int>(state.range(0)), Formulation::recursive));
}
void chain_dense(benchmark::State & state)
{
  measure(state, chain_evaluation(static_cast<int>(state.range(0)), Formulation::index1));
}
BENCHMARK(chain_recursive)->RangeMultiplier(2)->Range(3, 48);
BENCHMARK(chain_dense)->RangeMultiplier(2)->Range(3, 48);

#ifdef FIVEBAR_MUJOCO
class Mujoco
{
public:
  explicit Mujoco(const std::string & text)
  {
    const std::string path = fmt::format("/tmp/fivebar_bench_spatial_{}.xml", std::rand());
    std::ofstream(path) << text;
    char error[500] = "";
    model_ = mj_loadXML(path.c_str(), nullptr, error, sizeof(error));
    std::remove(path.c_str());
    if (model_ == nullptr)
    {
      throw std::runtime_error(error);
    }
    data_ = mj_makeData(model_);
  }
  Mujoco(const Mujoco &) = delete;
  Mujoco & operator=(const Mujoco &) = delete;
  ~Mujoco()
  {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  mjModel & model() { return *model_; }
  mjData & data() { return *data_; }

private:
  mjModel * model_ = nullptr;
  mjData * data_ = nullptr;
};

void mujoco_slider_crank(benchmark::State & state)
{
  Mujoco mujoco(
    "<mujoco><compiler angle=\"radian\"/><option gravity=\"0 0 -9.81\"/><worldbody>"
    "<body name=\"crank\" pos=\"0 0.1 0.12\"><joint type=\"hinge\" axis=\"1 0 0\"/>"
    "<inertial pos=\"0 0 0.04\" mass=\"0.12\" diaginertia=\"1e-4 1e-4 1e-4\"/></body>"
    "<body pos=\"0.2 0 0\"><joint type=\"slide\" axis=\"1 0 0\"/>"
    "<inertial pos=\"0.025 0 0\" mass=\"2\" diaginertia=\"1e-4 1e-4 1e-4\"/>"
    "<body name=\"rod\"><joint type=\"hinge\" axis=\"0 0 1\"/>"
    "<joint type=\"hinge\" axis=\"1 2 0\"/>"
    "<inertial pos=\"-0.1 0.05 0.1\" mass=\"0.5\" diaginertia=\"4e-3 4e-3 4e-3\"/></body></body>"
    "</worldbody><equality><connect body1=\"rod\" body2=\"crank\" anchor=\"-0.2 0.1 0.2\"/>"
    "</equality></mujoco>");
  mujoco.data().qvel[0] = 6.0;
  for (auto unused : state)
  {
    mj_forward(&mujoco.model(), &mujoco.data());
    benchmark::DoNotOptimize(mujoco.data().qacc[0]);
  }
}
BENCHMARK(mujoco_slider_crank);

void mujoco_chain(benchmark::State & state)
{
  const int bodies = static_cast<int>(state.range(0));
  std::string text, end;
  for (int i = 0; i < bodies; ++i)
  {
    std::string axis = axes[i % 3], diagonal = inertia;
    std::erase(axis, ',');
    std::erase(diagonal, ',');
    text += fmt::format(
      "<body pos=\"{} 0 0\"><joint type=\"hinge\" axis=\"{}\"/>"
      "<inertial pos=\"0.2 0.05 0\" mass=\"1.5\" diaginertia=\"{}\"/>",
      i == 0 ? 0.0 : 0.4, axis, diagonal);
    end += "</body>";
  }
  Mujoco mujoco(
    "<mujoco><compiler angle=\"radian\"/><option gravity=\"0 0 -9.81\">"
    "<flag constraint=\"disable\" contact=\"disable\"/></option><worldbody>" +
    text + end + "</worldbody></mujoco>");
  Evaluation ours = chain_evaluation(bodies, Formulation::recursive);
  const VectorD expected = ours.run();
  for (int i = 0; i < bodies; ++i)
  {
    mujoco.data().qpos[i] = 0.3;
    mujoco.data().qvel[i] = 0.5;
  }
  for (auto unused : state)
  {
    mj_forward(&mujoco.model(), &mujoco.data());
    benchmark::DoNotOptimize(mujoco.data().qacc[0]);
  }
  const double difference =
    (VectorD::Map(mujoco.data().qacc, bodies) - expected).norm() / expected.norm();
  if (!(difference < 1e-6))
  {
    state.SkipWithError("MuJoCo accelerates otherwise: this is not the same chain");
  }
}
BENCHMARK(mujoco_chain)->RangeMultiplier(2)->Range(3, 48);
#endif

}  // namespace
}  // namespace fivebar_control::multibody

BENCHMARK_MAIN();
