// SPDX-License-Identifier: Apache-2.0
// Counts what the update must not do: allocate, lock, call the system. This program replaces the
// allocation and locking functions of the C library, and is compiled together with the controller's
// sources so that Eigen's own check (EIGEN_RUNTIME_NO_MALLOC) sees them too.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <limits>

#include "fivebar_control/controller/control_core.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "model/robots.hpp"

namespace
{
thread_local bool counting = false;
thread_local long allocations = 0;
thread_local long locks = 0;

template <class Function>
Function next_function(const char * name)
{
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
}  // namespace

extern "C" {
void * __libc_malloc(size_t);
void * __libc_calloc(size_t, size_t);
void * __libc_realloc(void *, size_t);
void * __libc_memalign(size_t, size_t);
void __libc_free(void *);

// operator new and delete of the C++ library end here, too.
void * malloc(size_t size)
{
  allocations += counting ? 1 : 0;
  return __libc_malloc(size);
}
void * calloc(size_t count, size_t size)
{
  allocations += counting ? 1 : 0;
  return __libc_calloc(count, size);
}
void * realloc(void * pointer, size_t size)
{
  allocations += counting ? 1 : 0;
  return __libc_realloc(pointer, size);
}
void * aligned_alloc(size_t alignment, size_t size)
{
  allocations += counting ? 1 : 0;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void ** pointer, size_t alignment, size_t size)
{
  allocations += counting ? 1 : 0;
  *pointer = __libc_memalign(alignment, size);
  return *pointer == nullptr ? ENOMEM : 0;
}
void free(void * pointer)
{
  allocations += counting && pointer != nullptr ? 1 : 0;
  __libc_free(pointer);
}
int pthread_mutex_lock(pthread_mutex_t * mutex) noexcept
{
  locks += counting ? 1 : 0;
  static const auto next = next_function<int (*)(pthread_mutex_t *)>("pthread_mutex_lock");
  return next(mutex);
}
int pthread_rwlock_wrlock(pthread_rwlock_t * lock) noexcept
{
  locks += counting ? 1 : 0;
  static const auto next = next_function<int (*)(pthread_rwlock_t *)>("pthread_rwlock_wrlock");
  return next(lock);
}
int pthread_rwlock_rdlock(pthread_rwlock_t * lock) noexcept
{
  locks += counting ? 1 : 0;
  static const auto next = next_function<int (*)(pthread_rwlock_t *)>("pthread_rwlock_rdlock");
  return next(lock);
}
}

namespace fivebar_control::test
{
namespace
{

constexpr std::int64_t millisecond = 1'000'000;

/// Controllers with different limits, and a robot that always is where it should be, so that each
/// fault is provoked by what the controller is told.
class Ordeal
{
public:
  Ordeal()
  : plan_(short_plan(false)),
    broken_plan_(short_plan(true)),
    plain_(default_robot(), settings(false), ControlMode::feedforward_and_feedback, millisecond),
    patient_(default_robot(), settings(true), ControlMode::feedforward_only, millisecond),
    limitless_(fast_robot(), settings(true), ControlMode::feedback_only, millisecond),
    blind_(default_robot(), without_model(), ControlMode::feedforward_and_feedback, millisecond),
    odd_(default_robot(), touchy(Reason::implausible_motion), mode_of_touchy, millisecond),
    wide_(default_robot(), touchy(Reason::implausible_scale), mode_of_touchy, millisecond),
    cut_(default_robot(), touchy(Reason::saturation), mode_of_touchy, millisecond),
    loud_(default_robot(), touchy(Reason::chatter), mode_of_touchy, millisecond),
    hot_(default_robot(), touchy(Reason::motor_overload), mode_of_touchy, millisecond)
  {
    for (ControlCore * core :
         {&plain_, &patient_, &limitless_, &blind_, &odd_, &wide_, &cut_, &loud_, &hot_})
    {
      core->set_plan(&plan_);
    }
  }

  /// Every way through the state machine, again and again.
  void endure(long least_updates)
  {
    while (updates_ < least_updates)
    {
      play_to_the_end(plain_);
      play_to_the_end(patient_);
      stop_on_the_way(plain_);
      abort_on_the_way(plain_);
      align(plain_, false);
      fail(plain_, Reason::late_cycles, [this](ControlInput & input) {
        time_ns_ += 3 * millisecond;
        input.time_ns = time_ns_;
        input.sample_time_ns = time_ns_;
      });
      const Eigen::Vector2d start = plan_.start();
      int shake = 0;
      fail(limitless_, Reason::following_error, [&](ControlInput & input) {
        input.angle = start + Eigen::Vector2d::Constant(0.4 + 1e-3 * (++shake % 2));
      });
      fail(patient_, Reason::joint_range, [](ControlInput & input) { input.angle[0] = 2.4; });
      fail(patient_, Reason::joint_speed, [](ControlInput & input) { input.angle[0] += 0.5; });
      fail(limitless_, Reason::parallel_singularity, [](ControlInput & input) {
        input.angle = {3.14159, 0.0};
      });
      fail(limitless_, Reason::serial_singularity, [](ControlInput & input) {
        input.angle = {0.6, 0.95};
      });
      fail(blind_, Reason::encoder_frozen, [&](ControlInput & input) {
        input.angle = start + Eigen::Vector2d::Constant(0.08);
      });
      fail(plain_, Reason::encoder_jump, [](ControlInput & input) { input.angle[1] += 1.0; });
      fail(plain_, Reason::encoder_not_finite, [](ControlInput & input) {
        input.angle[1] = std::numeric_limits<double>::quiet_NaN();
      });
      fail(plain_, Reason::read_failed, [](ControlInput & input) { input.read_good = false; });
      fail(plain_, Reason::write_failed, [](ControlInput & input) { input.write_good = false; });
      fail(plain_, Reason::device_fault, [](ControlInput & input) { input.device_good = false; });
      fail(plain_, Reason::device_disarmed, [](ControlInput & input) { input.armed = false; });
      align(blind_, true);
      fail_by_the_model();
      plain_.set_plan(&broken_plan_);
      fail(plain_, Reason::output_not_finite, [](ControlInput &) {});
      plain_.set_plan(&plan_);
    }
  }

  /// The guards that know the model, or look at the volts.
  void fail_by_the_model()
  {
    const Eigen::Vector2d start = plan_.start();
    int shake = 0;
    fail(odd_, Reason::implausible_motion, [&](ControlInput & input) {
      input.angle = start + Eigen::Vector2d::Constant(1e-3 * (++shake % 2));
    });
    fail(wide_, Reason::implausible_scale, [&](ControlInput & input) {
      input.angle = start + 0.7 * (input.angle - start);
    });
    fail(cut_, Reason::saturation, [&](ControlInput & input) { input.angle = start; });
    fail(loud_, Reason::chatter, [&](ControlInput & input) {
      input.angle += Eigen::Vector2d::Constant(0.01 * (++shake % 2) - 0.005);
    });
    fail(hot_, Reason::motor_overload, [](ControlInput &) {});
  }

  long updates() const { return updates_; }
  long refusals() const { return refusals_; }
  long of_reason(Reason reason) const { return reasons_[static_cast<std::size_t>(reason)]; }
  long in_state(ControlState state) const { return states_[static_cast<std::size_t>(state)]; }

private:
  static ControllerSettings settings(bool patient)
  {
    ControllerSettings s = load_controller_settings(config_path("controller.yaml"));
    s.gains.ki = 1.0;
    s.end = {0.05, 0.02, 0.02, 0.02};
    if (patient)
    {
      s.guard = without_model().guard;
      s.guard.jump_speed = 1e12;
      s.guard.frozen_window = 10.0;
      s.velocity.method = VelocityMethod::tracking_observer;
    }
    return s;
  }
  static ControllerSettings without_model()
  {
    ControllerSettings s = load_controller_settings(config_path("controller.yaml"));
    s.end = {0.05, 0.02, 0.02, 0.02};
    s.guard.switch_off(Reason::implausible_motion);
    s.guard.switch_off(Reason::implausible_scale);
    s.guard.jump_distance = 1e12;
    return s;
  }
  static constexpr ControlMode mode_of_touchy = ControlMode::feedforward_and_feedback;
  /// Falls for this one reason, and soon.
  static ControllerSettings touchy(Reason reason)
  {
    ControllerSettings s = without_model();
    for (const Reason other : reasons_to_switch_off())
    {
      s.guard.switch_off(other);
    }
    s.guard.switched_off &= ~(1U << static_cast<unsigned>(reason));
    s.guard.unexplained_voltage = 0.05;
    s.guard.scale_ratio = 1.1;
    s.guard.scale_voltage = 0.01;
    s.guard.saturation_window = 0.01;
    s.guard.motor_current = 0.01;
    s.gains.kp = reason == Reason::saturation || reason == Reason::chatter ? 1e5 : s.gains.kp;
    return s;
  }
  static RobotModel fast_robot()
  {
    RobotParameters parameters = default_robot().parameters();
    parameters.limits.joint_speed = 1e12;
    parameters.limits.joint_minimum = {-4.0, -4.0};
    parameters.limits.joint_maximum = {4.0, 4.0};
    parameters.limits.serial_singularity_margin = 0.5;
    parameters.limits.singularity_margin = 0.01;
    return RobotModel(parameters);
  }
  /// 0.4 s of curve B, or the same with a voltage that is no number.
  static PlayablePlan short_plan(bool broken)
  {
    PlanSamples s =
      make_plan(default_robot(), load_plan_request(config_path("curves/b_gentle.yaml")))
        .plan.samples;
    for (auto * column : {&s.t, &s.u1, &s.u4, &s.phi1, &s.phi4, &s.dphi1, &s.dphi4})
    {
      column->resize(81);
    }
    if (broken)
    {
      s.u1[40] = std::numeric_limits<double>::quiet_NaN();
    }
    s.x.resize(81);
    s.y.resize(81);
    return PlayablePlan(s);
  }

  template <class Tamper>
  ControlOutput step(ControlCore & core, ControlCommand command, Tamper && tamper)
  {
    time_ns_ += millisecond;
    ControlInput input;
    input.time_ns = time_ns_;
    input.sample_time_ns = time_ns_;
    input.angle = angle_;
    input.command = command;
    tamper(input);
    counting = true;
    const ControlOutput output = core.update(input);
    counting = false;
    ++updates_;
    ++states_[static_cast<std::size_t>(output.state)];
    refusals_ += output.refusal ? 1 : 0;
    const bool driving = output.state != ControlState::idle && output.state != ControlState::fault;
    angle_ = driving ? output.reference.phi : angle_;
    return output;
  }
  ControlOutput step(ControlCore & core, ControlCommand command = ControlCommand::none)
  {
    return step(core, command, [](ControlInput &) {});
  }
  /// Stands at the plan's start, idle.
  void begin(ControlCore & core)
  {
    angle_ = plan_.start();
    for (int k = 0; k < 400; ++k)
    {
      step(core, k == 10 ? ControlCommand::reset : ControlCommand::none);
    }
    // Standing at the new place may itself have been a jump.
    step(core, ControlCommand::reset);
    step(core);
  }
  void finish(ControlCore & core)
  {
    for (int k = 0; k < 2000 && core.state() != ControlState::idle; ++k)
    {
      step(core);
    }
  }
  void play_to_the_end(ControlCore & core)
  {
    begin(core);
    step(core, ControlCommand::start);
    step(core, ControlCommand::start);  // refused
    finish(core);
  }
  void stop_on_the_way(ControlCore & core)
  {
    begin(core);
    step(core, ControlCommand::start);
    for (int k = 0; k < 100; ++k)
    {
      step(core);
    }
    step(core, ControlCommand::stop);
    finish(core);
  }
  void abort_on_the_way(ControlCore & core)
  {
    begin(core);
    step(core, ControlCommand::start);
    for (int k = 0; k < 100; ++k)
    {
      step(core);
    }
    step(core, ControlCommand::abort);
  }
  void align(ControlCore & core, bool stuck)
  {
    begin(core);
    const Eigen::Vector2d away = plan_.start() + Eigen::Vector2d(0.05, 0.0);
    const auto displaced = [&](ControlInput & input) { input.angle = away; };
    step(core, ControlCommand::none, displaced);
    step(core, ControlCommand::start, displaced);  // refused
    step(core, ControlCommand::align_and_start, displaced);
    if (stuck)
    {
      for (int k = 0; k < 3000 && core.state() == ControlState::aligning; ++k)
      {
        step(core, ControlCommand::none, displaced);
      }
      ++reasons_[static_cast<std::size_t>(core.fault().reason)];
      return;
    }
    finish(core);
  }
  template <class Tamper>
  void fail(ControlCore & core, Reason, Tamper && tamper)
  {
    begin(core);
    step(core, ControlCommand::start);
    for (int k = 0; k < 150; ++k)
    {
      step(core);
    }
    for (int k = 0; k < 300 && core.state() != ControlState::fault; ++k)
    {
      step(core, ControlCommand::none, tamper);
    }
    ++reasons_[static_cast<std::size_t>(core.fault().reason)];
  }

  PlayablePlan plan_, broken_plan_;
  ControlCore plain_, patient_, limitless_, blind_, odd_, wide_, cut_, loud_, hot_;
  Eigen::Vector2d angle_ = Eigen::Vector2d::Zero();
  std::int64_t time_ns_ = 0;
  long updates_ = 0;
  long refusals_ = 0;
  std::array<long, reason_count> reasons_{};
  std::array<long, 7> states_{};
};

TEST(NoAllocation, TheCountersSeeWhatTheyShouldSee)
{
  allocations = 0;
  locks = 0;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  counting = true;
  int * volatile pointer = new int(3);  // volatile: the compiler must not leave it out
  delete pointer;
  pthread_mutex_lock(&mutex);
  counting = false;
  pthread_mutex_unlock(&mutex);
  EXPECT_GE(allocations, 2);
  EXPECT_EQ(locks, 1);
}

TEST(NoAllocation, AMillionUpdatesThroughAllStatesAndFaultsAllocateAndLockNothing)
{
  Ordeal ordeal;
  allocations = 0;
  locks = 0;
  Eigen::internal::set_is_malloc_allowed(false);
  ordeal.endure(1'000'000);
  Eigen::internal::set_is_malloc_allowed(true);
  EXPECT_GE(ordeal.updates(), 1'000'000);
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(locks, 0);
  for (int i = static_cast<int>(Reason::late_cycles); i < reason_count; ++i)
  {
    if (static_cast<Reason>(i) == Reason::host_late)
    {
      continue;  // found by a board that plays, never by the update
    }
    EXPECT_GT(ordeal.of_reason(static_cast<Reason>(i)), 10)
      << to_string(static_cast<Reason>(i)) << " was never provoked";
  }
  for (int i = 0; i < 7; ++i)
  {
    EXPECT_GT(ordeal.in_state(static_cast<ControlState>(i)), 0)
      << to_string(static_cast<ControlState>(i)) << " was never reached";
  }
  EXPECT_GT(ordeal.refusals(), 10);
}

class AlongThePlan : public testing::TestWithParam<FeedbackMethod>
{
};

TEST_P(AlongThePlan, ObserverGainsAndHorizonAllocateNothing)
{
  RobotParameters parameters = default_robot().parameters();
  parameters.limits.voltage = 1.0;  // so that the horizon has limits in its way
  const RobotModel robot(parameters);
  const PlayablePlan plan(
    make_plan(robot, load_plan_request(config_path("curves/b_gentle.yaml"))).plan.samples);
  ControllerSettings settings = load_controller_settings(config_path("controller_tvlqr.yaml"));
  settings.gains.method = GetParam();
  // The angles below are those of the reference, whatever the volts are: no robot does that.
  settings.guard.switch_off(Reason::implausible_scale);
  const auto gains = loop_gains_for(robot, settings, plan, 1e-3);
  ASSERT_TRUE(gains);
  ControlCore core(robot, settings, ControlMode::feedforward_and_feedback, 1'000'000);
  ASSERT_TRUE(core.set_plan(&plan, &*gains));
  allocations = 0;
  locks = 0;
  Eigen::internal::set_is_malloc_allowed(false);
  Eigen::Vector2d angle = plan.start();
  int playing = 0;
  for (int k = 1; k < 3000; ++k)
  {
    ControlInput input;
    input.time_ns = input.sample_time_ns = k * std::int64_t{1'000'000};
    input.angle = angle;
    input.command = k == 1 ? ControlCommand::start : ControlCommand::none;
    counting = true;
    const ControlOutput output = core.update(input);
    counting = false;
    playing += output.state == ControlState::playing ? 1 : 0;
    angle = output.reference.phi;
  }
  Eigen::internal::set_is_malloc_allowed(true);
  EXPECT_GT(playing, 1000);
  EXPECT_EQ(core.bounded_horizons() > 0, GetParam() == FeedbackMethod::mpc);
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(locks, 0);
}

INSTANTIATE_TEST_SUITE_P(
  Methods, AlongThePlan,
  testing::Values(FeedbackMethod::pd, FeedbackMethod::tvlqr, FeedbackMethod::mpc),
  [](const auto & parameter) { return std::string(to_string(parameter.param)); });

TEST(NoAllocation, TheKernelSeesNoSystemCallOfTheUpdate)
{
  Ordeal ordeal;
  const pid_t child = fork();
  if (child == 0)
  {
    // From here on any system call other than read, write and exit kills the process.
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
    {
      _exit(77);
    }
    ordeal.endure(200'000);
    syscall(SYS_exit, ordeal.updates() >= 200'000 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
  {
    GTEST_SKIP() << "this kernel has no seccomp";
  }
  EXPECT_FALSE(WIFSIGNALED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace fivebar_control::test
