/// \file
/// The fields of a grid that is cut into slabs, as those of one grid.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/fields/field_set.hpp"
#include "kernels/fields/host_downloads.hpp"
#include "kernels/slabs/slab_correlation.hpp"
#include "kernels/slabs/slab_fluxes.hpp"
#include "kernels/slabs/slab_map.hpp"
#include "kernels/slabs/slab_ring.hpp"
#include "kernels/slabs/slab_scattering.hpp"

namespace onda {

class SlabFields final : public FieldSet {
public:
    /// \param slabs the fields of each; they, the map and the problem live as long as this. \param exchange brings the
    /// planes of p[n] beyond all cuts.
    SlabFields(const Problem& whole, const SlabMap& map, std::vector<FieldSet*> slabs, std::function<void()> exchange)
        : FieldSet(whole), map_(map), slabs_(std::move(slabs)), exchange_(std::move(exchange)) {}

    [[nodiscard]] std::vector<Extremum> extrema() const override;
    void download(const Window& window, std::span<float> values, int shot, FieldLevel level) const override {
        take(window, values, shot, level);
    }
    void download(const Window& window, std::span<double> values, int shot, FieldLevel level) const override {
        take(window, values, shot, level);
    }
    [[nodiscard]] std::unique_ptr<Download> start_download(const Window& window, int shot) override;
    void hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const override;
    void sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const override;

    [[nodiscard]] std::unique_ptr<Correlation> make_correlation(std::int64_t slots, Correlated what,
                                                                const OffsetLines& lines) const override {
        std::vector<std::unique_ptr<Correlation>> of_slabs;
        for (const FieldSet* slab : slabs_) of_slabs.push_back(slab->make_correlation(slots, what, lines));
        return std::make_unique<SlabCorrelation>(problem().grid, map_, lines.sums_of_plane(), std::move(of_slabs));
    }
    [[nodiscard]] std::unique_ptr<Scattering> make_scattering() const override {
        std::vector<std::unique_ptr<Scattering>> of_slabs;
        for (const FieldSet* slab : slabs_) of_slabs.push_back(slab->make_scattering());
        return std::make_unique<SlabScattering>(problem().grid, map_, std::move(of_slabs));
    }
    [[nodiscard]] std::unique_ptr<FluxCorrelation> make_flux_correlation(std::int64_t slots) const override {
        return make_slab_flux_correlation(problem(), map_, slabs_, slots);
    }
    [[nodiscard]] std::unique_ptr<FluxScattering> make_flux_scattering() const override {
        return make_slab_flux_scattering(problem(), map_, slabs_);
    }
    [[nodiscard]] std::unique_ptr<FieldRing> make_ring(const RingSize& size) const override {
        std::vector<std::unique_ptr<FieldRing>> of_slabs;
        for (const FieldSet* slab : slabs_) of_slabs.push_back(slab->make_ring(size));
        return std::make_unique<SlabRing>(std::move(of_slabs));
    }
    [[nodiscard]] const FieldSet& of_slab(std::size_t slab) const override { return *slabs_.at(slab); }
    void exchange_planes() override { exchange_(); }

    // The outermost slabs exchange planes with those of other processes.
    [[nodiscard]] PlaneBuffer make_plane_buffer(std::int64_t planes) const override {
        return slabs_.front()->make_plane_buffer(planes);
    }
    [[nodiscard]] bool pack(std::int64_t from_plane, const PlaneBuffer& planes) const override {
        const auto [slab, plane] = outermost(from_plane);
        return slab->pack(plane, planes);
    }
    void await_packed() const override {
        slabs_.front()->await_packed();
        slabs_.back()->await_packed();
    }
    void unpack(std::int64_t to_plane, const PlaneBuffer& planes) override {
        const auto [slab, plane] = outermost(to_plane);
        slab->unpack(plane, planes);
    }
    [[nodiscard]] std::unique_ptr<PlanePort> make_plane_port(std::int64_t planes, std::int64_t from_plane,
                                                             std::int64_t to_plane) override {
        const auto [slab, from] = outermost(from_plane);
        return slab->make_plane_port(planes, from, outermost(to_plane).second);
    }
    void await_planes() override {
        for (FieldSet* slab : slabs_) slab->await_planes();
    }

private:
    /// The first slab or the last one, and one of its planes or of the halo beyond it.
    [[nodiscard]] std::pair<FieldSet*, std::int64_t> outermost(std::int64_t plane) const {
        if (plane < map_.owned(0).planes) return {slabs_.front(), plane};
        return {slabs_.back(), plane - problem().grid.nz() + slabs_.back()->problem().grid.nz()};
    }
    template <typename U>
    void take(const Window& window, std::span<U> values, int shot, FieldLevel level) const {
        for (const WindowPart& part : map_.parts(window))
            slabs_[part.slab]->download(part.window, values.subspan(static_cast<std::size_t>(part.before)), shot,
                                        level);
    }

    const SlabMap& map_;
    std::vector<FieldSet*> slabs_;
    std::function<void()> exchange_;
    FrameBuffers frames_;
};

}  // namespace onda
