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
#include "solver/model/model_builders.hpp"

namespace onda {
namespace {

constexpr std::int64_t kSlabValues = 16 * 1024 * 1024;     // of a file held at a time while it is resampled
constexpr std::int64_t kSampledValues = 16 * 1024 * 1024;  // of a file looked at for its range
constexpr double kMuchFiner = 2.;                          // file spacings in one of the grid that are worth a warning

// What io/ refuses in files and formats of other programs, and what the equations say.
static_assert(kVp.lowest == lowest_vp_m_s && kVp.highest == highest_vp_m_s);

std::string describe(int dimensions, std::array<std::int64_t, 3> n, std::array<double, 3> h, std::array<double, 3> o) {
    const auto axes = [dimensions](const auto& v) {
        using Value = std::decay_t<decltype(v[0])>;
        return dimensions == 2 ? std::vector<Value>{v[0], v[2]} : std::vector<Value>{v[0], v[1], v[2]};
    };
    return fmt::format("shape {}, spacing {} m, origin {} m", axes(n), axes(h), axes(o));
}

std::string describe(const FileGeometry& file) {
    return describe(file.dimensions, file.shape, file.spacing_m, file.origin_m);
}

std::string describe(const Grid& grid) {
    return describe(grid.dimensions, grid.n, grid.spacing_m, grid.origin_m);
}

/// Axes on which both have values: y only where both are 3-D.
bool shares_axis(const FileGeometry& file, const Grid& grid, int axis) {
    return axis != 1 || (file.dimensions == 3 && grid.dimensions == 3);
}

bool same_nodes(const FileGeometry& file, const Grid& grid) {
    for (int a = 0; a < 3; ++a) {
        if (!shares_axis(file, grid, a)) continue;
        const double h = grid.spacing_m[a], slack = kSamePlace * h;
        const double stretch = std::abs(file.spacing_m[a] - h) * static_cast<double>(grid.n[a]);
        if (file.shape[a] != grid.n[a] || stretch > slack || std::abs(file.origin_m[a] - grid.origin_m[a]) > slack)
            return false;
    }
    return true;
}

void check_dimensions(const ModelConfig& config, const FileGeometry& file, const Grid& grid,
                      const ConfigOrigin& origin) {
    const std::string name = shown(config.file);
    if (file.dimensions == 3 && grid.dimensions == 2)
        origin.fault("model.file", name + " is 3-D but the grid is 2-D: cut the plane out, or make the grid 3-D");
    if (file.dimensions == 2 && grid.dimensions == 3 && !config.extrude)
        origin.fault("model.file",
                     name + " is 2-D but the grid is 3-D: set model.extrude: true to hold it constant along y");
    if (file.dimensions == grid.dimensions && config.extrude)
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
    check_dimensions(config, geometry, grid, origin);
    const bool same = same_nodes(geometry, grid);
    if (!same && !config.resample)
        origin.fault("model.file",
                     fmt::format("{} has {}, but the grid has {}: make them equal, or set model.resample: true",
                                 shown(config.file), describe(geometry), describe(grid)));
    if (!same) check_cover(config, geometry, grid, origin);
    return {std::move(file), same};
}

/// Where a node of the grid lies in the file along one axis: between `lower` and `lower` + 1, at `t` of the way.
struct Between {
    std::int64_t lower = 0;
    float t = 0.f;
};

std::vector<Between> locate(const FileGeometry& file, const Grid& grid, int axis) {
    std::vector<Between> places(grid.n[axis]);
    if (!shares_axis(file, grid, axis)) return places;
    for (std::int64_t i = 0; i < grid.n[axis]; ++i) {
        const double position = grid.origin_m[axis] + static_cast<double>(i) * grid.spacing_m[axis];
        double at = (position - file.origin_m[axis]) / file.spacing_m[axis];
        if (std::abs(at - std::round(at)) <= kSamePlace) at = std::round(at);  // a node is copied, bit for bit
        const std::int64_t last = std::max<std::int64_t>(file.shape[axis] - 2, 0);
        places[i].lower = std::clamp(static_cast<std::int64_t>(std::floor(at)), std::int64_t{0}, last);
        places[i].t = static_cast<float>(at - static_cast<double>(places[i].lower));
    }
    return places;
}

/// A box of the file, [z][y][x].
struct Box {
    std::array<std::int64_t, 3> first{}, count{};
    std::vector<float> values;

    [[nodiscard]] const float* row(std::int64_t y, std::int64_t z) const {
        return values.data() + ((z - first[2]) * count[1] + (y - first[1])) * count[0] - first[0];
    }
};

/// The weight of the upper neighbour is zero where there is none, so it is not looked at.
float mix(float lower, const float* upper, float t) {
    return t == 0.f ? lower : (1.f - t) * lower + t * *upper;
}

using Places = std::array<std::vector<Between>, 3>;

void interpolate_row(const Box& box, const Places& at, std::int64_t y, std::int64_t z, std::span<float> out) {
    const Between by = at[1][y], bz = at[2][z];
    const std::int64_t y1 = by.t == 0.f ? by.lower : by.lower + 1, z1 = bz.t == 0.f ? bz.lower : bz.lower + 1;
    const std::array<const float*, 4> rows{box.row(by.lower, bz.lower), box.row(y1, bz.lower), box.row(by.lower, z1),
                                           box.row(y1, z1)};
    for (std::size_t x = 0; x < out.size(); ++x) {
        const Between bx = at[0][x];
        std::array<float, 4> v{};
        for (std::size_t i = 0; i < 4; ++i) v[i] = mix(rows[i][bx.lower], rows[i] + bx.lower + 1, bx.t);
        const float near = mix(v[0], &v[1], by.t), far = mix(v[2], &v[3], by.t);
        out[x] = mix(near, &far, bz.t);
    }
}

/// One past the last node of the file that this place needs.
std::int64_t end_of(const Between& place) {
    return place.lower + (place.t == 0.f ? 1 : 2);
}

/// Reads a box of one of the file's quantities, as ModelFile::read does.
using ReadBox =
    std::function<void(std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count, std::span<float> values)>;

ReadBox reader_of(const ModelFile& file, const MediumParameter& parameter) {
    if (parameter.name == kVp.name)
        return [&file](auto first, auto count, std::span<float> values) { file.read(first, count, values); };
    return [&file, quantity = quantity_of(parameter)](auto first, auto count, std::span<float> values) {
        file.read(quantity, first, count, values);
    };
}

/// Slab by slab along z, so that a file much larger than the grid passes through bounded memory.
void resample(const FileGeometry& geometry, const ReadBox& read, const Grid& grid, std::span<float> values) {
    Places at;
    Box box;
    for (int a = 0; a < 3; ++a) {
        at[a] = locate(geometry, grid, a);
        box.first[a] = at[a].front().lower;
        box.count[a] = end_of(at[a].back()) - box.first[a];
    }
    const std::int64_t end = box.first[2] + box.count[2];
    const std::int64_t planes = std::max<std::int64_t>(2, kSlabValues / (box.count[0] * box.count[1]));
    for (std::int64_t z = 0; z < grid.nz();) {
        box.first[2] = at[2][z].lower;
        box.count[2] = std::min(planes, end - box.first[2]);
        box.values.resize(box.count[0] * box.count[1] * box.count[2]);
        read(box.first, box.count, box.values);
        std::int64_t next = z;
        while (next < grid.nz() && end_of(at[2][next]) <= box.first[2] + box.count[2]) ++next;
#pragma omp parallel for schedule(static)
        for (std::int64_t row = z * grid.ny(); row < next * grid.ny(); ++row)
            interpolate_row(box, at, row % grid.ny(), row / grid.ny(), values.subspan(row * grid.nx(), grid.nx()));
        z = next;
    }
}

void warn_if_much_finer(const FileGeometry& file, const Grid& grid, Model& model) {
    for (int a = 0; a < 3; ++a) {
        if (!shares_axis(file, grid, a) || file.spacing_m[a] * kMuchFiner > grid.spacing_m[a]) continue;
        model.warnings.push_back(
            fmt::format("the model file is {:.2g} times finer than the grid along {}: interpolation picks values, it "
                        "does not average what lies between",
                        grid.spacing_m[a] / file.spacing_m[a], "xyz"[a]));
    }
}

}  // namespace

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
    for (const MediumParameter& parameter : equation->parameters) {
        std::vector<float>& values = model.parameters.emplace_back().values;
        if (follows_from_vp(config, parameter)) continue;
        const ReadBox read = reader_of(fit.file, parameter);
        values.resize(static_cast<std::size_t>(grid.points()));
        if (as_is)
            read({0, 0, 0}, geometry.shape, values);
        else
            resample(geometry, read, grid, values);
    }
    model.notes = fit.file.notes();
    if (as_is) return model;
    if (geometry.dimensions != grid.dimensions) model.description += ", extruded along y";
    if (fit.same) return model;
    model.description += ", resampled from " + describe(geometry);
    warn_if_much_finer(geometry, grid, model);
    return model;
}

VelocityRange range_of_file(const ModelConfig& config, const Equation& equation, const Grid& grid,
                            const ConfigOrigin& origin) {
    const Fit fit = open_model(config, grid, origin);
    for (const MediumParameter& parameter : equation->parameters.subspan(1))  // notes() speaks of what was asked for
        if (!follows_from_vp(config, parameter)) static_cast<void>(fit.file.has(quantity_of(parameter)));
    const auto notes = fit.file.notes();
    if (const auto stored = fit.file.stored_range()) return {(*stored)[0], (*stored)[1], fit.same, notes};
    const auto [nx, ny, nz] = fit.file.geometry().shape;
    const std::int64_t planes = std::clamp<std::int64_t>(kSampledValues / (nx * ny), 1, nz);
    std::vector<float> plane(nx * ny);
    float low = std::numeric_limits<float>::max(), high = 0.f;
    for (std::int64_t i = 0; i < planes; ++i) {  // evenly spaced, first and last included
        const std::int64_t z = planes > 1 ? i * (nz - 1) / (planes - 1) : nz / 2;
        fit.file.read({0, 0, z}, {nx, ny, 1}, plane);
        low = std::min(low, *std::ranges::min_element(plane));
        high = std::max(high, *std::ranges::max_element(plane));
    }
    return {low, high, fit.same && planes == nz, notes};
}

}  // namespace onda
