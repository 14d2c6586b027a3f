// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <string>
#include <vector>

#include "chain_peer.hpp"

namespace
{

/// MuJoCo's reader takes 100 nested elements in one file, but files may include each other.
constexpr int bodies_per_file = 80;

std::string file_name(int number) { return fmt::format("chain_{}.xml", number); }

/// Pendulum `first` and all that hang on it, as far as they belong into this file.
std::string pendula(int first, int bodies)
{
  std::string text, end;
  int i = first;
  for (; i < bodies && i < first + bodies_per_file; ++i)
  {
    text += fmt::format(
      "<body pos=\"{} 0 0\"><inertial pos=\"0.5 0 0\" mass=\"0.5\" "
      "diaginertia=\"0.043 0.043 0.043\"/>"
      "<joint type=\"hinge\" axis=\"0 0 1\" damping=\"0.3\"/>",
      i == 1 ? 0 : 1);
    end += "</body>";
  }
  if (i < bodies)
  {
    text += fmt::format("<include file=\"{}\"/>", file_name(i));
  }
  return text + end;
}

std::string description(int bodies)
{
  return "<mujoco><compiler angle=\"radian\"/>"
         "<option timestep=\"0.01\" gravity=\"0 -9.81 0\"><flag constraint=\"disable\" "
         "contact=\"disable\"/></option><size nstack=\"40000000\"/><worldbody>"
         "<body name=\"cart\"><inertial pos=\"0 0 0\" mass=\"0.8\" diaginertia=\"1 1 1\"/>"
         "<joint name=\"rail\" type=\"slide\" axis=\"1 0 0\" damping=\"0.5\"/>" +
         pendula(1, bodies) +
         "</body></worldbody><actuator><motor joint=\"rail\"/></actuator></mujoco>";
}

void add(mjVFS & files, const std::string & name, const std::string & text)
{
  mj_makeEmptyFileVFS(&files, name.c_str(), static_cast<int>(text.size()));
  std::memcpy(files.filedata[mj_findFileVFS(&files, name.c_str())], text.data(), text.size());
}

}  // namespace

struct MujocoChain::Inside
{
  mjModel * model = nullptr;
  mjData * data = nullptr;
  std::vector<mjtNum> A, B;
};

MujocoChain::MujocoChain(int bodies, double (*angle)(int))
{
  auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  add(*files, "chain.xml", description(bodies));
  for (int i = 1 + bodies_per_file; i < bodies; i += bodies_per_file)
  {
    add(*files, file_name(i), "<mujocoinclude>" + pendula(i, bodies) + "</mujocoinclude>");
  }
  char reason[1000] = "";
  mjModel * model = mj_loadXML("chain.xml", files.get(), reason, sizeof(reason));
  mj_deleteVFS(files.get());
  if (model == nullptr)
  {
    fmt::print("MuJoCo does not take {} bodies: {}\n", bodies, reason);
    return;
  }
  inside_ = std::make_unique<Inside>();
  inside_->model = model;
  inside_->data = mj_makeData(model);
  for (int i = 1; i < bodies; ++i)
  {
    inside_->data->qpos[i] = angle(i) - (i > 1 ? angle(i - 1) : 0.0);
  }
  const auto n = static_cast<std::size_t>(2 * model->nv);
  inside_->A.resize(n * n);
  inside_->B.resize(n);
}

MujocoChain::~MujocoChain()
{
  if (inside_)
  {
    mj_deleteData(inside_->data);
    mj_deleteModel(inside_->model);
  }
}

void MujocoChain::forward() { mj_forward(inside_->model, inside_->data); }
double MujocoChain::cart_acceleration() const { return inside_->data->qacc[0]; }
void MujocoChain::transition()
{
  mjd_transitionFD(
    inside_->model, inside_->data, 1e-6, 0, inside_->A.data(), inside_->B.data(), nullptr, nullptr);
}
