// The in-plane method (Tang et al. 2013): march plane by plane along z with the plane's tile and halo in a scratch
// buffer, loaded by the strategy's list of rectangles.
//
// From the one plane z that is loaded, a tile
//   1. computes the in-plane part of its Laplacian and adds the backward half from the r planes before it,
//   2. adds its forward contribution to the r pending Laplacians of the planes before it,
//   3. completes plane z - r, updates and stores it.
// The queue of previous planes is the ring of the last r + 1 tile frames.
#include "kernels/cpu/kernel.hpp"
#include "kernels/cpu/simd.hpp"

namespace onda::cpu {
namespace {

/// Tile and scratch of one thread; order 8 in float takes 170 kB, so that it lives in a 1 MB L2 beside the streams.
template <typename T, int Dims, int R>
struct Scratch {
    static constexpr std::int64_t line = 64 / sizeof(T);
    static constexpr std::int64_t tile_nx = Dims == 3 ? 128 : 1024, tile_ny = Dims == 3 ? 32 : 1;
    static constexpr int radius_y = Dims == 3 ? R : 0;
    static constexpr std::int64_t lead = (R + line - 1) / line * line;  // the core of a frame row starts on a line
    static constexpr std::int64_t pitch = lead + tile_nx + lead;

    alignas(64) T frames[R + 1][(tile_ny + 2 * radius_y) * pitch];
    alignas(64) T pending[R][tile_ny * tile_nx];
};

/// Where a tile stands: its core is [x, x + nx) * [y, y + ny) of the planes [z_begin, z_end).
struct Tile {
    std::int64_t x, y, nx, ny, z_begin, z_end;
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

template <typename T, int Dims, int R>
void load_tile(const StepArguments<T>& a, const Tile& tile, std::int64_t z, T* frame) {
    using S = Scratch<T, Dims, R>;
    const T* source = a.p + tile.x + tile.y * a.pitch + z * a.plane;
    for (int i = 0; i < a.strategy->rectangle_count; ++i) {
        const Rectangle& box = a.strategy->rectangle_list[i];
        const std::int64_t x_begin = position(box.x_begin, tile.nx, R), x_end = position(box.x_end, tile.nx, R);
        const std::int64_t y_begin = position(box.y_begin, tile.ny, S::radius_y);
        const std::int64_t y_end = position(box.y_end, tile.ny, S::radius_y);
        for (std::int64_t y = y_begin; y < y_end; ++y) {
            const T* __restrict from = source + y * a.pitch;
            T* __restrict to = frame + y * S::pitch;
#pragma omp simd
            for (std::int64_t x = x_begin; x < x_end; ++x) to[x] = from[x];
        }
    }
}

/// One row of a loaded plane. Begins: its own Laplacian starts here. Completes: the row r planes back gets its last
/// term.
template <typename T, int Dims, int R, bool Begins, bool Completes>
void march_row(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, std::int64_t y, std::int64_t z,
               const Queues<T, R>& queues) {
    using S = Scratch<T, Dims, R>;
    constexpr int lanes = kLanes<T>;
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
            const Vector<T> base = fused(splat(T(2)), load(frame[R] + x), -load(q + x));
            const Vector<T> next = fused(load(k_row + x), l, base);
            if constexpr (whole_vector.value)
                store(q + x, next);
            else
                store_first<T>(q + x, next, tile.nx - x);
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
    std::int64_t x = 0;
    for (; x + lanes <= tile.nx; x += lanes) advance(x, Index<true>{});
    if (x < tile.nx) advance(x, Index<false>{});
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
    for (int k = 0; k <= R; ++k) queues.frame[k] = scratch.frames[k] + S::radius_y * S::pitch + S::lead;
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
    using S = Scratch<T, Dims, R>;
    const std::int64_t tiles_x = (a.nx + S::tile_nx - 1) / S::tile_nx, tiles_y = (a.ny + S::tile_ny - 1) / S::tile_ny;
    // One chunk of planes a thread, on the memory it touched first; fewer when the 2 R planes read twice would weigh.
    const std::int64_t most = a.nz / (2 * R) > 1 ? a.nz / (2 * R) : 1;
    const std::int64_t chunks = a.threads < most ? a.threads : most;
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const Weights<T> weights(a.stencil);
        Scratch<T, Dims, R> scratch;
        const RowRange tasks = rows_of_thread(chunks * tiles_y * tiles_x, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t task = tasks.begin; task < tasks.end; ++task) {
            const std::int64_t chunk = task / (tiles_x * tiles_y);
            Tile tile;
            tile.x = task % tiles_x * S::tile_nx;
            tile.y = task / tiles_x % tiles_y * S::tile_ny;
            tile.nx = a.nx - tile.x < S::tile_nx ? a.nx - tile.x : S::tile_nx;
            tile.ny = a.ny - tile.y < S::tile_ny ? a.ny - tile.y : S::tile_ny;
            tile.z_begin = a.nz * chunk / chunks;
            tile.z_end = a.nz * (chunk + 1) / chunks;
            walk<T, Dims, R>(a, weights, tile, scratch);
        }
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
