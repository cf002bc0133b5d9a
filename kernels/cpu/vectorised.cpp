// OpenMP over rows, SIMD along x, blocked so that the 2r + 1 planes of p a block needs stay in the cache.
#include <omp.h>

#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

struct Block {
    std::int64_t nx, ny;
};

// Marching along z, a block of bx * by needs 2r + 1 planes of (bx + 2r) * (by + 2r) values of p; q and k stream
// through. Long rows please the prefetcher, so y is cut first.
template <typename T>
Block block_size(const StepArguments<T>& a, int radius, int radius_y) {
    constexpr std::int64_t longest_row = 1024, fewest_rows = 8;
    const std::int64_t values = a.cache_bytes / 4 * 3 / static_cast<std::int64_t>(sizeof(T)) / (2 * radius + 1);
    const std::int64_t nx = a.nx < longest_row ? a.nx : longest_row;
    const std::int64_t rows = values / (nx + 2 * radius) - 2 * radius_y;
    return {nx, rows > fewest_rows ? rows : fewest_rows};
}

template <typename T, int Dims, int R>
void row(const StepArguments<T>& a, std::int64_t x_begin, std::int64_t x_end, std::int64_t y, std::int64_t z) {
    const T* __restrict p = a.p + y * a.pitch + z * a.plane;
    T* __restrict q = a.q + y * a.pitch + z * a.plane;
    const T* __restrict k = a.k + y * a.k_pitch + z * a.k_plane;
    const Stencil<T> s = a.stencil;
    const std::int64_t pitch = a.pitch, plane = a.plane;
#pragma omp simd
    for (std::int64_t x = x_begin; x < x_end; ++x)
        q[x] = leapfrog(p[x], q[x], k[x], laplacian<T, Dims, R>(p + x, pitch, plane, s));
}

template <typename T, int Dims, int R>
void step(const StepArguments<T>& a) {
    const Block block = block_size(a, R, Dims == 3 ? R : 0);
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals flush;
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        const std::int64_t z_begin = rows.begin / a.ny, z_end = (rows.end + a.ny - 1) / a.ny;
        for (std::int64_t yb = 0; yb < a.ny; yb += block.ny)
            for (std::int64_t xb = 0; xb < a.nx; xb += block.nx) {
                const std::int64_t x_end = xb + block.nx < a.nx ? xb + block.nx : a.nx;
                for (std::int64_t z = z_begin; z < z_end; ++z) {
                    // The first and the last plane of a thread may be partial.
                    const std::int64_t first = rows.begin - z * a.ny, last = rows.end - z * a.ny;
                    const std::int64_t y_begin = yb > first ? yb : first;
                    const std::int64_t block_end = yb + block.ny < a.ny ? yb + block.ny : a.ny;
                    const std::int64_t y_end = block_end < last ? block_end : last;
                    for (std::int64_t y = y_begin; y < y_end; ++y) row<T, Dims, R>(a, xb, x_end, y, z);
                }
            }
    }
}

template <typename T, int Dims>
void step_of_order(const StepArguments<T>& a) {
    constexpr StepFunction<T> steps[kMaxRadius] = {step<T, Dims, 1>, step<T, Dims, 2>, step<T, Dims, 3>,
                                                   step<T, Dims, 4>, step<T, Dims, 5>, step<T, Dims, 6>,
                                                   step<T, Dims, 7>, step<T, Dims, 8>};
    steps[a.stencil.radius - 1](a);
}

template <typename T>
void step_of_dimension(const StepArguments<T>& a) {
    a.stencil.dimensions == 3 ? step_of_order<T, 3>(a) : step_of_order<T, 2>(a);
}

}  // namespace

template <>
void vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_dimension(a);
}
template <>
void vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_dimension(a);
}

}  // namespace onda::cpu
