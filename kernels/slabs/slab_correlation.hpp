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
    void download(LevelSum sum, std::span<double> image, int shot) const override {
        const std::int64_t plane = grid_.nx() * grid_.ny();
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            const Slab &computed = map_.computed(s), &owned = map_.owned(s);
            const auto own = image.subspan(static_cast<std::size_t>(owned.first_plane * plane),
                                           static_cast<std::size_t>(owned.planes * plane));
            if (computed.planes == owned.planes) {
                slabs_[s]->download(sum, own, shot);
                continue;
            }
            std::vector<double> part(static_cast<std::size_t>(plane * computed.planes));
            slabs_[s]->download(sum, part, shot);
            std::copy_n(part.begin() + (owned.first_plane - computed.first_plane) * plane, own.size(), own.begin());
        }
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return allocated_bytes_of(slabs_); }

private:
    const Grid& grid_;
    const SlabMap& map_;
    std::vector<std::unique_ptr<Correlation>> slabs_;
};

}  // namespace onda
