/// \file
/// The perfectly matched layers of one CPU backend: their memory variables, and the call of the strip kernel.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpml.hpp"
#include "kernels/plan/state_parts.hpp"
#include "kernels/setup.hpp"

namespace onda::cpu {

template <typename T>
class CpmlLayers {
public:
    /// \param arrays but p and q, which apply() takes; \param step the strip kernel.
    CpmlLayers(const Setup& setup, const Arrays<T>& arrays, CpmlFunction<T> step)
        : grid_(setup.grid), step_(step), memory_(elements(setup)) {
        static_cast<Arrays<T>&>(arguments_) = arrays;
        if (setup.cpml.empty()) return;
        const Scheme& scheme = setup.scheme;
        arguments_.kind = factor_kind(scheme, setup.grid.dimensions);
        arguments_.dimensions = setup.grid.dimensions;
        arguments_.radius = scheme.radius();
        for (int axis = 0; axis < 3; ++axis)
            std::ranges::copy(cpml_weights<T>(scheme, setup.grid.spacing_m[axis]), arguments_.factor[axis]);
        std::ranges::copy(cpml_smoothing<T>(scheme, setup.grid.dimensions), arguments_.smoothing);
        arguments_.scratch_size = scratch_size(setup);
        scratch_ = Buffer<T>(arguments_.scratch_size * arguments_.threads);
        arguments_.scratch = scratch_.data();
        T* from = memory_.data();
        for (int face = 0; face < 6; ++face) {
            const CpmlFace& layer = setup.cpml.face[face];
            if (layer.width() == 0) continue;
            profiles_[face] = cpml_profile<T>(layer, row_length(face, layer.width()));
            CpmlStrip<T>& strip = arguments_.strips[face];
            strip.width = static_cast<int>(layer.width());
            place(strip, setup, face, from);
            strip.profile = profiles_[face].data();
            from += elements(setup, face);
        }
    }

    [[nodiscard]] std::int64_t bytes() const { return memory_.bytes() + scratch_.bytes(); }
    [[nodiscard]] static std::int64_t bytes_for(const Setup& setup, int threads) {
        return Buffer<T>::bytes_for(elements(setup)) + Buffer<T>::bytes_for(scratch_size(setup) * threads);
    }

    /// \param threads at most as many as it was made for.
    void set_threads(int threads) { arguments_.threads = threads; }

    /// The silence before a shot.
    void reset() {
        const std::int64_t size = memory_.bytes() / static_cast<std::int64_t>(sizeof(T));
        constexpr std::int64_t piece = 1 << 16;
#pragma omp parallel for num_threads(arguments_.threads) schedule(static)
        for (std::int64_t first = 0; first < size; first += piece)
            std::fill_n(memory_.data() + first, std::min(piece, size - first), T(0));
    }

    /// Calls body(part, values, strides) for every memory variable, in the order of the faces.
    template <typename Body>
    void for_state(const Body& body) const {
        for (int face = 0; face < 6; ++face) {
            const CpmlStrip<T>& strip = arguments_.strips[face];
            if (strip.width == 0) continue;
            const std::array<std::int64_t, 3> strides{1, strip.pitch, strip.plane};
            body(strip_state(grid_, face, strip.width, "psi", sizeof(T)), strip.psi, strides);
            body(strip_state(grid_, face, strip.width, "zeta", sizeof(T)), strip.zeta, strides);
        }
    }
    /// Adds what the layers change to p[n+1]. Pointers at node (0, 0, 0).
    void apply(const T* p, T* q) {
        if (memory_.bytes() == 0) return;
        arguments_.p = p;
        arguments_.q = q;
        step_(arguments_);
    }

private:
    static Layout box_of(const Setup& setup, int face) {
        return {strip_grid(setup.grid, face, setup.cpml.face[face].width()), {0, 0, 0}, sizeof(T)};
    }
    /// Across x rows of psi and zeta are whole vectors; across the other axes theirs is the layout of a field.
    static std::int64_t row_length(int face, std::int64_t width) {
        return face < 2 ? cpml_padded(static_cast<int>(width)) : width;
    }
    /// psi and zeta of a face. Across x the rows of both alternate: they are a few nodes long.
    static void place(CpmlStrip<T>& strip, const Setup& setup, int face, T* memory) {
        strip.psi = memory;
        if (face < 2) {
            const std::int64_t length = row_length(face, strip.width);
            strip.zeta = memory + length;
            strip.pitch = 2 * length;
            strip.plane = strip.pitch * setup.grid.ny();
        } else {
            const Layout box = box_of(setup, face);
            strip.zeta = memory + box.size;
            strip.pitch = box.pitch;
            strip.plane = box.plane;
        }
    }
    static std::int64_t elements(const Setup& setup, int face) {
        const std::int64_t width = setup.cpml.face[face].width();
        if (width == 0) return 0;
        constexpr std::int64_t line = 128 / sizeof(T);
        if (face >= 2) return 2 * box_of(setup, face).size;
        return (2 * row_length(face, width) * setup.grid.ny() * setup.grid.nz() + line - 1) / line * line;
    }
    static std::int64_t elements(const Setup& setup) {
        std::int64_t size = 0;
        for (int face = 0; face < 6; ++face) size += elements(setup, face);
        return size;
    }
    static std::int64_t scratch_size(const Setup& setup) {
        std::int64_t width = 0;
        for (const CpmlFace& face : setup.cpml.face) width = std::max(width, face.width());
        // One thread's rows on pages of its own.
        return width == 0 ? 0 : (cpml_scratch_size(width, setup.scheme.radius()) + 1023) / 1024 * 1024;
    }

    Grid grid_;
    CpmlArguments<T> arguments_;
    CpmlFunction<T> step_;
    Buffer<T> memory_, scratch_;
    std::array<std::vector<T>, 6> profiles_;
};

}  // namespace onda::cpu
