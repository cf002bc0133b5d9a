#include "kernels/cpu/fields/cpu_fields.hpp"

#include <cstring>

#include "kernels/cpu/imaging/cpu_correlation.hpp"
#include "kernels/cpu/imaging/cpu_scattering.hpp"

namespace onda::cpu {
namespace {

class HostPlanes final : public PlaneBuffer {
public:
    HostPlanes(std::int64_t planes, std::int64_t bytes)
        : PlaneBuffer(planes), bytes_(static_cast<std::size_t>(bytes)) {}
    std::span<std::byte> bytes() override { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

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
std::unique_ptr<Correlation> CpuFields<T>::make_correlation(std::int64_t slots, bool illuminates) const {
    return cpu::make_correlation<T>(setup_, shots(), slots, illuminates);
}

template <typename T>
std::unique_ptr<Scattering> CpuFields<T>::make_scattering() const {
    return cpu::make_scattering<T>(setup_, shots());
}

template <typename T>
void CpuFields<T>::copy_planes(const FieldSet& other, std::int64_t from_plane, std::int64_t to_plane,
                               std::int64_t count) {
    const auto& from = dynamic_cast<const CpuFields&>(other);
    for (int shot = 0; shot < shots(); ++shot) of(shot).copy_planes(from.of(shot), from_plane, to_plane, count);
}

template <typename T>
std::unique_ptr<PlaneBuffer> CpuFields<T>::make_plane_buffer(std::int64_t planes) const {
    return std::make_unique<HostPlanes>(planes, plane_buffer_bytes(problem(), planes, shots()));
}

template <typename T>
bool CpuFields<T>::copy_out(std::int64_t from_plane, PlaneBuffer& planes) const {
    std::byte* bytes = planes.bytes().data();
    for (const auto& shot : shots_)
        bytes =
            shot->for_plane_rows(from_plane, planes.planes(), bytes,
                                 [](const T* row, std::byte* to, std::size_t length) { std::memcpy(to, row, length); });
    return true;
}

template <typename T>
void CpuFields<T>::copy_in(std::int64_t to_plane, const PlaneBuffer& planes) {
    const std::byte* bytes = planes.bytes().data();
    for (const auto& shot : shots_)
        bytes = shot->for_plane_rows(
            to_plane, planes.planes(), bytes,
            [](T* row, const std::byte* from, std::size_t length) { std::memcpy(row, from, length); });
}

template class CpuFields<float>;
template class CpuFields<double>;

}  // namespace onda::cpu
