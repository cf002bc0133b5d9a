#include "kernels/slabs/slabs.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/plan/shell.hpp"

namespace onda {

std::vector<Slab> equal_slabs(std::int64_t nz, int count) {
    std::vector<Slab> slabs;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t first = slabs.empty() ? 0 : slabs.back().first_plane + slabs.back().planes;
        slabs.push_back({first, nz / count + (i >= count - nz % count ? 1 : 0)});
    }
    return slabs;
}

std::int64_t ghost_planes(const Problem& problem) {
    return problem.applications() == Applications::twice ? 2 * problem.scheme.radius() : 0;
}

Slab with_ghosts(const Problem& whole, const Slab& slab) {
    const std::int64_t ghosts = ghost_planes(whole), all = whole.grid.nz();
    const std::int64_t first = std::max<std::int64_t>(0, slab.first_plane - ghosts);
    return {first, std::min(all, slab.first_plane + slab.planes + ghosts) - first};
}

std::vector<WindowPart> parts_of(const Window& window, std::span<const Slab> slabs, std::span<const Slab> computed) {
    std::vector<WindowPart> parts;
    std::int64_t taken = 0;
    for (std::size_t s = 0; s < slabs.size() && taken < window.count[2]; ++s) {
        const std::int64_t first = window.first[2] + taken * window.step[2];
        const std::int64_t end = slabs[s].first_plane + slabs[s].planes;
        if (first >= end) continue;
        const std::int64_t count = std::min(window.count[2] - taken, (end - 1 - first) / window.step[2] + 1);
        WindowPart part{s, window, taken * window.count[0] * window.count[1]};
        part.window.first[2] = first - computed[s].first_plane;
        part.window.count[2] = count;
        parts.push_back(part);
        taken += count;
    }
    return parts;
}

CutPlanes::CutPlanes(const Problem& slab)
    : count(std::max<std::int64_t>(slab.scheme.halo(), ghost_planes(slab))),
      ghosts(ghost_planes(slab)),
      nz(slab.grid.nz()) {}

Setup setup_of_slab(const Setup& whole, const Slab& slab) {
    const Slab computed = with_ghosts(whole, slab);
    Setup setup = whole;
    setup.grid.n[2] = computed.planes;
    setup.first_plane += computed.first_plane;
    setup.grid.origin_m[2] += static_cast<double>(computed.first_plane) * whole.grid.spacing_m[2];
    const std::int64_t all = whole.grid.nz();
    // Ghosts read nothing from beyond them that matters.
    const Halo at_cut = ghost_planes(whole) > 0 ? Halo::zero : Halo::neighbour;
    if (computed.first_plane > 0) setup.halos[4] = at_cut;
    if (computed.first_plane + computed.planes < all) setup.halos[5] = at_cut;
    setup.strips.change_each(
        [&](const Strip& strip) { return strip.of_planes(computed.first_plane, computed.planes, all); });
    return setup;
}

namespace {

/// The planes that a slab at an end face must have: those of an absorbing layer, those whose images lie beyond a wall,
/// and with ghosts all that do not leap, so that a neighbour's ghosts are plain nodes, or whose odd level is kept, so
/// that this is the slab's alone.
std::int64_t fewest_at_end(const Problem& problem, int face) {
    const bool has_images = problem.halos[static_cast<std::size_t>(face)] == Halo::mirror_positive;
    std::int64_t fewest = has_images ? problem.scheme.halo() + 1 : 0;  // on a free surface nothing is computed
    for (const auto& strip : problem.strips) fewest = std::max(fewest, strip->fewest_planes(problem, face));
    if (ghost_planes(problem) == 0) return fewest;
    const bool keeps_odd = problem.stepping == Stepping::leap;
    return std::max(fewest, keeps_odd ? odd_width(problem, face) : shell_width(problem, face));
}

}  // namespace

std::int64_t fewest_planes(const Problem& problem, bool at_z_min, bool at_z_max) {
    std::int64_t fewest = std::max<std::int64_t>(problem.scheme.halo(), ghost_planes(problem));
    if (at_z_min) fewest = std::max(fewest, fewest_at_end(problem, 4));
    if (at_z_max) fewest = std::max(fewest, fewest_at_end(problem, 5));
    return fewest;
}

void check_slabs(const Problem& problem, std::span<const Slab> slabs) {
    std::int64_t next = 0;
    for (const Slab& slab : slabs) {
        if (slab.first_plane != next) throw std::invalid_argument("slabs follow each other along z without gaps");
        next += slab.planes;
        const std::int64_t fewest = fewest_planes(problem, slab.first_plane == 0, next == problem.grid.nz());
        if (slabs.size() > 1 && slab.planes < fewest)
            throw std::invalid_argument("a slab of " + std::to_string(slab.planes) + " planes: here it needs " +
                                        std::to_string(fewest) + " at least; use fewer slabs");
    }
    if (next != problem.grid.nz())
        throw std::invalid_argument("slabs of " + std::to_string(next) + " planes do not cover a grid of " +
                                    std::to_string(problem.grid.nz()));
}

bool slabs_fit(const Problem& problem, std::span<const Slab> slabs) {
    try {
        check_slabs(problem, slabs);
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

int most_slabs(const Problem& problem) {
    const std::int64_t nz = problem.grid.nz();
    int most = 1;
    while (most < nz && slabs_fit(problem, equal_slabs(nz, most + 1))) ++most;
    return most;
}

}  // namespace onda
