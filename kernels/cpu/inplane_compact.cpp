// The compact stencil in-plane: each plane's tile is loaded with its corners, summed once, and serves three planes.
//
// From the one plane z that is loaded, a tile
//   1. sums it: own and side of kernels/equations/compact/compact.hpp,
//   2. completes the Laplacian of plane z - 1 with its side sums, updates and stores that plane,
//   3. begins the Laplacian of plane z: the side sums of plane z - 1, and its own.
#include "kernels/cpu/compact_sums.hpp"
#include "kernels/cpu/inplane_tiles.hpp"

namespace onda::cpu {
namespace {

/// Frames and sums of one thread: [0] belongs to the plane before.
template <typename T, int Dims>
struct Scratch : TileShape<T, Dims, 1> {
    using Shape = TileShape<T, Dims, 1>;
    alignas(64) T frames[2][Shape::frame_size];
    alignas(64) T side[Shape::tile_ny * Shape::tile_nx];
    alignas(64) T pending[Shape::tile_ny * Shape::tile_nx];
};

/// One row of a loaded plane. Completes: the Laplacian of the plane before gets its last term.
template <typename T, int Dims, bool Completes>
void march_row(const StepArguments<T>& a, const Vector<T>* w, const Tile& tile, std::int64_t y, std::int64_t z,
               const T* before, const T* now, Scratch<T, Dims>& scratch) {
    using S = TileShape<T, Dims, 1>;
    T* const __restrict q = a.q + tile.x + (tile.y + y) * a.pitch + (z - 1) * a.plane;
    const T* const __restrict k = a.k + tile.x + (tile.y + y) * a.k_pitch + (z - 1) * a.k_plane;
    T* const side = scratch.side + y * S::tile_nx;
    T* const pending = scratch.pending + y * S::tile_nx;
    const T* const previous = before + y * S::pitch;
    const T* const here = now + y * S::pitch;
    const auto advance = [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
        const auto sums = vector_sums<T, Dims>(here + x, S::pitch, w);
        if constexpr (Completes) {
            const Vector<T> l = load(pending + x) + sums.side;
            advance_vector<whole_vector.value>(q + x, k + x, load(previous + x), l, tile.nx - x);
        }
        store(pending + x, load(side + x) + sums.own);
        store(side + x, sums.side);
    };
    for_vectors<T>(0, tile.nx, advance);
}

template <typename T, int Dims>
void walk(const StepArguments<T>& a, const Vector<T>* w, const Tile& tile, Scratch<T, Dims>& scratch) {
    using S = TileShape<T, Dims, 1>;
    T* before = scratch.frames[0] + S::core;
    T* now = scratch.frames[1] + S::core;
    for (T& value : scratch.side) value = 0;  // of the plane before the first: what it begins is never completed
    for (std::int64_t z = tile.z_begin - 1; z <= tile.z_end; ++z) {
        load_tile<T, Dims, 1>(a, tile, z, now);
        for (std::int64_t y = 0; y < tile.ny; ++y)
            if (z > tile.z_begin)
                march_row<T, Dims, true>(a, w, tile, y, z, before, now, scratch);
            else
                march_row<T, Dims, false>(a, w, tile, y, z, before, now, scratch);
        T* const loaded = now;
        now = before;
        before = loaded;
    }
}

template <typename T, int Dims>
void step(const StepArguments<T>& a) {
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        Vector<T> weights[4];
        for (int i = 0; i < 4; ++i) weights[i] = splat(a.stencil.compact[i]);
        Scratch<T, Dims> scratch;
        for_tiles<T, Dims, 1>(a, [&](const Tile& tile) { walk<T, Dims>(a, weights, tile, scratch); });
    }
}

}  // namespace

template <>
void inplane_compact_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    a.stencil.dimensions == 3 ? step<float, 3>(a) : step<float, 2>(a);
}
template <>
void inplane_compact_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    a.stencil.dimensions == 3 ? step<double, 3>(a) : step<double, 2>(a);
}

}  // namespace onda::cpu
