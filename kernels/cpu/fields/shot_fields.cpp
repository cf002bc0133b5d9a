#include "kernels/cpu/fields/shot_fields.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <omp.h>
#include <type_traits>

#include "kernels/cpu/memory.hpp"
#include "kernels/fingerprint.hpp"
#include "kernels/plan/layouts.hpp"
#include "kernels/plan/shell.hpp"

namespace onda::cpu {

template <typename T>
ShotFields<T>::ShotFields(const Setup& setup, const Allocations& planned, int threads)
    : setup_(setup),
      grid_(setup.grid),
      threads_(threads),
      layout_(field_layout(setup, grid_, layout_rules(setup))),
      memory_layout_(onda::memory_layout(setup, layout_rules(setup))) {
    for (const std::string_view field : setup.scheme.equation->fields)
        levels_.push_back({Buffer<T>(planned.of(field)), Buffer<T>(planned.of(previous_row(field)))});
    for (const std::string_view field : setup.scheme.equation->memory) memory_.emplace_back(planned.of(field));
    for (const std::string_view field : setup.scheme.equation->scratch) scratch_.emplace_back(planned.of(field));
    if (has_odd_level(setup)) odd_ = Buffer<T>(planned.of("p_odd"));
    for (std::size_t axis = 0; axis < 3; ++axis)
        copies_[axis] =
            halo_copies(grid_.n[axis], layout_.halo[axis], setup.halos[2 * axis], setup.halos[2 * axis + 1]);
}

template <typename T>
std::int64_t ShotFields<T>::bytes() const {
    std::int64_t bytes = odd_.bytes();
    for (const Levels& field : levels_) bytes += field.now.bytes() + field.before.bytes();
    for (const auto* further : {&memory_, &scratch_})
        for (const Buffer<T>& field : *further) bytes += field.bytes();
    return bytes;
}

template <typename T>
void ShotFields<T>::clear(Buffer<T>& array) const {
    // Every thread clears the rows it will compute and the halo around them: first touch.
    const auto& h = layout_.halo;
    const std::int64_t first = layout_.origin - layout_.pitch * h[1] - layout_.plane * h[2];
    std::fill_n(array.data(), first, T(0));
    for_rows([&](std::int64_t y, std::int64_t z) {
        const std::int64_t y0 = y == 0 ? -h[1] : y, y1 = y == grid_.ny() - 1 ? y + h[1] : y;
        const std::int64_t z0 = z == 0 ? -h[2] : z, z1 = z == grid_.nz() - 1 ? z + h[2] : z;
        for (std::int64_t zz = z0; zz <= z1; ++zz)
            for (std::int64_t yy = y0; yy <= y1; ++yy) {
                const std::int64_t begin = layout_.at(0, yy, zz);
                const std::int64_t next =
                    yy < y1 || y < grid_.ny() - 1 ? begin + layout_.pitch : layout_.at(0, -h[1], zz + 1);
                std::fill(array.data() + begin, array.data() + std::min(next, layout_.size), T(0));
            }
    });
}

template <typename T>
void ShotFields<T>::clear_memory() {
    // Rows follow each other without gaps: from one to the next, or to the end, is all that there is.
    const std::int64_t rows = grid_.ny() * grid_.nz();
    const auto begin = [&](std::int64_t row) {
        return row == rows ? memory_layout_.size : memory_layout_.at(0, row % grid_.ny(), row / grid_.ny());
    };
    for (Buffer<T>& field : memory_)
        for_rows([&](std::int64_t y, std::int64_t z) {
            const std::int64_t row = y + grid_.ny() * z;
            std::fill(field.data() + begin(row), field.data() + begin(row + 1), T(0));
        });
}

template <typename T>
void ShotFields<T>::fill_halos(Buffer<T>& array) const {
    // x, then y, then z, each with the halos that are already filled: corners come out as images of images.
    T* const p = array.data();
    const auto& h = layout_.halo;
    const auto copy_row = [&](std::int64_t to, std::int64_t from, int sign) {
        for (std::int64_t x = -h[0]; x < grid_.nx() + h[0]; ++x) p[to + x] = static_cast<T>(sign) * p[from + x];
    };
    if (!copies_[0].empty() || !copies_[1].empty())
        for_rows([&](std::int64_t y, std::int64_t z) {
            for (const HaloCopy& copy : copies_[0])
                p[layout_.at(copy.to, y, z)] = static_cast<T>(copy.sign) * p[layout_.at(copy.from, y, z)];
            for (const HaloCopy& copy : copies_[1])
                if (copy.from == y) copy_row(layout_.at(0, copy.to, z), layout_.at(0, y, z), copy.sign);
        });
    // A row is copied to rows of the same y alone: those of a thread need no other thread.
    if (!copies_[2].empty())
        on_threads(threads_, [&](int thread, int threads) {
            const FlushDenormals<T> flush;
            const RowRange rows = rows_of_thread(grid_.ny() + 2 * h[1], thread, threads);
            for (const HaloCopy& copy : copies_[2])
                for (std::int64_t y = rows.begin - h[1]; y < rows.end - h[1]; ++y)
                    copy_row(layout_.at(0, y, copy.to), layout_.at(0, y, copy.from), copy.sign);
        });
}

template <typename T>
Extremum ShotFields<T>::extremum() const {
    // |p| orders like its bits, and infinities and NaNs come above every number: one integer maximum finds them all.
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits magnitude = ~Bits{0} >> 1;
    const auto bits_at = [&](std::int64_t element) {
        Bits bits;
        std::memcpy(&bits, levels_.front().now.data() + element, sizeof bits);
        return bits & magnitude;
    };
    struct Largest {
        Bits bits = 0;
        std::int64_t y = 0, z = 0;
        void take(const Largest& other) {
            const bool before = other.z < z || (other.z == z && other.y < y);
            if (other.bits > bits || (other.bits == bits && before)) *this = other;
        }
    } all;
    for_threads([&](RowRange rows) {
        Largest mine;
        for_rows(rows, [&](std::int64_t y, std::int64_t z) {
            Bits of_row = 0;
            for (std::int64_t x = 0; x < grid_.nx(); ++x) of_row = std::max(of_row, bits_at(layout_.at(x, y, z)));
            if (of_row > mine.bits) mine = {of_row, y, z};
        });
#pragma omp critical
        all.take(mine);
    });
    std::int64_t x = 0;
    while (bits_at(layout_.at(x, all.y, all.z)) != all.bits) ++x;
    const double value = static_cast<double>(std::bit_cast<T>(all.bits));
    return {value, grid_.at(x, all.y, all.z), std::isfinite(value)};
}

template <typename T>
template <typename U>
void ShotFields<T>::download(const Window& window, std::span<U> values, FieldLevel level) const {
    const ObservedField<T> from = level == FieldLevel{} ? observed() : ObservedField<T>{at(level).data()};
    const std::int64_t rows = window.count[1] * window.count[2];
#pragma omp parallel num_threads(useful_threads(threads_, window.points()))
    {
        const FlushDenormals<T> of_field;  // what it makes of two fields has the rule of both
        const FlushDenormals<U> flush;
#pragma omp for schedule(static)
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t y = window.first[1] + row % window.count[1] * window.step[1];
            const std::int64_t z = window.first[2] + row / window.count[1] * window.step[2];
            const std::int64_t source = layout_.at(window.first[0], y, z);
            U* const target = values.data() + row * window.count[0];
            for (std::int64_t x = 0; x < window.count[0]; ++x)
                target[x] = static_cast<U>(from(source + x * window.step[0]));
        }
    }
}

template <typename T>
void ShotFields<T>::hash_planes(const Window& window, std::span<std::uint64_t> hashes) const {
    // By all threads, even in a batch: its shots are hashed one after the other. Made before the loop, which no
    // exception may leave.
    std::vector<Fingerprint> of_thread(static_cast<std::size_t>(threads_of(setup_)));
#pragma omp parallel for num_threads(threads_of(setup_)) schedule(static)
    for (std::int64_t i = 0; i < window.count[2]; ++i) {
        Fingerprint& hash = of_thread[static_cast<std::size_t>(omp_get_thread_num())];
        hash.reset();
        for (std::int64_t y = 0; y < window.count[1]; ++y) {
            const T* const row =
                levels_.front().now.data() +
                layout_.at(window.first[0], window.first[1] + y * window.step[1], window.first[2] + i * window.step[2]);
            hash.add(std::span(row, static_cast<std::size_t>(window.count[0])));
        }
        hashes[static_cast<std::size_t>(i)] = hash.value();
    }
}

template <typename T>
void ShotFields<T>::upload(std::span<const double> p, std::span<const double> p_previous) {
    for_rows([&](std::int64_t y, std::int64_t z) {
        for (std::int64_t x = 0; x < grid_.nx(); ++x) {
            levels_.front().now.data()[layout_.at(x, y, z)] = static_cast<T>(p[grid_.at(x, y, z)]);
            levels_.front().before.data()[layout_.at(x, y, z)] = static_cast<T>(p_previous[grid_.at(x, y, z)]);
        }
    });
}

template class ShotFields<float>;
template class ShotFields<double>;
template void ShotFields<float>::download(const Window&, std::span<float>, FieldLevel) const;
template void ShotFields<float>::download(const Window&, std::span<double>, FieldLevel) const;
template void ShotFields<double>::download(const Window&, std::span<float>, FieldLevel) const;
template void ShotFields<double>::download(const Window&, std::span<double>, FieldLevel) const;

}  // namespace onda::cpu
