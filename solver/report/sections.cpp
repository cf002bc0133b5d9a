#include "solver/report/sections.hpp"

#include <algorithm>

namespace onda {
namespace {

/// Nodes along one side, and of all sections together.
struct Limit {
    std::int64_t along, together;
};
Limit limit_of(Fineness fineness) {
    return fineness == Fineness::model ? Limit{1300, 400'000} : Limit{640, 120'000};
}

constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};

struct Plane {
    std::size_t horizontal, vertical, across;
};
constexpr std::array<Plane, 3> kPlanes{{{0, 2, 1}, {1, 2, 0}, {0, 1, 2}}};

bool has_plane(const Grid& grid, const Plane& plane) {
    return grid.has_axis(static_cast<int>(plane.horizontal)) && grid.has_axis(static_cast<int>(plane.vertical));
}

std::int64_t kept(std::int64_t nodes, std::int64_t step) {
    return (nodes - 1) / step + 1;
}

std::int64_t points_with(const Grid& grid, std::int64_t step) {
    std::int64_t points = 0;
    for (const Plane& plane : kPlanes)
        if (has_plane(grid, plane)) points += kept(grid.n[plane.horizontal], step) * kept(grid.n[plane.vertical], step);
    return points;
}

std::int64_t thinning_of(const Grid& grid, Fineness fineness) {
    const Limit most = limit_of(fineness);
    std::int64_t step = (*std::ranges::max_element(grid.n) + most.along - 1) / most.along;
    while (points_with(grid, step) > most.together) ++step;
    return step;
}

ReportAxis axis_of(const Grid& grid, std::size_t axis, const Window& window) {
    return {kAxisNames[axis], grid.origin_m[axis], grid.spacing_m[axis] * static_cast<double>(window.step[axis]),
            window.count[axis]};
}

const std::string& kind_of(const BoundaryConfig& config, std::size_t face) {
    const std::array<const std::string*, 6> kinds{&config.x_min, &config.x_max, &config.y_min,
                                                  &config.y_max, &config.z_min, &config.z_max};
    return *kinds[face];
}

}  // namespace

std::vector<ReportSection> report_sections(const Grid& grid, const Position& through, Fineness fineness) {
    const auto node = nearest_node(grid, through);
    const std::int64_t step = thinning_of(grid, fineness);
    std::vector<ReportSection> sections;
    for (const Plane& plane : kPlanes) {
        if (!has_plane(grid, plane)) continue;
        ReportSection section;
        section.window.first = node;
        for (const std::size_t axis : {plane.horizontal, plane.vertical}) {
            section.window.first[axis] = 0;
            section.window.step[axis] = step;
            section.window.count[axis] = kept(grid.n[axis], step);
        }
        section.plane.name = std::string(kAxisNames[plane.horizontal]) + kAxisNames[plane.vertical];
        section.plane.horizontal = axis_of(grid, plane.horizontal, section.window);
        section.plane.vertical = axis_of(grid, plane.vertical, section.window);
        section.plane.across = grid.dimensions == 3 ? kAxisNames[plane.across] : "";
        section.plane.at_m = grid.position_m(node[0], node[1], node[2])[plane.across];
        section.plane.thinning = step;
        sections.push_back(std::move(section));
    }
    return sections;
}

void describe_sides(ReportPlane& plane, const BoundaryConfig& config, const Faces& faces, const Grid& grid) {
    const auto number = [](const std::string& axis) { return static_cast<std::size_t>(axis.front() - 'x'); };
    const std::size_t h = number(plane.horizontal.name), v = number(plane.vertical.name);
    const std::array<std::size_t, 4> of_sides{2 * h, 2 * h + 1, 2 * v, 2 * v + 1};
    for (std::size_t side = 0; side < 4; ++side) {
        const std::size_t face = of_sides[side];
        const double spacing_m = grid.spacing_m[face / 2];
        plane.sides[side] = {kind_of(config, face), spacing_m * static_cast<double>(faces.nodes_beyond[face]),
                             spacing_m * static_cast<double>(faces.nodes_inside[face])};
    }
}

std::vector<ReportParameter> parameters_on(const ReportSection& section, const Model& model,
                                           const std::array<std::int64_t, 3>& first) {
    const Window& window = section.window;
    std::vector<float> values(static_cast<std::size_t>(window.points()));
    std::vector<ReportParameter> parameters;
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
        const MediumParameter& row = model.equation->parameters[i];
        std::size_t at = 0;
        for (std::int64_t z = 0; z < window.count[2]; ++z)
            for (std::int64_t y = 0; y < window.count[1]; ++y)
                for (std::int64_t x = 0; x < window.count[0]; ++x)
                    values[at++] = model.parameters[i].values[static_cast<std::size_t>(
                        model.grid.at(first[0] + window.first[0] + x * window.step[0],
                                      first[1] + window.first[1] + y * window.step[1],
                                      first[2] + window.first[2] + z * window.step[2]))];
        ReportParameter parameter{std::string(row.name), std::string(row.quantity), std::string(row.unit), {}, {}};
        parameter.values.resize(values.size());
        parameter.range = quantise_parameter(values, parameter.values);
        parameters.push_back(std::move(parameter));
    }
    return parameters;
}

std::int64_t frames_of(std::span<const ReportSection> sections, const ReportChoice& choice) {
    std::int64_t points = 1;
    for (const ReportSection& section : sections) points += section.window.points();
    return std::clamp(static_cast<std::int64_t>(choice.movie_bytes) / points, kFewestReportFrames, kMostReportFrames);
}

std::int64_t section_points(const Grid& grid, Fineness fineness) {
    return points_with(grid, thinning_of(grid, fineness));
}

}  // namespace onda
