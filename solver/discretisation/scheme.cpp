#include "solver/discretisation/scheme.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>

namespace onda {
namespace {

void check_compact(const SchemeConfig& config, const Grid& grid, bool density, const ConfigOrigin& origin) {
    StageFaults faults(origin);
    if (config.space_order != 2)
        faults.add_of_value("scheme.space_order", "scheme.stencil: compact27 has order 2: use 2, or leave it out");
    if (config.coefficients != "taylor")
        faults.add_of_value("scheme.coefficients",
                            "scheme.stencil: compact27 has one set of weights: leave it out, or use scheme.stencil: "
                            "star");
    const auto spacings_m = grid.derivative_spacings_m();
    if (std::ranges::any_of(spacings_m, [&](double h) { return h != spacings_m.front(); }))
        faults.add_of_value("grid.spacing_m", "scheme.stencil: compact27 needs the same spacing along every axis");
    if (density) faults.add("scheme.stencil", "compact27 is for constant density: take star, or model.rho: none");
    faults.raise_if_any();
}

}  // namespace

void check_stencil_fits(const SchemeConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const std::int64_t least = config.space_order / 2 + 1;
    for (int axis = 0; axis < 3; ++axis)
        if (grid.has_axis(axis) && grid.n[axis] < least)
            origin.value_fault("grid.shape",
                               fmt::format("scheme.space_order {} needs at least {} nodes along each axis; {} has {}",
                                           config.space_order, least, "xyz"[axis], grid.n[axis]));
}

Scheme make_scheme(const SchemeConfig& config, const Grid& grid, bool density, const ConfigOrigin& origin) {
    if (config.stencil == "compact27") {
        check_compact(config, grid, density, origin);
        return make_scheme(Equation::compact, 2);
    }
    const auto coefficients = config.coefficients == "optimised" ? Coefficients::optimised : Coefficients::taylor;
    return make_scheme(density ? Equation::variable_density : Equation::star, static_cast<int>(config.space_order),
                       coefficients);
}

}  // namespace onda
