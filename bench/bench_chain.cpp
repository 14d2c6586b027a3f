// SPDX-License-Identifier: Apache-2.0
// Divide and conquer on the cart with a chain of pendula (config/mechanisms/cart_chain.yaml): cost
// of a right-hand side and of a gradient over the number of bodies, one and two threads, beside the
// dense engine and, where it is installed, MuJoCo on the same chain. One thread: processor time,
// the least of many short blocks. Two threads: wall time, the least of short blocks that alternate
// with blocks of one thread, so that a moment with two free cores is found on a machine that is not
// idle.
#include <fmt/core.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "chain_peer.hpp"
#include "fivebar_control/multibody/form.hpp"
#include "fivebar_control/multibody/hadca_adjoint.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"

namespace fivebar_control::multibody
{
namespace
{

double seconds(clockid_t clock)
{
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds of one call: the least of `blocks` blocks of so many calls that a block takes a third of
/// a millisecond or more.
class Stopwatch
{
public:
  explicit Stopwatch(clockid_t clock) : clock_(clock) {}

  template <class Work>
  void block(Work && work)
  {
    work();  // threads that sleep since the last block are awake now
    const double begin = seconds(clock_);
    for (int i = 0; i < calls_; ++i)
    {
      work();
    }
    const double one = (seconds(clock_) - begin) / calls_;
    least_ = std::min(least_, one);
    calls_ = std::max(1, static_cast<int>(3e-4 / least_));
  }
  double least() const { return least_; }

private:
  clockid_t clock_;
  int calls_ = 1;
  double least_ = 1e300;
};

template <class Work>
double processor_time(int blocks, Work && work)
{
  Stopwatch watch(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < blocks; ++i)
  {
    watch.block(work);
  }
  return watch.least();
}

MechanismFile chain_of(int bodies, double duration)
{
  return load_mechanism(
    FIVEBAR_SOURCE_DIR "/config/mechanisms/cart_chain.yaml",
    {{"pendula", fmt::format("{}", bodies - 1)}, {"duration", fmt::format("{}", duration)}});
}

/// A right-hand side at an arbitrary state: accelerations and reactions with it.
class RightHandSide
{
public:
  RightHandSide(const MechanismFile & file, Formulation formulation, int threads)
  {
    const auto system = file.problem.modes.front();
    const auto bodies = static_cast<int>(system->coordinates() / 3);
    at_ = {0.0, VectorD::Zero(3 * bodies), VectorD::Zero(3 * bodies), VectorD::Zero(1)};
    double x = 0.0, y = 0.0;
    for (int i = 1; i < bodies; ++i)
    {
      const double angle = angle_of(i);
      at_.q.segment(3 * i, 3) << x + 0.5 * std::cos(angle), y + 0.5 * std::sin(angle), angle;
      x += std::cos(angle);
      y += std::sin(angle);
    }
    Settings settings;
    settings.formulation = formulation;
    settings.threads = threads;
    form_ = make_form(system, settings, at_);
    y_ = form_->state(at_);
  }
  static double angle_of(int body) { return 0.8 + 0.01 * body; }

  void operator()() { form_->respond(0.0, y_, at_.theta, at_.q, response_); }
  const VectorD & accelerations() const { return response_.a; }

private:
  Point<double> at_;
  std::unique_ptr<Form> form_;
  VectorD y_;
  Response<double> response_;
};

struct TwoThreads
{
  double one = 0.0, two = 0.0;  ///< wall time
  bool identical = false;
};

template <class One, class Two>
TwoThreads alternate(int blocks, One && one, Two && two)
{
  Stopwatch first(CLOCK_MONOTONIC), second(CLOCK_MONOTONIC);
  for (int i = 0; i < blocks; ++i)
  {
    first.block(one);
    second.block(two);
  }
  return {first.least(), second.least(), false};
}

/// Slope of log(time) over log(bodies).
double exponent(const std::vector<int> & bodies, const std::vector<double> & times)
{
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i)
  {
    const double x = std::log(bodies[i]), y = std::log(times[i]);
    n += 1.0;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

std::string or_dash(double value) { return value > 0.0 ? fmt::format("{:.4g}", value) : "-"; }

void right_hand_sides(const std::vector<int> & sizes)
{
  fmt::print(
    "\nright-hand side, microseconds\n"
    "bodies | hadca | per body | 2 threads, speed-up | bits equal | index-1 | MuJoCo forward\n");
  std::vector<double> times;
  for (const int bodies : sizes)
  {
    const MechanismFile file = chain_of(bodies, 0.1);
    RightHandSide one(file, Formulation::hadca, 1), two(file, Formulation::hadca, 2);
    times.push_back(processor_time(200, one));
    TwoThreads both = alternate(1500, one, two);
    both.identical = one.accelerations() == two.accelerations();
    double dense = 0.0;
    if (bodies <= 256)
    {
      RightHandSide index_1(file, Formulation::index1, 1);
      dense = processor_time(bodies <= 64 ? 50 : 3, index_1);
    }
    double mujoco = 0.0;
    if (MujocoChain peer(bodies, &RightHandSide::angle_of); peer.usable())
    {
      peer.forward();
      const double off = std::abs(peer.cart_acceleration() - one.accelerations()(0));
      if (off > 1e-6 * (1.0 + std::abs(one.accelerations()(0))))
      {
        fmt::print("MuJoCo's chain of {} accelerates differently by {:.2g}\n", bodies, off);
      }
      mujoco = processor_time(bodies <= 256 ? 30 : 3, [&] { peer.forward(); });
    }
    fmt::print(
      "{:6} | {:7.2f} | {:.3f} | {:.2f} | {} | {} | {}\n", bodies, 1e6 * times.back(),
      1e6 * times.back() / bodies, both.one / both.two, both.identical ? "yes" : "NO",
      or_dash(1e6 * dense), or_dash(1e6 * mujoco));
    std::fflush(stdout);
  }
  fmt::print("exponent {:.3f} (hadca, 1 thread)\n", exponent(sizes, times));
}

void gradients(const std::vector<int> & sizes)
{
  constexpr double duration = 0.2;  // 20 steps of 10 ms, short enough to meet a free moment
  fmt::print(
    "\nforward motion and adjoint, microseconds per step of Runge-Kutta\n"
    "bodies | hadca | per body | 2 threads, speed-up | bits equal | MuJoCo transition by "
    "differences\n");
  std::vector<double> times;
  for (const int bodies : sizes)
  {
    const MechanismFile file = chain_of(bodies, duration);
    Settings single = file.settings, pair = file.settings;
    single.threads = 1;
    pair.threads = 2;
    MatrixD g1, g2;
    const auto one = [&] {
      g1 = hadca_adjoint(file.problem, single, file.problem.rho).gradient.gradient;
    };
    const auto two = [&] {
      g2 = hadca_adjoint(file.problem, pair, file.problem.rho).gradient.gradient;
    };
    const double steps = duration / file.settings.step;
    times.push_back(processor_time(20, one));
    TwoThreads both = alternate(bodies <= 256 ? 100 : 30, one, two);
    both.identical = g1 == g2;
    double mujoco = 0.0;
    if (bodies <= 128)
    {
      if (MujocoChain peer(bodies, &RightHandSide::angle_of); peer.usable())
      {
        mujoco = processor_time(3, [&] { peer.transition(); });
      }
    }
    fmt::print(
      "{:6} | {:7.2f} | {:.3f} | {:.2f} | {} | {}\n", bodies, 1e6 * times.back() / steps,
      1e6 * times.back() / steps / bodies, both.one / both.two, both.identical ? "yes" : "NO",
      or_dash(1e6 * mujoco));
    std::fflush(stdout);
  }
  fmt::print("exponent {:.3f} (hadca, 1 thread)\n", exponent(sizes, times));
  const MechanismFile file = chain_of(128, 2.0);
  const double whole =
    processor_time(3, [&] { hadca_adjoint(file.problem, file.settings, file.problem.rho); });
  fmt::print("\none gradient, 128 bodies, 2 s of motion, 201 nodes: {:.3f} s\n", whole);
}

}  // namespace
}  // namespace fivebar_control::multibody

int main(int count, char ** arguments)
{
  std::vector<int> sizes;
  for (int i = 1; i < count; ++i)
  {
    // scripts/bench hands its arguments to every program.
    if (
      std::strncmp(arguments[i], "--benchmark_filter=", 19) == 0 &&
      std::strstr(arguments[i], "chain") == nullptr)
    {
      return 0;
    }
    if (const int bodies = std::atoi(arguments[i]); bodies > 1)
    {
      sizes.push_back(bodies);
    }
  }
  if (sizes.empty())
  {
    sizes = {32, 64, 128, 256, 512, 1024};
  }
  fivebar_control::multibody::right_hand_sides(sizes);
  fivebar_control::multibody::gradients(sizes);
  return 0;
}
