#include "solver/model/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solver/model/density.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/program/find_row.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

// Evaluated in a fraction of a second, in little memory.
constexpr double kQuickPoints = 1e6;
constexpr std::int64_t kQuickBytes = 48'000'000;

using MakeMedium = MediumRules (*)(const ModelConfig&, const Grid&, const ConfigOrigin&);

template <MakeMedium make>
Model build(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const MediumRules medium = make(config, grid, origin);
    Model model;
    model.grid = grid;
    model.description = medium.description;
    const std::int64_t rows = grid.ny() * grid.nz();
    const auto fill = [&](std::vector<float>& values, const MediumRules::Row& fill_row) {
        values.resize(static_cast<std::size_t>(grid.points()));
        LoopFailure failure;
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < rows; ++i)
            failure.guard(
                [&] { fill_row(i % grid.ny(), i / grid.ny(), std::span(values).subspan(i * grid.nx(), grid.nx())); });
        failure.rethrow();
    };
    fill(model.vp, medium.vp());
    if (medium.rho && config.rho == "auto" && has_density(config, origin)) fill(model.rho, medium.rho());
    return model;
}

template <MakeMedium make>
VelocityRange range(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const MediumRules medium = make(config, grid, origin);
    const bool quick = static_cast<double>(grid.points()) * medium.cost <= kQuickPoints;
    if (medium.bounds.exact || !quick || medium.preparation_bytes > kQuickBytes) return medium.bounds;
    const MediumRules::Row fill_row = medium.vp();
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
std::int64_t extra_bytes(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    return make(config, grid, origin).preparation_bytes;
}

template <MakeMedium make>
constexpr ModelBuilder row(std::string_view name, std::string_view help) {
    return {name, help, build<make>, range<make>, extra_bytes<make>};
}

constexpr std::array<ModelBuilder, 7> kBuilders{{
    {"file", "HDF5 model file, see `onda convert`; cropped, resampled or extruded where the config says so",
     build_from_file, range_of_file,
     [](const ModelConfig&, const Grid&, const ConfigOrigin&) -> std::int64_t { return 0; }},
    row<constant_medium>("constant", "one velocity everywhere"),
    row<layered_medium>("layered", "plane layers, dipping where dip_deg is given"),
    row<gradient_medium>("gradient", "velocity that grows linearly with depth"),
    row<inclusions_medium>("inclusions", "spheres and boxes in a constant background"),
    row<von_karman_medium>("von_karman", "random medium with the correlation function of von Karman"),
    row<geology_medium>("geology", "folded, faulted layers under water, with an unconformity and a salt dome"),
}};

const ModelBuilder& builder_of(const ModelConfig& config, const ConfigOrigin& origin) {
    return find_row(origin, "model.type", model_builders(), config.type);
}

}  // namespace

std::span<const ModelBuilder> model_builders() {
    return kBuilders;
}

Model make_model(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    Model model = builder_of(config, origin).build(config, grid, origin);
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

VelocityRange velocity_range(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    return builder_of(config, origin).range(config, grid, origin);
}

MediumReaders medium_readers(const Model& model, const ComputedGrid& computed) {
    const auto rows_of = [&](const std::vector<float>& values) {
        return computed.extended([&model, &values](std::int64_t y, std::int64_t z, std::span<float> row) {
            std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(model.grid.at(0, y, z)), row.size(), row.begin());
        });
    };
    MediumReaders readers{rows_of(model.vp)};
    if (!model.rho.empty()) readers.push_back(rows_of(model.rho));
    return readers;
}

std::int64_t model_extra_bytes(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    return builder_of(config, origin).extra_bytes(config, grid, origin);
}

}  // namespace onda
