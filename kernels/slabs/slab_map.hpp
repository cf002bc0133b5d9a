/// \file
/// Which slab has which planes of a grid, in the grid's numbers and in its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/fields/field_set.hpp"
#include "kernels/shot_state.hpp"
#include "kernels/slabs/slabs.hpp"

namespace onda {

/// What all slabs hold of something together.
template <typename OfSlab>
std::int64_t allocated_bytes_of(const std::vector<std::unique_ptr<OfSlab>>& slabs) {
    std::int64_t bytes = 0;
    for (const auto& slab : slabs) bytes += slab->allocated_bytes();
    return bytes;
}

/// A grid cut into slabs.
class SlabMap {
public:
    SlabMap(const Problem& whole, std::vector<Slab> slabs) : whole_(whole), slabs_(std::move(slabs)) {
        for (const Slab& slab : slabs_) computed_.push_back(with_ghosts(whole, slab));
    }

    [[nodiscard]] std::size_t count() const { return slabs_.size(); }
    [[nodiscard]] const std::vector<Slab>& slabs() const { return slabs_; }
    /// The planes that a slab owns, and those that it computes.
    [[nodiscard]] const Slab& owned(std::size_t slab) const { return slabs_[slab]; }
    [[nodiscard]] const Slab& computed(std::size_t slab) const { return computed_[slab]; }
    /// The owner of a node.
    [[nodiscard]] std::size_t slab_of(std::int64_t node) const {
        const std::int64_t z = whole_.grid.node(node)[2];
        const auto after = std::ranges::upper_bound(slabs_, z, {}, &Slab::first_plane);
        return static_cast<std::size_t>(after - slabs_.begin()) - 1;
    }
    /// Whether a slab computes a node, its own or as a ghost.
    [[nodiscard]] bool computes(std::size_t slab, std::int64_t node) const {
        const std::int64_t z = whole_.grid.node(node)[2] - computed_[slab].first_plane;
        return z >= 0 && z < computed_[slab].planes;
    }
    /// The grid's index of a slab's node 0: nodes are counted plane by plane.
    [[nodiscard]] std::int64_t first_node(std::size_t slab) const {
        return whole_.grid.at(0, 0, computed_[slab].first_plane);
    }
    /// A window as the slabs see it: the planes of each that are its own.
    [[nodiscard]] std::vector<WindowPart> parts(const Window& window) const {
        return parts_of(window, slabs_, computed_);
    }
    /// The planes of a part of a slab's state that are no ghosts. What lies inside a z face is the slab's own.
    [[nodiscard]] Slab own_planes(std::size_t slab, const StatePart& part) const {
        if (part.extents[2] != computed_[slab].planes) return {0, part.extents[2]};
        return {slabs_[slab].first_plane - computed_[slab].first_plane, slabs_[slab].planes};
    }

private:
    const Problem& whole_;
    std::vector<Slab> slabs_, computed_;
};

/// The states of something that each slab has by itself, under the slab's first plane: they go on in slabs that are cut
/// at the same planes alone.
template <typename OfSlab>
JoinedStates joined_states_of(const SlabMap& map, const std::vector<std::unique_ptr<OfSlab>>& slabs) {
    JoinedStates joined;
    for (std::size_t s = 0; s < slabs.size(); ++s)
        joined.add("from plane " + std::to_string(map.owned(s).first_plane), *slabs[s]);
    return joined;
}

}  // namespace onda
