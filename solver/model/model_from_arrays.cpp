#include <algorithm>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/model/density.hpp"
#include "solver/model/model_builders.hpp"

namespace onda {
namespace {

std::string shape_of(const std::array<std::int64_t, 3>& n) {
    return n[1] == 1 ? fmt::format("[{}][{}]", n[2], n[0]) : fmt::format("[{}][{}][{}]", n[2], n[1], n[0]);
}

const ModelArrays& arrays_of(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    if (!config.arrays)
        origin.fault("model.type",
                     "array takes arrays that a program hands over, as onda.run(config, vp=...) of Python does; a file "
                     "of arrays is converted by `onda convert`, and read by type: file");
    const ModelArrays& arrays = *config.arrays;
    if (arrays.shape != grid.n)
        origin.fault("grid.shape", fmt::format("the arrays of the model have the shape {} of {}, the grid has {}",
                                               shape_of(arrays.shape), grid.dimensions == 2 ? "[z][x]" : "[z][y][x]",
                                               shape_of(grid.n)));
    return arrays;
}

/// \throws Error(bad_data) for a velocity beyond the limits, with its node.
void check_velocity(const Grid& grid, std::span<const float> vp) {
    const auto low = static_cast<float>(kVp.lowest), high = static_cast<float>(kVp.highest);
    const auto beyond = std::ranges::find_if(vp, [&](float value) { return !(value >= low && value <= high); });
    if (beyond == vp.end()) return;
    const auto [x, y, z] = grid.node(beyond - vp.begin());
    throw Error(ExitCode::bad_data,
                fmt::format("array: vp = {} {} at node (x {}, y {}, z {}): must be finite, from {:g} to {:g} {}",
                            *beyond, kVp.unit, x, y, z, kVp.lowest, kVp.highest, kVp.unit));
}

}  // namespace

Model build_from_arrays(const ModelConfig& config, const Equation& equation, const Grid& grid,
                        const ConfigOrigin& origin) {
    const ModelArrays& arrays = arrays_of(config, grid, origin);
    Model model;
    model.grid = grid;
    model.description = "arrays of the program";
    for (const MediumParameter& parameter : equation->parameters) {
        std::vector<float>& values = model.parameters.emplace_back().values;
        if (!follows_from_vp(config, parameter)) values = arrays.values.at(std::string(parameter.name));
    }
    check_velocity(grid, model.vp().values);
    return model;
}

VelocityRange range_of_arrays(const ModelConfig& config, const Equation&, const Grid& grid,
                              const ConfigOrigin& origin) {
    const std::vector<float>& vp = arrays_of(config, grid, origin).values.at(std::string(kVp.name));
    check_velocity(grid, vp);
    const auto [low, high] = std::ranges::minmax(vp);
    return {low, high, true};
}

}  // namespace onda
