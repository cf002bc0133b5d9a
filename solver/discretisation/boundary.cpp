#include "solver/discretisation/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <spdlog/fmt/fmt.h>
#include <string>

#include "solver/program/find_row.hpp"

namespace onda {
namespace {

constexpr std::array<BoundaryKind, 5> kKinds{{
    {"zero", "p = 0 beyond the grid: the rim of the classical scheme; reflects with changed sign", Halo::zero,
     Strip::none},
    {"free_surface", "pressure-free plane through the nodes of the face; reflects with changed sign",
     Halo::mirror_negative, Strip::none},
    {"rigid", "immovable wall through the nodes of the face; reflects with the same sign", Halo::mirror_positive,
     Strip::none},
    {"sponge", "absorbing strip of boundary.sponge_width nodes", Halo::zero, Strip::sponge},
    {"cpml", "perfectly matched layer of boundary.cpml_width nodes", Halo::zero, Strip::cpml},
}};

constexpr std::array<std::string BoundaryConfig::*, 6> kFaceMembers{&BoundaryConfig::x_min, &BoundaryConfig::x_max,
                                                                    &BoundaryConfig::y_min, &BoundaryConfig::y_max,
                                                                    &BoundaryConfig::z_min, &BoundaryConfig::z_max};

/// Where strips lie.
struct Placement {
    std::string_view name;
    bool beyond;  ///< the grid of the configuration
};
constexpr std::array<Placement, 2> kPlacements{{{"outside", true}, {"inside", false}}};

std::string face_key(int face) {
    return "boundary." + std::string(kFaceNames[face]);
}

const BoundaryKind& kind_of(const BoundaryConfig& config, int face, const ConfigOrigin& origin) {
    return find_row(origin, face_key(face), boundary_kinds(), config.*kFaceMembers[face]);
}

/// What a strip is called, and where the configuration says how wide it is and what it leaves of a wave.
struct StripRow {
    std::string_view noun, width_key, reflection_key;
    std::int64_t BoundaryConfig::*width;
    double BoundaryConfig::*reflection;
};
const StripRow& row_of(Strip strip) {
    static constexpr StripRow sponge{"sponge", "boundary.sponge_width", "boundary.sponge_reflection",
                                     &BoundaryConfig::sponge_width, &BoundaryConfig::sponge_reflection};
    static constexpr StripRow cpml{"perfectly matched layer", "boundary.cpml_width", "boundary.cpml_reflection",
                                   &BoundaryConfig::cpml_width, &BoundaryConfig::cpml_reflection};
    return strip == Strip::sponge ? sponge : cpml;
}

std::int64_t width_of(const BoundaryConfig& config, Strip strip) {
    return strip == Strip::none ? 0 : config.*row_of(strip).width;
}

void check_strip(const BoundaryConfig& config, const StripRow& row, const ConfigOrigin& origin) {
    const std::int64_t width = config.*row.width;
    if (width < 1) origin.fault(std::string(row.width_key), fmt::format("{}: must be at least 1 node", width));
    const double reflection = config.*row.reflection;
    if (!(reflection > 0. && reflection < 1.))
        origin.fault(std::string(row.reflection_key), fmt::format("{}: must be between 0 and 1", reflection));
}

/// Strips must not overlap: a node belongs to one face.
void check_strips_fit(const BoundaryConfig& config, const Grid& grid, int axis, const ConfigOrigin& origin) {
    const Strip low = kind_of(config, 2 * axis, origin).strip, high = kind_of(config, 2 * axis + 1, origin).strip;
    const std::int64_t needed = width_of(config, low) + width_of(config, high);
    if (needed <= grid.n[axis]) return;
    const auto [narrower, wider] =
        std::minmax(low, high, [&](Strip a, Strip b) { return width_of(config, a) < width_of(config, b); });
    const bool both = low != Strip::none && high != Strip::none;
    const auto described = [&](Strip strip) {
        return fmt::format("a {} of {} nodes", row_of(strip).noun, width_of(config, strip));
    };
    const std::string what = !both ? described(wider) + " does"
                             : low == high
                                 ? fmt::format("two {}s of {} nodes do", row_of(wider).noun, width_of(config, wider))
                                 : described(low) + " and " + described(high) + " do";
    const std::int64_t most = std::max(grid.n[axis] - width_of(config, narrower), grid.n[axis] / 2);
    origin.fault(std::string(row_of(wider).width_key),
                 fmt::format("{} not fit into the {} nodes along {}; use {} or less, or a larger grid", what,
                             grid.n[axis], "xyz"[axis], most));
}

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
/// R, d0 = 3 vp ln(1 / R) / (2 L), and alpha = pi f (1 - x / L); b = exp(-(d + alpha) dt), a = d / (d + alpha) (b - 1).
class CpmlProfiles {
public:
    CpmlProfiles(const BoundaryConfig& config, double spacing_m, const Waves& waves)
        : width_(config.cpml_width),
          d0_(1.5 * waves.vp_max_m_s * std::log(1. / config.cpml_reflection) /
              (static_cast<double>(width_) * spacing_m)),
          alpha0_(std::numbers::pi * config.cpml_frequency_hz.value_or(waves.frequency_hz)),
          dt_s_(waves.dt_s) {
        // A layer of a few nodes that is to absorb all would rather reflect, and no longer be sure to be stable.
        d0_ = std::min(d0_, kMostDamping * waves.vp_max_m_s / spacing_m);
    }

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
    static constexpr double kMostDamping = 1.5;  ///< d0 h / vp

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
        origin.fault(key, fmt::format("there are no perfectly matched layers for the equation {}: take sponge",
                                      name(scheme.equation)));
    return factor_of(scheme).offset;
}

}  // namespace

std::span<const BoundaryKind> boundary_kinds() {
    return kKinds;
}

Faces make_faces(const BoundaryConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    Faces faces;
    const Placement& placement =
        find_row(origin, "boundary.placement", std::span<const Placement>(kPlacements), config.placement);
    auto& nodes = placement.beyond ? faces.nodes_beyond : faces.nodes_inside;
    for (int face = 0; face < 6; ++face) {
        if (!grid.has_axis(face / 2)) continue;
        const BoundaryKind& kind = kind_of(config, face, origin);
        if (kind.strip != Strip::none) check_strip(config, row_of(kind.strip), origin);
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
        const auto has = [&](int side, Strip strip) { return kind_of(config, 2 * axis + side, origin).strip == strip; };
        const std::array sponges{has(0, Strip::sponge), has(1, Strip::sponge)};
        if (sponges[0] || sponges[1])
            boundary.sponge.taper[axis] = sponge_taper(config, grid, axis, sponges, waves.vp_max_m_s * waves.dt_s);
        for (const int side : {0, 1})
            if (has(side, Strip::cpml))
                boundary.cpml.face[2 * axis + side] =
                    CpmlProfiles(config, grid.spacing_m[axis], waves)
                        .face(layer_offset(waves.scheme, face_key(2 * axis + side), origin));
    }
    return boundary;
}

}  // namespace onda
