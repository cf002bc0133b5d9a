// Tilted transverse isotropy: OpenMP over tiles, SIMD along x, in one pass over the grid.
//
// A tile marches along z. Of plane s it computes g, with r nodes more than its own along x and y, and of n g at once
// all that lies in the plane; the differences along z follow when plane s is the last that plane s - r waits for. So
// nothing of g goes through memory, as it would in two passes over the grid.
#include "kernels/cpu/rows.hpp"
#include "kernels/cpu/tiles.hpp"
#include "kernels/cpu/tti/tilt_medium.hpp"
#include "kernels/equations/vti/vti.hpp"

namespace onda::cpu {
namespace {

/// Tile and scratch of one thread: with the planes of p and q that it reads they fit into an L2 of 2 MB, and nearly
/// into one of 1 MB. The first of each pair is of p, the second of q. Planes of a ring lie a few lines apart modulo
/// 4096 bytes, so that a load waits for no store to another plane.
template <typename T, int Dims, int R>
struct Scratch {
    static constexpr std::int64_t line = 64 / sizeof(T);
    static constexpr std::int64_t tile_nx = (Dims == 3 ? 1024 : 4096) / sizeof(T);
    static constexpr std::int64_t tile_ny = Dims == 3 ? (R > 4 ? 8 : 16) : 1;
    static constexpr std::int64_t beyond_y = Dims == 3 ? R : 0;
    static constexpr std::int64_t x_pitch = line + tile_nx + 2 * line;
    static constexpr std::int64_t plane = tile_ny * tile_nx + 3 * line;
    static constexpr int z_planes = 2 * R + 1, sums = R + 1;

    alignas(64) T along_x[2][tile_ny * x_pitch];                   ///< n_x g of the newest plane
    alignas(64) T along_y[2][(tile_ny + 2 * beyond_y) * tile_nx];  ///< n_y g of it
    alignas(64) T along_z[2][z_planes * plane];                    ///< n_z g of planes s - 2r … s
    alignas(64) T in_plane[2][sums * plane];  ///< sum_i D_i (n_i g) over x, y of planes s - r … s
};

/// D_m / h along x, y, z for registers.
template <typename T, int R>
struct FirstDerivatives {
    Vector<T> axis[3][R + 1];

    ONDA_HOST_DEVICE explicit FirstDerivatives(const StepArguments<T>& a) {
        for (int i = 0; i < 3; ++i)
            for (int m = 1; m <= R; ++m) axis[i][m] = splat(a.first[i][m]);
    }
};

/// sum_m D_m (f(m) - f(-m)) added to a sum, nearest first. \param after, before f(m) and f(-m) of Index m.
template <int R, typename V, typename After, typename Before>
ONDA_HOST_DEVICE V add_pairs(const V* weights, const After& after, const Before& before, V sum) {
    unroll<1, R + 1>([&](auto m)
                         __attribute__((always_inline)) { sum = fused(weights[m.value], after(m) - before(m), sum); });
    return sum;
}
template <int R, typename T>
ONDA_HOST_DEVICE Vector<T> add_across(const Vector<T>* weights, const T* at, std::int64_t stride, Vector<T> sum) {
    return add_pairs<R>(
        weights, [ at, stride ](auto m) __attribute__((always_inline)) { return load(at + m.value * stride); },
        [ at, stride ](auto m) __attribute__((always_inline)) { return load(at - m.value * stride); }, sum);
}
template <int R, typename T>
ONDA_HOST_DEVICE Vector<T> add_along_row(const Vector<T>* weights, const T* at, Vector<T> sum) {
    constexpr int lanes = kLanes<T>;
    const Vector<T> low = load(at - lanes), here = load(at), high = load(at + lanes);
    return add_pairs<R>(
        weights, [&](auto m) __attribute__((always_inline)) { return window<m.value>(at + m.value, here, high); },
        [&](auto m) __attribute__((always_inline)) { return window<lanes - m.value>(at - m.value, low, here); }, sum);
}

/// A tile on its way along z.
template <typename T, int Dims, int R>
struct TiltWalk {
    using S = Scratch<T, Dims, R>;
    static constexpr std::int64_t lanes = kLanes<T>, beyond = (R + lanes - 1) / lanes * lanes;
    const StepArguments<T>& a;
    const Weights<T>& star;
    const FirstDerivatives<T, R>& d;
    const Tile& tile;
    S& scratch;

    void walk() const {
        for (std::int64_t s = tile.z_begin - R; s < tile.z_end + R; ++s) {
            if (s < tile.z_begin || s >= tile.z_end) {
                for (std::int64_t y = 0; y < tile.ny; ++y) fill_along_z(y, s);
            } else {
                for (std::int64_t y = -S::beyond_y; y < 0; ++y) fill_along_y(y, s);
                for (std::int64_t y = 0; y < tile.ny; ++y) fill_row(y, s);
                for (std::int64_t y = tile.ny; y < tile.ny + S::beyond_y; ++y) fill_along_y(y, s);
                add_in_plane(s);
            }
            if (s - R < tile.z_begin) continue;
            for (std::int64_t y = 0; y < tile.ny; ++y) advance_row(y, s - R);
        }
    }

private:
    static T* ring(T* planes, std::int64_t z, int count, std::int64_t y) {
        return planes + (z + count) % count * S::plane + y * S::tile_nx;  // z >= -R
    }
    T* along_x(int field, std::int64_t y) const { return scratch.along_x[field] + S::line + y * S::x_pitch; }
    T* along_y(int field, std::int64_t y) const { return scratch.along_y[field] + (y + S::beyond_y) * S::tile_nx; }
    T* along_z(int field, std::int64_t z, std::int64_t y) const {
        return ring(scratch.along_z[field], z, S::z_planes, y);
    }
    T* in_plane(int field, std::int64_t z, std::int64_t y) const {
        return ring(scratch.in_plane[field], z, S::sums, y);
    }

    /// n . D of a field. \param at the field at the vector.
    ONDA_HOST_DEVICE Vector<T> tilted(const T* at, const Vector<T> (&n)[3]) const {
        const Vector<T> d_x = add_along_row<R>(d.axis[0], at, Vector<T>{});
        const Vector<T> d_y = Dims == 3 ? add_across<R>(d.axis[1], at, a.pitch, Vector<T>{}) : Vector<T>{};
        const Vector<T> d_z = add_across<R>(d.axis[2], at, a.plane, Vector<T>{});
        return fused(n[2], d_z, fused(n[1], d_y, n[0] * d_x));
    }

    /// Calls keep(field, x, n, g) for the vectors [begin, end) of a row, and asks for what the next row takes that no
    /// row before it has brought into the cache.
    template <typename Keep>
    ONDA_HOST_DEVICE void for_g(std::int64_t y, std::int64_t z, std::int64_t begin, std::int64_t end,
                                const Keep& keep) const {
        const TiltMedium<T> medium(a, tile.y + y, z);
        const std::int64_t row = tile.x + (tile.y + y) * a.pitch + z * a.plane;
        const T* const fields[2] = {a.p + row, a.further_p[0] + row};
        const std::int64_t next = R * a.plane + (Dims == 3 ? a.pitch : a.plane),
                           next_n = Dims == 3 ? medium.n_pitch : medium.n_plane;
        for (std::int64_t x = begin; x < end; x += lanes) {
            const T* const of_n[3] = {medium.n[0] + tile.x + x, medium.n[1] + tile.x + x, medium.n[2] + tile.x + x};
            for (const T* at : of_n) __builtin_prefetch(at + next_n);
            for (const T* at : fields) __builtin_prefetch(at + x + next);
            const Vector<T> n[3] = {load(of_n[0]), load(of_n[1]), load(of_n[2])};
            keep(0, x, n, tilted(fields[0] + x, n));
            keep(1, x, n, tilted(fields[1] + x, n));
        }
    }

    /// n g of a row of the tile, along all axes.
    void fill_row(std::int64_t y, std::int64_t z) const {
        T *const z_of[2] = {along_z(0, z, y), along_z(1, z, y)}, *const x_of[2] = {along_x(0, y), along_x(1, y)},
                 *const y_of[2] = {along_y(0, y), along_y(1, y)};
        const auto keep_x = [&](int field, std::int64_t x, const Vector<T>(&n)[3], Vector<T> g)
            __attribute__((always_inline)) {
            store(x_of[field] + x, n[0] * g);
        };
        const std::int64_t whole = (tile.nx + lanes - 1) / lanes * lanes;
        for_g(y, z, -beyond, 0, keep_x);
        for_g(
            y, z, 0, tile.nx,
            [&](int field, std::int64_t x, const Vector<T>(&n)[3], Vector<T> g) __attribute__((always_inline)) {
                store(z_of[field] + x, n[2] * g);
                store(x_of[field] + x, n[0] * g);
                if constexpr (Dims == 3) store(y_of[field] + x, n[1] * g);
            });
        for_g(y, z, whole, whole + beyond, keep_x);
    }
    /// n g of a row beside the tile along y, of a plane beside it along z.
    void fill_along_y(std::int64_t y, std::int64_t z) const {
        T* const y_of[2] = {along_y(0, y), along_y(1, y)};
        for_g(
            y, z, 0, tile.nx,
            [&](int field, std::int64_t x, const Vector<T>(&n)[3], Vector<T> g)
                __attribute__((always_inline)) { store(y_of[field] + x, n[1] * g); });
    }
    void fill_along_z(std::int64_t y, std::int64_t z) const {
        T* const z_of[2] = {along_z(0, z, y), along_z(1, z, y)};
        for_g(
            y, z, 0, tile.nx,
            [&](int field, std::int64_t x, const Vector<T>(&n)[3], Vector<T> g)
                __attribute__((always_inline)) { store(z_of[field] + x, n[2] * g); });
    }

    /// What plane z has of D_x (n_x g) + D_y (n_y g).
    void add_in_plane(std::int64_t z) const {
        for (int field = 0; field < 2; ++field)
            for (std::int64_t y = 0; y < tile.ny; ++y) {
                const T *const x_of = along_x(field, y), *const y_of = along_y(field, y);
                T* const to = in_plane(field, z, y);
                for (std::int64_t x = 0; x < tile.nx; x += lanes) {
                    Vector<T> sum = add_along_row<R>(d.axis[0], x_of + x, Vector<T>{});
                    if constexpr (Dims == 3) sum = add_across<R>(d.axis[1], y_of + x, S::tile_nx, sum);
                    store(to + x, sum);
                }
            }
    }

    /// L of a field.
    ONDA_HOST_DEVICE Vector<T> laplacian(const T* at) const {
        Rows<T, 1> rows;
        rows.p[0] = at;
        rows.before[0] = load(at - lanes);
        rows.at[0] = load(at);
        rows.after[0] = load(at + lanes);
        rows.l[0] = star.centre * rows.at[0];
        add_x_pairs<T, R, 1>(rows, star.x);
        if constexpr (Dims == 3) add_y_pairs<T, R, 1>(rows, a.pitch, star.y);
        add_z_halves<T, R, 1>(rows, EvenPlanes<T, R>{a.plane}, star.z);
        return rows.l[0];
    }

    void advance_row(std::int64_t y, std::int64_t z) const {
        const std::int64_t row = tile.x + (tile.y + y) * a.pitch + z * a.plane;
        const T *const p = a.p + row, *const q = a.further_p[0] + row;
        T* const __restrict p_next = a.q + row, * const __restrict q_next = a.further_q[0] + row;
        const TiltMedium<T> medium(a, tile.y + y, z);
        const T* of_z[2][S::z_planes];
        for (int field = 0; field < 2; ++field)
            for (int i = 0; i < S::z_planes; ++i) of_z[field][i] = along_z(field, z + i - R, y);
        const T* const sums[2] = {in_plane(0, z, y), in_plane(1, z, y)};
        for_vectors<T>(
            0, tile.nx, [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
                const auto second = [&](int field) __attribute__((always_inline)) {
                    return add_pairs<R>(
                        d.axis[2],
                        [&](auto m) __attribute__((always_inline)) { return load(of_z[field][R + m.value] + x); },
                        [&](auto m) __attribute__((always_inline)) { return load(of_z[field][R - m.value] + x); },
                        load(sums[field] + x));
                };
                const Vector<T> of_p = second(0), v = second(1), l = laplacian(p + x) + (v - of_p);
                const std::int64_t node = tile.x + x;
                const Vector<T> k = load(medium.k + node), e = load(medium.e + node), c = load(medium.d + node);
                const Vector<T> before_p = fused(splat(T(2)), load(p + x), -load(p_next + x)),
                                before_q = fused(splat(T(2)), load(q + x), -load(q_next + x));
                keep<whole_vector.value>(p_next + x, fused(k, fused(c - e, v, e * l), before_p), tile.nx - x);
                keep<whole_vector.value>(q_next + x, fused(k, fused(splat(T(1)) - c, v, c * l), before_q), tile.nx - x);
            });
    }
};

template <typename T, int Dims, int R>
struct Vectorised {
    static void step(const StepArguments<T>& a) {
        using S = Scratch<T, Dims, R>;
#pragma omp parallel num_threads(a.threads)
        {
            const FlushDenormals<T> flush;
            const Weights<T> star(a.stencil);
            const FirstDerivatives<T, R> first(a);
            S scratch;
            for_tiles(a, S::tile_nx, S::tile_ny, fewest_planes(a, S::tile_nx, S::tile_ny), [&](const Tile& tile) {
                TiltWalk<T, Dims, R>{a, star, first, tile, scratch}.walk();
            });
        }
    }
};

}  // namespace

template <>
void tti_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_order<Vectorised>(a);
}
template <>
void tti_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_order<Vectorised>(a);
}

}  // namespace onda::cpu
