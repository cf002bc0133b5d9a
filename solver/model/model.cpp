#include "solver/model/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "solver/model/density.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/program/find_row.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

// Evaluated in a fraction of a second, in little memory.
constexpr double kQuickPoints = 1e6;
constexpr std::int64_t kQuickBytes = 48'000'000;

using MakeMedium = Medium (*)(const Config&, const Grid&);

template <MakeMedium make>
Model build(const Config& config, const Grid& grid) {
    const Medium medium = make(config, grid);
    Model model;
    model.grid = grid;
    model.description = medium.description;
    const std::int64_t rows = grid.ny() * grid.nz();
    const auto fill = [&](std::vector<float>& values, const Medium::Row& fill_row) {
        values.resize(static_cast<std::size_t>(grid.points()));
        LoopFailure failure;
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < rows; ++i)
            failure.guard(
                [&] { fill_row(i % grid.ny(), i / grid.ny(), std::span(values).subspan(i * grid.nx(), grid.nx())); });
        failure.rethrow();
    };
    fill(model.vp, medium.vp());
    if (medium.rho && config.model.rho == "auto" && has_density(config)) fill(model.rho, medium.rho());
    return model;
}

template <MakeMedium make>
VelocityRange range(const Config& config, const Grid& grid) {
    const Medium medium = make(config, grid);
    const bool quick = static_cast<double>(grid.points()) * medium.cost <= kQuickPoints;
    if (medium.bounds.exact || !quick || medium.preparation_bytes > kQuickBytes) return medium.bounds;
    const Medium::Row fill_row = medium.vp();
    float low = std::numeric_limits<float>::max(), high = 0.f;
    const std::int64_t rows = grid.ny() * grid.nz();
    LoopFailure failure;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (std::int64_t i = 0; i < rows; ++i)
        failure.guard([&] {
            std::vector<float> vp(grid.nx());
            fill_row(i % grid.ny(), i / grid.ny(), vp);
            low = std::min(low, *std::ranges::min_element(vp));
            high = std::max(high, *std::ranges::max_element(vp));
        });
    failure.rethrow();
    return {low, high, true};
}

template <MakeMedium make>
std::int64_t extra_bytes(const Config& config, const Grid& grid) {
    return make(config, grid).preparation_bytes;
}

template <MakeMedium make>
constexpr ModelBuilder row(std::string_view name, std::string_view help) {
    return {name, help, build<make>, range<make>, extra_bytes<make>};
}

constexpr std::array<ModelBuilder, 7> kBuilders{{
    {"file", "HDF5 model file, see `onda convert`; cropped, resampled or extruded where the config says so",
     build_from_file, range_of_file, [](const Config&, const Grid&) -> std::int64_t { return 0; }},
    row<constant_medium>("constant", "one velocity everywhere"),
    row<layered_medium>("layered", "plane layers, dipping where dip_deg is given"),
    row<gradient_medium>("gradient", "velocity that grows linearly with depth"),
    row<inclusions_medium>("inclusions", "spheres and boxes in a constant background"),
    row<von_karman_medium>("von_karman", "random medium with the correlation function of von Karman"),
    row<geology_medium>("geology", "folded, faulted layers under water, with an unconformity and a salt dome"),
}};

void check_values(const Config& config, const std::string& key, const std::vector<double>& values, bool positive) {
    for (const double value : values)
        if (!std::isfinite(value) || (positive && value <= 0.))
            throw_config_fault(config, key, fmt::format("{}: must be {}", value, positive ? "positive" : "a number"));
}

}  // namespace

std::span<const ModelBuilder> model_builders() {
    return kBuilders;
}

Grid make_grid(const Config& config) {
    const GridConfig& g = config.grid;
    const std::size_t dimensions = g.shape.size();
    if (dimensions != 2 && dimensions != 3)
        throw_config_fault(config, "grid.shape", fmt::format("{}: must be [nx, nz] or [nx, ny, nz]", g.shape));
    if (*std::ranges::min_element(g.shape) < 2)
        throw_config_fault(config, "grid.shape", fmt::format("{}: every axis needs at least 2 nodes", g.shape));
    if (g.spacing_m.size() != 1 && g.spacing_m.size() != dimensions)
        throw_config_fault(config, "grid.spacing_m",
                           fmt::format("{}: must be one number or {}, one per axis", g.spacing_m, dimensions));
    if (!g.origin_m.empty() && g.origin_m.size() != dimensions)
        throw_config_fault(config, "grid.origin_m", fmt::format("{}: must be {} numbers", g.origin_m, dimensions));
    check_values(config, "grid.spacing_m", g.spacing_m, true);
    check_values(config, "grid.origin_m", g.origin_m, false);

    Grid grid;
    grid.dimensions = static_cast<int>(dimensions);
    for (std::size_t axis = 0, i = 0; axis < 3; ++axis) {
        if (!grid.has_axis(static_cast<int>(axis))) continue;
        grid.n[axis] = g.shape[i];
        grid.spacing_m[axis] = g.spacing_m.size() == 1 ? g.spacing_m[0] : g.spacing_m[i];
        grid.origin_m[axis] = g.origin_m.empty() ? 0. : g.origin_m[i];
        ++i;
    }
    return grid;
}

Model make_model(const Config& config, const Grid& grid) {
    Model model = find_row(config, "model.type", model_builders(), config.model.type).build(config, grid);
    float low = std::numeric_limits<float>::max(), high = 0.f;
    const std::int64_t points = grid.points();
    const float* const vp = model.vp.data();
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (std::int64_t i = 0; i < points; ++i) {
        low = std::min(low, vp[i]);
        high = std::max(high, vp[i]);
    }
    model.vp_min = low;
    model.vp_max = high;
    complete_density(config, model);
    return model;
}

VelocityRange velocity_range(const Config& config, const Grid& grid) {
    return find_row(config, "model.type", model_builders(), config.model.type).range(config, grid);
}

std::int64_t model_extra_bytes(const Config& config, const Grid& grid) {
    return find_row(config, "model.type", model_builders(), config.model.type).extra_bytes(config, grid);
}

}  // namespace onda
