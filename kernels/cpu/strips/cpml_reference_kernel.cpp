// A perfectly matched layer as plain loops: what those of every other kernel are compared with.
#include "kernels/cpu/strips/cpml_reference.hpp"

namespace onda::cpu {
namespace {

// In the canonical order of kernels/boundaries/cpml_math.hpp, with no function of it. The nodes t of one line towards
// the face; p, q, s = rho / 2 at t = 0, the last node before the layer.
template <typename T>
struct Line {
    const ReferenceLayer<T>& a;
    const T* p;
    T* q;
    const T* s;
    T *psi, *zeta;  // of t = 0 and t = 1
    std::int64_t step, s_step, memory_step;
    std::int64_t side[2];  // to neighbours in the plane across the axis; in 2-D there is one direction
    T *also, *third;       // q of the fields that share the layer, if any do

    T mean(const T* at) const {
        const T* w = a.smoothing;
        const std::int64_t u = side[0], v = side[1];
        if (!a.is_smoothed) return at[0];
        if (a.dimensions == 2) return fused(w[1], at[-u] + at[u], w[0] * at[0]);
        const T sides = (at[-u] + at[u]) + (at[-v] + at[v]);
        const T corners = (at[-u - v] + at[u - v]) + (at[-u + v] + at[u + v]);
        return fused(w[2], corners, fused(w[1], sides, w[0] * at[0]));
    }

    // g = b D p between nodes t and t + 1
    T g(int t) const {
        T sum = a.h[0] * mean(p + (t + a.first) * step);
        for (int j = 1; j < a.count; ++j) sum = fused(a.h[j], mean(p + (t + a.first + j) * step), sum);
        return a.has_density ? T(1) / (s[t * s_step] + s[(t + 1) * s_step]) * sum : sum;
    }

    T psi_at(int t) const { return 0 <= t && t < a.width ? psi[t * memory_step] : T(0); }

    // D* f at node t
    template <typename F>
    T transpose(int t, const F& f) const {
        T sum = a.h[0] * f(t - a.first);
        for (int j = 1; j < a.count; ++j) sum = fused(a.h[j], f(t - a.first - j), sum);
        return sum;
    }

    void update_psi() const {
        for (int t = 0; t < a.width; ++t) {
            T& of_t = psi[t * memory_step];
            of_t = fused(a.b_psi[t], of_t, a.a_psi[t] * g(t));
        }
    }

    // Where a node lies in the arrays of the medium, and its k.
    template <typename K>
    void update_node(int t, std::int64_t of_medium, const K& k) const {
        T share = transpose(t, [this](int i) { return psi_at(i); });
        if (t >= 1) {
            T& of_t = zeta[(t - 1) * memory_step];
            const T stretched = transpose(t, [this](int i) { return g(i); }) + share;
            of_t = fused(a.b_zeta[t - 1], of_t, a.a_zeta[t - 1] * stretched);
            share += of_t;
        }
        if (also == nullptr) {
            q[t * step] = fused(-k, share, q[t * step]);
            return;
        }
        const auto times = [&](const T* factor) { return factor == nullptr ? T(k) : T(k) * factor[of_medium]; };
        q[t * step] = fused(-times(a.own), share, q[t * step]);
        also[t * step] = fused(-times(a.other), share, also[t * step]);
        if (third != nullptr) third[t * step] = fused(-T(k), share, third[t * step]);
    }
};

template <typename T, typename K>
void add(const ReferenceLayer<T>& a, const K& k) {
    const int axis = a.axis, u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    const std::int64_t n[3] = {a.nx, a.ny, a.nz}, stride[3] = {1, a.pitch, a.plane},
                       k_stride[3] = {1, a.k_pitch, a.k_plane}, s_stride[3] = {1, a.rho_pitch, a.rho_plane};
    const std::int64_t m[3] = {axis == 0 ? a.width : a.nx, axis == 1 ? a.width : a.ny, axis == 2 ? a.width : a.nz};
    const std::int64_t m_stride[3] = {1, m[0], m[0] * m[1]};
    const std::int64_t edge = a.high ? n[axis] - 1 - a.width : a.width,
                       way = a.high ? 1 : -1;  // node t is edge + way t
#pragma omp parallel for num_threads(a.threads)
    for (std::int64_t line = 0; line < n[u] * n[v]; ++line) {
        const FlushDenormals<T> flush;
        const std::int64_t i = line % n[u], j = line / n[u];
        const auto place = [&](const std::int64_t* of, std::int64_t across) {
            return i * of[u] + j * of[v] + across * of[axis];
        };
        Line<T> nodes{a,
                      a.p + place(stride, edge),
                      a.q + place(stride, edge),
                      a.has_density ? a.half_rho + place(s_stride, edge) : nullptr,
                      a.psi + place(m_stride, 0),
                      a.zeta + place(m_stride, 0),
                      way * stride[axis],
                      way * s_stride[axis],
                      m_stride[axis],
                      {stride[u], stride[v]},
                      a.also == nullptr ? nullptr : a.also + place(stride, edge),
                      a.third == nullptr ? nullptr : a.third + place(stride, edge)};
        if (a.dimensions == 2) nodes.side[0] = stride[axis == 0 ? 2 : 0];
        nodes.update_psi();
        for (int t = a.first; t <= a.width; ++t)
            if (const std::int64_t across = edge + way * t; 0 <= across && across < n[axis])
                nodes.update_node(t, place(k_stride, across), k[place(k_stride, across)]);
    }
}

}  // namespace

template <>
void add_reference_layer<ONDA_ISA, float>(const ReferenceLayer<float>& layer) {
    if (layer.coded_k.storage == Storage::full)
        add(layer, layer.k);
    else
        add(layer, layer.coded_k);
}
template <>
void add_reference_layer<ONDA_ISA, double>(const ReferenceLayer<double>& layer) {
    add(layer, layer.k);
}

}  // namespace onda::cpu
