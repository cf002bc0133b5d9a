#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/model/density.hpp"
#include "solver/model/model_builders.hpp"

namespace onda {
namespace {

std::string shape_of(const std::array<std::int64_t, 3>& n) {
    return n[1] == 1 ? fmt::format("[{}][{}]", n[2], n[0]) : fmt::format("[{}][{}][{}]", n[2], n[1], n[0]);
}

const ModelArrays& handed_over(const ModelConfig& config, const ConfigOrigin& origin) {
    if (!config.arrays)
        origin.fault("model.type",
                     "array takes arrays that a program hands over, as onda.run(config, vp=...) of Python does; a file "
                     "of arrays is converted by `onda convert`, and read by type: file");
    return *config.arrays;
}

/// The axes that arrays of this shape have.
std::vector<std::size_t> axes_of(const ModelArrays& arrays) {
    return arrays.shape[1] == 1 ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{0, 1, 2};
}

/// The spacing of nodes [m] to nine digits: coordinates that were computed, or are in single precision, tell no more.
double spacing_of(const ModelArrays::Ends& ends, std::int64_t nodes) {
    return finite_number(fmt::format("{:.9g}", (ends.last_m - ends.first_m) / static_cast<double>(nodes - 1))).value();
}

void take_spacing(const ModelArrays& arrays, GridConfig& grid, const ConfigOrigin& origin) {
    for (const std::size_t axis : axes_of(arrays)) {
        const auto& ends = arrays.ends[axis];
        if (!ends || arrays.shape[axis] < 2)
            origin.fault("grid", fmt::format("missing key 'spacing_m': the arrays of the model have no coordinates "
                                             "along {} that would tell it",
                                             "xyz"[axis]));
        grid.spacing_m.push_back(spacing_of(*ends, arrays.shape[axis]));
    }
}

/// Adds what is wrong with an axis of the grid on which the arrays have coordinates.
void compare(const ModelArrays::Ends& ends, const Grid& grid, int axis, StageFaults& faults) {
    constexpr double alike = 1e-3;  // of a spacing: coordinates are often in single precision
    const double slack_m = alike * grid.spacing_m[axis];
    const double of_array_m = spacing_of(ends, grid.n[axis]);
    const double stretch_m = (ends.last_m - ends.first_m) - (last_m(grid, axis) - grid.origin_m[axis]);
    if (!(std::abs(stretch_m) <= slack_m))
        faults.add("grid.spacing_m",
                   fmt::format("the coordinates of the model's arrays are {} m apart along {}, the "
                               "nodes of the grid {} m",
                               number_text(of_array_m), "xyz"[axis], number_text(grid.spacing_m[axis])));
    if (!(std::abs(ends.first_m - grid.origin_m[axis]) <= slack_m))
        faults.add("grid.origin_m",
                   fmt::format("the coordinates of the model's arrays begin at {} = {} m, the grid "
                               "at {} m",
                               "xyz"[axis], number_text(ends.first_m), number_text(grid.origin_m[axis])));
}

const ModelArrays& arrays_of(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const ModelArrays& arrays = handed_over(config, origin);
    if (arrays.shape != grid.n)
        origin.fault("grid.shape", fmt::format("the arrays of the model have the shape {} of {}, the grid has {}",
                                               shape_of(arrays.shape), grid.dimensions == 2 ? "[z][x]" : "[z][y][x]",
                                               shape_of(grid.n)));
    StageFaults faults(origin);
    for (int axis = 0; axis < 3; ++axis)
        if (const auto& ends = arrays.ends[static_cast<std::size_t>(axis)]; ends && grid.has_axis(axis))
            compare(*ends, grid, axis, faults);
    faults.raise_if_any();
    return arrays;
}

/// \throws Error(bad_data) for a velocity beyond the limits, with its node.
void check_velocity(const Grid& grid, std::span<const float> vp) {
    const auto low = static_cast<float>(kVp.lowest), high = static_cast<float>(kVp.highest);
    const auto beyond = std::ranges::find_if(vp, [&](float value) { return !(value >= low && value <= high); });
    if (beyond == vp.end()) return;
    const auto [x, y, z] = grid.node(beyond - vp.begin());
    const double in_first_unit = static_cast<double>(*beyond) * kVp.other_unit.factor;
    const bool like_other_unit = in_first_unit >= kVp.lowest && in_first_unit <= kVp.highest;
    throw Error(ExitCode::bad_data,
                fmt::format("array: vp = {} {} at node (x {}, y {}, z {}): must be finite, from {:g} to {:g} {}{}",
                            *beyond, kVp.unit, x, y, z, kVp.lowest, kVp.highest, kVp.unit,
                            like_other_unit ? fmt::format("; it looks like {}: multiply the array by {:g}",
                                                          kVp.other_unit.name, kVp.other_unit.factor)
                                            : ""));
}

}  // namespace

GridConfig complete_grid_by_arrays(GridConfig grid, const ModelConfig& model, const ConfigOrigin& origin) {
    const ModelArrays& arrays = handed_over(model, origin);
    const std::vector<std::size_t> axes = axes_of(arrays);
    if (grid.shape.empty())
        for (const std::size_t axis : axes) grid.shape.push_back(arrays.shape[axis]);
    if (grid.dimensions() != static_cast<int>(axes.size()))
        origin.fault("grid.shape", fmt::format("the arrays of the model have the shape {}, the grid is {}-D",
                                               shape_of(arrays.shape), grid.dimensions()));
    if (grid.spacing_m.empty()) take_spacing(arrays, grid, origin);
    if (grid.origin_m.empty())
        for (const std::size_t axis : axes)
            grid.origin_m.push_back(arrays.ends[axis] ? arrays.ends[axis]->first_m : 0.);
    return grid;
}

Model build_from_arrays(const ModelConfig& config, const Equation& equation, const Grid& grid,
                        const ConfigOrigin& origin) {
    const ModelArrays& arrays = arrays_of(config, grid, origin);
    Model model;
    model.grid = grid;
    model.description = "arrays of the program";
    for (const MediumParameter& parameter : equation->parameters) {
        UnsetVector<float>& values = model.parameters.emplace_back().values;
        if (follows_from_vp(config, parameter)) continue;
        const std::vector<float>& given = arrays.values.at(std::string(parameter.name));
        values.resize(given.size());
#pragma omp parallel for
        for (std::size_t i = 0; i < given.size(); ++i) values[i] = given[i];
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
