#include "solver/planning/anisotropic_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "io/results/stored_pressure.hpp"
#include "kernels/boundaries/strip.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/model/thomsen.hpp"

namespace onda {
namespace {

constexpr double kStrongEpsilon = 0.5;
constexpr float kSameThomsen = 1e-4f;  ///< what is left of a slow wave is that much weaker than the fast one

/// Where something is, in nodes: z, y, x, so that places sort by depth.
using PlaceInNodes = std::array<double, 3>;

/// The places of all sources that fire in any shot, selected or not, each once.
std::vector<PlaceInNodes> places_of_sources(const Shots& shots, const Grid& grid) {
    std::vector<PlaceInNodes> places;
    for (std::size_t shot = 0; shot < shots.size(); ++shot)
        for (const SourcePoint& source : shots.sources(shot)) {
            const auto [x, y, z] = in_nodes(grid, source.position_m);
            places.push_back({z, y, x});
        }
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

/// The nodes of an axis within a distance of a place: the first, and the one after the last.
std::pair<std::int64_t, std::int64_t> nodes_near(double place, double distance, std::int64_t n) {
    const auto node = [n](double at) { return static_cast<std::int64_t>(std::clamp(at, 0., static_cast<double>(n))); };
    return {node(std::ceil(place - distance)), node(std::floor(place + distance) + 1.)};
}

/// The square of the distance [nodes] of each node of a plane, [y][x], to the nearest of the places; infinite beyond
/// the radius.
void measure_plane(const Grid& grid, std::int64_t z, std::span<const PlaceInNodes> places, double radius,
                   std::span<double> squares) {
    std::ranges::fill(squares, std::numeric_limits<double>::infinity());
    const auto plane = static_cast<double>(z);
    const auto shallowest = std::ranges::lower_bound(places, PlaceInNodes{plane - radius, 0., 0.});
    for (auto place = shallowest; place != places.end() && (*place)[0] <= plane + radius; ++place) {
        const double dz = plane - (*place)[0];
        const auto [first_y, end_y] = nodes_near((*place)[1], radius, grid.ny());
        const auto [first_x, end_x] = nodes_near((*place)[2], radius, grid.nx());
        for (std::int64_t y = first_y; y < end_y; ++y)
            for (std::int64_t x = first_x; x < end_x; ++x) {
                const double dy = static_cast<double>(y) - (*place)[1], dx = static_cast<double>(x) - (*place)[2];
                double& square = squares[static_cast<std::size_t>(grid.at(x, y, 0))];
                square = std::min(square, dx * dx + dy * dy + dz * dz);
            }
    }
}

/// \return the nodes that it changes.
std::int64_t raise_delta(const Grid& grid, std::span<const PlaceInNodes> places, double radius,
                         std::span<const float> epsilon, std::span<float> delta) {
    const auto plane_nodes = static_cast<std::size_t>(grid.nx() * grid.ny());
    std::int64_t changed = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : changed)
    for (std::int64_t z = 0; z < grid.nz(); ++z) {
        const auto e = epsilon.subspan(static_cast<std::size_t>(grid.at(0, 0, z)), plane_nodes);
        const auto d = delta.subspan(static_cast<std::size_t>(grid.at(0, 0, z)), plane_nodes);
        if (std::ranges::equal(e, d)) continue;
        std::vector<double> squares(plane_nodes);
        measure_plane(grid, z, places, radius, squares);
        for (std::size_t i = 0; i < plane_nodes; ++i) {
            if (!(squares[i] < radius * radius) || d[i] == e[i]) continue;
            const double cosine = std::cos(0.5 * std::numbers::pi * std::sqrt(squares[i]) / radius);
            d[i] = std::min(e[i], d[i] + static_cast<float>(cosine * cosine) * (e[i] - d[i]));
            ++changed;
        }
    }
    return changed;
}

/// How many of the places lie nearest to a node where delta is less than epsilon.
std::int64_t anelliptical_places(const Grid& grid, std::span<const PlaceInNodes> places, std::span<const float> epsilon,
                                 std::span<const float> delta) {
    return std::ranges::count_if(places, [&](const PlaceInNodes& place) {
        const auto node = [&](std::size_t at, std::int64_t n) {
            return std::clamp<std::int64_t>(std::llround(place[at]), 0, n - 1);
        };
        const auto i = static_cast<std::size_t>(grid.at(node(2, grid.nx()), node(1, grid.ny()), node(0, grid.nz())));
        return epsilon[i] - delta[i] > kSameThomsen;
    });
}

/// The first node, in the order of the grid, of the planes next to a face where a parameter of some is not 0; -1 if
/// none is.
std::int64_t node_at(const Model& model, int face, std::int64_t planes,
                     std::initializer_list<std::string_view> parameters) {
    const Grid& grid = model.grid;
    const auto axis = static_cast<std::size_t>(face / 2);
    Window near = Window::whole(grid);
    near.count[axis] = std::min(planes, grid.n[axis]);
    if (face % 2 == 1) near.first[axis] = grid.n[axis] - near.count[axis];
    for (std::int64_t z = near.first[2]; z < near.first[2] + near.count[2]; ++z)
        for (std::int64_t y = near.first[1]; y < near.first[1] + near.count[1]; ++y)
            for (std::int64_t x = near.first[0]; x < near.first[0] + near.count[0]; ++x)
                for (const std::string_view name : parameters)
                    if (const std::int64_t node = grid.at(x, y, z);
                        model.find(name)->values[static_cast<std::size_t>(node)] != 0.f)
                        return node;
    return -1;
}

bool has_thomsen(const Model& model) {
    return model.find(kEpsilon.name) != nullptr && model.find(kDelta.name) != nullptr;
}

}  // namespace

Model make_model_of_run(const Plan& draft) {
    const Config& c = draft.config;
    Model model = make_model(c.model, draft.setup.scheme.equation, draft.domain.grid, c.origin);
    if (!has_thomsen(model)) return model;
    ParameterValues& raised = *model.find(kDelta.name);
    const UnsetVector<float>& epsilon = model.find(kEpsilon.name)->values;
    const std::vector<PlaceInNodes> places = places_of_sources(draft.survey.shots.all(), model.grid);
    if (const std::int64_t radius = c.model.elliptical_radius; radius > 0) {
        const std::int64_t changed =
            raise_delta(model.grid, places, static_cast<double>(radius), epsilon, raised.values);
        find_range(raised);
        if (changed > 0)
            model.notes.push_back(
                fmt::format("delta rises to epsilon within {} nodes of {} source{}, at {} nodes "
                            "(model.elliptical_radius)",
                            radius, places.size(), places.size() == 1 ? "" : "s", changed));
    } else if (const std::int64_t bad = anelliptical_places(model.grid, places, epsilon, raised.values); bad > 0) {
        model.warnings.push_back(
            fmt::format("{} source{} where delta is less than epsilon: a slow wave that no rock "
                        "has comes from there as well; model.elliptical_radius: 12 prevents it",
                        bad, bad == 1 ? " lies" : "s lie"));
    }
    return model;
}

std::vector<bool> nodes_of_settled_anisotropy(const Plan& plan) {
    const Grid& grid = plan.domain.grid;
    const std::vector<PlaceInNodes> places = places_of_sources(plan.survey.shots.all(), grid);
    const auto radius = static_cast<double>(plan.config.model.elliptical_radius);
    const std::int64_t reach = plan.config.scheme.space_order / 2;
    std::vector<bool> settled(static_cast<std::size_t>(grid.points()));
    std::vector<double> squares(static_cast<std::size_t>(grid.nx() * grid.ny()));
    for (std::int64_t z = 0; z < grid.nz(); ++z) {
        measure_plane(grid, z, places, radius, squares);
        for (std::int64_t y = 0; y < grid.ny(); ++y)
            for (std::int64_t x = 0; x < grid.nx(); ++x) {
                const std::array node{x, y, z};
                bool is_near = squares[static_cast<std::size_t>(grid.at(x, y, 0))] < radius * radius;
                for (std::size_t face = 0; face < 6; ++face) {
                    const std::size_t axis = face / 2;
                    if (plan.domain.faces.halos[face] != Halo::mirror_negative) continue;
                    const std::int64_t away = face % 2 == 0 ? node[axis] : grid.n[axis] - 1 - node[axis];
                    is_near = is_near || (grid.has_axis(static_cast<int>(axis)) && away <= reach);
                }
                settled[static_cast<std::size_t>(grid.at(x, y, z))] = is_near;
            }
    }
    return settled;
}

namespace {

void check_free_surface(const Plan& plan, const Model& model, int face, StageFaults& faults) {
    const std::int64_t reach = plan.config.scheme.space_order / 2;
    const std::int64_t node = node_at(model, face, reach + 1, {kEpsilon.name, kDelta.name});
    if (node < 0) return;
    const auto [x, y, z] = model.grid.node(node);
    const auto i = static_cast<std::size_t>(node);
    faults.add_of_value(
        fmt::format("boundary.{}", face_name(face)),
        fmt::format("epsilon and delta must be 0 at a free surface and at the {} nodes next to it, as they are in "
                    "water: at {} epsilon is {:g} and delta {:g}",
                    reach, position_text(model.grid.position_m(x, y, z)), model.find(kEpsilon.name)->values[i],
                    model.find(kDelta.name)->values[i]));
}

void check_axis_at(const Plan& plan, const Model& model, int face, StageFaults& faults) {
    const std::int64_t reach = plan.config.scheme.space_order / 2;
    const std::int64_t node = node_at(model, face, reach + 1, {kTheta.name});
    if (node < 0) return;
    const auto [x, y, z] = model.grid.node(node);
    faults.add_of_value(
        fmt::format("boundary.{}", face_name(face)),
        fmt::format("theta must be 0 at a free surface or a rigid wall and at the {} nodes next to it, since a tilted "
                    "axis has no mirror image: at {} it is {:g} rad",
                    reach, position_text(model.grid.position_m(x, y, z)),
                    model.find(kTheta.name)->values[static_cast<std::size_t>(node)]));
}

/// What holds for the axes of a whole model.
void check_axes(const Plan& plan, const Model& model) {
    const ModelConfig& c = plan.config.model;
    const bool has_own = has_stored_tilt(c);
    if (has_own && c.resample)
        plan.config.origin.value_fault("model.resample",
                                       "a model with tilted axes (theta, phi) is not brought to another grid: angles "
                                       "have no mean; convert it on the nodes of the run");
    if (has_own && (c.smooth_m > 0. || c.smooth_wavelengths > 0.))
        plan.config.origin.fault("model", "a model with tilted axes (theta, phi) is not smoothed: angles have no mean");
    const ParameterValues* const phi = model.find(kPhi.name);
    if (!model.grid.has_axis(1) && (phi->min != 0.f || phi->max != 0.f))
        plan.config.origin.fault(c.phi_deg ? "model.phi_deg" : "model.file",
                                 fmt::format("phi from {:g} to {:g} rad in a 2-D run, whose axes lie in its plane: "
                                             "leave phi out; theta may be negative",
                                             phi->min, phi->max));
}

}  // namespace

void check_faces_of_anisotropy(const Plan& plan, const Model& model) {
    if (!has_thomsen(model)) return;
    const bool is_tilted = model.find(kTheta.name) != nullptr;
    if (is_tilted) check_axes(plan, model);
    StageFaults faults(plan.config.origin);
    for (int face = 0; face < 6; ++face) {
        const Halo halo = plan.domain.faces.halos[static_cast<std::size_t>(face)];
        if (!model.grid.has_axis(face / 2)) continue;
        if (halo == Halo::mirror_negative) check_free_surface(plan, model, face, faults);
        if (is_tilted && is_mirror(halo)) check_axis_at(plan, model, face, faults);
    }
    faults.raise_if_any();
}

std::vector<std::string> doubts_of_anisotropy(const Plan& plan) {
    const auto& parameters = plan.setup.scheme.equation->parameters;
    for (std::size_t i = 0; i < plan.model.further.size(); ++i)
        if (const auto& range = plan.model.further[i];
            parameters[i + 1].name == kEpsilon.name && range && range->max > kStrongEpsilon)
            return {fmt::format("epsilon of up to {:.3g}: of more than {:g} hardly any rock is known", range->max,
                                kStrongEpsilon)};
    return {};
}

}  // namespace onda
