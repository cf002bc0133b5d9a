/// \file
/// The fields of some shots on the CPU, each shot with arrays of its own.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/fields/shot_fields.hpp"
#include "kernels/fields/field_set.hpp"
#include "kernels/fields/host_downloads.hpp"

namespace onda::cpu {

template <typename T>
class CpuFields final : public FieldSet {
public:
    /// \param planned for so many shots. \param threads that compute each of them.
    CpuFields(const Setup& setup, const Allocations& planned, int shots, int threads);

    [[nodiscard]] ShotFields<T>& of(int shot) { return *shots_.at(static_cast<std::size_t>(shot)); }
    [[nodiscard]] const ShotFields<T>& of(int shot) const { return *shots_.at(static_cast<std::size_t>(shot)); }
    [[nodiscard]] int shots() const { return static_cast<int>(shots_.size()); }

    [[nodiscard]] std::vector<Extremum> extrema() const override;
    void download(const Window& window, std::span<float> values, int shot, FieldLevel level) const override {
        of(shot).download(window, values, level);
    }
    void download(const Window& window, std::span<double> values, int shot, FieldLevel level) const override {
        of(shot).download(window, values, level);
    }
    [[nodiscard]] std::unique_ptr<Download> start_download(const Window& window, int shot) override;
    void hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const override;
    void sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const override {
        of(shot).sample(nodes, values);
    }
    [[nodiscard]] std::unique_ptr<Correlation> make_correlation(std::int64_t slots, Correlated what,
                                                                const OffsetLines& lines) const override;
    [[nodiscard]] std::unique_ptr<Scattering> make_scattering() const override;
    [[nodiscard]] std::unique_ptr<FluxCorrelation> make_flux_correlation(std::int64_t slots) const override;
    [[nodiscard]] std::unique_ptr<FluxScattering> make_flux_scattering() const override;
    [[nodiscard]] std::unique_ptr<FieldRing> make_ring(const RingSize& size) const override;
    void copy_planes(const FieldSet& other, std::int64_t from_plane, std::int64_t to_plane,
                     std::int64_t count) override;
    [[nodiscard]] PlaneBuffer make_plane_buffer(std::int64_t planes) const override;
    [[nodiscard]] bool pack(std::int64_t from_plane, const PlaneBuffer& planes) const override;
    void unpack(std::int64_t to_plane, const PlaneBuffer& planes) override;

private:
    /// Where the blocks of planes from `plane` on lie, for PlaneShape::for_blocks().
    [[nodiscard]] auto blocks_from(std::int64_t plane) const {
        return [this, plane](int shot, FieldLevel level) {
            return PlaneBlock::in_array(of(shot).at(level).data(), of(shot).layout(), problem().scheme.halo(), plane);
        };
    }

    const Setup& setup_;
    std::vector<std::unique_ptr<ShotFields<T>>> shots_;
    FrameBuffers frames_;
};

}  // namespace onda::cpu
