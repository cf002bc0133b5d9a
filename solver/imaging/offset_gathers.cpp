#include "solver/imaging/offset_gathers.hpp"

#include <cmath>
#include <spdlog/fmt/fmt.h>

namespace onda {
namespace {

/// Nodes inside the grid, one every `every_m`.
std::vector<std::int64_t> nodes_at_every(double every_m, std::int64_t n, double spacing_m) {
    std::vector<std::int64_t> nodes;
    for (std::int64_t i = 1;; ++i) {
        const std::int64_t node = std::llround(static_cast<double>(i) * every_m / spacing_m);
        if (node >= n - 1) return nodes;
        if (node > 0 && (nodes.empty() || node > nodes.back())) nodes.push_back(node);
    }
}

/// An empty place for the gathers of these lines.
OffsetGathers blank_gathers(const OffsetLines& lines, const Grid& grid) {
    OffsetGathers gathers;
    gathers.dimensions = grid.dimensions;
    for (const auto& [x, y] : lines.lines) {
        const Position place = grid.position_m(x, y, 0);
        gathers.x_m.push_back(place[0]);
        gathers.y_m.push_back(place[1]);
    }
    const double spacing_m = grid.spacing_m[static_cast<std::size_t>(lines.axis)];
    for (std::int64_t h = -lines.most; h <= lines.most; ++h)
        gathers.half_offset_m.push_back(static_cast<double>(h) * spacing_m);
    for (std::int64_t z = 0; z < grid.nz(); ++z) gathers.z_m.push_back(grid.position_m(0, 0, z)[2]);
    gathers.axis = "xy"[lines.axis];
    gathers.values.resize(static_cast<std::size_t>(lines.sums_of_plane() * grid.nz()));
    return gathers;
}

}  // namespace

OffsetLines offset_lines(const OffsetGatherConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const std::string section = "imaging.image.offset_gathers.";
    OffsetLines lines;
    lines.axis = config.along == "y" ? 1 : 0;
    const auto axis = static_cast<std::size_t>(lines.axis);
    lines.most = std::llround(config.half_offset_m / grid.spacing_m[axis]);
    if (2 * lines.most > grid.n[axis] - 1)
        origin.value_fault(section + "half_offset_m",
                           fmt::format("at most half of the grid along {}, {:.6g} m", config.along,
                                       0.5 * static_cast<double>(grid.n[axis] - 1) * grid.spacing_m[axis]));
    std::vector<std::int64_t> across{0};
    if (grid.dimensions == 3) across = nodes_at_every(config.every_m, grid.ny(), grid.spacing_m[1]);
    for (const std::int64_t y : across)
        for (const std::int64_t x : nodes_at_every(config.every_m, grid.nx(), grid.spacing_m[0]))
            lines.lines.push_back({x, y});
    if (lines.lines.empty())
        origin.value_fault(section + "every_m", "no line lies inside the grid; use less than its width");
    return lines;
}

OffsetLines lines_of_part(const OffsetLines& of_run, const Window& part, const ComputedGrid& computed,
                          std::vector<std::size_t>* kept) {
    OffsetLines lines{of_run.axis, of_run.most, {}};
    const std::array<std::int64_t, 3> first = computed.inner().first;
    for (std::size_t i = 0; i < of_run.lines.size(); ++i) {
        const std::int64_t x = of_run.lines[i][0] - part.first[0], y = of_run.lines[i][1] - part.first[1];
        if (x < 0 || y < 0 || x >= part.count[0] || y >= part.count[1]) continue;
        lines.lines.push_back({first[0] + x, first[1] + y});
        if (kept != nullptr) kept->push_back(i);
    }
    return lines;
}

OffsetGathers offset_gathers_of(const GradientRun& run, int slot, const OffsetLines& of_run, const Grid& grid,
                                const Window& part, const ComputedGrid& computed) {
    OffsetGathers gathers = blank_gathers(of_run, grid);
    std::vector<std::size_t> kept;
    const OffsetLines lines = lines_of_part(of_run, part, computed, &kept);
    if (kept.empty()) return gathers;
    std::vector<double> sums(static_cast<std::size_t>(part.count[2] * lines.sums_of_plane()));
    run.download_offsets(slot, computed.inner().first[2], sums);
    const auto offsets = static_cast<std::size_t>(lines.offsets()), planes = static_cast<std::size_t>(grid.nz());
    for (std::size_t z = 0; z < static_cast<std::size_t>(part.count[2]); ++z)
        for (std::size_t line = 0; line < kept.size(); ++line)
            for (std::size_t h = 0; h < offsets; ++h)
                gathers.values[(kept[line] * offsets + h) * planes + static_cast<std::size_t>(part.first[2]) + z] =
                    static_cast<float>(-sums[(z * kept.size() + line) * offsets + h]);
    return gathers;
}

}  // namespace onda
