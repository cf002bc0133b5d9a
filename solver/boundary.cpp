#include "solver/boundary.hpp"

#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <string>

#include "solver/find_row.hpp"

namespace onda {
namespace {

constexpr std::array<BoundaryKind, 4> kKinds{{
    {"zero", "p = 0 beyond the grid: the rim of the classical scheme; reflects with changed sign", Halo::zero, false},
    {"free_surface", "pressure-free plane through the nodes of the face; reflects with changed sign",
     Halo::mirror_negative, false},
    {"rigid", "immovable wall through the nodes of the face; reflects with the same sign", Halo::mirror_positive,
     false},
    {"sponge", "absorbing strip of boundary.sponge_width nodes inside the grid", Halo::zero, true},
}};

constexpr std::array<std::string BoundaryConfig::*, 6> kFaceMembers{&BoundaryConfig::x_min, &BoundaryConfig::x_max,
                                                                    &BoundaryConfig::y_min, &BoundaryConfig::y_max,
                                                                    &BoundaryConfig::z_min, &BoundaryConfig::z_max};

std::string face_key(int face) {
    return "boundary." + std::string(kFaceNames[face]);
}

const BoundaryKind& kind_of(const Config& config, int face) {
    return find_row(config, face_key(face), boundary_kinds(), config.boundary.*kFaceMembers[face]);
}

/// Strips must not overlap: the taper of a node belongs to one face.
void check_strips(const Config& config, const Grid& grid, int axis, int strips) {
    const std::int64_t width = config.boundary.sponge_width;
    if (strips * width <= grid.n[axis]) return;
    throw_config_fault(config, "boundary.sponge_width",
                       fmt::format("{}: the sponge on {} of the {} axis needs {} nodes, but the grid has {} there; use "
                                   "{} or less, or a larger grid",
                                   width, strips == 2 ? "both faces" : "one face", "xyz"[axis], strips * width,
                                   grid.n[axis], grid.n[axis] / strips));
}

/// Taper of Cerjan et al. (1985), Geophysics 50, in the form exp(-sigma dt), sigma = sigma0 (d / W)^2: a wave that
/// crosses the strip and comes back has lost the factor exp(-2 sigma0 W h / (3 c)) = R.
std::vector<double> sponge_taper(const Config& config, const Grid& grid, int axis, std::array<bool, 2> absorbs,
                                 double step_m) {
    const std::int64_t width = config.boundary.sponge_width, n = grid.n[axis];
    const double strip_m = static_cast<double>(width) * grid.spacing_m[axis];
    const double sigma0_dt = 3. * step_m * std::log(1. / config.boundary.sponge_reflection) / (2. * strip_m);
    std::vector<double> taper(n, 1.);
    for (std::int64_t d = 1; d <= width; ++d) {  // d nodes deep: the strip's inner edge is d = 0
        const double depth = static_cast<double>(d) / static_cast<double>(width);
        const double g = std::exp(-sigma0_dt * depth * depth);
        if (absorbs[0]) taper[width - d] = g;
        if (absorbs[1]) taper[n - 1 - width + d] = g;
    }
    return taper;
}

}  // namespace

std::span<const BoundaryKind> boundary_kinds() {
    return kKinds;
}

FaceHalos make_halos(const Config& config, const Grid& grid) {
    FaceHalos halos{};
    for (int face = 0; face < 6; ++face) {
        if (!grid.has_axis(face / 2)) continue;
        halos[face] = kind_of(config, face).halo;
        const std::int64_t needed = config.scheme.space_order / 2 + 1;
        if (halos[face] != Halo::zero && grid.n[face / 2] < needed)
            throw_config_fault(config, face_key(face),
                               fmt::format("a mirror needs {} nodes along {} at space_order {}, but the grid has {}",
                                           needed, "xyz"[face / 2], config.scheme.space_order, grid.n[face / 2]));
    }
    return halos;
}

std::array<std::int64_t, 6> sponge_widths(const Config& config, const Grid& grid) {
    std::array<std::int64_t, 6> widths{};
    const std::int64_t width = config.boundary.sponge_width;
    for (int face = 0; face < 6; ++face) {
        if (!grid.has_axis(face / 2) || !kind_of(config, face).absorbs) continue;
        if (width < 1)
            throw_config_fault(config, "boundary.sponge_width", fmt::format("{}: must be at least 1 node", width));
        widths[face] = width;
    }
    return widths;
}

Boundary make_boundary(const Config& config, const Grid& grid, double vp_max_m_s, double dt_s) {
    Boundary boundary;
    boundary.halos = make_halos(config, grid);
    const auto widths = sponge_widths(config, grid);
    const double reflection = config.boundary.sponge_reflection;
    for (int axis = 0; axis < 3; ++axis) {
        const std::array<bool, 2> absorbs{widths[2 * axis] > 0, widths[2 * axis + 1] > 0};
        if (!absorbs[0] && !absorbs[1]) continue;
        check_strips(config, grid, axis, int(absorbs[0]) + int(absorbs[1]));
        if (!(reflection > 0. && reflection < 1.))
            throw_config_fault(config, "boundary.sponge_reflection",
                               fmt::format("{}: must be between 0 and 1", reflection));
        boundary.sponge.taper[axis] = sponge_taper(config, grid, axis, absorbs, vp_max_m_s * dt_s);
    }
    return boundary;
}

}  // namespace onda
