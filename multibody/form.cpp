// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/form.hpp"

#include "fivebar_control/multibody/maggi_form.hpp"

namespace fivebar_control::multibody
{

const FormTraits & traits(Formulation formulation)
{
  static const FormTraits index1{"index-1", nullptr, true, false, false, false, false, false};
  static const FormTraits penalty{"penalty", nullptr, true, false, false, false, false, false};
  static const FormTraits maggi{"maggi", nullptr, true, false, true, false, false, false};
  static const FormTraits hamilton{"hamilton", nullptr, true, true, false, false, false, false};
  static const FormTraits ali3p{"ali3p", "newmark", false, false, false, false, false, false};
  static const FormTraits index3{"index-3", "generalised-alpha", false, false, false, false, false,
                                 false};
  static const FormTraits kinematic{"kinematic", nullptr, false, false, false, false, true, false};
  static const FormTraits hadca{"hadca", nullptr, true, false, false, true, false, false};
  static const FormTraits recursive{"recursive", nullptr, true, false, false, false, false, true};
  switch (formulation)
  {
    case Formulation::recursive:
      return recursive;
    case Formulation::hadca:
      return hadca;
    case Formulation::index1:
      return index1;
    case Formulation::penalty:
      return penalty;
    case Formulation::maggi:
      return maggi;
    case Formulation::hamilton:
      return hamilton;
    case Formulation::ali3p:
      return ali3p;
    case Formulation::index3:
      return index3;
    case Formulation::kinematic:
      return kinematic;
  }
  throw InternalError("unknown formulation");
}

std::unique_ptr<Form> make_form(
  std::shared_ptr<const System> system, const Settings & settings, const Point<double> & at)
{
  switch (settings.formulation)
  {
    case Formulation::index1:
      return make_acceleration_form(std::move(system), 0.0, 0.0, 0.0);
    case Formulation::penalty:
      return make_acceleration_form(
        std::move(system), 1.0 / settings.penalty, settings.penalty_damping,
        settings.penalty_frequency);
    case Formulation::maggi: {
      const bool named = static_cast<int>(settings.independent.size()) == system->freedom();
      std::vector<int> independent = named ? settings.independent : choose_independent(*system, at);
      return std::make_unique<MaggiForm>(std::move(system), std::move(independent), named);
    }
    case Formulation::hamilton:
      return make_hamilton_form(std::move(system));
    case Formulation::hadca:
      return make_hadca_form(std::move(system), settings.threads);
    case Formulation::recursive:
      return make_recursive_form(std::move(system));
    case Formulation::ali3p:
      return make_ali3p_form(std::move(system), settings);
    case Formulation::index3:
      return make_index3_form(std::move(system), settings);
    case Formulation::kinematic:
      return make_kinematic_form(std::move(system));
  }
  throw InternalError("unknown formulation");
}

}  // namespace fivebar_control::multibody
