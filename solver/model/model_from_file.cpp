#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/models/model_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/model/density.hpp"
#include "solver/model/file_resampling.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/quality_factor.hpp"
#include "solver/model/thomsen.hpp"

namespace onda {
namespace {

constexpr std::int64_t kSampledValues = 16 * 1024 * 1024;  // of a file looked at for its range
constexpr std::int64_t kAbsorbingValues = 1024 * 1024;     // of an absorption that becomes Q at a time
constexpr double kMuchFiner = 2.;                          // file spacings in one of the grid that are worth a warning

// What io/ refuses in files and formats of other programs, and what the equations say.
static_assert(kVp.lowest == lowest_vp_m_s && kVp.highest == highest_vp_m_s && kQ.lowest == lowest_q);

std::string places_of(int dimensions, std::array<std::int64_t, 3> n, std::array<double, 3> h, std::array<double, 3> o) {
    const auto axes = [dimensions](const auto& v) {
        using Value = std::decay_t<decltype(v[0])>;
        return dimensions == 2 ? std::vector<Value>{v[0], v[2]} : std::vector<Value>{v[0], v[1], v[2]};
    };
    return fmt::format("shape {}, spacing {} m, origin {} m", axes(n), axes(h), axes(o));
}

void check_dimensions(const ModelConfig& config, const FileGeometry& file, int of_grid, const ConfigOrigin& origin) {
    const std::string name = shown(config.file);
    if (file.dimensions == 3 && of_grid == 2)
        origin.fault("model.file", name + " is 3-D but the grid is 2-D: cut the plane out, or make the grid 3-D");
    if (file.dimensions == 2 && of_grid == 3 && !config.extrude)
        origin.fault("model.file",
                     name + " is 2-D but the grid is 3-D: set model.extrude: true to hold it constant along y");
    if (file.dimensions == of_grid && config.extrude)
        origin.fault("model.extrude",
                     fmt::format("{} and the grid are both {}-D: there is nothing to extrude", name, file.dimensions));
}

/// The grid must lie within the file: what is beyond would be invented.
void check_cover(const ModelConfig& config, const FileGeometry& file, const Grid& grid, const ConfigOrigin& origin) {
    for (int a = 0; a < 3; ++a) {
        if (!shares_axis(file, grid, a)) continue;
        const double slack = kSamePlace * grid.spacing_m[a];
        const double first = file.origin_m[a], low = grid.origin_m[a];
        const double last = first + static_cast<double>(file.shape[a] - 1) * file.spacing_m[a];
        const double high = low + static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a];
        if (low >= first - slack && high <= last + slack) continue;
        origin.fault("model.file",
                     fmt::format("{} covers {} = {:.8g} to {:.8g} m, but the grid reaches from {:.8g} to {:.8g} "
                                 "m: shrink or move the grid",
                                 shown(config.file), "xyz"[a], first, last, low, high));
    }
}

/// An opened file that fits the grid, as it is or after resampling.
struct Fit {
    ModelFile file;
    bool same;
};

Fit open_model(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    ModelFile file(config.file);
    const FileGeometry geometry = file.geometry();
    check_dimensions(config, geometry, grid.dimensions, origin);
    const bool same = same_nodes(geometry, grid);
    if (!same && !config.resample)
        origin.fault("model.file",
                     fmt::format("{} has {}, but the grid has {}: make them equal, or set model.resample: true",
                                 shown(config.file), places_of_nodes(geometry), places_of_nodes(grid)));
    if (!same) check_cover(config, geometry, grid, origin);
    return {std::move(file), same};
}

/// Replaces an absorption by the Q that follows from it. \param at the node of the file of a value, for messages.
void to_q(const ModelConfig& config, std::span<const float> vp, std::span<float> values,
          const std::function<std::string(std::size_t)>& at) {
    const PowerLaw& law = config.power_law.value();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double alpha = static_cast<double>(values[i]);
        const double q = alpha > 0. ? q_of_absorption(alpha, static_cast<double>(vp[i]), law) : kQ.highest;
        if (!(q >= kQ.lowest))
            throw Error(ExitCode::bad_data,
                        fmt::format("{}: alpha{} = {:g} {} is a Q of {:.3g} at {:g} Hz, where vp is {:g} m/s: Q must "
                                    "be {:g} or more",
                                    shown(config.file), at(i), alpha, kAlpha.unit, std::max(q, 0.), law.frequency_hz,
                                    vp[i], kQ.lowest));
        values[i] = static_cast<float>(q);
    }
}

/// Reads Q of a file that has an absorption, a few planes at a time.
ReadBox reader_of_absorption(const ModelFile& file, const ModelConfig& config) {
    return [&file, &config](std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count,
                            std::span<float> values) {
        const std::int64_t plane = count[0] * count[1];
        const std::int64_t step = std::max<std::int64_t>(kAbsorbingValues / std::max<std::int64_t>(plane, 1), 1);
        std::vector<float> vp;
        for (std::int64_t z = 0; z < count[2]; z += step) {
            const std::array<std::int64_t, 3> from{first[0], first[1], first[2] + z},
                some{count[0], count[1], std::min(step, count[2] - z)};
            const std::span<float> part =
                values.subspan(static_cast<std::size_t>(z * plane), static_cast<std::size_t>(some[2] * plane));
            vp.resize(part.size());
            file.read(from, some, vp);
            file.read(quantity_of(kAlpha), from, some, part);
            to_q(config, vp, part, [&](std::size_t i) {
                const auto node = static_cast<std::int64_t>(i);
                const std::string y = file.geometry().dimensions == 2
                                          ? ""
                                          : fmt::format(", iy = {}", from[1] + node / count[0] % count[1]);
                return fmt::format("(ix = {}{}, iz = {})", from[0] + node % count[0], y, from[2] + node / plane);
            });
        }
    };
}

ReadBox reader_of(const ModelFile& file, const ModelConfig& config, const MediumParameter& parameter) {
    if (parameter.name == kQ.name && file.has(quantity_of(kAlpha))) return reader_of_absorption(file, config);
    if (parameter.name == kVp.name)
        return [&file](auto first, auto count, std::span<float> values) { file.read(first, count, values); };
    return [&file, quantity = quantity_of(parameter)](auto first, auto count, std::span<float> values) {
        file.read(quantity, first, count, values);
    };
}

bool is_averaged(const ModelConfig& config, const Fit& fit, const Grid& grid) {
    return !fit.same && config.interfaces == "averaged" && is_coarser(fit.file.geometry(), grid);
}

/// Whether the file leaves one of epsilon and delta out, or an angle of the axis, which then is 0.
bool is_left_out(const ModelFile& file, const MediumParameter& parameter) {
    return (is_thomsen(parameter) || is_tilt(parameter)) && !file.has(quantity_of(parameter));
}

/// The parameters that come from the file.
std::vector<std::size_t> given_by_file(const ModelFile& file, const ModelConfig& config, const Equation& equation) {
    std::vector<std::size_t> given;
    for (std::size_t i = 0; i < equation->parameters.size(); ++i)
        if (const MediumParameter& parameter = equation->parameters[i];
            !follows_from_vp(config, parameter) && !is_left_out(file, parameter))
            given.push_back(i);
    return given;
}

MeanOf mean_of(const MediumParameter& parameter) {
    return parameter.name == kQ.name ? MeanOf::inverses : MeanOf::values;
}

/// Means over cells of all parameters together.
void average_from(const ModelFile& file, const ModelConfig& config, const Equation& equation, Model& model) {
    AveragedParameters read;
    std::span<float> vp, rho;
    std::vector<std::span<float>> further;
    for (const std::size_t i : given_by_file(file, config, equation)) {
        const MediumParameter& parameter = equation->parameters[i];
        const std::span<float> values(model.parameters[i].values);
        if (parameter.name == kVp.name) {
            read.vp = reader_of(file, config, parameter);
            vp = values;
        } else if (parameter.name == kRho.name) {
            read.rho = reader_of(file, config, parameter);
            rho = values;
        } else {
            read.further.push_back({reader_of(file, config, parameter), mean_of(parameter)});
            further.push_back(values);
        }
    }
    average(file.geometry(), read, model.grid, vp, rho, further);
}

void warn_if_much_finer(const FileGeometry& file, const Grid& grid, Model& model) {
    for (int a = 0; a < 3; ++a) {
        if (!shares_axis(file, grid, a) || file.spacing_m[a] * kMuchFiner > grid.spacing_m[a]) continue;
        model.warnings.push_back(
            fmt::format("the model file is {:.2g} times finer than the grid along {}: model.interfaces: sampled picks "
                        "values, and does not average what lies between",
                        grid.spacing_m[a] / file.spacing_m[a], "xyz"[a]));
    }
}

/// Nodes from a first position on, at a spacing, as far as the file goes.
std::int64_t nodes_within(const FileGeometry& file, std::size_t axis, double first_m, double spacing_m) {
    const double last_m = file.origin_m[axis] + static_cast<double>(file.shape[axis] - 1) * file.spacing_m[axis];
    return static_cast<std::int64_t>(std::floor((last_m - first_m) / spacing_m + kSamePlace)) + 1;
}

/// Takes the spacing of a file, which says nothing of y if it is 2-D and the grid is not.
void take_spacing(const ModelConfig& config, const FileGeometry& file, GridConfig& grid, const ConfigOrigin& origin) {
    const auto [dx, dy, dz] = file.spacing_m;
    const bool extruded = file.dimensions == 2 && grid.dimensions() == 3;
    if (extruded && dx != dz)
        origin.fault("grid",
                     fmt::format("missing key 'spacing_m': {} is 2-D and has another spacing along x than along "
                                 "z, so that none can be told for y",
                                 shown(config.file)));
    grid.spacing_m = extruded ? std::vector{dx} : file.dimensions == 2 ? std::vector{dx, dz} : std::vector{dx, dy, dz};
}

/// Takes the number of nodes of a file, at its spacing or at the one given.
void take_shape(const ModelConfig& config, const FileGeometry& file, GridConfig& grid, const ConfigOrigin& origin) {
    if (config.extrude) origin.fault("model.extrude", "needs a grid in 3-D: give grid.shape, [nx, ny, nz]");
    check_given_dimensions(origin, file.dimensions);
    const std::vector<std::size_t> axes =
        file.dimensions == 2 ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{0, 1, 2};
    for (const auto* values : {&grid.spacing_m, &grid.origin_m})
        if (values->size() > 1 && values->size() != axes.size())
            origin.fault(values == &grid.origin_m ? "grid.origin_m" : "grid.spacing_m",
                         fmt::format("has {} numbers, but {}, whose shape the grid has, is {}-D", values->size(),
                                     shown(config.file), file.dimensions));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = axes[i];
        if (grid.spacing_m.empty() && grid.origin_m.empty()) {
            grid.shape.push_back(file.shape[axis]);
            continue;
        }
        const double spacing_m = grid.spacing_m.empty()       ? file.spacing_m[axis]
                                 : grid.spacing_m.size() == 1 ? grid.spacing_m[0]
                                                              : grid.spacing_m[i];
        const double first_m = grid.origin_m.empty() ? file.origin_m[axis] : grid.origin_m[i];
        grid.shape.push_back(std::max<std::int64_t>(nodes_within(file, axis, first_m, spacing_m), 1));
    }
}

void take_origin(const FileGeometry& file, GridConfig& grid) {
    const auto [x, y, z] = file.origin_m;
    if (grid.dimensions() == 3)
        grid.origin_m = {x, file.dimensions == 3 ? y : 0., z};
    else
        grid.origin_m = {x, z};
}

}  // namespace

std::string places_of_nodes(const FileGeometry& file) {
    return places_of(file.dimensions, file.shape, file.spacing_m, file.origin_m);
}

std::string places_of_nodes(const Grid& grid) {
    return places_of(grid.dimensions, grid.n, grid.spacing_m, grid.origin_m);
}

GridConfig complete_grid_by_file(GridConfig grid, const ModelConfig& model, const ConfigOrigin& origin) {
    const FileGeometry file = ModelFile(model.file).geometry();
    if (grid.shape.empty()) take_shape(model, file, grid, origin);
    check_dimensions(model, file, grid.dimensions(), origin);
    if (grid.spacing_m.empty()) take_spacing(model, file, grid, origin);
    if (grid.origin_m.empty()) take_origin(file, grid);
    return grid;
}

Quantity quantity_of(const MediumParameter& parameter) {
    Quantity quantity{parameter.name, {{parameter.unit}}, parameter.lowest, parameter.highest};
    if (!parameter.other_unit.name.empty())
        quantity.units.push_back({parameter.other_unit.name, parameter.other_unit.factor});
    return quantity;
}

Model build_from_file(const ModelConfig& config, const Equation& equation, const Grid& grid,
                      const ConfigOrigin& origin) {
    const Fit fit = open_model(config, grid, origin);
    const FileGeometry& geometry = fit.file.geometry();
    Model model;
    model.grid = grid;
    model.description = shown(config.file);
    const bool as_is = fit.same && geometry.dimensions == grid.dimensions;
    const bool averaged = is_averaged(config, fit, grid);
    model.parameters.resize(equation->parameters.size());
    for (std::size_t i = 0; i < equation->parameters.size(); ++i)
        if (!follows_from_vp(config, equation->parameters[i]) && is_left_out(fit.file, equation->parameters[i]))
            model.parameters[i].values.assign(static_cast<std::size_t>(grid.points()), 0.f);
    for (const std::size_t i : given_by_file(fit.file, config, equation)) {
        UnsetVector<float>& values = model.parameters[i].values;
        values.resize(static_cast<std::size_t>(grid.points()));
        if (averaged) continue;
        const ReadBox read = reader_of(fit.file, config, equation->parameters[i]);
        if (as_is)
            read({0, 0, 0}, geometry.shape, values);
        else
            interpolate(geometry, read, grid, values, mean_of(equation->parameters[i]));
    }
    if (averaged) average_from(fit.file, config, equation, model);
    model.notes = fit.file.notes();
    if (as_is) return model;
    if (geometry.dimensions != grid.dimensions) model.description += ", extruded along y";
    if (fit.same) return model;
    model.description +=
        fmt::format(", {} {}", averaged ? "averaged over cells from" : "resampled from", places_of_nodes(geometry));
    if (!averaged) warn_if_much_finer(geometry, grid, model);
    return model;
}

std::int64_t extra_bytes_of_file(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const Fit fit = open_model(config, grid, origin);
    const FileGeometry& geometry = fit.file.geometry();
    if (fit.same && geometry.dimensions == grid.dimensions) return 0;
    const bool averaged = is_averaged(config, fit, grid);
    const bool both = averaged && config.rho == "auto" && fit.file.has(quantity_of(kRho));
    return slab_bytes(geometry, grid, averaged, both ? 2 : 1);
}

namespace {

struct SampledRange {
    float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
    bool is_whole = false;
};

/// The lowest and highest values of planes of a file, evenly spaced, first and last included.
SampledRange sampled_range(const FileGeometry& geometry, const ReadBox& read) {
    const auto [nx, ny, nz] = geometry.shape;
    const std::int64_t planes = std::clamp<std::int64_t>(kSampledValues / (nx * ny), 1, nz);
    std::vector<float> plane(nx * ny);
    SampledRange range;
    range.is_whole = planes == nz;
    for (std::int64_t i = 0; i < planes; ++i) {
        const std::int64_t z = planes > 1 ? i * (nz - 1) / (planes - 1) : nz / 2;
        read({0, 0, z}, {nx, ny, 1}, plane);
        range.low = std::min(range.low, *std::ranges::min_element(plane));
        range.high = std::max(range.high, *std::ranges::max_element(plane));
    }
    return range;
}

}  // namespace

VelocityRange range_of_file(const ModelConfig& config, const Equation& equation, const Grid& grid,
                            const ConfigOrigin& origin) {
    const Fit fit = open_model(config, grid, origin);
    for (const MediumParameter& parameter : equation->parameters.subspan(1))  // notes() speaks of what was asked for
        if (!follows_from_vp(config, parameter)) static_cast<void>(fit.file.has(quantity_of(parameter)));
    const auto notes = fit.file.notes();
    if (const auto stored = fit.file.stored_range()) return {(*stored)[0], (*stored)[1], fit.same, notes};
    const SampledRange range =
        sampled_range(fit.file.geometry(), reader_of(fit.file, config, equation->parameters.front()));
    return {range.low, range.high, fit.same && range.is_whole, notes};
}

ParameterRange sampled_range_of_file(const ModelConfig& config, const MediumParameter& parameter) {
    const ModelFile file(config.file);
    if (is_left_out(file, parameter)) return {};
    const SampledRange range = sampled_range(file.geometry(), reader_of(file, config, parameter));
    return {range.low, range.high};
}

}  // namespace onda
