/// \file
/// The scattering on a grid that is cut into slabs: that of each, by itself.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kernels/imaging/scattering.hpp"
#include "kernels/slabs/slab_map.hpp"

namespace onda {

class SlabScattering final : public Scattering {
public:
    /// \param map lives as long as this. \param slabs of each slab, ghosts included.
    SlabScattering(const Grid& grid, const SlabMap& map, std::vector<std::unique_ptr<Scattering>> slabs)
        : grid_(grid), map_(map), slabs_(std::move(slabs)) {}

    void set_perturbation(std::span<const double> ratio) override {
        const std::int64_t plane = grid_.nx() * grid_.ny();
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            const Slab& computed = map_.computed(s);
            slabs_[s]->set_perturbation(ratio.subspan(static_cast<std::size_t>(computed.first_plane * plane),
                                                      static_cast<std::size_t>(computed.planes * plane)));
        }
    }
    void reset() override {
        for (const auto& slab : slabs_) slab->reset();
    }
    void scatter(const FieldSet& background, FieldSet& scattered) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->scatter(background.of_slab(s), scattered.of_slab(s));
    }
    void scatter_applied(const FieldSet& background, FieldSet& scattered) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s)
            slabs_[s]->scatter_applied(background.of_slab(s), scattered.of_slab(s));
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return allocated_bytes_of(slabs_); }

private:
    const Grid& grid_;
    const SlabMap& map_;
    std::vector<std::unique_ptr<Scattering>> slabs_;
};

}  // namespace onda
