#include "kernels/cuda/fields/cuda_fields.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "kernels/cuda/hash/plane_hash.hpp"
#include "kernels/cuda/imaging/cuda_correlation.hpp"
#include "kernels/cuda/imaging/cuda_field_ring.hpp"
#include "kernels/cuda/imaging/cuda_flux_correlation.hpp"
#include "kernels/cuda/imaging/cuda_flux_scattering.hpp"
#include "kernels/cuda/imaging/cuda_scattering.hpp"
#include "kernels/cuda/medium.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/plan/shell.hpp"

namespace onda::cuda {

template <typename T>
void CudaFields<T>::add_rows(Allocations& list, const Setup& setup, int shots) {
    const auto add = [&list](std::string name, std::int64_t elements, std::int64_t bytes) {
        list.add(on_device(std::move(name), Owner::wavefield, elements, bytes));
    };
    const Grid grid = batched(setup.grid, shots);
    const std::int64_t level =
        array_elements(field_layout(setup, grid, layout_rules(setup)), volumes_of(setup.grid, shots));
    const EquationRow& equation = *setup.scheme.equation;
    add("time levels", 2 * std::ssize(equation.fields) * level, sizeof(T));
    if (const std::int64_t further = std::ssize(equation.memory) + std::ssize(equation.scratch); further > 0)
        add("memory and scratch fields", further * level, sizeof(T));
    if (has_odd_level(setup)) add("p_odd", level, sizeof(T));
    add("staging", staging_bytes(setup.grid), 1);
    add("largest", shots * largest_blocks(shots), sizeof(Largest));
    add("plane hashes", setup.grid.nz(), sizeof(std::uint64_t));
    for (int axis = 0; axis < 3; ++axis)
        add(halo_copies_row(axis), std::ssize(halo_copies_of(setup, grid, axis)), sizeof(LayerCopy));
}

template <typename T>
CudaFields<T>::CudaFields(const Setup& setup, int shots, const Allocations& planned)
    : FieldSet(setup),
      setup_(setup),
      shots_(shots),
      scope_(setup.ordinal),
      grid_(batched(setup.grid, shots)),
      layout_(field_layout(setup, grid_, layout_rules(setup))),
      volumes_(volumes_of(setup.grid, shots)),
      volume_step_(cuda::volume_step(layout_)),
      shot_step_(grid_.dimensions == 3 ? volume_step_ : layout_.pitch),
      memory_(planned.of("time levels")),
      odd_memory_(has_odd_level(setup) ? DeviceBuffer<T>(planned.of("p_odd")) : DeviceBuffer<T>()),
      levels_(setup.scheme.equation->fields.size()),
      memory_fields_(setup.scheme.equation->memory.size()),
      scratch_fields_(setup.scheme.equation->scratch.size()),
      staging_(planned.of("staging")),
      largest_(planned.of("largest")),
      hashes_(planned.of("plane hashes")),
      downloads_(std::make_shared<Downloads>(scope_)) {
    T* array = memory_.data() + layout_.origin;
    for (auto& of_field : levels_)
        for (T*& level : of_field) {
            level = array;
            array += array_elements(layout_, volumes_);
        }
    if (!memory_fields_.empty() || !scratch_fields_.empty())
        further_memory_ = DeviceBuffer<T>(planned.of("memory and scratch fields"));
    array = further_memory_.data() + layout_.origin;
    for (auto* fields : {&memory_fields_, &scratch_fields_})
        for (T*& field : *fields) {
            field = array;
            array += array_elements(layout_, volumes_);
        }
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<LayerCopy> copies;
        for (const HaloCopy& copy : halo_copies_of(setup, grid_, axis))
            copies.push_back({static_cast<int>(copy.to), static_cast<int>(copy.from), copy.sign});
        copies_[static_cast<std::size_t>(axis)] = upload_vector(planned.of(halo_copies_row(axis)), copies);
    }
    clear();
}

template <typename T>
std::int64_t CudaFields<T>::bytes() const {
    std::int64_t bytes = memory_.bytes() + odd_memory_.bytes() + further_memory_.bytes() + staging_.bytes() +
                         largest_.bytes() + hashes_.bytes() + downloads_->device_bytes();
    for (const auto& copies : copies_) bytes += copies.bytes();
    return bytes;
}

template <typename T>
void CudaFields<T>::describe(Fields<T>& fields) const {
    fields.grid = grid_;
    fields.field = layout_;
    std::ranges::copy(levels_, fields.levels.begin());
    std::ranges::copy(memory_fields_, fields.memory.begin());
    std::ranges::copy(scratch_fields_, fields.scratch.begin());
    fields.volumes = volumes_;
    fields.volume_step = volume_step_;
}

template <typename T>
void CudaFields<T>::clear() {
    for (const DeviceBuffer<T>* memory : {&memory_, &odd_memory_, &further_memory_})
        if (memory->size() > 0)
            ONDA_CUDA_TRY(cudaMemsetAsync(memory->data(), 0, static_cast<std::size_t>(memory->size()) * sizeof(T),
                                          compute_.get()));
}

template <typename T>
void CudaFields<T>::fill_halos(int last_axis) const {
    for (std::size_t field = 0; field < count(); ++field) fill_halos_of(now(field), last_axis);
}

template <typename T>
void CudaFields<T>::fill_halos_of(T* array, int last_axis) const {
    enter();
    for (int volume = 0; volume < volumes_; ++volume)
        for (int axis = 0; axis <= last_axis; ++axis) {
            const auto& copies = copies_[static_cast<std::size_t>(axis)];
            fill_halo(array + volume * volume_step_, shape_of(layout_), axis, copies.data(),
                      static_cast<int>(copies.size()), compute_.get());
        }
}

template <typename T>
WindowRows CudaFields<T>::rows_of(const Window& w, int shot) const {
    return {layout_.at(w.first[0], w.first[1], w.first[2]) - layout_.origin + shot * shot_step_,
            w.step[0],
            w.step[1] * layout_.pitch,
            w.step[2] * layout_.plane,
            w.count[0],
            w.count[1],
            0,
            w.count[1] * w.count[2]};
}

template <typename T>
template <typename U>
void CudaFields<T>::copy_out(const ObservedField<T>& from, WindowRows rows, std::span<U> values) const {
    enter();
    const std::int64_t all = rows.rows, most = rows_of_staging<U>(rows.count_x, all);
    auto* const piece = reinterpret_cast<U*>(staging_.data());
    for (rows.first_row = 0; rows.first_row < all; rows.first_row += most) {
        rows.rows = std::min(most, all - rows.first_row);
        gather(from, rows, piece, compute_.get());
        compute_.wait();
        ONDA_CUDA_TRY(cudaMemcpy(values.data() + rows.first_row * rows.count_x, piece,
                                 static_cast<std::size_t>(rows.rows * rows.count_x) * sizeof(U),
                                 cudaMemcpyDeviceToHost));
    }
}

template <typename T>
bool CudaFields<T>::has_room_to_show(std::int64_t values) const {
    if (shown_.size() >= 2 * values) return true;
    shown_ = {};
    try {
        shown_ = PinnedBuffer<T>(pinned("planes that are shown", Owner::shots, 2 * values, sizeof(T)));
    } catch (const std::bad_alloc&) {
        return false;
    }
    return true;
}

template <typename T>
void CudaFields<T>::show_planes(const T* from, WindowRows rows, std::int64_t planes,
                                const std::function<void(std::int64_t, std::span<T>)>& take) const {
    enter();
    const std::int64_t all = rows.rows, values = all * rows.count_x;
    if (values == 0 || planes == 0) {
        for (std::int64_t plane = 0; plane < planes; ++plane) take(plane, {});
        return;
    }
    if (!has_room_to_show(values)) {
        std::vector<T> one(static_cast<std::size_t>(values));
        for (std::int64_t plane = 0; plane < planes; ++plane, rows.element += rows.step_z) {
            copy_out({from}, rows, std::span<T>(one));
            take(plane, one);
        }
        return;
    }
    const std::int64_t most = rows_of_staging<T>(rows.count_x, all);
    auto* const piece = reinterpret_cast<T*>(staging_.data());
    const std::array<Event, 2> arrived;
    // Also where `take` throws: copies are under way.
    struct Wait {
        const Stream& stream;
        ~Wait() { static_cast<void>(cudaStreamSynchronize(stream.get())); }
    } const until_copied{compute_};
    const auto memory_of = [&](std::int64_t plane) { return shown_.data() + plane % 2 * values; };
    const auto queue = [&](std::int64_t plane) {
        for (rows.first_row = 0; rows.first_row < all; rows.first_row += most) {
            rows.rows = std::min(most, all - rows.first_row);
            gather<T, T>({from}, rows, piece, compute_.get());
            ONDA_CUDA_TRY(cudaMemcpyAsync(memory_of(plane) + rows.first_row * rows.count_x, piece,
                                          static_cast<std::size_t>(rows.rows * rows.count_x) * sizeof(T),
                                          cudaMemcpyDeviceToHost, compute_.get()));
        }
        arrived[static_cast<std::size_t>(plane % 2)].record(compute_);
        rows.element += rows.step_z;
    };
    queue(0);
    for (std::int64_t plane = 0; plane < planes; ++plane) {
        if (plane + 1 < planes) queue(plane + 1);
        arrived[static_cast<std::size_t>(plane % 2)].wait();
        take(plane, {memory_of(plane), static_cast<std::size_t>(values)});
    }
}

template <typename T>
template <typename U>
void CudaFields<T>::copy_in(T* to, WindowRows rows, std::span<const U> values) const {
    enter();
    const std::int64_t all = rows.rows, most = rows_of_staging<U>(rows.count_x, all);
    auto* const piece = reinterpret_cast<U*>(staging_.data());
    for (rows.first_row = 0; rows.first_row < all; rows.first_row += most) {
        rows.rows = std::min(most, all - rows.first_row);
        compute_.wait();
        copy_to_device(piece, values.data() + rows.first_row * rows.count_x, rows.rows * rows.count_x);
        scatter(to, rows, piece, compute_.get());
    }
    compute_.wait();
}

template <typename T>
std::vector<Extremum> CudaFields<T>::extrema() const {
    enter();
    FieldShape shape = shape_of(layout_);
    if (grid_.dimensions == 2) shape.ny = 1;
    find_largest(now(), shape, shots_, shot_step_, largest_.data(), compute_.get());
    std::vector<Largest> results(static_cast<std::size_t>(largest_.size()));
    compute_.wait();
    ONDA_CUDA_TRY(
        cudaMemcpy(results.data(), largest_.data(), results.size() * sizeof results[0], cudaMemcpyDeviceToHost));
    const auto comes_before = [](const Largest& a, const Largest& b) {
        return a.bits > b.bits || (a.bits == b.bits && a.node < b.node);
    };
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    std::vector<Extremum> found;
    const std::span<const Largest> all(results);
    const std::size_t of_shot = all.size() / static_cast<std::size_t>(shots_);
    for (std::size_t shot = 0; shot < static_cast<std::size_t>(shots_); ++shot) {
        const Largest largest = *std::ranges::min_element(all.subspan(shot * of_shot, of_shot), comes_before);
        const auto value = static_cast<double>(std::bit_cast<T>(static_cast<Bits>(largest.bits)));
        found.push_back({value, largest.node, std::isfinite(value)});
    }
    return found;
}

template <typename T>
void CudaFields<T>::hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const {
    if (!can_hash_planes(window.count[0] * window.count[1] * static_cast<std::int64_t>(sizeof(T))))
        return FieldSet::hash_planes(window, hashes, shot);
    enter();
    cuda::hash_planes(now(), rows_of(window, shot), hashes_.data(), compute_.get());
    compute_.wait();
    ONDA_CUDA_TRY(cudaMemcpy(hashes.data(), hashes_.data(), hashes.size_bytes(), cudaMemcpyDeviceToHost));
}

template <typename T>
void CudaFields<T>::sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const {
    std::vector<std::int64_t> elements;
    for (const std::int64_t node : nodes) elements.push_back(element(node, shot));
    enter();
    sample_elements(observed(), elements, values, compute_);
}

template <typename T>
std::unique_ptr<Correlation> CudaFields<T>::make_correlation(std::int64_t slots, Correlated what,
                                                             const OffsetLines& lines) const {
    return cuda::make_correlation(setup_, *this, slots, what, lines);
}

template <typename T>
std::unique_ptr<Scattering> CudaFields<T>::make_scattering() const {
    return cuda::make_scattering(setup_, *this);
}

template <typename T>
std::unique_ptr<FluxCorrelation> CudaFields<T>::make_flux_correlation(std::int64_t slots) const {
    return cuda::make_flux_correlation(setup_, *this, slots);
}

template <typename T>
std::unique_ptr<FluxScattering> CudaFields<T>::make_flux_scattering() const {
    return cuda::make_flux_scattering(setup_, *this);
}

template <typename T>
std::unique_ptr<FieldRing> CudaFields<T>::make_ring(const RingSize& size) const {
    return cuda::make_field_ring(setup_, *this, size);
}

template class CudaFields<float>;
template class CudaFields<double>;
#define ONDA_COPIES(T, U)                                                                           \
    template void CudaFields<T>::copy_out(const ObservedField<T>&, WindowRows, std::span<U>) const; \
    template void CudaFields<T>::copy_in(T*, WindowRows, std::span<const U>) const;
ONDA_COPIES(float, float)
ONDA_COPIES(float, double)
ONDA_COPIES(double, float)
ONDA_COPIES(double, double)
#undef ONDA_COPIES

}  // namespace onda::cuda
