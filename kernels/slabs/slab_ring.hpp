/// \file
/// The rings of a grid that is cut into slabs: those of each, by itself. At cuts a field that is rebuilt needs none:
/// its slabs exchange planes.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kernels/imaging/field_ring.hpp"
#include "kernels/slabs/slab_map.hpp"

namespace onda {

class SlabRing final : public FieldRing {
public:
    explicit SlabRing(std::vector<std::unique_ptr<FieldRing>> slabs) : slabs_(std::move(slabs)) {}

    void save(const FieldSet& forward, std::int64_t level) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->save(forward.of_slab(s), level);
    }
    void keep(const FieldSet& forward, std::int64_t slot) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->keep(forward.of_slab(s), slot);
    }
    void keep_pressure(const FieldSet& forward, std::int64_t slot) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->keep_pressure(forward.of_slab(s), slot);
    }
    void turn_back(const FieldSet& forward, FieldSet& rebuilt) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->turn_back(forward.of_slab(s), rebuilt.of_slab(s));
    }
    void load(FieldSet& rebuilt, std::span<const WeightedSlot> level) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->load(rebuilt.of_slab(s), level);
    }
    void place(FieldSet& rebuilt, std::int64_t slot) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->place(rebuilt.of_slab(s), slot);
    }
    void place_pressure(FieldSet& rebuilt, std::int64_t slot) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->place_pressure(rebuilt.of_slab(s), slot);
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return allocated_bytes_of(slabs_); }

private:
    std::vector<std::unique_ptr<FieldRing>> slabs_;
};

}  // namespace onda
