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
    /// \param map lives as long as this. \param sums_of_plane on lines at an offset. \param slabs of each slab, ghosts
    /// included.
    SlabCorrelation(const Grid& grid, const SlabMap& map, std::int64_t sums_of_plane,
                    std::vector<std::unique_ptr<Correlation>> slabs)
        : grid_(grid),
          map_(map),
          sums_of_plane_(sums_of_plane),
          slabs_(std::move(slabs)),
          state_(joined_states_of(map, slabs_)) {}

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
        by_slabs(grid_.nx() * grid_.ny(), first, planes,
                 [sum, shot](const Correlation& slab, std::int64_t from, std::span<double> part) {
                     slab.download_planes(sum, from, part, shot);
                 });
    }
    void download_offsets(std::int64_t first, std::span<double> planes, int shot) const override {
        by_slabs(sums_of_plane_, first, planes,
                 [shot](const Correlation& slab, std::int64_t from, std::span<double> part) {
                     slab.download_offsets(from, part, shot);
                 });
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return allocated_bytes_of(slabs_); }
    [[nodiscard]] std::vector<StatePart> state_parts() const override { return state_.state_parts(); }
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override {
        state_.read_state(shot, part, take);
    }
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override {
        state_.write_state(shot, part, fill);
    }

private:
    /// Calls download(slab, first of its planes, values) for the slabs that have the planes of so many values from
    /// `first` on.
    template <typename Download>
    void by_slabs(std::int64_t plane, std::int64_t first, std::span<double> planes, const Download& download) const {
        const std::int64_t end = first + std::ssize(planes) / plane;
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            const Slab& owned = map_.owned(s);
            const std::int64_t from = std::max(first, owned.first_plane),
                               to = std::min(end, owned.first_plane + owned.planes);
            if (from >= to) continue;
            download(*slabs_[s], from - map_.computed(s).first_plane,
                     planes.subspan(static_cast<std::size_t>((from - first) * plane),
                                    static_cast<std::size_t>((to - from) * plane)));
        }
    }

    const Grid& grid_;
    const SlabMap& map_;
    std::int64_t sums_of_plane_;
    std::vector<std::unique_ptr<Correlation>> slabs_;
    JoinedStates state_;
};

}  // namespace onda
