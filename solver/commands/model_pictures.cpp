#include "solver/commands/model_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "solver/outputs/pictures.hpp"
#include "solver/plan/forecast.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

constexpr std::int64_t kMostDrawnNodes = 30'000'000;  // of a model that is made for its sections alone

/// The same extents with fewer nodes.
Grid coarser(const Grid& grid, std::int64_t by) {
    Grid coarse = grid;
    for (int axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(axis)) continue;
        const double extent_m = static_cast<double>(grid.n[axis] - 1) * grid.spacing_m[axis];
        coarse.n[axis] = std::max<std::int64_t>((grid.n[axis] - 1) / by + 1, 2);
        coarse.spacing_m[axis] = extent_m / static_cast<double>(coarse.n[axis] - 1);
    }
    return coarse;
}

}  // namespace

void refuse_large_model(const Plan& plan, const Grid& grid) {
    const auto parameters = static_cast<std::int64_t>(plan.setup.scheme.equation->parameters.size());
    const auto needed = static_cast<double>(grid.points()) * static_cast<double>(parameters * sizeof(float)) +
                        static_cast<double>(model_extra_bytes(plan.config.model, grid, plan.config.origin));
    const std::int64_t available = available_memory_bytes();
    if (needed <= static_cast<double>(available)) return;
    throw Error(ExitCode::out_of_memory,
                fmt::format("the model of {} nodes needs {} of memory and {} are available: increase grid.spacing_m",
                            shape_text(grid), bytes_text(static_cast<std::int64_t>(needed)), bytes_text(available)));
}

Model model_to_draw(const Plan& plan) {
    ModelConfig config = plan.config.model;
    Grid grid = plan.grid;
    for (std::int64_t by = 2; grid.points() > kMostDrawnNodes; ++by) grid = coarser(plan.grid, by);
    if (grid.points() != plan.grid.points()) config.resample = config.type == "file";
    refuse_large_model(plan, grid);
    return make_model(config, plan.setup.scheme.equation, grid, plan.config.origin);
}

std::vector<std::filesystem::path> write_model_pictures(const Plan& plan, const Model& model,
                                                        const std::filesystem::path& stem, bool overwrite) {
    std::vector<AtomicFile> files = stage_model_pictures(plan, model, stem, overwrite);
    std::vector<std::filesystem::path> names;
    for (AtomicFile& file : files) {
        file.commit();
        names.push_back(file.path());
    }
    return names;
}

}  // namespace onda
