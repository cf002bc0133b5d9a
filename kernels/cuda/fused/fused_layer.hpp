/// \file
/// Nodes in the layer of a face across z, in 2-D, where no layer across x reaches them: most nodes of all layers. A
/// thread has half a vector along x and kFusedLayerRows nodes from the face inwards, so that few values of g and psi
/// are computed by two threads.
#pragma once

#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// W neighbours along x, read and written at once.
template <typename T, int W>
struct alignas(W * sizeof(T)) FusedPack {
    T v[W];

    [[nodiscard]] static __device__ __forceinline__ FusedPack load(const T* from) {
        return *reinterpret_cast<const FusedPack*>(from);
    }
    __device__ __forceinline__ void store(T* to) const { *reinterpret_cast<FusedPack*>(to) = *this; }
};

/// \tparam Face +1: of the high end of z, -1: of the low one. Nodes are counted by t, which grows towards the face.
template <typename T, int R, int Face>
class FusedLayer {
    static constexpr int W = kFusedLayerVector<T>, L = kFusedLayerRows, H = (R + W - 1) / W * W;
    using Pack = FusedPack<T, W>;

public:
    /// \param x of the first node. \param y the shot. \param first its first t; those below 0 are no nodes of the
    /// layer.
    __device__ __forceinline__ FusedLayer(const FusedArguments<T>& arguments, int x, int y, int first)
        : a_(arguments),
          side_(a_.side[Face > 0 ? 5 : 4]),
          x_(x),
          first_(first),
          plane_(Face * static_cast<int>(a_.plane)),
          p_(a_.p + place(x, y, a_.pitch, a_.plane)),
          q_(a_.q + place(x, y, a_.pitch, a_.plane)),
          k_(a_.k + place(x, y, a_.k_pitch, a_.k_plane)),
          strip_(x + y * side_.stride[1]) {}

    __device__ __forceinline__ void update() const {
        Pack k[L], before[L], column[L + 2 * R], psi[L + R], zeta[L];
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) k[u] = Pack::load(k_ + Face * u * a_.k_plane);
        wait_for_launch_before();  // nothing writes k
        ONDA_UNROLL
        for (int i = 0; i < L + 2 * R; ++i) column[i] = Pack::load(p_ + (i - R) * plane_);
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) psi[i] = Pack::load(side_.psi + at(within(first_ - R + i)));
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) zeta[u] = Pack::load(side_.zeta + at(within(first_ + u - 1)));
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) before[u] = Pack::load(q_ + u * plane_);
        Pack share[L];
        update_strip(column, psi, zeta, share);
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) before[u] = advance(u, column, before[u], k[u], share[u]);
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) {
            const int t = first_ + u;
            if (t >= 0) store(q_ + u * plane_, before[u]);
            if (t >= 0 && t < side_.width) psi[u + R].store(side_.psi_next + at(t));
            if (t > 0) zeta[u].store(side_.zeta + at(t - 1));
        }
    }

private:
    [[nodiscard]] __device__ __forceinline__ std::int64_t place(int x, int y, std::int64_t pitch,
                                                                std::int64_t plane) const {
        return (side_.edge + Face * first_) * plane + y * pitch + x;
    }
    [[nodiscard]] __device__ __forceinline__ int at(int t) const { return strip_ + t * side_.stride[2]; }
    /// The nearest value of psi or zeta that exists: a condition for each load would take longer than it does.
    [[nodiscard]] __device__ __forceinline__ int within(int t) const {
        const int last = side_.width - 1;
        return t < 0 ? 0 : t > last ? last : t;
    }

    [[nodiscard]] __device__ __forceinline__ FusedProfile<T> profile_of(int t) const {
        return side_.profile[t < -R ? 0 : t + R];
    }

    /// psi, zeta and what the strip adds to its nodes. \param psi from t - R on; of the step before, then of this one,
    /// and zero where the strip has none. \param zeta likewise.
    __device__ __forceinline__ void update_strip(const Pack (&column)[L + 2 * R], Pack (&psi)[L + R], Pack (&zeta)[L],
                                                 Pack (&share)[L]) const {
        const T* const h = a_.h[2];
        Pack g[L + R];
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) {
            const int t = first_ - R + i;
            const FusedProfile<T> profile = profile_of(t);
            const bool exists = t >= 0 && t < side_.width;
            ONDA_UNROLL
            for (int v = 0; v < W; ++v) {
                g[i].v[v] = weighted_sum<T, R + 1>(h, [&](auto j) { return column[i + decltype(j)::value].v[v]; });
                const T updated = remember(profile.a_psi, profile.b_psi, psi[i].v[v], g[i].v[v]);
                psi[i].v[v] = exists ? updated : T(0);
            }
        }
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) {
            const int t = first_ + u;
            const FusedProfile<T> profile = profile_of(t);
            ONDA_UNROLL
            for (int v = 0; v < W; ++v) {
                const T of_psi =
                    weighted_sum<T, R + 1>(h, [&](auto j) { return psi[u + R - decltype(j)::value].v[v]; });
                const T of_g = weighted_sum<T, R + 1>(h, [&](auto j) { return g[u + R - decltype(j)::value].v[v]; });
                zeta[u].v[v] = remember(profile.a_zeta, profile.b_zeta, zeta[u].v[v], of_g + of_psi);
                share[u].v[v] = t > 0 ? of_psi + zeta[u].v[v] : of_psi;
            }
        }
    }

    /// p[n+1] of node u, in the order of operations of all kernels.
    [[nodiscard]] __device__ __forceinline__ Pack advance(int u, const Pack (&column)[L + 2 * R], Pack before, Pack k,
                                                          Pack share) const {
        const Stencil<T>& s = a_.stencil;
        T row[W + 2 * H];
        ONDA_UNROLL
        for (int m = 0; m < W + 2 * H; m += W) {
            const Pack part = m == H ? column[R + u] : Pack::load(p_ + (u * plane_ + m - H));
            ONDA_UNROLL
            for (int v = 0; v < W; ++v) row[m + v] = part.v[v];
        }
        Pack next;
        ONDA_UNROLL
        for (int v = 0; v < W; ++v) {
            T l = s.centre * row[H + v];
            ONDA_UNROLL
            for (int m = 1; m <= R; ++m) l = fused(s.axis[0][m], row[H + v - m] + row[H + v + m], l);
            ONDA_UNROLL
            for (int m = 1; m <= R; ++m) l = fused(s.axis[2][m], column[R + u - Face * m].v[v], l);
            ONDA_UNROLL
            for (int m = 1; m <= R; ++m) l = fused(s.axis[2][m], column[R + u + Face * m].v[v], l);
            next.v[v] = with_strip(k.v[v], share.v[v], leapfrog(row[H + v], before.v[v], k.v[v], l));
        }
        return next;
    }
    __device__ __forceinline__ void store(T* to, Pack next) const {
        if (x_ + W <= a_.nx) {
            next.store(to);
            return;
        }
        ONDA_UNROLL
        for (int v = 0; v < W; ++v)
            if (x_ + v < a_.nx) to[v] = next.v[v];
    }

    const FusedArguments<T>& a_;
    const FusedSide<T>& side_;
    int x_, first_, plane_;  ///< plane: from t to t + 1
    const T* p_;             ///< at x and `first`, as are q and k
    T* q_;
    const T* k_;
    int strip_;  ///< where psi and zeta of its columns begin
};

}  // namespace onda::cuda
