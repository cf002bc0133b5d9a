/// \file
/// The parameters of a grid in the host's memory.
#pragma once

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
        : Medium(setup), isa_(isa), kernel_(kernel) {
        const Allocations planned = allocations(setup);
        for (const MediumArray& array : setup.scheme.equation->arrays) {
            arrays_.emplace_back(medium_layout(setup, array, layout_rules(setup)), planned.of(medium_row(array)));
            load(arrays_.back(), MediumRows(Medium::setup(), array, readers, dt_s));
        }
    }

    std::string description() const override {
        const int threads = threads_of(setup());
        return "CPU, kernel " + kernel_.name + ", " + std::string(isa_.name) + ", " + std::to_string(threads) +
               (threads == 1 ? " thread, " : " threads, ") + (sizeof(T) == 4 ? "float" : "double");
    }
    std::string kernel() const override { return kernel_.name; }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const Array& array : arrays_) bytes += array.values.bytes();
        return bytes;
    }
    std::unique_ptr<Wavefield> make_wavefield(int shots) override;

    [[nodiscard]] const InstructionSet& isa() const { return isa_; }
    [[nodiscard]] const Kernel& chosen_kernel() const { return kernel_; }
    /// Points a kernel's arguments at the arrays.
    void describe(Arrays<T>& a) const {
        for (std::size_t i = 0; i < arrays_.size(); ++i)
            a.medium[i] = {arrays_[i].at_origin(), arrays_[i].layout.pitch, arrays_[i].layout.plane};
        const Array& k = arrays_[0];
        a.k = k.at_origin();
        a.k_pitch = k.layout.pitch;
        a.k_plane = k.layout.plane;
        if (arrays_.size() < 2) return;
        const Array& half_rho = arrays_[1];
        a.half_rho = half_rho.at_origin();
        a.rho_pitch = half_rho.layout.pitch;
        a.rho_plane = half_rho.layout.plane;
    }
    void values_at(std::size_t which, std::span<const std::int64_t> nodes, std::span<double> values) const override {
        const Array& array = arrays_.at(which);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto [x, y, z] = setup().grid.node(nodes[i]);
            values[i] = static_cast<double>(array.values.data()[array.layout.at(x, y, z)]);
        }
    }

private:
    struct Array {
        Array(const Layout& its_layout, const Allocation& row) : layout(its_layout), values(row) {}
        [[nodiscard]] const T* at_origin() const { return values.data() + layout.origin; }
        Layout layout;
        Buffer<T> values;
    };

    void load(Array& array, const MediumRows& rows) {
        const std::int64_t along_y = rows.rows_along_y(), all = along_y * rows.rows_along_z();
        // The rows of a thread are those it will compute, but for a few of the halo: first touch.
#pragma omp parallel num_threads(threads_of(setup()))
        {
            const FlushDenormals<T> flush;
            MediumRows::Scratch scratch = rows.scratch();
            const RowRange mine = rows_of_thread(all, omp_get_thread_num(), omp_get_num_threads());
            for (std::int64_t row = mine.begin; row < mine.end; ++row) {
                const std::int64_t y = row % along_y - rows.halo()[1], z = row / along_y - rows.halo()[2];
                rows.write(y, z, array.values.data() + array.layout.at(0, y, z), scratch);
            }
        }
    }

    const InstructionSet& isa_;
    Kernel kernel_;
    std::vector<Array> arrays_;
};

}  // namespace onda::cpu
