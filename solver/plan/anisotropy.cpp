#include "solver/plan/anisotropy.hpp"

#include <spdlog/fmt/fmt.h>

#include "kernels/equations/parameters.hpp"

namespace onda {
namespace {

bool depends_on_direction(const Plan& plan) {
    return has_parameter(plan.setup.scheme.equation, kEpsilon.name);
}

/// The range of a parameter of the equation; 0 where nothing is known of it.
ParameterRange known_range(const Plan& plan, const MediumParameter& parameter) {
    const auto& parameters = plan.setup.scheme.equation->parameters;
    for (std::size_t i = 0; i < plan.model.further.size(); ++i)
        if (parameters[i + 1].name == parameter.name && plan.model.further[i]) return *plan.model.further[i];
    return {0., 0.};
}

}  // namespace

void set_anisotropy(Plan& plan) {
    if (!depends_on_direction(plan)) return;
    const ParameterRange epsilon = known_range(plan, kEpsilon), delta = known_range(plan, kDelta);
    plan.setup.scheme.anisotropy = {epsilon.min, epsilon.max, delta.min, delta.max};
}

double slowest_m_s(const Plan& plan) {
    return plan.model.velocity.min_m_s * slowest_of_directions(plan.setup.scheme.anisotropy);
}

std::string describe_anisotropy(const Plan& plan) {
    if (!depends_on_direction(plan)) return {};
    const Anisotropy& anisotropy = plan.setup.scheme.anisotropy;
    const bool is_tilted = has_parameter(plan.setup.scheme.equation, kTheta.name);
    return fmt::format("{}       velocities from {:.4g} to {:.4g} times vp, by the angle from the {}\n",
                       is_tilted ? "TTI" : "VTI", slowest_of_directions(anisotropy), fastest_of_directions(anisotropy),
                       is_tilted ? "axis of each node" : "vertical");
}

}  // namespace onda
