#include "solver/model/model_builders.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "io/models/model_file.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/model/cell_mean.hpp"
#include "solver/model/density.hpp"
#include "solver/model/quality_factor.hpp"
#include "solver/model/thomsen.hpp"
#include "solver/program/find_row.hpp"

namespace onda {
namespace {

double check_velocity(const std::string& key, double vp_m_s, const ConfigOrigin& origin) {
    if (!(vp_m_s > 0. && std::isfinite(vp_m_s))) origin.fault(key, fmt::format("{} m/s: must be positive", vp_m_s));
    return vp_m_s;
}

bool wants_density(const ModelConfig& config, const ConfigOrigin& origin) {
    return config.rho == "auto" && has_density(config, origin);
}

/// The density of a part, which every part has if one has. 0 if none has, or none is wanted.
/// \param key of the part; \param remedy where it has none.
/// \param wanted whether any has one, and it is wanted (wants_density).
float density_of(const ModelConfig& config, bool wanted, const std::string& key, const std::optional<double>& rho_kg_m3,
                 const ConfigOrigin& origin,
                 const char* remedy =
                     "has no rho_kg_m3, but others have: give it one, or model.rho_kg_m3 for all "
                     "without") {
    if (!wanted) return 0.f;
    const std::optional<double>& rho = rho_kg_m3 ? rho_kg_m3 : config.rho_kg_m3;
    if (!rho) origin.fault(key, remedy);
    return static_cast<float>(*rho);
}

bool wants_q(const ModelConfig& config, const ConfigOrigin& origin) {
    return config.q_rule == "auto" && has_q(config, origin) && !q_follows(config);
}

/// The Q of a part, as density_of() has its density.
float q_of(const ModelConfig& config, bool wanted, const std::string& key, const std::optional<double>& q,
           const ConfigOrigin& origin,
           const char* remedy = "has no q, but others have: give it one, or model.q for all without") {
    if (!wanted) return 0.f;
    if (!q && !config.q) origin.fault(key, remedy);
    return static_cast<float>(q ? *q : *config.q);
}

double bottom_m(const Grid& grid) {
    return grid.position_m(0, 0, grid.nz() - 1)[2];
}

}  // namespace

const MediumRules::Rule& MediumRules::rule_of(const MediumParameter& parameter) const {
    if (parameter.name == kVp.name) return vp;
    if (parameter.name == kRho.name && rho) return rho;
    if (parameter.name == kQ.name && q) return q;
    if (parameter.name == kEpsilon.name && epsilon) return epsilon;
    if (parameter.name == kDelta.name && delta) return delta;
    throw Error(ExitCode::internal, fmt::format("{}: no rule for {}", description, parameter.name));
}

MediumRules constant_medium(const ModelConfig& config, const Grid&, const ConfigOrigin& origin) {
    const double vp = check_velocity("model.vp_m_s", config.vp_m_s, origin);
    const auto value = static_cast<float>(vp);
    const MediumRules::Row row = [value](std::int64_t, std::int64_t, std::span<float> values) {
        std::ranges::fill(values, value);
    };
    return {[row] { return row; }, {value, value, true}, fmt::format("constant, {:.6g} m/s", vp)};
}

MediumRules gradient_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const double top = check_velocity("model.vp_m_s", config.vp_m_s, origin);
    const double slope = config.gradient_per_s;
    const auto at = [=](std::int64_t z) {
        return static_cast<float>(top + slope * (static_cast<double>(z) * grid.spacing_m[2]));
    };
    const float bottom = at(grid.nz() - 1);
    if (!(bottom >= lowest_vp_m_s && bottom <= highest_vp_m_s))
        origin.fault("model.gradient_per_s",
                     fmt::format("{:.6g} 1/s makes {:.6g} m/s at the bottom of the grid, z = {:.6g} m: velocities "
                                 "must stay within {:g} and {:g} m/s",
                                 slope, bottom, bottom_m(grid), lowest_vp_m_s, highest_vp_m_s));
    const MediumRules::Row row = [at](std::int64_t, std::int64_t z, std::span<float> values) {
        std::ranges::fill(values, at(z));
    };
    return {[row] { return row; },
            {std::min(at(0), bottom), std::max(at(0), bottom), true},
            fmt::format("gradient, {:.6g} m/s at the top and {:.6g} at the bottom", top, bottom)};
}

namespace {

struct Layers {
    std::vector<double> top_m;
    std::vector<Rock> rock;
    double slope_x = 0., slope_y = 0.;  ///< dz/dx and dz/dy of the interfaces
    double slack_m = 0.;

    /// \param z depth less the interfaces' deepening at its (x, y).
    [[nodiscard]] std::size_t index(double z) const {
        const auto above = std::upper_bound(top_m.begin(), top_m.end(), z + slack_m) - top_m.begin();
        return static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - 1, 0));
    }
    /// The mean over a cell around a node at this depth.
    [[nodiscard]] Rock mean(double z, const CellBelowPlane& cell) const {
        const std::size_t first = index(z - 0.5 * cell.extent_m()), last = index(z + 0.5 * cell.extent_m());
        RockMean mean;
        double above = 0.;
        for (std::size_t i = first; i <= last; ++i) {
            const double share = i == last ? 1. : cell.share_above(top_m[i + 1] - z);
            mean.add(share - above, rock[i]);
            above = share;
        }
        return mean.mean();
    }
};

std::string layer_key(std::size_t index) {
    return fmt::format("model.layers[{}]", index);
}

void check_layers(const std::vector<LayerConfig>& layers, const ConfigOrigin& origin) {
    if (layers.empty()) origin.fault("model.layers", "there is no layer");
    StageFaults faults(origin);
    for (std::size_t i = 1; i < layers.size(); ++i)
        if (!(layers[i].top_m > layers[i - 1].top_m))
            faults.add_of_value(layer_key(i) + ".top_m",
                                "must lie below the top of the layer above, " + number_text(layers[i - 1].top_m));
    faults.raise_if_any();
}

Layers make_layers(const ModelConfig& m, const Grid& grid, const ConfigOrigin& origin) {
    check_layers(m.layers, origin);
    Layers layers;
    const bool wanted = wants_density(m, origin), absorbs = wants_q(m, origin);
    for (std::size_t i = 0; i < m.layers.size(); ++i) {
        const std::string key = layer_key(i);
        layers.top_m.push_back(m.layers[i].top_m);
        const double vp = check_velocity(key + ".vp_m_s", m.layers[i].vp_m_s, origin);
        const Thomsen thomsen = thomsen_of(m, key, m.layers[i].epsilon, m.layers[i].delta, origin);
        layers.rock.push_back({static_cast<float>(vp), density_of(m, wanted, key, m.layers[i].rho_kg_m3, origin),
                               q_of(m, absorbs, key, m.layers[i].q, origin), thomsen.epsilon, thomsen.delta});
    }
    const double radians = std::numbers::pi / 180., slope = std::tan(m.dip_deg * radians);
    layers.slope_x = slope * std::cos(m.dip_azimuth_deg * radians);
    layers.slope_y = grid.dimensions == 3 ? slope * std::sin(m.dip_azimuth_deg * radians) : 0.;
    layers.slack_m = kSamePlace * grid.spacing_m[2];  // a node on an interface lies below it
    return layers;
}

/// Warnings of layers below the lowest that the grid reaches, which are no part of the model.
std::vector<std::string> warn_of_layers_below(const Layers& layers, std::size_t lowest, const Grid& grid) {
    if (lowest + 1 == layers.top_m.size()) return {};
    const std::size_t first = lowest + 1, more = layers.top_m.size() - first - 1;
    return {fmt::format("{}.top_m = {}: this layer{} below the grid, which ends at z = {:.6g} m: no wave meets it",
                        layer_key(first), number_text(layers.top_m[first]),
                        more > 0 ? fmt::format(" and {} below it begin", more == 1 ? "that" : "those") : " begins",
                        bottom_m(grid))};
}

/// Warnings of layers above the one that the grid begins in, which are no part of the model.
std::vector<std::string> warn_of_layers_above(const Layers& layers, std::size_t highest, const Grid& grid) {
    if (highest == 0) return {};
    const std::size_t last = highest - 1;
    return {fmt::format("{}.top_m = {}: this layer{} above the grid, which begins at z = {:.6g} m: no wave meets it",
                        layer_key(last), number_text(layers.top_m[last]),
                        last > 0 ? fmt::format(" and {} above it end", last == 1 ? "that" : "those") : " ends",
                        grid.origin_m[2])};
}

CellBelowPlane cell_of(const Layers& layers, const Grid& grid) {
    return {grid.spacing_m[2], layers.slope_x * grid.spacing_m[0], layers.slope_y * grid.spacing_m[1]};
}

/// The velocities of every layer that reaches into the grid, or into a cell of it.
VelocityRange range_of(const Layers& layers, const Grid& grid) {
    const double x = static_cast<double>(grid.nx() - 1) * grid.spacing_m[0] * layers.slope_x;
    const double y = static_cast<double>(grid.ny() - 1) * grid.spacing_m[1] * layers.slope_y;
    const double half = 0.5 * cell_of(layers, grid).extent_m();
    const double highest = grid.origin_m[2] - std::max(0., x) - std::max(0., y) - half;
    const double lowest = bottom_m(grid) - std::min(0., x) - std::min(0., y) + half;
    const auto of_rock = [&](std::size_t i) { return layers.rock.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t last = layers.index(lowest);
    const auto [low, high] = std::minmax_element(of_rock(layers.index(highest)), of_rock(last + 1),
                                                 [](const Rock& a, const Rock& b) { return a.vp < b.vp; });
    std::vector<std::string> warnings = warn_of_layers_above(layers, layers.index(highest + half), grid);
    for (std::string& warning : warn_of_layers_below(layers, layers.index(lowest - half), grid))
        warnings.push_back(std::move(warning));
    return {low->vp, high->vp, false, {}, std::move(warnings)};
}

}  // namespace

MediumRules layered_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const Layers layers = make_layers(config, grid, origin);
    const bool averaged = config.interfaces == "averaged";
    const auto rule = [&](float Rock::*value) -> MediumRules::Rule {
        const MediumRules::Row fill = [layers, grid, value, averaged, cell = cell_of(layers, grid)](
                                          std::int64_t y, std::int64_t z, std::span<float> row) {
            const double depth =
                grid.position_m(0, 0, z)[2] - layers.slope_y * (static_cast<double>(y) * grid.spacing_m[1]);
            const double step = layers.slope_x * grid.spacing_m[0];
            for (std::size_t x = 0; x < row.size(); ++x) {
                const double at = depth - step * static_cast<double>(x);
                row[x] = (averaged ? layers.mean(at, cell) : layers.rock[layers.index(at)]).*value;
            }
        };
        return [fill] { return fill; };
    };
    return {rule(&Rock::vp),
            range_of(layers, grid),
            fmt::format("{} layers, dip {:.4g} degrees", layers.rock.size(), config.dip_deg),
            rule(&Rock::rho),
            0,
            1.,
            rule(&Rock::q),
            rule(&Rock::epsilon),
            rule(&Rock::delta)};
}

namespace {

using Triple = std::array<double, 3>;

double length(const Triple& d) {
    return std::hypot(d[0], d[1], d[2]);
}

bool in_sphere(const Triple& d, const Triple& half) {
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= half[0] * half[0];
}
bool near_sphere(const Triple& d, const Triple& half, const Triple& cell) {
    return std::abs(length(d) - half[0]) <= length(cell);
}

bool in_box(const Triple& d, const Triple& half) {
    return std::abs(d[0]) <= half[0] && std::abs(d[1]) <= half[1] && std::abs(d[2]) <= half[2];
}
bool near_box(const Triple& d, const Triple& half, const Triple& cell) {
    bool inside = true, outside = false;
    for (std::size_t a = 0; a < 3; ++a) {
        inside = inside && std::abs(d[a]) + cell[a] <= half[a];
        outside = outside || std::abs(d[a]) - cell[a] > half[a];
    }
    return !inside && !outside;
}

struct Shape {
    std::string_view name;
    /// \param offset from the centre.
    bool (*holds)(const Triple& offset, const Triple& half);
    /// Whether the surface may cross a box of half the size `cell` around the place.
    bool (*crosses)(const Triple& offset, const Triple& half, const Triple& cell);
    bool has_radius;
};
constexpr std::array<Shape, 2> kShapes{{{"sphere", in_sphere, near_sphere, true}, {"box", in_box, near_box, false}}};

/// A body in the terms of its shape: centre and half size (the radius, for a sphere).
struct Body {
    Triple centre{}, half{};
    const Shape* shape = nullptr;
    Rock rock;

    [[nodiscard]] Triple offset_of(Triple place) const {
        for (std::size_t a = 0; a < 3; ++a) place[a] -= centre[a];
        return place;
    }
    [[nodiscard]] bool holds(const Triple& place) const { return shape->holds(offset_of(place), half); }
    [[nodiscard]] bool crosses(const Triple& place, const Triple& cell) const {
        return shape->crosses(offset_of(place), half, cell);
    }
    /// Whether the body can hold or cross anything at this coordinate. \param margin half of the diagonal of a cell.
    [[nodiscard]] bool reaches(std::size_t axis, double coordinate, double margin) const {
        return std::abs(coordinate - centre[axis]) <= half[axis] + margin;
    }
    /// The nodes of a row that it can reach, and one more at each end for what rounding makes of their number: the
    /// first, and the one after the last.
    [[nodiscard]] std::pair<std::size_t, std::size_t> nodes_reached(const Grid& grid, double margin) const {
        const double reach = half[0] + margin, most = static_cast<double>(grid.nx());
        const auto node_at = [&](double x_m) { return (x_m - grid.origin_m[0]) / grid.spacing_m[0]; };
        return {static_cast<std::size_t>(std::clamp(std::floor(node_at(centre[0] - reach)) - 1., 0., most)),
                static_cast<std::size_t>(std::clamp(std::ceil(node_at(centre[0] + reach)) + 2., 0., most))};
    }
};

/// Bodies in a background; a later one covers an earlier one.
struct Bodies {
    Rock background;
    std::vector<Body> body;

    [[nodiscard]] Rock at(const Triple& place, std::span<const Body* const> candidates) const {
        const auto last =
            std::find_if(candidates.rbegin(), candidates.rend(), [&](const Body* one) { return one->holds(place); });
        return last == candidates.rend() ? background : (*last)->rock;
    }
    /// The mean over the cell of a node, of half the size `cell`. \param candidates the bodies that reach it.
    [[nodiscard]] Rock mean(const Grid& grid, const Triple& node, const Triple& cell,
                            std::span<const Body* const> candidates) const {
        return mean_of_points(grid.dimensions, [&](const Triple& offset) {
            Triple place = node;
            for (std::size_t a = 0; a < 3; ++a) place[a] += 2. * offset[a] * cell[a];
            return at(place, candidates);
        });
    }
    /// \param averaged whether cells that surfaces cross have their mean.
    void fill(const Grid& grid, bool averaged, std::int64_t y, std::int64_t z, std::span<Rock> row) const {
        const Triple cell{0.5 * grid.spacing_m[0], grid.dimensions == 3 ? 0.5 * grid.spacing_m[1] : 0.,
                          0.5 * grid.spacing_m[2]};
        const double margin = length(cell);
        const Triple begin = grid.position_m(0, y, z);
        std::vector<const Body*> near;
        for (const Body& one : body)
            if (one.reaches(1, begin[1], margin) && one.reaches(2, begin[2], margin)) near.push_back(&one);
        // Calls use(body, x, place) for the nodes that each body can reach.
        const auto for_nodes_reached = [&](const auto& use) {
            for (const Body* one : near) {
                const auto [first, end] = one->nodes_reached(grid, margin);
                for (std::size_t x = first; x < end; ++x)
                    use(*one, x, grid.position_m(static_cast<std::int64_t>(x), y, z));
            }
        };
        std::ranges::fill(row, background);
        std::vector<bool> crossed(row.size(), false);
        for_nodes_reached([&](const Body& one, std::size_t x, const Triple& place) {
            if (one.holds(place)) row[x] = one.rock;
            if (averaged && one.crosses(place, cell)) crossed[x] = true;
        });
        if (std::ranges::find(crossed, true) == crossed.end()) return;
        std::vector<std::vector<const Body*>> candidates(row.size());
        for_nodes_reached([&](const Body& one, std::size_t x, const Triple& place) {
            if (crossed[x] && (one.holds(place) || one.crosses(place, cell))) candidates[x].push_back(&one);
        });
        for (std::size_t x = 0; x < row.size(); ++x)
            if (crossed[x])
                row[x] = mean(grid, grid.position_m(static_cast<std::int64_t>(x), y, z), cell, candidates[x]);
    }
};

/// (x, y, z) from a list of the config; `missing` stands for y in 2-D.
Triple triple(const Grid& grid, const std::string& key, const std::vector<double>& values, double missing,
              const ConfigOrigin& origin) {
    if (static_cast<int>(values.size()) != grid.dimensions)
        origin.fault(
            key, fmt::format("has {} numbers: a {}-D grid needs {}", values.size(), grid.dimensions, grid.dimensions));
    return grid.dimensions == 2 ? std::array{values[0], missing, values[1]}
                                : std::array{values[0], values[1], values[2]};
}

Body make_body(const ModelConfig& config, const Grid& grid, bool wanted, bool absorbs, std::size_t index,
               const ConfigOrigin& origin) {
    const InclusionConfig& inclusion = config.inclusions[index];
    const std::string key = fmt::format("model.inclusions[{}]", index);
    const Thomsen thomsen = thomsen_of(config, key, inclusion.epsilon, inclusion.delta, origin);
    const Shape& shape = find_row(origin, key + ".shape", std::span<const Shape>(kShapes), inclusion.shape);
    Body body{triple(grid, key + ".center_m", inclusion.center_m, grid.origin_m[1], origin),
              {},
              &shape,
              {static_cast<float>(check_velocity(key + ".vp_m_s", inclusion.vp_m_s, origin)),
               density_of(config, wanted, key, inclusion.rho_kg_m3, origin),
               q_of(config, absorbs, key, inclusion.q, origin), thomsen.epsilon, thomsen.delta}};
    const std::string size_key = key + (shape.has_radius ? ".radius_m" : ".size_m");
    body.half = shape.has_radius ? std::array{inclusion.radius_m, inclusion.radius_m, inclusion.radius_m}
                                 : triple(grid, size_key, inclusion.size_m, 1., origin);
    for (double& half : body.half) {
        if (!(half > 0.)) origin.fault(size_key, fmt::format("{:.6g} m: must be positive", half));
        if (!shape.has_radius) half *= 0.5;
    }
    return body;
}

/// Whether a body, or the box round it, has nothing in common with the grid.
bool lies_outside(const Body& body, const Grid& grid) {
    for (int a = 0; a < 3; ++a)
        if (grid.has_axis(a) &&
            (body.centre[a] + body.half[a] < grid.origin_m[a] || body.centre[a] - body.half[a] > last_m(grid, a)))
            return true;
    return false;
}

}  // namespace

MediumRules inclusions_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const auto background = static_cast<float>(check_velocity("model.vp_m_s", config.vp_m_s, origin));
    const bool wanted = wants_density(config, origin);
    const float rho = density_of(config, wanted, "model.inclusions", config.rho_kg_m3, origin,
                                 "some have rho_kg_m3, but what surrounds them has none: give model.rho_kg_m3");
    const bool absorbs = wants_q(config, origin);
    const float q = q_of(config, absorbs, "model.inclusions", config.q, origin,
                         "some have q, but what surrounds them has none: give model.q");
    const Thomsen thomsen = thomsen_of(config, "model", config.epsilon, config.delta, origin);
    Bodies bodies{{background, rho, q, thomsen.epsilon, thomsen.delta}, {}};
    VelocityRange bounds{background, background, config.inclusions.empty()};
    for (std::size_t i = 0; i < config.inclusions.size(); ++i) {
        const Body& body = bodies.body.emplace_back(make_body(config, grid, wanted, absorbs, i, origin));
        bounds.min_m_s = std::min<double>(bounds.min_m_s, body.rock.vp);
        bounds.max_m_s = std::max<double>(bounds.max_m_s, body.rock.vp);
        if (lies_outside(body, grid))
            bounds.warnings.push_back(fmt::format("model.inclusions[{}] lies outside the grid: no wave meets it", i));
    }
    const auto rule = [&, averaged = config.interfaces == "averaged"](float Rock::*value) -> MediumRules::Rule {
        const MediumRules::Row fill = [bodies, grid, averaged, value](std::int64_t y, std::int64_t z,
                                                                      std::span<float> row) {
            std::vector<Rock> rocks(row.size());
            bodies.fill(grid, averaged, y, z, rocks);
            std::ranges::transform(rocks, row.begin(), [value](const Rock& rock) { return rock.*value; });
        };
        return [fill] { return fill; };
    };
    return {rule(&Rock::vp),
            bounds,
            fmt::format("{} inclusions in {:.6g} m/s", bodies.body.size(), background),
            rule(&Rock::rho),
            0,
            std::max(1., static_cast<double>(bodies.body.size()) / 10.),
            rule(&Rock::q),
            rule(&Rock::epsilon),
            rule(&Rock::delta)};
}

}  // namespace onda
