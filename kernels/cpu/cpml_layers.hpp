/// \file
/// The perfectly matched layers of one CPU backend: their memory variables, and the call of the strip kernel.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpml.hpp"

namespace onda::cpu {

template <typename T>
class CpmlLayers {
public:
    /// \param common arrays, extents and strides that do not change; \param step the strip kernel.
    CpmlLayers(const BackendSetup& setup, const CpmlArguments<T>& common, CpmlFunction<T> step)
        : arguments_(common), step_(step), memory_(elements(setup)) {
        const Scheme& scheme = setup.scheme;
        const Factor factor = factor_of(scheme);
        arguments_.kind = factor_kind(scheme, setup.grid.dimensions);
        arguments_.dimensions = setup.grid.dimensions;
        arguments_.radius = scheme.radius();
        for (int axis = 0; axis < 3; ++axis)
            for (std::size_t j = 0; j < factor.weights.size(); ++j)
                arguments_.factor[axis][j] = static_cast<T>(factor.weights[j] / setup.grid.spacing_m[axis]);
        std::ranges::copy(cpml_smoothing<T>(scheme, setup.grid.dimensions), arguments_.smoothing);
        arguments_.scratch_size = scratch_size(setup);
        scratch_ = Buffer<T>(arguments_.scratch_size * arguments_.threads);
        arguments_.scratch = scratch_.data();
        T* from = memory_.data();
        for (int face = 0; face < 6; ++face) {
            const CpmlFace& layer = setup.cpml.face[face];
            if (layer.width() == 0) continue;
            profiles_[face] = cpml_profile<T>(layer);
            const Layout box = box_of(setup, face);
            CpmlStrip<T>& strip = arguments_.strips[face];
            strip.width = static_cast<int>(layer.width());
            strip.psi = from;
            strip.zeta = from + box.size;
            strip.pitch = box.pitch;
            strip.plane = box.plane;
            strip.profile = profiles_[face].data();
            from += 2 * box.size;
        }
    }

    [[nodiscard]] std::int64_t bytes() const { return memory_.bytes() + scratch_.bytes(); }
    [[nodiscard]] static std::int64_t bytes_for(const BackendSetup& setup, int threads) {
        return Buffer<T>::bytes_for(elements(setup)) + Buffer<T>::bytes_for(scratch_size(setup) * threads);
    }

    /// The silence before a shot.
    void reset() {
        const std::int64_t size = memory_.bytes() / static_cast<std::int64_t>(sizeof(T));
        constexpr std::int64_t piece = 1 << 16;
#pragma omp parallel for num_threads(arguments_.threads) schedule(static)
        for (std::int64_t first = 0; first < size; first += piece)
            std::fill_n(memory_.data() + first, std::min(piece, size - first), T(0));
    }

    /// Adds what the layers change to p[n+1]. Pointers at node (0, 0, 0).
    void apply(const T* p, T* q) {
        if (memory_.bytes() == 0) return;
        arguments_.p = p;
        arguments_.q = q;
        step_(arguments_);
    }

private:
    static Layout box_of(const BackendSetup& setup, int face) {
        return {strip_grid(setup.grid, face, setup.cpml.face[face].width()), {0, 0, 0}, sizeof(T)};
    }
    static std::int64_t elements(const BackendSetup& setup) {
        std::int64_t size = 0;
        for (int face = 0; face < 6; ++face)
            if (setup.cpml.face[face].width() > 0) size += 2 * box_of(setup, face).size;
        return size;
    }
    static std::int64_t scratch_size(const BackendSetup& setup) {
        std::int64_t width = 0;
        for (const CpmlFace& face : setup.cpml.face) width = std::max(width, face.width());
        // One thread's rows on pages of its own.
        return width == 0 ? 0 : (cpml_scratch_size(width, setup.scheme.radius()) + 1023) / 1024 * 1024;
    }

    CpmlArguments<T> arguments_;
    CpmlFunction<T> step_;
    Buffer<T> memory_, scratch_;
    std::array<std::vector<T>, 6> profiles_;
};

}  // namespace onda::cpu
