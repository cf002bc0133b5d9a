#include "solver/discretisation/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <spdlog/fmt/fmt.h>
#include <string>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/boundaries/sponge.hpp"
#include "solver/discretisation/layer_design.hpp"
#include "solver/program/find_row.hpp"

namespace onda {
namespace {

constexpr std::array<std::string BoundaryConfig::*, 6> kFaceMembers{&BoundaryConfig::x_min, &BoundaryConfig::x_max,
                                                                    &BoundaryConfig::y_min, &BoundaryConfig::y_max,
                                                                    &BoundaryConfig::z_min, &BoundaryConfig::z_max};

/// Where strips lie.
struct StripPlacement {
    std::string_view name;
    bool beyond;  ///< the grid of the configuration
};
constexpr std::array<StripPlacement, 2> kPlacements{{{"outside", true}, {"inside", false}}};

std::string face_key(int face) {
    return "boundary." + std::string(face_name(face));
}

}  // namespace

/// Where the strips of one axis go, and what they are designed for.
struct StripPlan {
    const BoundaryConfig& config;
    const Grid& grid;
    const Waves& waves;
    const ConfigOrigin& origin;
    std::size_t axis;
    std::array<bool, 2> sides;  ///< whether the low face and the high one have such a strip
};

struct StripDesign {
    std::string_view noun;                       ///< what messages call a strip
    std::string_view width_key, reflection_key;  ///< where the configuration says how wide it is, and what it leaves
    std::int64_t BoundaryConfig::*width;
    double BoundaryConfig::*reflection;
    bool (*in_operator)();  ///< Strip::in_operator() of the kind
    /// Puts the strips of an axis among those of a problem. \throws Error(config)
    void (*add)(StripList& strips, const StripPlan& plan);
};

namespace {

/// Taper of Cerjan et al. (1985), Geophysics 50, in the form exp(-sigma dt), sigma = sigma0 (d / W)^2: a wave that
/// crosses the strip and comes back has lost the factor exp(-2 sigma0 W h / (3 c)) = R.
std::vector<double> sponge_taper(const BoundaryConfig& config, const Grid& grid, int axis, std::array<bool, 2> absorbs,
                                 double step_m) {
    const std::int64_t width = config.sponge_width, n = grid.n[axis];
    const double strip_m = static_cast<double>(width) * grid.spacing_m[axis];
    const double sigma0_dt = 3. * step_m * std::log(1. / config.sponge_reflection) / (2. * strip_m);
    std::vector<double> taper(n, 1.);
    for (std::int64_t d = 1; d <= width; ++d) {  // d nodes deep: the strip's inner edge is d = 0
        const double depth = static_cast<double>(d) / static_cast<double>(width);
        const double g = std::exp(-sigma0_dt * depth * depth);
        if (absorbs[0]) taper[width - d] = g;
        if (absorbs[1]) taper[n - 1 - width + d] = g;
    }
    return taper;
}

/// Profiles of Collino and Tsogka (2001), Geophysics 66, with the frequency shift of Komatitsch and Martin (2007),
/// Geophysics 72: damping d = d0 (x / L)^2 such that a wave that crosses the layer and comes back has lost the factor
/// R, d0 = 3 vp ln(1 / R) / (2 L), and alpha = pi f (1 - x / L), f no lower than layer_design.hpp allows;
/// b = exp(-(d + alpha) dt), a = d / (d + alpha) (b - 1).
class CpmlProfiles {
public:
    CpmlProfiles(const BoundaryConfig& config, double spacing_m, const Waves& waves)
        : width_(config.cpml_width),
          d0_(layer_damping(config, spacing_m, waves.vp_max_m_s)),
          alpha0_(std::numbers::pi * std::max(config.cpml_frequency_hz.value_or(waves.frequency_hz),
                                              least_layer_frequency_hz(config, spacing_m, waves.vp_max_m_s))),
          dt_s_(waves.dt_s) {}

    /// \param offset of psi from the nodes (Factor).
    [[nodiscard]] CpmlFace face(double offset) const {
        CpmlFace face;
        for (std::int64_t t = 0; t < width_; ++t) {
            add(face.a_psi, face.b_psi, static_cast<double>(t) + offset);
            add(face.a_zeta, face.b_zeta, static_cast<double>(t) + 1.);
        }
        return face;
    }

private:
    void add(std::vector<double>& a, std::vector<double>& b, double depth_nodes) const {
        const double x = depth_nodes / static_cast<double>(width_);
        const double d = d0_ * x * x, alpha = alpha0_ * (1. - x);
        b.push_back(std::exp(-(d + alpha) * dt_s_));
        a.push_back(d / (d + alpha) * (b.back() - 1.));
    }

    std::int64_t width_;
    double d0_, alpha0_, dt_s_;
};

/// The offset of psi from the nodes (Factor). \throws Error(config) if the equation cannot be taken apart for layers.
double layer_offset(const Scheme& scheme, const std::string& key, const ConfigOrigin& origin) {
    if (scheme.equation->factor == nullptr)
        origin.fault(key, fmt::format("CPML is not available for the equation {}: use sponge", name(scheme.equation)));
    return factor_of(scheme).offset;
}

constexpr StripDesign kSponge{
    .noun = "sponge",
    .width_key = "boundary.sponge_width",
    .reflection_key = "boundary.sponge_reflection",
    .width = &BoundaryConfig::sponge_width,
    .reflection = &BoundaryConfig::sponge_reflection,
    .in_operator = [] { return Sponge().in_operator(); },
    .add =
        [](StripList& strips, const StripPlan& plan) {
            strips.edit<Sponge>().taper[plan.axis] = sponge_taper(plan.config, plan.grid, static_cast<int>(plan.axis),
                                                                  plan.sides, plan.waves.vp_max_m_s * plan.waves.dt_s);
        },
};
constexpr StripDesign kCpml{
    .noun = "perfectly matched layer",
    .width_key = "boundary.cpml_width",
    .reflection_key = "boundary.cpml_reflection",
    .width = &BoundaryConfig::cpml_width,
    .reflection = &BoundaryConfig::cpml_reflection,
    .in_operator = [] { return Cpml().in_operator(); },
    .add =
        [](StripList& strips, const StripPlan& plan) {
            for (const std::size_t side : {0u, 1u}) {
                if (!plan.sides[side]) continue;
                const std::size_t face = 2 * plan.axis + side;
                strips.edit<Cpml>().face[face] =
                    CpmlProfiles(plan.config, plan.grid.spacing_m[plan.axis], plan.waves)
                        .face(layer_offset(plan.waves.scheme, face_key(static_cast<int>(face)), plan.origin));
            }
        },
};

constexpr std::array<BoundaryKind, 5> kKinds{{
    {"zero", "p = 0 beyond the grid; reflects with opposite polarity", Halo::zero, nullptr},
    {"free_surface", "p = 0 on the nodes of the face; reflects with opposite polarity", Halo::mirror_negative, nullptr},
    {"rigid", "rigid wall on the nodes of the face; reflects with the same polarity", Halo::mirror_positive, nullptr},
    {"sponge", "absorbing zone of boundary.sponge_width nodes, with a damping taper", Halo::zero, &kSponge},
    {"cpml", "convolutional perfectly matched layers (CPML) of boundary.cpml_width nodes", Halo::zero, &kCpml},
}};

const BoundaryKind& kind_of(const BoundaryConfig& config, int face, const ConfigOrigin& origin) {
    return find_row(origin, face_key(face), boundary_kinds(), config.*kFaceMembers[face]);
}

std::int64_t width_of(const BoundaryConfig& config, const StripDesign* strip) {
    return strip == nullptr ? 0 : config.*strip->width;
}

void check_strip(const BoundaryConfig& config, const StripDesign& strip, const ConfigOrigin& origin) {
    const std::int64_t width = config.*strip.width;
    if (width < 1) origin.fault(std::string(strip.width_key), fmt::format("{}: must be at least 1 node", width));
    const double reflection = config.*strip.reflection;
    if (!(reflection > 0. && reflection < 1.))
        origin.fault(std::string(strip.reflection_key), fmt::format("{}: must be between 0 and 1", reflection));
}

/// Strips must not overlap: a node belongs to one face.
void check_strips_fit(const BoundaryConfig& config, const Grid& grid, int axis, const ConfigOrigin& origin) {
    const StripDesign *const low = kind_of(config, 2 * axis, origin).strip, *const high =
                                                                                kind_of(config, 2 * axis + 1, origin)
                                                                                    .strip;
    const std::int64_t needed = width_of(config, low) + width_of(config, high);
    if (needed <= grid.n[axis]) return;
    const bool low_is_wider = width_of(config, high) < width_of(config, low);
    const StripDesign *const narrower = low_is_wider ? high : low, *const wider = low_is_wider ? low : high;
    const bool both = low != nullptr && high != nullptr;
    const auto described = [&](const StripDesign* strip) {
        return fmt::format("a {} of {} nodes", strip->noun, width_of(config, strip));
    };
    const std::string what = !both         ? described(wider) + " does"
                             : low == high ? fmt::format("two {}s of {} nodes do", wider->noun, width_of(config, wider))
                                           : described(low) + " and " + described(high) + " do";
    const std::int64_t most = std::max(grid.n[axis] - width_of(config, narrower), grid.n[axis] / 2);
    origin.fault(std::string(wider->width_key),
                 fmt::format("{} not fit into the {} nodes along {}; use {} or less, or a larger grid", what,
                             grid.n[axis], "xyz"[axis], most));
}

}  // namespace

std::span<const BoundaryKind> boundary_kinds() {
    return kKinds;
}

Faces make_faces(const BoundaryConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    Faces faces;
    const StripPlacement& placement =
        find_row(origin, "boundary.placement", std::span<const StripPlacement>(kPlacements), config.placement);
    auto& nodes = placement.beyond ? faces.nodes_beyond : faces.nodes_inside;
    for (int face = 0; face < 6; ++face) {
        if (!grid.has_axis(face / 2)) continue;
        const BoundaryKind& kind = kind_of(config, face, origin);
        if (kind.strip != nullptr) {
            check_strip(config, *kind.strip, origin);
            faces.in_operator = faces.in_operator || kind.strip->in_operator();
        }
        faces.halos[face] = kind.halo;
        nodes[face] = width_of(config, kind.strip);
    }
    return faces;
}

void check_boundary(const BoundaryConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    static_cast<void>(make_faces(config, grid, origin));
    for (int axis = 0; axis < 3; ++axis)
        if (grid.has_axis(axis)) check_strips_fit(config, grid, axis, origin);
}

Boundary make_boundary(const BoundaryConfig& config, const Grid& grid, const Waves& waves, const ConfigOrigin& origin) {
    check_boundary(config, grid, origin);
    Boundary boundary;
    boundary.halos = make_faces(config, grid, origin).halos;
    for (int axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(axis)) continue;
        const std::array strips{kind_of(config, 2 * axis, origin).strip, kind_of(config, 2 * axis + 1, origin).strip};
        for (const BoundaryKind& kind : kKinds) {
            const std::array sides{kind.strip == strips[0], kind.strip == strips[1]};
            if (kind.strip != nullptr && (sides[0] || sides[1]))
                kind.strip->add(boundary.strips, {config, grid, waves, origin, static_cast<std::size_t>(axis), sides});
        }
    }
    return boundary;
}

}  // namespace onda
