/// \file
/// Strips of perfectly matched layers (kernels/boundaries/cpml_math.hpp) on a GPU: one kernel for strips across y or z,
/// one for those across x. Both read a point's p, k, psi and zeta and rewrite p[n+1], psi and zeta once: 32 bytes in
/// float.
///
/// Value t of g and psi and node t + first, the last one it reaches, are computed together.
#pragma once

#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/cuda/cpml/cpml_launches.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// The first value that the first node takes.
template <typename T, typename F>
__device__ __forceinline__ int first_value(const CpmlSide<T>& s) {
    return s.first_node - F::first - F::count + 1;
}

/// Adds the share of a strip to p[n+1] of a node of the other fields, where fields share strips. \returns what
/// multiplies the share in its own field. \param q, k of the node.
template <typename T, typename F, typename K>
__device__ __forceinline__ T add_to_other_fields(const CpmlArguments<T>& a, const T* q, const K& at_k, T k, T share) {
    if constexpr (F::couples) {
        const std::int64_t of_medium = at_k - a.k;
        T* const also = a.shared.also + (q - a.q);
        *also = with_strip(a.shared.of_also == nullptr ? k : k * a.shared.of_also[of_medium], share, *also);
        if (a.shared.third != nullptr) {
            T* const third = a.shared.third + (q - a.q);
            *third = with_strip(k, share, *third);
        }
        return a.shared.of_own == nullptr ? k : k * a.shared.of_own[of_medium];
    } else {
        return k;
    }
}

// ---- Across y or z: a thread walks a few columns side by side from the strip's inner edge to its face. ----

/// Neighbours along x, read and written at once.
template <typename T, int N>
struct alignas(N * sizeof(T)) Columns {
    T v[N];
};
template <typename T, typename F>
inline constexpr int kCpmlColumns = cpml_columns(F::count, sizeof(T));

/// What a walk holds: p at the nodes that value t takes, and g and psi at the values that node t + first takes, newest
/// last.
template <typename T, typename F>
struct CpmlWindow {
    static constexpr int N = kCpmlColumns<T, F>, newest = F::count - 1;
    using C = Columns<T, N>;
    C p[F::count] = {}, g[F::count] = {}, psi[F::count] = {};

    __device__ __forceinline__ void advance(const C& next_p) {
        ONDA_UNROLL
        for (int j = 0; j < newest; ++j) {
            p[j] = p[j + 1];
            g[j] = g[j + 1];
            psi[j] = psi[j + 1];
        }
        p[newest] = next_p;
        psi[newest] = C{};
    }
    __device__ __forceinline__ void differentiate(const T* h, [[maybe_unused]] const C& s,
                                                  [[maybe_unused]] const C& s_next) {
        ONDA_UNROLL
        for (int v = 0; v < N; ++v) {
            const T d = weighted_sum<T, F::count>(h, [&](auto j) { return p[decltype(j)::value].v[v]; });
            if constexpr (F::has_density)
                g[newest].v[v] = buoyancy(s.v[v], s_next.v[v]) * d;
            else
                g[newest].v[v] = d;
        }
    }
    __device__ __forceinline__ void remember_psi(T a, T b, const C& before) {
        ONDA_UNROLL
        for (int v = 0; v < N; ++v) psi[newest].v[v] = remember(a, b, before.v[v], g[newest].v[v]);
    }
    /// D* of g or psi.
    __device__ __forceinline__ C gather(const T* h, const C (&of)[F::count]) const {
        C sum;
        ONDA_UNROLL
        for (int v = 0; v < N; ++v)
            sum.v[v] = weighted_sum<T, F::count>(h, [&](auto j) { return of[newest - decltype(j)::value].v[v]; });
        return sum;
    }
};

/// What a walk reads at each t, one t ahead of its use.
/// \tparam K what reads k.
template <typename T, typename F, typename K>
struct CpmlStream {
    using C = typename CpmlWindow<T, F>::C;

    const CpmlArguments<T>& a;
    const CpmlSide<T>& s;
    const T *at_p, *at_rho;
    K at_k;
    T *at_q, *at_psi, *at_zeta;  ///< of t = 0; of zeta t = 1
    C p = {}, psi = {}, zeta = {}, q = {}, k = {}, rho = {};

    __device__ __forceinline__ CpmlStream(const CpmlArguments<T>& arguments, const K& k_of_grid,
                                          const CpmlSide<T>& side, int x, int other)
        : a(arguments),
          s(side),
          at_p(a.p + x + other * a.row + s.edge),
          at_rho(F::has_density ? a.half_rho + x + other * a.rho_row + s.rho_edge : nullptr),
          at_k(k_of_grid + (x + other * a.k_row + s.k_edge)),
          at_q(a.q + x + other * a.row + s.edge),
          at_psi(s.psi + x + other * s.memory_row),
          at_zeta(s.zeta + x + other * s.memory_row) {}

    [[nodiscard]] static __device__ __forceinline__ C read(const T* from) { return *reinterpret_cast<const C*>(from); }
    [[nodiscard]] static __device__ __forceinline__ C read(const CodedK& from) {
        C values;
        ONDA_UNROLL
        for (int v = 0; v < CpmlWindow<T, F>::N; ++v) values.v[v] = from[v];
        return values;
    }
    /// What D differentiates, at node t. Beyond the face p is zero.
    [[nodiscard]] __device__ __forceinline__ C read_p(int t) const {
        C value{};
        if (t > s.width) return value;
        const T* const from = at_p + t * s.step;
        if constexpr (F::smoothed_dimensions == 0) {
            value = read(from);
        } else {
            ONDA_UNROLL
            for (int v = 0; v < CpmlWindow<T, F>::N; ++v) value.v[v] = smoothed<T, F>(from + v, a.across, a.smoothing);
        }
        return value;
    }
    [[nodiscard]] __device__ __forceinline__ C read_rho(int t) const { return read(at_rho + t * s.rho_step); }
    __device__ __forceinline__ void load(int t) {
        const int node = t + F::first;
        p = read_p(node + F::count - 1);
        if constexpr (F::has_density) rho = read_rho(t + 1);
        if (t >= 0 && t < s.width) psi = read(at_psi + t * s.memory_step);
        if (node < s.first_node) return;
        q = read(at_q + node * s.step);
        k = read(at_k + node * s.k_step);
        if (node > 0) zeta = read(at_zeta + (node - 1) * s.memory_step);
    }
    __device__ __forceinline__ void write_q(int node, const C& value, int inside) const {
        T* const to = at_q + node * s.step;
        if (inside >= CpmlWindow<T, F>::N) {
            *reinterpret_cast<C*>(to) = value;
            return;
        }
        ONDA_UNROLL
        for (int v = 0; v < CpmlWindow<T, F>::N; ++v)
            if (v < inside) to[v] = value.v[v];
    }
};

/// Node t + first: zeta, and p[n+1] with the strip's share.
template <typename T, typename F, typename K>
__device__ __forceinline__ void update_node(const CpmlStream<T, F, K>& now, const CpmlWindow<T, F>& window, int node,
                                            int inside) {
    using C = typename CpmlWindow<T, F>::C;
    constexpr int N = CpmlWindow<T, F>::N;
    const CpmlSide<T>& s = now.s;
    C share = window.gather(now.a.h, window.psi);
    if (node > 0) {
        const C of_g = window.gather(now.a.h, window.g);
        const T za = s.profile[2 * s.width + node - 1], zb = s.profile[3 * s.width + node - 1];
        C zeta;
        ONDA_UNROLL
        for (int v = 0; v < N; ++v) {
            zeta.v[v] = remember(za, zb, now.zeta.v[v], of_g.v[v] + share.v[v]);
            share.v[v] = share.v[v] + zeta.v[v];
        }
        *reinterpret_cast<C*>(now.at_zeta + (node - 1) * s.memory_step) = zeta;
    }
    C q;
    ONDA_UNROLL
    for (int v = 0; v < N; ++v) {
        T k = now.k.v[v];
        if (F::couples && v < inside)
            k = add_to_other_fields<T, F>(now.a, now.at_q + node * s.step + v, now.at_k + (node * s.k_step + v), k,
                                          share.v[v]);
        q.v[v] = with_strip(k, share.v[v], now.q.v[v]);
    }
    now.write_q(node, q, inside);
}

template <typename T, typename F, typename K>
__device__ __forceinline__ void walk_columns(const CpmlArguments<T>& a, const K& k, const CpmlSide<T>& s, int x,
                                             int other) {
    const int begin = first_value<T, F>(s);
    CpmlStream<T, F, K> next(a, k, s, x, other);
    CpmlWindow<T, F> window;
    ONDA_UNROLL
    for (int j = 1; j < F::count; ++j) window.p[j] = next.read_p(begin - 1 + F::first + j);
    typename CpmlWindow<T, F>::C rho = {};
    if constexpr (F::has_density) rho = next.read_rho(begin);
    next.load(begin);
    for (int t = begin; t <= s.width - F::first; ++t) {
        const CpmlStream<T, F, K> now = next;
        if (t < s.width - F::first) next.load(t + 1);
        window.advance(now.p);
        window.differentiate(a.h, rho, now.rho);
        rho = now.rho;
        if (t >= 0 && t < s.width) {
            window.remember_psi(s.profile[t], s.profile[s.width + t], now.psi);
            *reinterpret_cast<typename CpmlWindow<T, F>::C*>(now.at_psi + s.to_next_psi + t * s.memory_step) =
                window.psi[CpmlWindow<T, F>::newest];
        }
        if (t + F::first >= s.first_node) update_node(now, window, t + F::first, a.inner - x);
    }
}

/// Grid: x covers the columns, y the other axis of the face, going round as often as needed; z the sides.
template <typename T, typename F, typename Arguments = CpmlArguments<T>>
__global__ void cpml_columns_kernel(const __grid_constant__ Arguments a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kCpmlColumns<T, F>;
    if (x >= a.inner) return;
    for (auto other = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); other < a.outer;
         other += static_cast<int>(gridDim.y * blockDim.y))
        walk_columns<T, F>(a, k_of(a), a.side[blockIdx.z], x, other);
}

// ---- Across x: a warp takes one end of a few rows, a lane one t of a tile. ----

/// One lane's share of kCpmlRows ends of rows: value t and node t + first of each. Pointers move with t.
template <typename T, typename F, typename K = const T*>
struct CpmlRowEnds {
    static constexpr int reach = F::count - 1;
    static constexpr int size = kCpmlLanes + reach;  ///< of a row in shared memory: the tile before comes first

    int t, lane, rows;  ///< rows that are there: others are neither read nor written
    bool has_psi, has_node, has_zeta;
    const T* p;
    K k;
    const T* rho;
    T *q, *psi, *zeta;
    T *shared_p, *shared_g, *shared_psi;  ///< at this lane; of p what the next tile begins with comes last instead
    T p_of[kCpmlRows] = {}, psi_of[kCpmlRows] = {}, zeta_of[kCpmlRows] = {}, q_of[kCpmlRows] = {},
      k_of_row[kCpmlRows] = {}, b_of[kCpmlRows] = {};

    /// Everything that one tile reads, before anything waits for it. Beyond the face p is zero.
    __device__ __forceinline__ void load(const CpmlArguments<T>& a, const CpmlSide<T>& s, [[maybe_unused]] int step) {
        const int node = t + F::first;
        has_psi = t >= 0 && t < s.width;
        has_node = node >= s.first_node && node <= s.width;
        has_zeta = has_node && node > 0;
        const auto read = [](bool wanted, const T* from) { return wanted ? *from : T(0); };
        ONDA_UNROLL
        for (int j = 0; j < kCpmlRows; ++j) {
            const bool there = j < rows;
            p_of[j] = there && node <= s.width ? smoothed<T, F>(p + j * a.row, a.across, a.smoothing) : T(0);
            psi_of[j] = read(there && has_psi, psi + j * a.memory_row);
            zeta_of[j] = read(there && has_zeta, zeta + j * a.memory_row);
            q_of[j] = read(there && has_node, q + j * a.row);
            k_of_row[j] = there && has_node ? k[j * a.k_row] : T(0);
            if constexpr (F::has_density)
                b_of[j] = there && node <= s.width ? buoyancy(rho[j * a.rho_row], rho[j * a.rho_row + step]) : T(0);
        }
    }
    __device__ __forceinline__ void share_p() {
        ONDA_UNROLL
        for (int j = 0; j < kCpmlRows; ++j) shared_p[j * size] = p_of[j];
    }
    /// What a tile needs of its neighbours: p of the next, g and psi of the one before. No node takes values before
    /// those of the first tile.
    __device__ __forceinline__ void share_neighbours(const CpmlArguments<T>& a, const CpmlSide<T>& s, int step,
                                                     bool first_tile) {
        if (lane >= reach) return;
        ONDA_UNROLL
        for (int j = 0; j < kCpmlRows; ++j) {
            const bool there = j < rows && t + F::first + kCpmlLanes <= s.width;
            shared_p[j * size + kCpmlLanes] =
                there ? smoothed<T, F>(p + j * a.row + kCpmlLanes * step, a.across, a.smoothing) : T(0);
            if (first_tile) continue;
            shared_g[j * size] = shared_g[j * size + kCpmlLanes];
            shared_psi[j * size] = shared_psi[j * size + kCpmlLanes];
        }
    }
    __device__ __forceinline__ void update_psi(const CpmlArguments<T>& a, const CpmlSide<T>& s) {
        const T a_psi = has_psi ? s.profile[t] : T(0), b_psi = has_psi ? s.profile[s.width + t] : T(0);
        ONDA_UNROLL
        for (int j = 0; j < kCpmlRows; ++j) {
            const T* const at = shared_p + j * size;
            T g = weighted_sum<T, F::count>(a.h, [at](auto m) { return at[decltype(m)::value]; });
            if constexpr (F::has_density) g = b_of[j] * g;
            const T updated = has_psi ? remember(a_psi, b_psi, psi_of[j], g) : T(0);
            shared_g[j * size + reach] = g;
            shared_psi[j * size + reach] = updated;
            if (has_psi && j < rows) psi[s.to_next_psi + j * a.memory_row] = updated;
        }
    }
    __device__ __forceinline__ void update_node(const CpmlArguments<T>& a, const CpmlSide<T>& s) {
        if (!has_node) return;
        const int node = t + F::first;
        const T za = has_zeta ? s.profile[2 * s.width + node - 1] : T(0);
        const T zb = has_zeta ? s.profile[3 * s.width + node - 1] : T(0);
        const auto gather = [&a](const T* at) {
            return weighted_sum<T, F::count>(a.h, [at](auto m) { return at[-decltype(m)::value]; });
        };
        ONDA_UNROLL
        for (int j = 0; j < kCpmlRows; ++j) {
            const T of_psi = gather(shared_psi + j * size + reach);
            const T z = remember(za, zb, zeta_of[j], gather(shared_g + j * size + reach) + of_psi);
            if (j >= rows) continue;
            if (has_zeta) zeta[j * a.memory_row] = z;
            const T share = has_zeta ? of_psi + z : of_psi;
            const T of_own = add_to_other_fields<T, F>(a, q + j * a.row, k + j * a.k_row, k_of_row[j], share);
            q[j * a.row] = with_strip(of_own, share, q_of[j]);
        }
    }
    __device__ __forceinline__ void advance(int step) {
        t += kCpmlLanes;
        p += kCpmlLanes * step;
        k += kCpmlLanes * step;
        rho += F::has_density ? kCpmlLanes * step : 0;
        q += kCpmlLanes * step;
        psi += kCpmlLanes;
        zeta += kCpmlLanes;
    }
};

/// The block's warps take both ends of the same rows, which lie side by side in memory: the end of a row and the
/// beginning of the next. Block: 32 x (sides times pairs of ends). Grid: x covers groups of kCpmlRows inner rows, y the
/// outer axis, going round as often as needed. Shared memory: p, g and psi of each warp's rows.
template <typename T, typename F, typename Arguments = CpmlArguments<T>>
__global__ void cpml_rows_kernel(const __grid_constant__ Arguments a) {
    using K = decltype(k_of(a));
    constexpr int rows_size = kCpmlRows * CpmlRowEnds<T, F>::size;
    const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
    const bool second = a.sides == 2 && warp % 2 == 1;
    const int pair = a.sides == 2 ? warp / 2 : warp, pairs = static_cast<int>(blockDim.y) / a.sides;
    const int inner = (static_cast<int>(blockIdx.x) * pairs + pair) * kCpmlRows;
    const CpmlSide<T> s = second ? a.side[1] : a.side[0];
    const int step = s.step < 0 ? -1 : 1, t = first_value<T, F>(s) + lane, node = t + F::first;
    T* const shared = reinterpret_cast<T*>(shared_memory()) + 3 * rows_size * warp + lane;
    for (auto outer = static_cast<int>(blockIdx.y); outer < a.outer; outer += static_cast<int>(gridDim.y)) {
        const std::int64_t element = s.edge + node * step + inner * a.row + outer * a.slice;
        const std::int64_t memory = (inner + static_cast<std::int64_t>(outer) * a.inner) * a.memory_row;
        const T* const rho =
            F::has_density ? a.half_rho + s.rho_edge + t * step + inner * a.rho_row + outer * a.rho_slice : nullptr;
        CpmlRowEnds<T, F, K> ends{t,
                                  lane,
                                  a.inner - inner,
                                  false,
                                  false,
                                  false,
                                  a.p + element,
                                  k_of(a) + (s.k_edge + node * step + inner * a.k_row + outer * a.k_slice),
                                  rho,
                                  a.q + element,
                                  s.psi + memory + t,
                                  s.zeta + memory + node - 1,
                                  shared,
                                  shared + rows_size,
                                  shared + 2 * rows_size};
        for (int tile = 0; tile < a.tiles; ++tile) {
            ends.load(a, s, step);
            ends.share_p();
            if (a.reaches_further) ends.share_neighbours(a, s, step, tile == 0);
            warp_sync();
            ends.update_psi(a, s);
            warp_sync();
            ends.update_node(a, s);
            warp_sync();
            ends.advance(step);
        }
    }
}

}  // namespace onda::cuda
