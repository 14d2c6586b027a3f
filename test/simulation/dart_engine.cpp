// SPDX-License-Identifier: Apache-2.0
#include "dart_engine.hpp"

#include <cmath>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/constraint/WeldJointConstraint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>
#include <sdf/sdf.hh>
#include <stdexcept>

#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_control/simulation/gazebo_description.hpp"

namespace fivebar_control
{
namespace
{

constexpr double time_step = 1e-3;  // s, as in the world for Gazebo

template <class Pose>
Eigen::Isometry3d to_eigen(const Pose & pose)
{
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.translation() << pose.Pos().X(), pose.Pos().Y(), pose.Pos().Z();
  result.linear() =
    Eigen::Quaterniond(pose.Rot().W(), pose.Rot().X(), pose.Rot().Y(), pose.Rot().Z())
      .toRotationMatrix();
  return result;
}

/// `share` of the link's mass and inertia.
dart::dynamics::Inertia inertia_of(const sdf::Link & link, double share)
{
  const auto & inertial = link.Inertial();
  const auto & m = inertial.MassMatrix();
  const Eigen::Isometry3d pose = to_eigen(inertial.Pose());
  Eigen::Matrix3d moment;
  moment << m.Ixx(), m.Ixy(), m.Ixz(), m.Ixy(), m.Iyy(), m.Iyz(), m.Ixz(), m.Iyz(), m.Izz();
  moment = (share * pose.linear() * moment * pose.linear().transpose()).eval();
  dart::dynamics::Inertia inertia;
  inertia.setMass(share * m.Mass());
  inertia.setLocalCOM(pose.translation());
  inertia.setMoment(moment);
  return inertia;
}

dart::dynamics::BodyNode::AspectProperties named(const std::string & name)
{
  return dart::dynamics::BodyNode::AspectProperties(name);
}

class DartEngine : public PlantEngine
{
public:
  DartEngine(const RobotModel & robot, const PlantParameters & plant)
  : robot_(plant_model(robot, plant)), world_(dart::simulation::World::create())
  {
    sdf::Root root;
    if (!root.LoadSdfString(gazebo_urdf_of(robot_)).empty() || root.Model() == nullptr)
    {
      throw std::runtime_error("libsdformat refuses the description");
    }
    model_ = root.Model();
    skeleton_ = dart::dynamics::Skeleton::create("fivebar");
    dart::dynamics::BodyNode * base =
      skeleton_
        ->createJointAndBodyNodePair<dart::dynamics::WeldJoint>(nullptr, {}, named("base_link"))
        .second;
    dart::dynamics::BodyNode * link_2 =
      hinge(hinge(base, "joint_1", "link_1"), "joint_2", "link_2");
    dart::dynamics::BodyNode * link_3 =
      hinge(hinge(base, "joint_4", "link_4"), "joint_3", "link_3");
    tip_ = hinge(link_2, "end_effector_joint", "end_effector");
    const sdf::Link & tip_link = *model_->LinkByName("end_effector");
    tip_->setInertia(inertia_of(tip_link, 0.5));
    dart::dynamics::WeldJoint::Properties fixed;
    fixed.mT_ParentBodyToJoint = pose_of("link_3").inverse() * pose_of("end_effector");
    other_half_ = skeleton_
                    ->createJointAndBodyNodePair<dart::dynamics::WeldJoint>(
                      link_3, fixed, named("end_effector_half"))
                    .second;
    other_half_->setInertia(inertia_of(tip_link, 0.5));
    world_->setTimeStep(time_step);
    world_->setGravity({robot.physics().gravity.x(), robot.physics().gravity.y(), 0.0});
    world_->addSkeleton(skeleton_);
    auto * solver =
      dynamic_cast<dart::constraint::BoxedLcpConstraintSolver *>(world_->getConstraintSolver());
    solver->setBoxedLcpSolver(std::make_shared<dart::constraint::PgsBoxedLcpSolver>());
    solver->addConstraint(
      std::make_shared<dart::constraint::WeldJointConstraint>(tip_, other_half_));
    model_ = nullptr;  // it belongs to root
  }

  void reset(const Eigen::Vector4d & state) override
  {
    const Kinematics & kinematics = robot_.kinematics();
    const JointStates home =
      joint_states(kinematics, robot_.parameters().home, Eigen::Vector2d::Zero());
    const JointStates now = joint_states(kinematics, state.head<2>(), state.tail<2>());
    constexpr std::array<const char *, 4> names{"joint_1", "joint_4", "joint_2", "joint_3"};
    for (std::size_t i = 0; i < names.size(); ++i)
    {
      joint(names[i]).setPosition(0, now.angle[i] - home.angle[i]);
      joint(names[i]).setVelocity(0, now.speed[i]);
    }
    // It turns with link 3 and hangs on link 2.
    const auto turn = [](const std::array<double, 4> & of) {
      return of[1] + of[3] - of[0] - of[2];
    };
    joint("end_effector_joint").setPosition(0, turn(now.angle) - turn(home.angle));
    joint("end_effector_joint").setVelocity(0, turn(now.speed));
  }

  void advance(const Eigen::Vector2d & volts, double duration) noexcept override
  {
    const int steps = static_cast<int>(std::lround(duration / time_step));
    for (int i = 0; i < steps; ++i)
    {
      joint("joint_1").setForce(0, robot_.constants().torque_gain[0] * volts[0]);
      joint("joint_4").setForce(0, robot_.constants().torque_gain[1] * volts[1]);
      world_->step();
      const Eigen::Vector3d gap =
        tip_->getWorldTransform().translation() - other_half_->getWorldTransform().translation();
      largest_loop_error_ = std::max(largest_loop_error_, gap.norm());
    }
  }

  Eigen::Vector4d state() const noexcept override
  {
    const Eigen::Vector2d home = robot_.parameters().home;
    return {
      home[0] + joint("joint_1").getPosition(0), home[1] + joint("joint_4").getPosition(0),
      joint("joint_1").getVelocity(0), joint("joint_4").getVelocity(0)};
  }
  Eigen::Vector2d end_effector() const noexcept override
  {
    return end_effector_at(robot_.kinematics().geometry(), state().head<2>());
  }
  double largest_loop_error() const noexcept override { return largest_loop_error_; }
  Eigen::Vector2d back_emf_constants() const noexcept override
  {
    return back_emf_of(robot_.physics());
  }
  std::string name() const override { return "DART"; }

private:
  dart::dynamics::Joint & joint(const char * name) const { return *skeleton_->getJoint(name); }

  Eigen::Isometry3d pose_of(const std::string & link) const
  {
    std::decay_t<decltype(model_->RawPose())> pose;
    if (!model_->LinkByName(link)->SemanticPose().Resolve(pose, "__model__").empty())
    {
      throw std::runtime_error("no pose of " + link);
    }
    return to_eigen(pose);
  }

  dart::dynamics::BodyNode * hinge(
    dart::dynamics::BodyNode * parent, const std::string & joint, const std::string & link)
  {
    const sdf::JointAxis & axis = *model_->JointByName(joint)->Axis();
    dart::dynamics::RevoluteJoint::Properties properties;
    properties.mName = joint;
    properties.mAxis = Eigen::Vector3d(axis.Xyz().X(), axis.Xyz().Y(), axis.Xyz().Z());
    properties.mT_ParentBodyToJoint = pose_of(parent->getName()).inverse() * pose_of(link);
    properties.mDampingCoefficients[0] = axis.Damping();
    properties.mFrictions[0] = axis.Friction();
    dart::dynamics::BodyNode * body =
      skeleton_
        ->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(parent, properties, named(link))
        .second;
    body->setInertia(inertia_of(*model_->LinkByName(link), 1.0));
    return body;
  }

  RobotModel robot_;
  dart::simulation::WorldPtr world_;
  const sdf::Model * model_ = nullptr;  ///< while it is being built
  dart::dynamics::SkeletonPtr skeleton_;
  dart::dynamics::BodyNode * tip_ = nullptr;
  dart::dynamics::BodyNode * other_half_ = nullptr;
  double largest_loop_error_ = 0.0;
};

}  // namespace

std::unique_ptr<PlantEngine> make_dart_engine(
  const RobotModel & robot, const PlantParameters & plant)
{
  return std::make_unique<DartEngine>(robot, plant);
}

}  // namespace fivebar_control
