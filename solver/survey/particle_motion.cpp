#include "solver/survey/particle_motion.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/text/saturating.hpp"
#include "kernels/equations/equation.hpp"
#include "solver/survey/survey.hpp"

namespace onda {
namespace {

constexpr const char* kMotionKey = "output.seismograms.particle_motion";

void check_components(const std::vector<std::string>& names, int dimensions, const ConfigOrigin& origin) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto refuse = [&](const std::string& message) {
            origin.fault(fmt::format("{}[{}]", kMotionKey, i), names[i] + message);
        };
        if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
            names.begin() + static_cast<std::ptrdiff_t>(i))
            refuse(" is listed twice");
        if (dimensions == 2 && gather_quantity(names[i]).axis == 1)
            refuse(": nothing moves along y in a 2-D run; use x and z");
    }
}

/// The density of a medium whose equation has none: whatever it is, the waves are the same, but not the motion.
double constant_density(const MotionSections& sections, const ConfigOrigin& origin) {
    if (sections.seismograms.rho_kg_m3) return *sections.seismograms.rho_kg_m3;
    if (sections.model.rho != "none" && sections.model.rho_kg_m3) return *sections.model.rho_kg_m3;
    origin.value_fault(kMotionKey,
                       "particle motion is inversely proportional to the density, and the model has none: give "
                       "output.seismograms.rho_kg_m3, 1000 for water");
}

}  // namespace

ParticleMotion particle_motion(const MotionSections& sections, const Equation& equation, int dimensions,
                               const ConfigOrigin& origin) {
    const std::vector<std::string>& names = sections.seismograms.particle_motion;
    ParticleMotion motion;
    if (names.empty()) return motion;
    check_components(names, dimensions, origin);
    for (const GatherQuantity& quantity : particle_motions())
        if (std::ranges::find(names, quantity.name) != names.end()) motion.written.push_back(&quantity);
    for (int axis = 0; axis < 3; ++axis)
        if (std::ranges::any_of(motion.written, [axis](const auto* quantity) { return quantity->axis == axis; }))
            motion.axes.push_back(axis);
    if (equation->source_density == nullptr)
        motion.rho_kg_m3 = constant_density(sections, origin);
    else if (sections.seismograms.rho_kg_m3)
        origin.value_fault("output.seismograms.rho_kg_m3",
                           "the model has densities, and particle motion follows from those at the receivers: leave "
                           "this out");
    return motion;
}

void record_motion(Survey& survey, ParticleMotion motion, const Grid& grid) {
    SurveySize& size = survey.size;
    const std::int64_t slopes = most_slope_nodes(grid, size.most_receivers, size.most_receiver_nodes);
    size.most_receiver_rows = saturating_product(size.most_receivers, motion.rows());
    size.most_receiver_nodes =
        saturating_sum(size.most_receiver_nodes, saturating_product(slopes, std::ssize(motion.axes)));
    survey.motion = std::move(motion);
}

}  // namespace onda
