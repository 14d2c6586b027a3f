// SPDX-License-Identifier: Apache-2.0
// Mechanism YAML: refused with an InputError, or a mechanism that starts on its constraints with
// finite accelerations.
#include <cmath>

#include "fivebar_control/multibody/form.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/support/yaml_map.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{

void mechanism_file(Bytes bytes)
{
  using namespace multibody;  // NOLINT(google-build-using-namespace)
  try
  {
    const YamlMap yaml = YamlMap::parse(text_of(bytes), "mechanism.yaml");
    if (yaml.has("pendula") && yaml.integer("pendula", 1, 4096) > 8)
    {
      return;  // takes long, and is no other code
    }
    const MechanismFile file = read_mechanism(yaml);
    const Problem & problem = file.problem;
    require(problem.rho.allFinite(), "parameters are numbers");
    require(!problem.costs.empty(), "something is asked");
    require(problem.duration > 0.0 && file.settings.step > 0.0, "time goes on");
    const System & system = *problem.modes.front();
    const VectorD theta = problem.local(0.0, problem.rho);
    const InitialState<double> start = assemble<double>(system, *problem.initial, theta);
    Terms<double> terms;
    system.evaluate({0.0, start.q, start.v, theta}, terms);
    require(terms.Phi.norm() < 1e-5 * (1.0 + start.q.norm()), "constraints are kept at the start");
  }
  catch (const InputError &)
  {
  }
}

}  // namespace fivebar_control::fuzz
