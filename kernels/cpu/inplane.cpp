// The in-plane method (Tang et al. 2013): march plane by plane along z with the plane's tile and halo in a scratch
// buffer, loaded by the strategy's list of rectangles.
//
// From the one plane z that is loaded, a tile
//   1. computes the in-plane part of its Laplacian and adds the backward half from the r planes before it,
//   2. adds its forward contribution to the r pending Laplacians of the planes before it,
//   3. completes plane z - r, updates and stores it.
// The queue of previous planes is the ring of the last r + 1 tile frames.
#include "kernels/cpu/inplane_tiles.hpp"
#include "kernels/cpu/simd.hpp"

namespace onda::cpu {
namespace {

/// Frames and sums of one thread.
template <typename T, int Dims, int R>
struct Scratch : TileShape<T, Dims, R> {
    using Shape = TileShape<T, Dims, R>;
    alignas(64) T frames[R + 1][Shape::frame_size];
    alignas(64) T pending[R][Shape::tile_ny * Shape::tile_nx];
};

/// The state of a march: frame[k] and pending[k] belong to plane z - k (pending[0] is unused).
template <typename T, int R>
struct Queues {
    T* frame[R + 1];  ///< core node (0, 0) of the frame
    T* pending[R + 1];

    void advance() {
        T* const oldest_frame = frame[R];
        T* const oldest_pending = pending[R];
        for (int k = R; k > 0; --k) frame[k] = frame[k - 1];
        for (int k = R; k > 1; --k) pending[k] = pending[k - 1];
        frame[0] = oldest_frame;
        pending[1] = oldest_pending;
    }
};

/// One row of a loaded plane. Begins: its own Laplacian starts here. Completes: the row r planes back gets its last
/// term.
template <typename T, int Dims, int R, bool Begins, bool Completes>
void march_row(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, std::int64_t y, std::int64_t z,
               const Queues<T, R>& queues) {
    using S = Scratch<T, Dims, R>;
    T* const __restrict q = a.q + tile.x + (tile.y + y) * a.pitch + (z - R) * a.plane;
    const T* const __restrict k_row = a.k + tile.x + (tile.y + y) * a.k_pitch + (z - R) * a.k_plane;
    const T* frame[R + 1];
    T* pending[R + 1];
    unroll<0, R + 1>([&](auto k) __attribute__((always_inline)) {
        frame[k.value] = queues.frame[k.value] + y * S::pitch;
        pending[k.value] = queues.pending[k.value] + y * S::tile_nx;
    });
    const auto advance = [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
        const T* const here = frame[0] + x;
        const Vector<T> centre = load(here);
        if constexpr (Completes) {
            const Vector<T> l = fused(w.z[R], centre, load(pending[R] + x));
            advance_vector<whole_vector.value>(q + x, k_row + x, load(frame[R] + x), l, tile.nx - x);
        }
        // The slot of the completed plane takes the new one: pending[R] becomes pending[1] when the queues advance.
        if constexpr (Begins) {
            Vector<T> l = w.centre * centre;
            unroll<1, R + 1>([&](auto k) __attribute__((always_inline)) {
                l = fused(w.x[k.value], load(here - k.value) + load(here + k.value), l);
            });
            if constexpr (Dims == 3)
                unroll<1, R + 1>([&](auto k) __attribute__((always_inline)) {
                    l = fused(w.y[k.value], load(here - k.value * S::pitch) + load(here + k.value * S::pitch), l);
                });
            unroll<1, R + 1>([&](auto k) __attribute__((always_inline)) {
                l = fused(w.z[k.value], load(frame[k.value] + x), l);
            });
            store(pending[R] + x, l);
        }
        unroll<1, R>([&](auto k) __attribute__((always_inline)) {
            store(pending[k.value] + x, fused(w.z[k.value], centre, load(pending[k.value] + x)));
        });
    };
    for_vectors<T>(0, tile.nx, advance);
}

template <typename T, int Dims, int R, bool Begins, bool Completes>
void march(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, std::int64_t z,
           const Queues<T, R>& queues) {
    for (std::int64_t y = 0; y < tile.ny; ++y) march_row<T, Dims, R, Begins, Completes>(a, w, tile, y, z, queues);
}

template <typename T, int Dims, int R>
void walk(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, Scratch<T, Dims, R>& scratch) {
    using S = Scratch<T, Dims, R>;
    Queues<T, R> queues{};
    for (int k = 0; k <= R; ++k) queues.frame[k] = scratch.frames[k] + S::core;
    for (int k = 1; k <= R; ++k) queues.pending[k] = scratch.pending[k - 1];

    for (std::int64_t z = tile.z_begin - R; z < tile.z_end + R; ++z) {
        queues.advance();
        load_tile<T, Dims, R>(a, tile, z, queues.frame[0]);
        const bool begins = z >= tile.z_begin && z < tile.z_end, completes = z - R >= tile.z_begin;
        if (begins && completes)
            march<T, Dims, R, true, true>(a, w, tile, z, queues);
        else if (begins)
            march<T, Dims, R, true, false>(a, w, tile, z, queues);
        else if (completes)
            march<T, Dims, R, false, true>(a, w, tile, z, queues);
        else if (z >= tile.z_end)  // a chunk of fewer than R planes: forward contributions only
            march<T, Dims, R, false, false>(a, w, tile, z, queues);
    }
}

template <typename T, int Dims, int R>
void step(const StepArguments<T>& a) {
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const Weights<T> weights(a.stencil);
        Scratch<T, Dims, R> scratch;
        for_tiles<T, Dims, R>(a, [&](const Tile& tile) { walk<T, Dims, R>(a, weights, tile, scratch); });
    }
}

template <typename T, int Dims, int R>
struct InPlane {
    static void step(const StepArguments<T>& a) { cpu::step<T, Dims, R>(a); }
};

}  // namespace

template <>
void inplane_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_order<InPlane>(a);
}
template <>
void inplane_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_order<InPlane>(a);
}

}  // namespace onda::cpu
