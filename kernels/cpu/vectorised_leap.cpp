// Leaps, and steps of order 4 in time, in tiles that march along z (kernels/cpu/leap_tiles.hpp), by SIMD along x and
// several planes at once (kernels/cpu/rows.hpp). The next planes of u = k L(p) and the next of p[n+2] come in turn, so
// that u is read while it is in the caches.
#include "kernels/cpu/leap_tiles.hpp"
#include "kernels/cpu/rows.hpp"
#include "kernels/cpu/tiles.hpp"
#include "kernels/equations/star/leap.hpp"

namespace onda::cpu {
namespace {

/// Planes of a ring, from r before those of a vector to r after them.
template <typename T, int R, int Z>
struct RingPlanes {
    const T* row[2 * R + Z];  ///< of each plane, at the same place

    ONDA_HOST_DEVICE auto backward(const T* at) const { return forward(at); }
    ONDA_HOST_DEVICE auto forward(const T* at) const {
        return [ this, x = at - row[R] ](auto i) __attribute__((always_inline)) {
            return row[R + i.value] + x;
        };
    }
};

/// A tile on its way along z.
template <typename K, typename T, int Dims, int R>
class LeapingTile {
public:
    __attribute__((always_inline))
    LeapingTile(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, T* scratch)
        : a_(a), w_(w), tile_(tile), ring_(scratch) {}

    __attribute__((always_inline)) void march() {
        // What lies beyond the grid is zero, and stays.
        for (std::int64_t i = 0; i < shape_.elements(); ++i) ring_[i] = T(0);
        std::int64_t next = tile_.z_begin - R;
        for (std::int64_t z = tile_.z_begin; z < tile_.z_end; z += kPlanes) {
            const std::int64_t planes = tile_.z_end - z < kPlanes ? tile_.z_end - z : kPlanes;
            for (; next + kPlanes <= z + planes + R && next >= 0 && next + kPlanes <= a_.nz; next += kPlanes)
                make_u<kPlanes>(next);
            for (; next < z + planes + R; ++next) make_u_plane(next);
            if (planes == kPlanes)
                make_p<kPlanes>(z);
            else
                for (std::int64_t i = 0; i < planes; ++i) make_p<1>(z + i);
        }
    }

private:
    /// How far ahead to prefetch where planes are so far apart: along the row in 3-D. In 2-D, where a plane is one row,
    /// to the next group of Z planes, which the caches hold.
    template <int Z>
    static constexpr std::int64_t elements_ahead(std::int64_t plane) {
        return Dims == 3 ? kBytesAhead / static_cast<std::int64_t>(sizeof(T)) : Z * plane;
    }

    /// u of plane z in the ring, at the place of node (0, 0) of the grid.
    __attribute__((always_inline)) T* u(std::int64_t z) const {
        const std::int64_t slot = (z - tile_.z_begin + R) % shape_.planes;
        return ring_ + slot * shape_.plane + (shape_.rim_y - tile_.y) * shape_.pitch + shape_.rim_x - tile_.x;
    }
    __attribute__((always_inline)) void make_u_plane(std::int64_t z) {
        if (z >= 0 && z < a_.nz) return make_u<1>(z);
        T* const plane = ring_ + (z - tile_.z_begin + R) % shape_.planes * shape_.plane;
        for (std::int64_t i = 0; i < shape_.plane; ++i) plane[i] = T(0);
    }

    template <int Z>
    __attribute__((always_inline)) void make_u(std::int64_t z) {
        constexpr std::int64_t rim = (R + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
        const std::int64_t x_begin = tile_.x > rim ? tile_.x - rim : 0, x_wanted = tile_.x + tile_.nx + R;
        const std::int64_t y_begin = tile_.y > shape_.rim_y ? tile_.y - shape_.rim_y : 0;
        const std::int64_t y_wanted = tile_.y + tile_.ny + shape_.rim_y;
        const std::int64_t x_end = x_wanted < a_.nx ? x_wanted : a_.nx, y_end = y_wanted < a_.ny ? y_wanted : a_.ny;
        T* u_planes[Z];
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) { u_planes[j.value] = u(z + j.value); });
        for (std::int64_t y = y_begin; y < y_end; ++y) make_u_rows<Z>(u_planes, x_begin, x_end, y, z);
    }

    /// u = k L(p) of rows y of planes z … z + Z - 1, x in [x_begin, x_end); x_begin is a multiple of the vector length.
    template <int Z>
    __attribute__((noinline)) void make_u_rows(T* const (&u_planes)[Z], std::int64_t x_begin, std::int64_t x_end,
                                               std::int64_t y, std::int64_t z) {
        constexpr int lanes = kLanes<T>;
        const std::int64_t pitch = a_.pitch, plane = a_.plane, k_plane = a_.k_plane;
        const std::int64_t ahead = elements_ahead<Z>(plane), k_ahead = elements_ahead<Z>(k_plane);
        const T* const p = a_.p + y * pitch + z * plane;
        const K k = k_of<K>(a_) + (y * a_.k_pitch + z * k_plane);
        const Weights<T> w = w_;
        T* u_row[Z];
        Rows<T, Z> rows;
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            u_row[j.value] = u_planes[j.value] + y * shape_.pitch;
            rows.before[j.value] = load(p + j.value * plane + x_begin - lanes);
            rows.at[j.value] = load(p + j.value * plane + x_begin);
        });
        for_vectors<T>(
            x_begin, x_end, [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
                unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
                    // What no row before this one has touched.
                    const std::int64_t next = j.value * plane + x + ahead;
                    __builtin_prefetch(p + next + R * plane);
                    if constexpr (Dims == 3) {
                        __builtin_prefetch(p + next - R * plane);
                        __builtin_prefetch(p + next + R * pitch);
                    }
                    __builtin_prefetch(address_of(k, j.value * k_plane + x + k_ahead));
                    rows.p[j.value] = opaque(p + j.value * plane + x);
                    rows.after[j.value] = load(rows.p[j.value] + lanes);
                    rows.l[j.value] = w.centre * rows.at[j.value];
                });
                add_x_pairs<T, R, Z>(rows, w.x);
                if constexpr (Dims == 3) add_y_pairs<T, R, Z>(rows, pitch, w.y);
                add_z_halves<T, R, Z>(rows, EvenPlanes<T, R>{plane}, w.z);
                unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
                    const Vector<T> value = load(k + (j.value * k_plane + x)) * rows.l[j.value];
                    if constexpr (whole_vector.value)
                        store(u_row[j.value] + x, value);
                    else
                        store_first(u_row[j.value] + x, value, x_end - x);
                    rows.before[j.value] = rows.at[j.value];
                    rows.at[j.value] = rows.after[j.value];
                });
            });
    }

    template <int Z>
    __attribute__((always_inline)) void make_p(std::int64_t z) {
        RingPlanes<T, R, Z> planes;
        unroll<0, 2 * R + Z>([&](auto i) __attribute__((always_inline)) { planes.row[i.value] = u(z + i.value - R); });
        for (std::int64_t y = tile_.y; y < tile_.y + tile_.ny; ++y) make_p_rows<Z>(planes, y, z);
    }

    /// p[n+2] of rows y of planes z … z + Z - 1 of the tile.
    template <int Z>
    __attribute__((noinline)) void make_p_rows(const RingPlanes<T, R, Z>& planes, std::int64_t y, std::int64_t z) {
        constexpr int lanes = kLanes<T>;
        const std::int64_t plane = a_.plane, k_plane = a_.k_plane;
        const std::int64_t ahead = elements_ahead<Z>(plane), k_ahead = elements_ahead<Z>(k_plane);
        const T* const p = a_.p + y * a_.pitch + z * plane;
        T* const __restrict q = a_.q + y * a_.pitch + z * plane;
        const K k = k_of<K>(a_) + (y * a_.k_pitch + z * k_plane);
        const Weights<T> w = w_;
        const Vector<T> once = splat(a_.weights.once), twice = splat(a_.weights.twice);
        const T* u_row[Z];
        Rows<T, Z> rows;
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            u_row[j.value] = planes.row[R + j.value] + y * shape_.pitch;
            rows.before[j.value] = load(u_row[j.value] + tile_.x - lanes);
            rows.at[j.value] = load(u_row[j.value] + tile_.x);
        });
        const std::int64_t x_end = tile_.x + tile_.nx;
        for_vectors<T>(
            tile_.x, x_end, [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
                unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
                    const std::int64_t next = j.value * plane + x + ahead;
                    if constexpr (Dims == 3) __builtin_prefetch(p + next);
                    __builtin_prefetch(q + next);
                    __builtin_prefetch(address_of(k, j.value * k_plane + x + k_ahead));
                    rows.p[j.value] = u_row[j.value] + x;
                    rows.after[j.value] = load(rows.p[j.value] + lanes);
                    rows.l[j.value] = w.centre * rows.at[j.value];
                });
                add_x_pairs<T, R, Z>(rows, w.x);
                if constexpr (Dims == 3) add_y_pairs<T, R, Z>(rows, shape_.pitch, w.y);
                add_z_halves<T, R, Z>(rows, planes, w.z);
                unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
                    T* const target = q + j.value * plane + x;
                    const Vector<T> so_far = fused(splat(T(2)), load(p + j.value * plane + x), -load(target));
                    const Vector<T> next = fused(twice * load(k + (j.value * k_plane + x)), rows.l[j.value],
                                                 fused(once, rows.at[j.value], so_far));
                    if constexpr (whole_vector.value)
                        store(target, next);
                    else
                        store_first(target, next, x_end - x);
                    rows.before[j.value] = rows.at[j.value];
                    rows.at[j.value] = rows.after[j.value];
                });
            });
    }

    const StepArguments<T>& a_;
    const Weights<T>& w_;
    const Tile& tile_;
    T* ring_;
    const LeapTile<T> shape_ = LeapTile<T>::of(R, Dims, a_.nx, a_.ny);
};

template <typename K, typename T, int Dims, int R>
void step(const StepArguments<T>& a) {
    if (a.box.is_empty()) return;
    // From a whole vector on: what is computed of the shell with it is computed again, singly.
    StepArguments<T> of_box = a;
    const std::int64_t x_low = a.box.low[0] / kLanes<T> * kLanes<T>;
    of_box.nx = a.box.high[0] - x_low;
    of_box.ny = a.box.high[1] - a.box.low[1];
    of_box.nz = a.box.high[2] - a.box.low[2];
    const LeapTile<T> shape = LeapTile<T>::of(R, Dims, a.nx, a.ny);
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const Weights<T> weights(a.stencil);
        T* const scratch = a.scratch + omp_get_thread_num() * shape.elements();
        const std::int64_t tiles_y = (of_box.ny + shape.ny - 1) / shape.ny;
        for_tiles(of_box, shape.nx, (of_box.ny + tiles_y - 1) / tiles_y, 8 * R, [&](Tile tile) {
            tile.x += x_low;
            tile.y += a.box.low[1];
            tile.z_begin += a.box.low[2];
            tile.z_end += a.box.low[2];
            LeapingTile<K, T, Dims, R>(a, weights, tile, scratch).march();
        });
    }
}

template <typename K, typename T, int Dims, int R>
struct VectorisedLeap {
    static void step(const StepArguments<T>& a) { cpu::step<K, T, Dims, R>(a); }
};

}  // namespace

template <>
void vectorised_leap_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_on_numbers<VectorisedLeap>(a);
}
template <>
void vectorised_leap_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_on_numbers<VectorisedLeap>(a);
}
template <>
void vectorised_coded_leap_step<ONDA_ISA>(const StepArguments<float>& a) {
    step_on_codes<VectorisedLeap>(a);
}

}  // namespace onda::cpu
