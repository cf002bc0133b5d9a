/// \file
/// The correlation of a grid that is cut into slabs: that of each, by itself.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/imaging/correlation.hpp"
#include "kernels/slabs/slab_map.hpp"

namespace onda {

class SlabCorrelation final : public Correlation {
public:
    /// \param map lives as long as this. \param slabs of each slab, ghosts included.
    SlabCorrelation(const Grid& grid, const SlabMap& map, std::vector<std::unique_ptr<Correlation>> slabs)
        : grid_(grid), map_(map), slabs_(std::move(slabs)) {}

    void reset() override {
        for (const auto& slab : slabs_) slab->reset();
    }
    void keep(const FieldSet& forward, std::int64_t slot) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->keep(forward.of_slab(s), slot);
    }
    void meet(const FieldSet& adjoint, std::int64_t slot, std::int64_t steps) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->meet(adjoint.of_slab(s), slot, steps);
    }
    [[nodiscard]] std::int64_t most_steps() const override {
        std::int64_t most = kAnySteps;
        for (const auto& slab : slabs_) most = std::min(most, slab->most_steps());
        return most;
    }
    void download_planes(LevelSum sum, std::int64_t first, std::span<double> planes, int shot) const override {
        const std::int64_t plane = grid_.nx() * grid_.ny(), end = first + std::ssize(planes) / plane;
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            const Slab& owned = map_.owned(s);
            const std::int64_t from = std::max(first, owned.first_plane),
                               to = std::min(end, owned.first_plane + owned.planes);
            if (from >= to) continue;
            slabs_[s]->download_planes(sum, from - map_.computed(s).first_plane,
                                       planes.subspan(static_cast<std::size_t>((from - first) * plane),
                                                      static_cast<std::size_t>((to - from) * plane)),
                                       shot);
        }
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return allocated_bytes_of(slabs_); }

private:
    const Grid& grid_;
    const SlabMap& map_;
    std::vector<std::unique_ptr<Correlation>> slabs_;
};

}  // namespace onda
