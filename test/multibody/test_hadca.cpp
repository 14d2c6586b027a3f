// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fmt/core.h>

#include "fivebar_control/multibody/hadca_adjoint.hpp"
#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "multibody/gradients.hpp"

// Figures: independent programs (long double extrapolation, DOP853, CasADi) on the data of source
// Maciąg, chapter 6. N_b counts the cart.

namespace fivebar_control::multibody
{
namespace
{

const std::string cart_chain =
  std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/cart_chain.yaml";

MechanismFile chain_of(int bodies, const std::vector<MechanismOverride> & more = {})
{
  std::vector<MechanismOverride> overrides{{"pendula", fmt::format("{}", bodies - 1)}};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return load_mechanism(cart_chain, overrides);
}

/// The adaptive integrator with tolerance 1e-10 between nodes 5 ms apart.
Settings accurate(const MechanismFile & file)
{
  Settings settings = file.settings;
  settings.integrator = Integrator::adaptive;
  settings.tolerance = 1e-11;
  settings.step = 2e-3;
  return settings;
}

struct Instant3
{
  double t, x, x_rate, angle, angle_rate;
};

Instant3 at_node(const MechanismFile & file, const Trajectory & motion, std::size_t node)
{
  const Phase & phase = motion.phases.front();
  const Response<double> r = response_at(file.problem, motion, phase, phase.nodes[node]);
  const Eigen::Index last = r.q.size() - 1;
  return {phase.nodes[node].t, r.q(0), r.v(0), r.q(last), r.v(last)};
}

TEST(DivideAndConquer, MovesThreePendulaLikeTheReference)
{
  const MechanismFile file = chain_of(4);
  const Settings settings = accurate(file);
  const Trajectory motion = simulate(file.problem, settings, file.problem.rho);
  const Instant3 expected[] = {
    {0.5, -0.1814449016, 0.0849070668, 0.8513915397, -0.2604846495},
    {1.0, 0.7171393212, 4.1422108515, -1.9878091564, -8.6907475219},
    {1.5, 1.5049822736, -0.4800416552, -3.4026812920, -2.2703623688},
    {2.0, 1.1147201931, -1.0773000116, -4.4465668754, -1.6124545074}};
  for (const Instant3 & one : expected)
  {
    const auto node = static_cast<std::size_t>(std::lround(one.t / settings.step));
    const Instant3 ours = at_node(file, motion, node);
    EXPECT_NEAR(ours.x, one.x, 1e-8) << one.t;
    EXPECT_NEAR(ours.x_rate, one.x_rate, 1e-8) << one.t;
    EXPECT_NEAR(ours.angle, one.angle, 1e-8) << one.t;
    EXPECT_NEAR(ours.angle_rate, one.angle_rate, 1e-8) << one.t;
  }
  EXPECT_NEAR(motion.costs(0), 1.5566555594, 1e-8);
}

TEST(DivideAndConquer, MovesChainsOfOtherLengthsLikeTheReference)
{
  struct Line
  {
    int bodies;
    double x, angle, angle_tolerance, cost, xi_0;
  };
  for (const Line & line :
       {Line{2, 0.0372925370, -1.3782862518, 1e-8, 0.0167161258, 0.1585207524},
        Line{16, 4.7076198807, -1.8323040745, 1e-7, 14.7488490557, 1.0705023748},
        Line{32, 4.8690748346, 0.7853982456, 1e-8, 15.6153913632, 0.5366375216}})
  {
    const MechanismFile file = chain_of(line.bodies);
    Settings settings = accurate(file);
    const HadcaAdjoint adjoint = hadca_adjoint(file.problem, settings, file.problem.rho);
    EXPECT_NEAR(adjoint.gradient.costs(0), line.cost, 1e-8) << line.bodies;
    EXPECT_NEAR(adjoint.nodes.front().density(0), line.xi_0, 1e-6) << line.bodies;
    settings.step = 0.01;
    const Trajectory motion = simulate(file.problem, settings, file.problem.rho);
    const Instant3 ours = at_node(file, motion, 200);
    EXPECT_NEAR(ours.x, line.x, 1e-8) << line.bodies;
    EXPECT_NEAR(ours.angle, line.angle, line.angle_tolerance) << line.bodies;
  }
}

TEST(DivideAndConquer, HasTheAdjointOfTheReference)
{
  // t, xi_1(t) = dJ/du per second.
  const std::pair<double, double> expected[] = {
    {0.0, 1.5604083760}, {0.25, 1.3912186518}, {0.5, 1.2057157466}, {1.0, 0.6341043166},
    {1.5, 0.3414070223}, {1.75, 0.1856476068}, {2.0, 0.0}};
  const MechanismFile file = chain_of(4);
  Settings coarse = file.settings;  // Runge-Kutta with 0.01 s, interpolated in between
  Settings fine = accurate(file);
  fine.step = 1e-3;
  for (const auto & [settings, tolerance] : {std::pair{coarse, 3e-6}, std::pair{fine, 1e-8}})
  {
    const HadcaAdjoint adjoint = hadca_adjoint(file.problem, settings, file.problem.rho);
    for (const auto & [t, density] : expected)
    {
      const auto node = static_cast<std::size_t>(std::lround(t / settings.step));
      EXPECT_NEAR(adjoint.nodes[node].t, t, 1e-12);
      EXPECT_NEAR(adjoint.nodes[node].density(0), density, tolerance) << t;
    }
  }
}

TEST(DivideAndConquer, AgreesWithTheDenseEngineOnChainsOfAnyLength)
{
  for (const int bodies : {2, 3, 5, 6, 7})
  {
    // Forces, an input torque at a hinge, other lengths of step: nothing special.
    const MechanismFile file = chain_of(
      bodies, {{"step", "0.001"},
               {"duration", "0.5"},
               {"pendulum.centre", "0.4"},
               {"pendulum.velocity", "0.3"},
               {"inputs.force", "{step: 0.1, nodes: [1, -2, 3, 1, 0, 2]}"},
               {"costs.position",
                "[{of: pendulum_1.tip, axis: y, target: 1}, {coordinate: cart.x, when: end}, "
                "{input: force, weight: 0.01}]"}});
    Settings dense = file.settings;
    dense.formulation = Formulation::hamilton;
    const HamiltonianAdjoint expected =
      hamiltonian_adjoint(file.problem, dense, file.problem.rho, AdjointSpace::joint);
    const HadcaAdjoint ours = hadca_adjoint(file.problem, file.settings, file.problem.rho);
    EXPECT_NEAR(ours.gradient.costs(0), expected.gradient.costs(0), 1e-8) << bodies;
    EXPECT_LT(relative_difference(ours.gradient.gradient, expected.gradient.gradient), 1e-8)
      << bodies;
  }
}

TEST(DivideAndConquer, MovesChainsThatAreNoPowerOfTwoLikeTheDenseEngine)
{
  for (const int bodies : {9, 12})
  {
    const MechanismFile file =
      chain_of(bodies, {{"duration", "0.2"}, {"pendulum.velocity", "0.5"}});
    Settings settings = accurate(file);
    settings.step = 0.02;
    const Trajectory ours = simulate(file.problem, settings, file.problem.rho);
    settings.formulation = Formulation::index1;
    const Trajectory dense = simulate(file.problem, settings, file.problem.rho);
    EXPECT_NEAR(ours.costs(0), dense.costs(0), 1e-8) << bodies;
    const auto end = [&](const Trajectory & motion) {
      const Phase & phase = motion.phases.front();
      return response_at(file.problem, motion, phase, phase.nodes.back());
    };
    EXPECT_LT((end(ours).q - end(dense).q).norm(), 1e-8) << bodies;
    EXPECT_LT((end(ours).v - end(dense).v).norm(), 1e-8) << bodies;
  }
}

TEST(DivideAndConquer, StartsALongChainWithoutDenseMatrices)
{
  const MechanismFile file = chain_of(1024, {{"duration", "0.01"}});
  const Trajectory motion = simulate(file.problem, file.settings, file.problem.rho);
  EXPECT_EQ(motion.phases.front().nodes.size(), 2U);
  EXPECT_TRUE(motion.costs.allFinite());
  try
  {
    chain_of(1024, {{"formulation", "index-1"}});
    ADD_FAILURE() << "not refused";
  }
  catch (const InputError & error)
  {
    EXPECT_THAT(error.what(), testing::HasSubstr("need 'formulation: hadca'"));
  }
}

TEST(DivideAndConquer, IsAFormForEveryMethod)
{
  const MechanismFile file =
    chain_of(4, {{"duration", "0.5"}, {"inputs.force", "{step: 0.1, nodes: [1, -2, 3, 1, 0, 2]}"}});
  const auto by = [&](Method method) {
    return gradient(file.problem, file.settings, file.problem.rho, method).gradient;
  };
  const MatrixD exact = by(Method::complex_step);
  EXPECT_LT(relative_difference(by(Method::direct), exact), 1e-10);
  EXPECT_LT(relative_difference(by(Method::discrete_adjoint), exact), 1e-10);
  EXPECT_LT(relative_difference(by(Method::adjoint), exact), 1e-5);
  EXPECT_LT(relative_difference(by(Method::hadca_adjoint), exact), 1e-5);
}

TEST(DivideAndConquer, FindsTheAccelerationsAndReactionsOfTheDenseEngine)
{
  for (const int bodies : {2, 7, 33})
  {
    const MechanismFile file = chain_of(bodies, {{"pendulum.velocity", "0.7"}});
    const System & system = *file.problem.modes.front();
    const VectorD theta = VectorD::Constant(1, 2.5);
    const InitialState<double> start = assemble<double>(system, *file.problem.initial, theta);
    const Point<double> at{0.0, start.q, start.v, theta};
    const auto respond = [&](Formulation formulation) {
      Settings settings;
      settings.formulation = formulation;
      const auto form = make_form(file.problem.modes.front(), settings, at);
      Response<double> response;
      form->respond(0.0, form->state(at), theta, start.q, response);
      return response;
    };
    const Response<double> ours = respond(Formulation::hadca);
    const Response<double> expected = respond(Formulation::index1);
    EXPECT_LT((ours.q - expected.q).norm(), 1e-12 * expected.q.norm()) << bodies;
    EXPECT_LT((ours.v - expected.v).norm(), 1e-12 * expected.v.norm()) << bodies;
    EXPECT_LT((ours.a - expected.a).norm(), 1e-9 * expected.a.norm()) << bodies;
    EXPECT_LT((ours.lambda - expected.lambda).norm(), 1e-9 * expected.lambda.norm()) << bodies;
  }
}

TEST(DivideAndConquer, KeepsTheConstraintsOfTheAdjoint)
{
  const MechanismFile file = chain_of(7);
  const HadcaAdjoint adjoint = hadca_adjoint(file.problem, file.settings, file.problem.rho);
  const Trajectory motion = simulate(file.problem, file.settings, file.problem.rho);
  const Phase & phase = motion.phases.front();
  for (std::size_t k = 0; k < adjoint.nodes.size(); k += 20)
  {
    const Response<double> r = response_at(file.problem, motion, phase, phase.nodes[k]);
    Terms<double> terms;
    file.problem.modes.front()->evaluate(
      Point<double>{phase.nodes[k].t, r.q, r.v, VectorD::Zero(1)}, terms);
    const HadcaAdjoint::Node & node = adjoint.nodes[k];
    EXPECT_LT((terms.Phi_q * node.xi).norm(), 1e-11);
    EXPECT_LT((terms.Phi_q * node.eta + terms.Phi_q_rate * node.xi).norm(), 1e-11);
  }
}

TEST(DivideAndConquer, DoesNotDependOnTheNumberOfThreads)
{
  const MechanismFile file = chain_of(71, {{"duration", "0.03"}});
  Settings settings = file.settings;
  settings.threads = 1;
  const HadcaAdjoint one = hadca_adjoint(file.problem, settings, file.problem.rho);
  for (const int threads : {2, 3, 5})
  {
    settings.threads = threads;
    const HadcaAdjoint more = hadca_adjoint(file.problem, settings, file.problem.rho);
    EXPECT_EQ(more.gradient.costs, one.gradient.costs) << threads;
    EXPECT_EQ(more.gradient.gradient, one.gradient.gradient) << threads;
  }
}

TEST(DivideAndConquer, LosesNoEnergyButByFriction)
{
  // E0 = m g l sin(pi/4) n^2 / 2 with the zero at the height of the rail: all of it is accounted
  // for.
  const MechanismFile file = chain_of(
    4, {{"costs",
         "{dissipated: [{coordinate: cart.x, order: 1, weight: 0.5}, "
         "{coordinate: pendulum_1.angle, order: 1, weight: 0.3}, "
         "{coordinate: pendulum_2.angle, minus: pendulum_1.angle, order: 1, weight: 0.3}, "
         "{coordinate: pendulum_3.angle, minus: pendulum_2.angle, order: 1, weight: 0.3}]}"}});
  const Trajectory motion = simulate(file.problem, accurate(file), file.problem.rho);
  EXPECT_NEAR(motion.costs(0), 10.8853801887, 1e-8);
  const Phase & phase = motion.phases.front();
  const auto energy = [&](const Node & node) {
    const Response<double> r = response_at(file.problem, motion, phase, node);
    double sum = 0.5 * 0.8 * r.v(0) * r.v(0);
    for (Eigen::Index k = 1; k < 4; ++k)
    {
      const auto v = r.v.segment(3 * k, 3);
      sum +=
        0.25 * v.head(2).squaredNorm() + 0.5 * 0.043 * v(2) * v(2) + 0.5 * 9.81 * r.q(3 * k + 1);
    }
    return sum;
  };
  const double start = energy(phase.nodes.front());
  EXPECT_NEAR(start, 15.6076144277, 1e-10);
  EXPECT_NEAR(energy(phase.nodes.back()) + motion.costs(0), start, 1e-9 * start);
}

TEST(DivideAndConquer, RefusesWhatIsNoChain)
{
  const auto folder = std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/";
  const MechanismFile springs = load_mechanism(folder + "fivebar_springs.yaml");
  Settings settings;
  settings.formulation = Formulation::hadca;
  EXPECT_THAT(
    obstacle(springs.problem, settings, Method::direct), testing::HasSubstr("it has rods"));
  const MechanismFile cart = load_mechanism(folder + "cart_pendulum.yaml");
  EXPECT_EQ(obstacle(cart.problem, settings, Method::direct), "");
  EXPECT_THAT(
    obstacle(cart.problem, settings, Method::hadca_adjoint), testing::HasSubstr("nodes of inputs"));
  const MechanismFile branched = chain_of(
    3, {{"bodies.other", "{mass: 1, inertia: 1, start: [0, 0, 0], points: {}}"},
        {"joints.other", "{type: revolute, between: [cart.origin, other.origin]}"},
        {"initial.hold.other", "{coordinate: other.angle, position: 0}"}});
  EXPECT_THAT(obstacle(branched.problem, settings, Method::direct), testing::HasSubstr("branches"));
}

}  // namespace
}  // namespace fivebar_control::multibody
