// The star: OpenMP over rows, SIMD along x, several planes at once (kernels/cpu/star_rows.hpp).
#include "kernels/cpu/star_rows.hpp"

namespace onda::cpu {
namespace {

/// p[n+1] over p[n-1] in the rows of some planes.
template <typename K, typename T>
struct Leapfrog {
    T* const __restrict q;
    const K k;
    const std::int64_t plane, k_plane;

    ONDA_HOST_DEVICE Leapfrog(const StepArguments<T>& a, std::int64_t y, std::int64_t z)
        : q(a.q + y * a.pitch + z * a.plane),
          k(k_of<K>(a) + (y * a.k_pitch + z * a.k_plane)),
          plane(a.plane),
          k_plane(a.k_plane) {}
    ONDA_HOST_DEVICE void prefetch(std::int64_t j, std::int64_t x) const {
        __builtin_prefetch(q + j * plane + x);
        __builtin_prefetch(address_of(k, j * k_plane + x));
    }
    template <bool IsWhole>
    ONDA_HOST_DEVICE void advance(std::int64_t j, std::int64_t x, Vector<T> p, Vector<T> l, std::int64_t count) const {
        advance_vector<IsWhole>(q + j * plane + x, k + (j * k_plane + x), p, l, count);
    }
};

template <typename K, typename T, int Dims, int R>
struct Vectorised {
    static void step(const StepArguments<T>& a) { step_by_rows<Leapfrog<K, T>, T, Dims, R>(a); }
};

}  // namespace

template <>
void vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_on_numbers<Vectorised>(a);
}
template <>
void vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_on_numbers<Vectorised>(a);
}
template <>
void vectorised_coded_step<ONDA_ISA>(const StepArguments<float>& a) {
    step_on_codes<Vectorised>(a);
}

}  // namespace onda::cpu
