#include "kernels/slabs/slab_fluxes.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/imaging/flux_axes.hpp"

namespace onda {
namespace {

/// The half nodes of an axis that a slab has, in values [z][y][x] of those of the whole grid.
struct FluxPart {
    int axis;
    std::size_t first, count;  ///< values

    template <typename U>
    [[nodiscard]] std::span<U> of(std::span<U> whole) const {
        return whole.subspan(first, count);
    }
};

/// Of every axis of each slab.
std::vector<std::vector<FluxPart>> flux_parts(const Problem& whole, const SlabMap& map,
                                              const std::vector<FieldSet*>& slabs, HalfNodes which) {
    if (ghost_planes(whole) > 0) throw std::logic_error("fluxes of steps that apply the operator twice");
    const std::vector<FluxAxis> axes = flux_axes(whole, which);
    std::vector<std::vector<FluxPart>> parts;
    for (std::size_t s = 0; s < slabs.size(); ++s) {
        const std::vector<FluxAxis> of_slab = flux_axes(slabs[s]->problem(), which);
        std::vector<FluxPart>& its = parts.emplace_back();
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::int64_t before = axes[i].axis == 2 ? of_slab[i].first - axes[i].first : 0;
            const std::int64_t plane = axes[i].n[0] * axes[i].n[1];
            its.push_back({axes[i].axis, static_cast<std::size_t>((map.computed(s).first_plane + before) * plane),
                           static_cast<std::size_t>(of_slab[i].points())});
        }
    }
    return parts;
}

class SlabFluxCorrelation final : public FluxCorrelation {
public:
    SlabFluxCorrelation(const Problem& whole, const SlabMap& map, const std::vector<FieldSet*>& fields,
                        std::int64_t slots)
        : parts_(flux_parts(whole, map, fields, HalfNodes::owned)) {
        for (const FieldSet* slab : fields) slabs_.push_back(slab->make_flux_correlation(slots));
        state_ = joined_states_of(map, slabs_);
    }

    void reset() override {
        for (const auto& slab : slabs_) slab->reset();
    }
    void keep(FieldSet& forward, std::int64_t slot) override {
        forward.exchange_planes();
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->keep(forward.of_slab(s), slot);
    }
    void meet(FieldSet& adjoint, std::int64_t slot) override {
        adjoint.exchange_planes();
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->meet(adjoint.of_slab(s), slot);
    }
    [[nodiscard]] bool remembers() const override {
        return std::ranges::any_of(slabs_, [](const auto& slab) { return slab->remembers(); });
    }
    void download(int axis, std::span<double> image, int shot) const override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            const auto part = std::ranges::find(parts_[s], axis, &FluxPart::axis);
            if (part == parts_[s].end()) throw std::logic_error("an axis without fluxes");
            slabs_[s]->download(axis, part->of(image), shot);
        }
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
    std::vector<std::vector<FluxPart>> parts_;  ///< of each slab
    std::vector<std::unique_ptr<FluxCorrelation>> slabs_;
    JoinedStates state_;
};

class SlabFluxScattering final : public FluxScattering {
public:
    SlabFluxScattering(const Problem& whole, const SlabMap& map, const std::vector<FieldSet*>& fields)
        : map_(map),
          plane_(whole.grid.nx() * whole.grid.ny()),
          parts_(flux_parts(whole, map, fields, HalfNodes::reached)) {
        for (const FieldSet* slab : fields) slabs_.push_back(slab->make_flux_scattering());
    }

    void set_perturbation(const FluxPerturbation& perturbation) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            const Slab& computed = map_.computed(s);
            FluxPerturbation share;
            share.k.assign(perturbation.k.begin() + computed.first_plane * plane_,
                           perturbation.k.begin() + (computed.first_plane + computed.planes) * plane_);
            for (const FluxPart& part : parts_[s]) {
                const auto axis = static_cast<std::size_t>(part.axis);
                const std::span<const double> values = part.of(std::span(perturbation.buoyancy[axis]));
                share.buoyancy[axis].assign(values.begin(), values.end());
            }
            slabs_[s]->set_perturbation(share);
        }
    }
    void reset() override {
        for (const auto& slab : slabs_) slab->reset();
    }
    void scatter(FieldSet& background, FieldSet& scattered) override {
        background.exchange_planes();
        for (std::size_t s = 0; s < slabs_.size(); ++s) slabs_[s]->scatter(background.of_slab(s), scattered.of_slab(s));
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return allocated_bytes_of(slabs_); }

private:
    const SlabMap& map_;
    std::int64_t plane_;
    std::vector<std::vector<FluxPart>> parts_;  ///< of each slab
    std::vector<std::unique_ptr<FluxScattering>> slabs_;
};

}  // namespace

std::unique_ptr<FluxCorrelation> make_slab_flux_correlation(const Problem& whole, const SlabMap& map,
                                                            const std::vector<FieldSet*>& slabs, std::int64_t slots) {
    return std::make_unique<SlabFluxCorrelation>(whole, map, slabs, slots);
}

std::unique_ptr<FluxScattering> make_slab_flux_scattering(const Problem& whole, const SlabMap& map,
                                                          const std::vector<FieldSet*>& slabs) {
    return std::make_unique<SlabFluxScattering>(whole, map, slabs);
}

}  // namespace onda
