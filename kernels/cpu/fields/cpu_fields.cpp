#include "kernels/cpu/fields/cpu_fields.hpp"

#include <cstring>

#include "kernels/cpu/imaging/cpu_correlation.hpp"
#include "kernels/cpu/imaging/cpu_field_ring.hpp"
#include "kernels/cpu/imaging/cpu_flux_correlation.hpp"
#include "kernels/cpu/imaging/cpu_flux_scattering.hpp"
#include "kernels/cpu/imaging/cpu_scattering.hpp"

namespace onda::cpu {
namespace {

/// Copies every row of the planes, from rows of one pitch to rows of another.
template <typename To, typename From>
void copy_blocks(const PlaneShape& shape, const To& to_block, const From& from_block) {
    shape.for_blocks(to_block, from_block, [&shape](const PlaneBlock& to, const PlaneBlock& from) {
        for (std::int64_t z = 0; z < shape.planes; ++z)
            for (std::int64_t y = 0; y < shape.rows; ++y)
                std::memcpy(to.first + z * to.plane + y * to.pitch, from.first + z * from.plane + y * from.pitch,
                            static_cast<std::size_t>(shape.row_bytes));
    });
}

}  // namespace

template <typename T>
CpuFields<T>::CpuFields(const Setup& setup, const Allocations& planned, int shots, int threads)
    : FieldSet(setup), setup_(setup) {
    for (int shot = 0; shot < shots; ++shot) shots_.push_back(std::make_unique<ShotFields<T>>(setup, planned, threads));
}

template <typename T>
std::vector<Extremum> CpuFields<T>::extrema() const {
    std::vector<Extremum> found;
    for (const auto& shot : shots_) found.push_back(shot->extremum());
    return found;
}

template <typename T>
std::unique_ptr<Download> CpuFields<T>::start_download(const Window& window, int shot) {
    auto download = std::make_unique<HostDownload>(frames_, window.points());
    of(shot).download(window, download->values(), {});
    return download;
}

template <typename T>
void CpuFields<T>::hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const {
    if (window.step[0] == 1)
        of(shot).hash_planes(window, hashes);
    else
        FieldSet::hash_planes(window, hashes, shot);
}

template <typename T>
std::unique_ptr<Correlation> CpuFields<T>::make_correlation(std::int64_t slots, Correlated what,
                                                            const OffsetLines& lines) const {
    return cpu::make_correlation<T>(setup_, shots(), slots, what, lines);
}

template <typename T>
std::unique_ptr<Scattering> CpuFields<T>::make_scattering() const {
    return cpu::make_scattering<T>(setup_, shots());
}

template <typename T>
std::unique_ptr<FluxCorrelation> CpuFields<T>::make_flux_correlation(std::int64_t slots) const {
    return cpu::make_flux_correlation<T>(setup_, shots(), slots);
}

template <typename T>
std::unique_ptr<FluxScattering> CpuFields<T>::make_flux_scattering() const {
    return cpu::make_flux_scattering<T>(setup_, shots());
}

template <typename T>
std::unique_ptr<FieldRing> CpuFields<T>::make_ring(const RingSize& size) const {
    return cpu::make_field_ring<T>(setup_, shots(), size);
}

template <typename T>
void CpuFields<T>::copy_planes(const FieldSet& other, std::int64_t from_plane, std::int64_t to_plane,
                               std::int64_t count) {
    const auto& from = dynamic_cast<const CpuFields&>(other);
    copy_blocks(PlaneShape(problem(), count, shots()), blocks_from(to_plane), from.blocks_from(from_plane));
}

template <typename T>
PlaneBuffer CpuFields<T>::make_plane_buffer(std::int64_t planes) const {
    const PlaneShape shape(problem(), planes, shots());
    const auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(shape.bytes()));
    return {shape, {memory, memory->data()}};
}

template <typename T>
bool CpuFields<T>::pack(std::int64_t from_plane, const PlaneBuffer& planes) const {
    copy_blocks(planes.shape(), planes.blocks(), blocks_from(from_plane));
    return true;
}

template <typename T>
void CpuFields<T>::unpack(std::int64_t to_plane, const PlaneBuffer& planes) {
    copy_blocks(planes.shape(), blocks_from(to_plane), planes.blocks());
}

template class CpuFields<float>;
template class CpuFields<double>;

}  // namespace onda::cpu
