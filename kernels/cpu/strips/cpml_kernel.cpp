// Strips of perfectly matched layers: whole rows at a time, SIMD along x.
//
// A point of a strip reads p, k and both memory variables, and rewrites these and p[n+1]: 32 bytes in float, twice
// those of a point of the step. Memory decides, so rows that are needed again must stay near.
#include "kernels/cpu/strips/cpml_kernel.hpp"

namespace onda::cpu {
namespace {

/// One strip as some of its columns see it: arrays at the first, p, q, k and half_rho at node t = 0.
/// \tparam K see k_of().
template <typename T, typename K>
struct Columns {
    const T* p;
    T* q;
    K k;
    const T* half_rho;
    T *psi, *zeta;                                    ///< of t = 0 and t = 1
    std::int64_t step, k_step, rho_step, strip_step;  ///< from t to t + 1
    std::int64_t count;                               ///< of columns
    const T *profile, *h, *smoothing;
    PlaneStrides across;  ///< of p
    int width, first_node;
};

/// g of value t, and psi if the strip has it there.
template <typename T, typename F, typename K>
void update_psi(const Columns<T, K>& c, int t, T* __restrict g) {
    const T* const p = c.p + (t + F::first) * c.step;
    [[maybe_unused]] const T* const s = F::has_density ? c.half_rho + t * c.rho_step : nullptr;
    const auto derivative = [&](std::int64_t x) __attribute__((always_inline)) {
        const T d = weighted_sum<T, F::count>(
            c.h, [&](auto j) __attribute__((always_inline)) {
                return smoothed<T, F>(p + j.value * c.step + x, c.across, c.smoothing);
            });
        if constexpr (F::has_density)
            return buoyancy(s[x], s[c.rho_step + x]) * d;
        else
            return d;
    };
    if (t < 0 || t >= c.width) {
#pragma omp simd
        for (std::int64_t x = 0; x < c.count; ++x) g[x] = derivative(x);
        return;
    }
    T* const __restrict psi = c.psi + t * c.strip_step;
    const T a = c.profile[t], b = c.profile[c.width + t];
#pragma omp simd
    for (std::int64_t x = 0; x < c.count; ++x) {
        const T value = derivative(x);
        g[x] = value;
        psi[x] = remember(a, b, psi[x], value);
    }
}

/// zeta and p[n+1] of node t. \param g, psi rows of the values it takes, the nearest to the face first; psi zero where
/// the strip has none.
template <typename T, typename F, typename K>
void update_node(const Columns<T, K>& c, int t, const T* const* g, const T* const* psi) {
    T* const __restrict q = c.q + t * c.step;
    const K k = c.k + t * c.k_step;
    const auto sum = [](const T* h, const T* const* of, std::int64_t x) __attribute__((always_inline)) {
        return weighted_sum<T, F::count>(
            h, [&](auto j) __attribute__((always_inline)) { return of[j.value][x]; });
    };
    if (t <= 0) {
#pragma omp simd
        for (std::int64_t x = 0; x < c.count; ++x) q[x] = with_strip(k[x], sum(c.h, psi, x), q[x]);
        return;
    }
    T* const __restrict zeta = c.zeta + (t - 1) * c.strip_step;
    const T a = c.profile[2 * c.width + t - 1], b = c.profile[3 * c.width + t - 1];
#pragma omp simd
    for (std::int64_t x = 0; x < c.count; ++x) {
        const T of_psi = sum(c.h, psi, x);
        const T z = remember(a, b, zeta[x], sum(c.h, g, x) + of_psi);
        zeta[x] = z;
        q[x] = with_strip(k[x], of_psi + z, q[x]);
    }
}

/// A strip across y or z, towards its face. \param scratch count + 1 blocks: g of the values in reach, and zeros.
template <typename T, typename F, typename K>
void march(const Columns<T, K>& c, T* scratch) {
    const T *g[F::count], *psi[F::count];
    T* const zeros = scratch + F::count * kCpmlBlock;
    for (std::int64_t x = 0; x < c.count; ++x) zeros[x] = T(0);
    const auto block_of = [scratch](int t) { return scratch + (t + 2 * F::count) % F::count * kCpmlBlock; };
    for (int t = c.first_node; t <= c.width; ++t) {
        const int newest = t - F::first;
        for (int v = t == c.first_node ? newest - F::count + 1 : newest; v <= newest; ++v)
            update_psi<T, F>(c, v, block_of(v));
        for (int j = 0; j < F::count; ++j) {
            const int from = newest - j;
            g[j] = block_of(from);
            psi[j] = from < 0 || from >= c.width ? zeros : c.psi + from * c.strip_step;
        }
        update_node<T, F>(c, t, g, psi);
    }
}

// Strips across x go row by row, kCpmlRows of them at a time: what one pass over them writes has left the store buffer
// when the next reads it at other offsets. Their profiles, memory variables and scratch are padded to whole vectors.

/// What a row end takes of scratch, and where value t of g and psi lies there.
struct RowScratch {
    int first_value, values;  ///< those that its nodes take
    int padded;               ///< of g and of psi
    int stride;               ///< of the profile, and of the memory variables

    template <typename T, typename K>
    RowScratch(const Columns<T, K>& c, int first, int count)
        : first_value(c.first_node - first - count + 1),
          values(c.width - first + 1 - first_value),
          padded(cpml_padded(values) + kCpmlPadding),
          stride(cpml_padded(c.width)) {}
};

/// g, and psi: zero where the strip has none. Arrays as in Columns, of one column; Step is +1 towards a high face, -1
/// towards a low one.
template <typename T, typename F, int Step, typename K>
void update_row_psi(const Columns<T, K>& c, const RowScratch& r, T* __restrict g, T* __restrict psi) {
    const T *const p = c.p + Step * (r.first_value + F::first), *const h = c.h;
    [[maybe_unused]] const T* const s = F::has_density ? c.half_rho + Step * r.first_value : nullptr;
    const auto derivative = [&](int i) __attribute__((always_inline)) {
        const T d = weighted_sum<T, F::count>(
            h, [&](auto j) __attribute__((always_inline)) {
                return smoothed<T, F>(p + Step * (i + j.value), c.across, c.smoothing);
            });
        if constexpr (F::has_density)
            return buoyancy(s[Step * i], s[Step * (i + 1)]) * d;
        else
            return d;
    };
    // Whole vectors but for the last values: beyond them p is not of this row.
    const int whole = r.values / kCpmlPadding * kCpmlPadding;
#pragma omp simd
    for (int i = 0; i < whole; ++i) g[i] = derivative(i);
    for (int i = whole; i < r.values; ++i) g[i] = derivative(i);
    for (int i = r.values; i < r.padded; ++i) g[i] = T(0);
    for (int i = 0; i < -r.first_value; ++i) psi[i] = T(0);
    const T *const a = c.profile, *const b = c.profile + r.stride, *const new_g = g - r.first_value;
    T* const __restrict memory = c.psi;
    T* const __restrict inside = psi - r.first_value;
#pragma omp simd
    for (int t = 0; t < r.stride; ++t) {
        const T value = remember(a[t], b[t], memory[t], new_g[t]);
        memory[t] = value;
        inside[t] = value;
    }
    for (int i = c.width - r.first_value; i < r.padded; ++i) psi[i] = T(0);
}

template <typename T, typename F, int Step, typename K>
void update_row_nodes(const Columns<T, K>& c, const RowScratch& r, const T* g, const T* psi, T* __restrict share) {
    T* const __restrict q = c.q;
    const K& k = c.k;
    const T* const newest_g = g - r.first_value - F::first;
    const T* const newest_psi = psi - r.first_value - F::first;
    const auto sum = [&c](const T* of) __attribute__((always_inline)) {
        return weighted_sum<T, F::count>(
            c.h, [&](auto j) __attribute__((always_inline)) { return of[-j.value]; });
    };
    for (int t = c.first_node; t <= 0; ++t) q[Step * t] = with_strip(k[Step * t], sum(newest_psi + t), q[Step * t]);
    T* const __restrict zeta = c.zeta;
    const T* const a = c.profile + 2 * r.stride;
    const T* const b = c.profile + 3 * r.stride;
#pragma omp simd
    for (int i = 0; i < r.stride; ++i) {
        const T of_psi = sum(newest_psi + i + 1);
        const T z = remember(a[i], b[i], zeta[i], sum(newest_g + i + 1) + of_psi);
        zeta[i] = z;
        share[i] = of_psi + z;
    }
#pragma omp simd
    for (int t = 1; t <= c.width; ++t) q[Step * t] = with_strip(k[Step * t], share[t - 1], q[Step * t]);
}

/// Asks for what the same row of the next batch will read: ends of rows lie too far apart for the hardware to see them
/// coming. \param ahead elements of p, q and k to that row.
template <typename T, int Step, typename K>
void prefetch_row(const Columns<T, K>& c, const std::int64_t (&ahead)[2]) {
    constexpr int line = 64 / sizeof(T);
    for (int t = c.first_node; t < c.width + line; t += line) {
        const int node = t < c.width ? t : c.width;
        __builtin_prefetch(c.p + ahead[0] + Step * node);
        __builtin_prefetch(c.q + ahead[0] + Step * node, 1);
        __builtin_prefetch(address_of(c.k, ahead[1] + Step * node));
    }
}

/// \param columns of `count` rows; \param ahead see prefetch_row.
template <typename T, typename F, int Step, typename K>
void update_rows(const Columns<T, K>* columns, int count, const std::int64_t (&ahead)[2], T* scratch) {
    const RowScratch r(columns[0], F::first, F::count);
    T* const share = scratch + 2 * count * r.padded;
    for (int i = 0; i < count; ++i) prefetch_row<T, Step>(columns[i], ahead);
    for (int i = 0; i < count; ++i)
        update_row_psi<T, F, Step>(columns[i], r, scratch + 2 * i * r.padded, scratch + (2 * i + 1) * r.padded);
    for (int i = 0; i < count; ++i)
        update_row_nodes<T, F, Step>(columns[i], r, scratch + 2 * i * r.padded, scratch + (2 * i + 1) * r.padded,
                                     share);
}

struct Node {
    std::int64_t x, y, z;
};

/// \param first node of the first column, 0 across the face.
template <typename K, typename T, typename F>
Columns<T, K> columns_of(const CpmlArguments<T>& a, int face, Node first, std::int64_t count) {
    const CpmlStrip<T>& s = a.strips[face];
    const int axis = face / 2;
    const bool high = face % 2 == 1;
    const std::int64_t n = axis == 0 ? a.nx : axis == 1 ? a.ny : a.nz;
    const std::int64_t before = node_before_strip(n, s.width, high), towards_face = high ? 1 : -1;
    const auto along = [axis](std::int64_t pitch, std::int64_t plane) {
        return axis == 0 ? 1 : axis == 1 ? pitch : plane;
    };
    const auto entry = [&](std::int64_t pitch, std::int64_t plane) {
        return first.x + first.y * pitch + first.z * plane;
    };
    const auto node = [&](std::int64_t pitch, std::int64_t plane) {
        return entry(pitch, plane) + before * along(pitch, plane);
    };
    Columns<T, K> c;
    c.p = a.p + node(a.pitch, a.plane);
    c.q = a.q + node(a.pitch, a.plane);
    c.k = k_of<K>(a) + node(a.k_pitch, a.k_plane);
    c.half_rho = F::has_density ? a.half_rho + node(a.rho_pitch, a.rho_plane) : nullptr;
    c.psi = s.psi + entry(s.pitch, s.plane);
    c.zeta = s.zeta + entry(s.pitch, s.plane);
    c.step = towards_face * along(a.pitch, a.plane);
    c.k_step = towards_face * along(a.k_pitch, a.k_plane);
    c.rho_step = towards_face * along(a.rho_pitch, a.rho_plane);
    c.strip_step = along(s.pitch, s.plane);
    c.count = count;
    c.profile = s.profile;
    c.h = a.factor[axis];
    c.smoothing = a.smoothing;
    c.across = plane_across(axis, a.dimensions, a.pitch, a.plane);
    c.width = s.width;
    c.first_node = first_strip_node(F::first, n, s.width);
    return c;
}

template <typename K, typename T, typename F>
void across_x(const CpmlArguments<T>& a, RowRange rows, T* scratch) {
    Columns<T, K> columns[kCpmlRows];
    const std::int64_t ahead[2] = {kCpmlRows * a.pitch, kCpmlRows * a.k_pitch};
    for (std::int64_t first = rows.begin; first < rows.end; first += kCpmlRows) {
        const int count = rows.end - first < kCpmlRows ? static_cast<int>(rows.end - first) : kCpmlRows;
        for (const int side : {0, 1}) {
            if (a.strips[side].width == 0) continue;
            for (int r = 0; r < count; ++r)
                columns[r] = columns_of<K, T, F>(a, side, {0, (first + r) % a.ny, (first + r) / a.ny}, 1);
            if (side == 0)
                update_rows<T, F, -1>(columns, count, ahead, scratch);
            else
                update_rows<T, F, 1>(columns, count, ahead, scratch);
        }
    }
}

/// Blocks of rows, numbered along x first. \param axis 1 or 2.
template <typename K, typename T, typename F>
void across(int axis, const CpmlArguments<T>& a, RowRange blocks, T* scratch) {
    const std::int64_t blocks_a_row = (a.nx + kCpmlBlock - 1) / kCpmlBlock;
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        const std::int64_t x = block % blocks_a_row * kCpmlBlock, other = block / blocks_a_row;
        const Node first = axis == 1 ? Node{x, 0, other} : Node{x, other, 0};
        const std::int64_t count = a.nx - x < kCpmlBlock ? a.nx - x : kCpmlBlock;
        for (const int side : {0, 1}) {
            const int face = 2 * axis + side;
            if (a.strips[face].width > 0) march<T, F>(columns_of<K, T, F>(a, face, first, count), scratch);
        }
    }
}

template <typename K, typename T, typename F>
void step_with(const CpmlArguments<T>& a) {
    const auto has_strips = [&a](int axis) { return a.strips[2 * axis].width + a.strips[2 * axis + 1].width > 0; };
    const std::int64_t blocks_a_row = (a.nx + kCpmlBlock - 1) / kCpmlBlock;
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        T* const scratch = a.scratch + thread * a.scratch_size;
        if (has_strips(0)) {
            across_x<K, T, F>(a, rows_of_thread(a.ny * a.nz, thread, threads), scratch);
#pragma omp barrier
        }
        if (has_strips(1)) {
            across<K, T, F>(1, a, rows_of_thread(a.nz * blocks_a_row, thread, threads), scratch);
#pragma omp barrier
        }
        if (has_strips(2)) across<K, T, F>(2, a, rows_of_thread(a.ny * blocks_a_row, thread, threads), scratch);
    }
}

template <typename T, typename F>
void step(const CpmlArguments<T>& a) {
    if constexpr (sizeof(T) == sizeof(float) && !F::has_density && F::smoothed_dimensions == 0)
        if (a.coded_k.storage != Storage::full) return step_with<CodedK, T, F>(a);
    step_with<const T*, T, F>(a);
}

template <typename T, template <int> typename F>
void step_of_radius(const CpmlArguments<T>& a) {
    constexpr CpmlFunction<T> steps[kMaxRadius] = {step<T, F<1>>, step<T, F<2>>, step<T, F<3>>, step<T, F<4>>,
                                                   step<T, F<5>>, step<T, F<6>>, step<T, F<7>>, step<T, F<8>>};
    steps[a.radius - 1](a);
}

template <typename T>
void step_of_kind(const CpmlArguments<T>& a) {
    switch (a.kind) {
        case FactorKind::star: return step_of_radius<T, StarFactor>(a);
        case FactorKind::density: return step_of_radius<T, DensityFactor>(a);
        case FactorKind::compact_2d: return step<T, CompactFactor<2>>(a);
        case FactorKind::compact_3d: return step<T, CompactFactor<3>>(a);
    }
}

}  // namespace

template <>
void cpml_step<ONDA_ISA, float>(const CpmlArguments<float>& a) {
    step_of_kind(a);
}
template <>
void cpml_step<ONDA_ISA, double>(const CpmlArguments<double>& a) {
    step_of_kind(a);
}

}  // namespace onda::cpu
