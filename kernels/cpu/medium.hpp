/// \file
/// The parameters of a grid in the host's memory.
#pragma once

#include <algorithm>
#include <omp.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/kernel_table.hpp"
#include "kernels/cpu/memory.hpp"
#include "kernels/plan/medium_rows.hpp"

namespace onda::cpu {

template <typename T>
class CpuMedium final : public Medium {
public:
    CpuMedium(const Setup& setup, const InstructionSet& isa, const Kernel& kernel, const MediumReaders& readers,
              double dt_s)
        : Medium(setup), isa_(isa), kernel_(kernel), fit_(fit_of(setup, dt_s)) {
        const Allocations planned = allocations(setup);
        std::ranges::copy(setup.medium.table, table_);
        for (const MediumArray& array : setup.scheme.equation->arrays) {
            arrays_.emplace_back(medium_layout(setup, array, layout_rules(setup)), planned.of(medium_row(array)),
                                 setup.medium.storage);
            const MediumRows rows(Medium::setup(), array, readers, dt_s, fit_.get());
            arrays_.back().visit([&](auto* values) { load(arrays_.back().layout, values, rows); });
        }
    }

    std::string description() const override {
        const int threads = threads_of(setup());
        return "CPU, kernel " + kernel_.name + ", " + std::string(isa_.name) + ", " + std::to_string(threads) +
               (threads == 1 ? " thread, " : " threads, ") + (sizeof(T) == 4 ? "float" : "double") +
               setup().medium.description();
    }
    std::string kernel() const override { return kernel_.name; }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const Array& array : arrays_) bytes += array.bytes();
        return bytes;
    }
    using Medium::make_wavefield;
    std::unique_ptr<Wavefield> make_wavefield(int shots, const StripList& strips) override;

    [[nodiscard]] const InstructionSet& isa() const { return isa_; }
    [[nodiscard]] const Kernel& chosen_kernel() const { return kernel_; }
    /// Points a kernel's arguments at the arrays. \param plane that is the first to the kernel.
    void describe(Arrays<T>& a, std::int64_t plane = 0) const {
        describe_classes(a, setup().first_plane + plane);
        const Array& k = arrays_[0];
        a.k_pitch = k.layout.pitch;
        a.k_plane = k.layout.plane;
        if (setup().medium.storage != Storage::full) {
            a.coded_k = coded_k(plane);
            return;
        }
        for (std::size_t i = 0; i < arrays_.size(); ++i)
            a.medium[i] = {arrays_[i].at_plane(plane), arrays_[i].layout.pitch, arrays_[i].layout.plane};
        a.k = k.at_plane(plane);
        if (arrays_.size() < 2) return;
        const Array& half_rho = arrays_[1];
        a.half_rho = half_rho.at_plane(plane);
        a.rho_pitch = half_rho.layout.pitch;
        a.rho_plane = half_rho.layout.plane;
    }
    void values_at(std::size_t which, std::span<const std::int64_t> nodes, std::span<double> values) const override {
        const Array& array = arrays_.at(which);
        const bool full = setup().medium.storage == Storage::full;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto [x, y, z] = setup().grid.node(nodes[i]);
            const std::int64_t element = array.layout.at(x, y, z) - array.layout.origin;
            values[i] = static_cast<double>(full ? array.at_plane(0)[element] : static_cast<T>(coded_k()[element]));
        }
    }

private:
    /// Numbers, or the codes of some.
    struct Array {
        Array(const Layout& its_layout, const Allocation& row, Storage storage) : layout(its_layout) {
            if (storage == Storage::full)
                values = Buffer<T>(row);
            else if (storage == Storage::codes)
                codes = Buffer<std::uint16_t>(row);
            else
                indices = Buffer<std::uint8_t>(row);
        }
        [[nodiscard]] const T* at_plane(std::int64_t z) const { return values.data() + layout.at(0, 0, z); }
        [[nodiscard]] std::int64_t bytes() const { return values.bytes() + codes.bytes() + indices.bytes(); }
        /// Calls body(first element) of that which there is.
        template <typename Body>
        void visit(const Body& body) const {
            if (values.data() != nullptr) body(values.data());
            if (codes.data() != nullptr) body(codes.data());
            if (indices.data() != nullptr) body(indices.data());
        }
        Layout layout;
        Buffer<T> values;
        Buffer<std::uint16_t> codes;
        Buffer<std::uint8_t> indices;
    };

    /// \param plane of the whole grid that is the first to the kernel: beside an odd one classes have other parities.
    void describe_classes(Arrays<T>& a, std::int64_t plane) const {
        for (std::size_t field = 0; field < setup().scheme.equation->memory.size(); ++field) {
            const auto of_class = fit_->of_class(field);
            for (int c = 0; c < kNodeClasses; ++c)
                a.of_class[field][c] = static_cast<T>(of_class[static_cast<std::size_t>(class_from_plane(c, plane))]);
        }
    }
    [[nodiscard]] CodedK coded_k(std::int64_t plane = 0) const {
        const MediumCode& medium = setup().medium;
        CodedK k{medium.storage, nullptr, medium.code, table_};
        arrays_[0].visit([&](const auto* values) { k.at = values + arrays_[0].layout.at(0, 0, plane); });
        return k;
    }
    template <typename Stored>
    void load(const Layout& layout, Stored* values, const MediumRows& rows) {
        const std::int64_t along_y = rows.rows_along_y(), all = along_y * rows.rows_along_z();
        // Allocated here, since std::bad_alloc cannot escape from a parallel region.
        std::vector<MediumRows::Scratch> scratches(static_cast<std::size_t>(threads_of(setup())), rows.scratch());
        // The rows of a thread are those it will compute, but for a few of the halo: first touch.
#pragma omp parallel num_threads(threads_of(setup()))
        {
            const FlushDenormals<T> flush;
            MediumRows::Scratch& scratch = scratches[static_cast<std::size_t>(omp_get_thread_num())];
            const RowRange mine = rows_of_thread(all, omp_get_thread_num(), omp_get_num_threads());
            for (std::int64_t row = mine.begin; row < mine.end; ++row) {
                const std::int64_t y = row % along_y - rows.halo()[1], z = row / along_y - rows.halo()[2];
                rows.write(y, z, values + layout.at(0, y, z), scratch);
            }
        }
    }

    const InstructionSet& isa_;
    Kernel kernel_;
    std::shared_ptr<const MediumFit> fit_;
    std::vector<Array> arrays_;
    float table_[MediumCode::kMostTableValues] = {};  ///< what indices stand for; those of padding may be any
};

}  // namespace onda::cpu
