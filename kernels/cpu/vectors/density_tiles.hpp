/// \file
/// How the vectorised kernels of variable density step: OpenMP over tiles, SIMD along x, every flux computed once a
/// tile. What becomes of a node's divergence is the equation's (kernels/cpu/vectors/updates.hpp).
///
/// A tile marches along z, kFluxPlanes planes at a time. Its fluxes along z wait in a ring of planes, those along y in
/// a ring of rows, those along x in one row of each plane. The newest fluxes along y and z are computed where they are
/// first added, in registers: what a row stores while it loads, it would wait for (Scratch). Weights are d_1 … d_r an
/// axis.
#pragma once

#include "kernels/cpu/blocks.hpp"
#include "kernels/cpu/tiles.hpp"

namespace onda::cpu {
namespace {

/// Planes that advance together: they share what they read along z. Four need more registers than there are.
constexpr int kFluxPlanes = 2;

/// Tile and scratch of one thread. Rows of a tile are long, for the hardware to fetch whole pages of memory ahead, and
/// the parts in which they are stepped short, for the rows of fluxes along y to stay in the L1. Rows of a ring lie a
/// few lines apart modulo 4096 bytes: a load waits for an older store to the same place of another page.
template <typename T, int Dims, int R>
struct Scratch {
    static constexpr std::int64_t line = 64 / sizeof(T);
    static constexpr std::int64_t tile_nx = (Dims == 3 ? 1024 : 4096) / sizeof(T);
    static constexpr std::int64_t tile_ny = Dims == 3 ? (R > 4 ? 32 : 64) : 1;
    static constexpr std::int64_t part_nx = Dims == 3 ? 512 / sizeof(T) : tile_nx;
    /// Planes of fluxes along z that kFluxPlanes planes of divergence take.
    static constexpr int ring = 2 * R + kFluxPlanes - 1;
    static constexpr std::int64_t x_pitch = line + part_nx + 2 * line, y_pitch = part_nx + line;

    alignas(64) T along_z[ring][tile_ny * tile_nx + 5 * line];
    alignas(64) T along_y[2 * R][kFluxPlanes * y_pitch];
    alignas(64) T along_x[kFluxPlanes * x_pitch];
};

/// The weights of an axis, for registers.
template <typename T, int R>
struct AxisWeights {
    Vector<T> d[R + 1];

    ONDA_HOST_DEVICE explicit AxisWeights(const Vector<T>* weights) {
        unroll<1, R + 1>([&](auto k) __attribute__((always_inline)) { d[k.value] = weights[k.value]; });
    }
};

/// The flux between p and p + stride, nearest pairs first. \param p p(k) of k = 1 - R … R.
template <typename T, int R, typename Values>
ONDA_HOST_DEVICE Vector<T> flux(const Values& p, Vector<T> s, Vector<T> s_next, const AxisWeights<T, R>& w) {
    Vector<T> sum = w.d[1] * (p(Index<1>{}) - p(Index<0>{}));
    unroll<2, R + 1>([&](auto k) __attribute__((always_inline)) {
        sum = fused(w.d[k.value], p(k) - p(Index<1 - k.value>{}), sum);
    });
    return splat(T(1)) / (s + s_next) * sum;
}

/// The flux along y between the row of p and the next.
template <typename T, int R>
ONDA_HOST_DEVICE Vector<T> flux_along_y(const T* p, std::int64_t pitch, const T* s, std::int64_t s_pitch,
                                        const AxisWeights<T, R>& w) {
    const T* const first = opaque(p + (1 - R) * pitch);
    const auto at = [&](auto k) __attribute__((always_inline)) {
        return load(first + (R - 1 + k.value) * pitch);
    };
    return flux<T, R>(at, load(s), load(s + s_pitch), w);
}

/// The fluxes along z from the plane of p on to the next Z ones, planes in their order of arrival: each is loaded once.
template <typename T, int R, int Z>
ONDA_HOST_DEVICE void fluxes_along_z(Vector<T> (&to)[Z], const T* p, std::int64_t plane, const T* s,
                                     std::int64_t s_plane, const AxisWeights<T, R>& w) {
    const T* const first = opaque(p + (1 - R) * plane);
    unroll<0, 2 * R + Z - 1>([&](auto i) __attribute__((always_inline)) {
        const Vector<T> value = load(first + i.value * plane);
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int K = i.value - j.value + 1 - R;  // the place of this plane beside the flux of j
            if constexpr (K == 1 - R)
                to[j.value] = -w.d[R] * value;
            else if constexpr (K > 1 - R && K < 1)
                to[j.value] = fused(-w.d[1 - K], value, to[j.value]);
            else if constexpr (K >= 1 && K <= R)
                to[j.value] = fused(w.d[K], value, to[j.value]);
        });
    });
    Vector<T> below = load(s);
    unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
        const Vector<T> above = load(s + (j.value + 1) * s_plane);
        to[j.value] = splat(T(1)) / (below + above) * to[j.value];
        below = above;
    });
}

/// Values at x + K from the vectors around x. \param from where that at x lies in memory.
template <int K, typename T>
ONDA_HOST_DEVICE Vector<T> beside(const T* from, Vector<T> before, Vector<T> at, Vector<T> after) {
    if constexpr (K == 0)
        return at;
    else if constexpr (K > 0)
        return window<K>(from + K, at, after);
    else
        return window<kLanes<T> + K>(from + K, before, at);
}

/// What a tile reads of one row (y, z), at its first node.
template <typename T>
struct FluxRow {
    const T *p, *s;

    FluxRow(const StepArguments<T>& a, const Tile& tile, std::int64_t y, std::int64_t z)
        : p(a.p + tile.x + (tile.y + y) * a.pitch + z * a.plane),
          s(a.half_rho + tile.x + (tile.y + y) * a.rho_pitch + z * a.rho_plane) {}
};

/// Fluxes along x of nx nodes. \param to the flux between nodes 0 and 1; those before it begin a vector earlier.
template <typename T, int R>
void fill_along_x(const Weights<T>& weights, const FluxRow<T> row, std::int64_t nx, T* to) {
    constexpr int lanes = kLanes<T>, first = (R + lanes - 1) / lanes * lanes;
    const AxisWeights<T, R> w(weights.x);
    Vector<T> before = load(row.p - first - lanes), now = load(row.p - first), s = load(row.s - first);
    for (std::int64_t x = -first; x < nx + R - 1; x += lanes) {
        const Vector<T> after = load(row.p + x + lanes), s_after = load(row.s + x + lanes);
        const auto at = [&](auto k) __attribute__((always_inline)) {
            return beside<k.value>(row.p + x, before, now, after);
        };
        store(to + x, flux<T, R>(at, s, beside<1>(row.s + x, s, s, s_after), w));
        before = now;
        now = after;
        s = s_after;
    }
}

/// What row y of Z planes from z on takes and leaves: fluxes along z of planes z - R … z + R + Z - 2, of which the last
/// Z are new, those along y of rows y - R … y + R - 1, of which the last is new, and those along x.
template <typename T, int R, int Z>
struct FluxesOfRow {
    T *along_z[2 * R + Z - 1], *along_y[2 * R], *along_x;
};

/// Where part of a row of Z planes begins, and what its steps read.
template <typename T, int Dims, int R, int Z>
struct RowOfPlanes {
    using S = Scratch<T, Dims, R>;
    const T *p, *s;
    std::int64_t pitch, plane, s_pitch, s_plane;
    AxisWeights<T, R> wx, wy, wz;
    FluxesOfRow<T, R, Z> fluxes;
    Vector<T> before[Z], now[Z], after[Z];  ///< fluxes along x

    ONDA_HOST_DEVICE RowOfPlanes(const StepArguments<T>& a, const Weights<T>& w, const FluxRow<T>& row,
                                 const FluxesOfRow<T, R, Z>& its_fluxes)
        : p(row.p),
          s(row.s),
          pitch(a.pitch),
          plane(a.plane),
          s_pitch(a.rho_pitch),
          s_plane(a.rho_plane),
          wx(w.x),
          wy(w.y),
          wz(w.z),
          fluxes(its_fluxes) {
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            before[j.value] = load(fluxes.along_x + j.value * S::x_pitch - kLanes<T>);
            now[j.value] = load(fluxes.along_x + j.value * S::x_pitch);
        });
    }
    /// Asks for what no earlier plane has brought into the cache of the next row.
    ONDA_HOST_DEVICE void prefetch(std::int64_t x) const {
        const std::int64_t next = Dims == 3 ? pitch : Z * plane, next_s = Dims == 3 ? s_pitch : Z * s_plane;
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            __builtin_prefetch(p + x + (2 * R - 1 + j.value) * plane + next);
            __builtin_prefetch(s + x + (R + j.value) * s_plane + next_s);
            if constexpr (Dims == 3) {
                __builtin_prefetch(p + x + j.value * plane + 2 * R * pitch);
                __builtin_prefetch(s + x + j.value * s_plane + (R + 1) * s_pitch);
            }
        });
    }
    /// The differences along x, of which the divergences l begin.
    ONDA_HOST_DEVICE void begin_along_x(std::int64_t x, Vector<T> (&l)[Z]) {
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int J = j.value;
            const T* const from = fluxes.along_x + J * S::x_pitch + x;
            after[J] = load(from + kLanes<T>);
            l[J] = wx.d[1] * (now[J] - beside<-1>(from, before[J], now[J], after[J]));
        });
        unroll<2, R + 1>([&](auto k) __attribute__((always_inline)) {
            unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
                constexpr int K = k.value, J = j.value;
                const T* const from = fluxes.along_x + J * S::x_pitch + x;
                const Vector<T> ahead = beside<K - 1>(from, before[J], now[J], after[J]);
                l[J] = fused(wx.d[K], ahead - beside<-K>(from, before[J], now[J], after[J]), l[J]);
            });
        });
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            before[j.value] = now[j.value];
            now[j.value] = after[j.value];
        });
    }
    ONDA_HOST_DEVICE void add_along_y(std::int64_t x, Vector<T> (&l)[Z]) const {
        Vector<T> newest[Z];
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            newest[j.value] = flux_along_y<T, R>(p + x + j.value * plane + (R - 1) * pitch, pitch,
                                                 s + x + j.value * s_plane + (R - 1) * s_pitch, s_pitch, wy);
        });
        unroll<1, R + 1>([&](auto k) __attribute__((always_inline)) {
            const T* const ahead = fluxes.along_y[R + k.value - 1] + x;
            const T* const behind = fluxes.along_y[R - k.value] + x;
            unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
                constexpr std::int64_t of_plane = j.value * S::y_pitch;
                const Vector<T> value = k.value == R ? newest[j.value] : load(ahead + of_plane);
                l[j.value] = fused(wy.d[k.value], value - load(behind + of_plane), l[j.value]);
            });
        });
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            store(fluxes.along_y[2 * R - 1] + x + j.value * S::y_pitch, newest[j.value]);
        });
    }
    ONDA_HOST_DEVICE void add_along_z(std::int64_t x, Vector<T> (&l)[Z]) const {
        Vector<T> newest[Z];
        fluxes_along_z<T, R, Z>(newest, p + x + (R - 1) * plane, plane, s + x + (R - 1) * s_plane, s_plane, wz);
        unroll<0, 2 * R + Z - 1>([&](auto i) __attribute__((always_inline)) {
            constexpr int New = i.value - (2 * R - 1);
            Vector<T> value;
            if constexpr (New >= 0)
                value = newest[New];
            else
                value = load(fluxes.along_z[i.value] + x);
            unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
                constexpr int K = i.value - j.value;  // in order of arrival
                if constexpr (K >= 0 && K < R)
                    l[j.value] = fused(-wz.d[R - K], value, l[j.value]);
                else if constexpr (K >= R && K < 2 * R)
                    l[j.value] = fused(wz.d[K - R + 1], value, l[j.value]);
            });
        });
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            store(fluxes.along_z[2 * R - 1 + j.value] + x, newest[j.value]);
        });
    }
};

/// Updates row y of planes z … z + Z - 1 of a part of a tile.
template <typename Update, typename T, int Dims, int R, int Z>
void advance_row(const StepArguments<T>& a, const Weights<T>& weights, const Tile& part, std::int64_t y, std::int64_t z,
                 const FluxesOfRow<T, R, Z>& fluxes) {
    RowOfPlanes<T, Dims, R, Z> row(a, weights, FluxRow<T>(a, part, y, z), fluxes);
    const T* const p = row.p;
    T* const __restrict q = a.q + (p - a.p);
    const std::int64_t plane = a.plane, nx = part.nx, first = part.x, next_q = Dims == 3 ? a.pitch : Z * plane;
    const Update update(a, part.y + y, z), next(a, part.y + y + (Dims == 3 ? 1 : 0), z + (Dims == 3 ? 0 : Z));
    const auto advance = [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
        row.prefetch(x);
        Vector<T> l[Z];
        row.begin_along_x(x, l);
        if constexpr (Dims == 3) row.add_along_y(x, l);
        row.add_along_z(x, l);
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int J = j.value;
            __builtin_prefetch(q + x + J * plane + next_q);
            next.prefetch(J, first + x);
            update.template advance<whole_vector.value>(q + J * plane + x, J, first + x, load(p + J * plane + x), l[J],
                                                        nx - x);
        });
    };
    for_vectors<T>(0, nx, advance);
}

/// A tile on its way along z.
template <typename Update, typename T, int Dims, int R>
struct FluxWalk {
    using S = Scratch<T, Dims, R>;
    const StepArguments<T>& a;
    const Weights<T>& w;
    const Tile& tile;
    S& scratch;

    void walk() const {
        for (std::int64_t h = tile.z_begin - R; h < tile.z_begin + R - 1; ++h)
            for (std::int64_t y = 0; y < tile.ny; ++y) fill_along_z(y, h);
        std::int64_t z = tile.z_begin;
        for (; z + kFluxPlanes <= tile.z_end; z += kFluxPlanes) advance_planes<kFluxPlanes>(z);
        for (; z < tile.z_end; ++z) advance_planes<1>(z);
    }

private:
    /// The row of the ring that holds the fluxes between planes h and h + 1; h >= -R.
    T* along_z(std::int64_t h, std::int64_t y) const {
        return scratch.along_z[(h + S::ring) % S::ring] + y * S::tile_nx;
    }
    /// That of the fluxes between rows y and y + 1 of the first plane; y >= -R.
    T* along_y(std::int64_t y) const { return scratch.along_y[(y + 2 * R) % (2 * R)]; }

    void fill_along_z(std::int64_t y, std::int64_t h) const {
        const AxisWeights<T, R> weights(w.z);
        const FluxRow<T> row(a, tile, y, h);
        for (std::int64_t x = 0; x < tile.nx; x += kLanes<T>) {
            Vector<T> flux[1];
            fluxes_along_z<T, R, 1>(flux, row.p + x, a.plane, row.s + x, a.rho_plane, weights);
            store(along_z(h, y) + x, flux[0]);
        }
    }
    void fill_along_y(const Tile& part, std::int64_t y, std::int64_t z, T* to) const {
        const AxisWeights<T, R> weights(w.y);
        const FluxRow<T> row(a, part, y, z);
        for (std::int64_t x = 0; x < part.nx; x += kLanes<T>)
            store(to + x, flux_along_y<T, R>(row.p + x, a.pitch, row.s + x, a.rho_pitch, weights));
    }
    template <int Z>
    void advance_planes(std::int64_t z) const {
        for (std::int64_t x = 0; x < tile.nx; x += S::part_nx) {
            const std::int64_t rest = tile.nx - x;
            advance_part<Z>(Tile{tile.x + x, tile.y, rest < S::part_nx ? rest : S::part_nx, tile.ny, z, z + Z});
        }
    }
    template <int Z>
    void advance_part(const Tile& part) const {
        const std::int64_t z = part.z_begin;
        if constexpr (Dims == 3)
            for (std::int64_t y = -R; y < R - 1; ++y)
                for (int j = 0; j < Z; ++j) fill_along_y(part, y, z + j, along_y(y) + j * S::y_pitch);
        for (std::int64_t y = 0; y < part.ny; ++y) {
            FluxesOfRow<T, R, Z> fluxes;
            fluxes.along_x = scratch.along_x + S::line;
            for (int j = 0; j < Z; ++j)
                fill_along_x<T, R>(w, FluxRow<T>(a, part, y, z + j), part.nx, fluxes.along_x + j * S::x_pitch);
            for (int j = 0; j < 2 * R; ++j) fluxes.along_y[j] = along_y(y + j - R);
            for (int j = 0; j < 2 * R + Z - 1; ++j) fluxes.along_z[j] = along_z(z + j - R, y) + (part.x - tile.x);
            advance_row<Update, T, Dims, R, Z>(a, w, part, y, z, fluxes);
        }
    }
};

/// A step of the grid.
template <typename Update, typename T, int Dims, int R>
void step_by_tiles(const StepArguments<T>& a) {
    using S = Scratch<T, Dims, R>;
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const Weights<T> weights(a.stencil);
        S scratch;
        for_tiles(a, S::tile_nx, S::tile_ny, fewest_planes(a, S::tile_nx, S::tile_ny), [&](const Tile& tile) {
            FluxWalk<Update, T, Dims, R>{a, weights, tile, scratch}.walk();
        });
    }
}

}  // namespace
}  // namespace onda::cpu
