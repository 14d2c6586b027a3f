// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/LU>
#include <cstdio>
#include <fstream>
#include <memory>

#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// The slider-crank of config/mechanisms, written down for MuJoCo by hand. The rod hangs on the
/// slider; its loop is open at the crank's pin B, where two sites have to meet.
constexpr const char * slider_crank = R"(
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body pos="0 0.1 0.12">
      <joint type="hinge" axis="1 0 0"/>
      <inertial pos="0 0 0.04" mass="0.12" diaginertia="1e-4 1e-4 1e-4"/>
      <site name="crank" pos="0 0 0.08"/>
    </body>
    <body pos="0.2 0 0">
      <joint type="slide" axis="1 0 0"/>
      <inertial pos="0.025 0 0" mass="2" diaginertia="1e-4 1e-4 1e-4"/>
      <body>
        <joint type="hinge" axis="0 0 1"/>
        <joint type="hinge" axis="1 2 0"/>
        <inertial pos="-0.1 0.05 0.1" mass="0.5" diaginertia="4e-3 4e-3 4e-3"/>
        <site name="rod" pos="-0.2 0.1 0.2"/>
      </body>
    </body>
  </worldbody>
</mujoco>
)";

/// MuJoCo's mass matrix, forces and Jacobians. Its own loops are elastic, so the loop is closed
/// here, exactly: [M J^T; J 0] [a; lambda] = [-bias; -J' v].
class MujocoSliderCrank
{
public:
  MujocoSliderCrank()
  {
    const std::string path = testing::TempDir() + "slider_crank_for_mujoco.xml";
    std::ofstream(path) << slider_crank;
    char error[500] = "";
    model_.reset(mj_loadXML(path.c_str(), nullptr, error, sizeof(error)));
    std::remove(path.c_str());
    if (!model_)
    {
      throw std::runtime_error(error);
    }
    data_.reset(mj_makeData(model_.get()));
    crank_ = mj_name2id(model_.get(), mjOBJ_SITE, "crank");
    rod_ = mj_name2id(model_.get(), mjOBJ_SITE, "rod");
  }

  using State = Eigen::Matrix<double, 8, 1>;
  using Jacobian = Eigen::Matrix<double, 3, 4, Eigen::RowMajor>;

  Jacobian jacobian(const Eigen::Vector4d & q) const
  {
    Eigen::Vector4d::Map(data_->qpos) = q;
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    Jacobian crank, rod;
    mj_jacSite(model_.get(), data_.get(), crank.data(), nullptr, crank_);
    mj_jacSite(model_.get(), data_.get(), rod.data(), nullptr, rod_);
    return crank - rod;
  }

  State rate(const State & y) const
  {
    const Eigen::Vector4d q = y.head<4>(), v = y.tail<4>();
    constexpr double h = 1e-4;
    const Jacobian J_rate = (8.0 * (jacobian(q + h * v) - jacobian(q - h * v)) -
                             (jacobian(q + 2.0 * h * v) - jacobian(q - 2.0 * h * v))) /
                            (12.0 * h);
    const Jacobian J = jacobian(q);
    Eigen::Vector4d::Map(data_->qvel) = v;
    mj_forward(model_.get(), data_.get());
    Eigen::Matrix<double, 4, 4, Eigen::RowMajor> M;
    mj_fullM(model_.get(), M.data(), data_->qM);
    Eigen::Matrix<double, 7, 7> K = Eigen::Matrix<double, 7, 7>::Zero();
    K.topLeftCorner<4, 4>() = M;
    K.topRightCorner<4, 3>() = J.transpose();
    K.bottomLeftCorner<3, 4>() = J;
    Eigen::Matrix<double, 7, 1> right;
    right << -Eigen::Vector4d::Map(data_->qfrc_bias), -(J_rate * v);
    State result;
    result << v, Eigen::Matrix<double, 7, 1>(K.fullPivLu().solve(right)).head<4>();
    return result;
  }

  State start(double crank_speed) const
  {
    const Jacobian J = jacobian(Eigen::Vector4d::Zero());
    State y = State::Zero();
    y(4) = crank_speed;
    y.tail<3>() = -J.rightCols<3>().fullPivLu().solve(J.col(0) * crank_speed);
    return y;
  }

private:
  struct Delete
  {
    void operator()(mjModel * model) const { mj_deleteModel(model); }
    void operator()(mjData * data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  int crank_ = 0, rod_ = 0;
};

TEST(SliderCrank, MovesAsWithMujocosMassesAndForces)
{
  const MechanismFile file = load_mechanism(
    std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/slider_crank.yaml",
    {{"duration", "0.5"}});
  const Trajectory motion = simulate(file.problem, file.settings, file.problem.rho);
  const auto ours = [&](const char * name, const Node & node) {
    return node.y(find_coordinate(*file.mechanism, name));
  };
  const MujocoSliderCrank mujoco;
  MujocoSliderCrank::State y = mujoco.start(6.0);
  const double h = file.settings.step;
  double worst = 0.0;
  for (const Node & node : motion.phases.front().nodes)
  {
    for (const auto & [name, theirs] :
         {std::pair("pin.angle", y(0)), std::pair("cross.angle_1", y(2)),
          std::pair("cross.angle_2", y(3)), std::pair("guide.travel", 0.2 + y(1))})
    {
      worst = std::max(worst, std::abs(ours(name, node) - theirs));
    }
    const auto k1 = mujoco.rate(y), k2 = mujoco.rate(y + 0.5 * h * k1),
               k3 = mujoco.rate(y + 0.5 * h * k2), k4 = mujoco.rate(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  EXPECT_LT(worst, 1e-8);
  RecordProperty("largest_difference", std::to_string(worst));
}

}  // namespace
}  // namespace fivebar_control::multibody
