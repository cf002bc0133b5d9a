// Launches the kernels that surround the stencil.
#include <algorithm>
#include <bit>

#include "kernels/cuda/field_kernels.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/launch_kernel.hpp"

namespace onda::cuda {
namespace {

/// Blocks of `size` that cover `count`.
unsigned cover(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count + size - 1) / size);
}

constexpr int kThreads = 256;
const dim3 kRows(64, 4);  // threads along x, rows

}  // namespace

void require_code() {
    cudaFuncAttributes attributes{};
    ONDA_CUDA_TRY(cudaFuncGetAttributes(&attributes, set_counter_kernel));
}

template <typename T>
void fill_halo(T* p, const FieldShape& s, int axis, const LayerCopy* copies, int count, cudaStream_t stream) {
    if (count == 0) return;
    const dim3 block(32, 8);
    const auto copied = static_cast<unsigned>(count);
    if (axis == 0) {
        const dim3 grid(cover(s.ny, block.x), cover(s.nz, block.y), copied);
        launch<T>(fill_halo_columns_kernel<T>, {grid, block}, stream, p, s, copies);
    } else {
        const dim3 grid(cover(s.x_halo + s.nx + s.halo, block.x * Vec<T>::size),
                        cover(axis == 1 ? s.nz : s.ny + 2 * s.y_halo, block.y), copied);
        launch<T>(fill_halo_rows_kernel<T>, {grid, block}, stream, p, s, axis, copies);
    }
}

template <typename T>
void damp(T* p, T* q, const FieldShape& s, const SpongeBoxes& boxes, const T* const (&taper)[3], cudaStream_t stream) {
    if (boxes.count == 0) return;
    launch<T>(damp_kernel<T>, {cover(boxes.first[boxes.count], kThreads), kThreads}, stream, p, q, s, boxes, taper[0],
              taper[1], taper[2]);
}

template <typename T>
void add_sources(T* p, const SourceNodes<T>& sources, const std::int64_t* base, int offset, cudaStream_t stream) {
    if (sources.nodes == 0) return;
    launch<T>(add_sources_kernel<T>, {cover(sources.nodes, kThreads), kThreads}, stream, p, sources, base, offset);
}

template <typename T>
void sample_receivers(const ObservedField<T>& p, const ReceiverNodes<T>& receivers, const std::int64_t* base,
                      int offset, cudaStream_t stream) {
    if (receivers.receivers == 0) return;
    launch<T>(sample_receivers_kernel<T>, {cover(receivers.receivers, kThreads), kThreads, 0, true}, stream, p,
              receivers, base, offset);
}

void decode_elements(const CodedK& k, const std::int64_t* element, std::int64_t count, float* values,
                     cudaStream_t stream) {
    if (count == 0) return;
    launch<float>(decode_elements_kernel, {cover(count, kThreads), kThreads}, stream, k, element, count, values);
}

void set_counter(std::int64_t* counter, std::int64_t value, cudaStream_t stream) {
    launch<float>(set_counter_kernel, {1, 1}, stream, counter, value);
}

template <typename T>
void find_largest(const T* p, const FieldShape& shape, int fields, std::int64_t step, Largest* results,
                  cudaStream_t stream) {
    const dim3 blocks{static_cast<unsigned>(largest_blocks(fields)), static_cast<unsigned>(fields)};
    // No more threads than a row has nodes, but whole warps.
    const auto threads = std::clamp<unsigned>(std::bit_ceil(static_cast<unsigned>(shape.nx)), 32, kThreads);
    launch<T>(find_largest_kernel<T>, {blocks, threads, threads * sizeof(Largest)}, stream, p, shape, step, results);
}

template <typename T, typename U>
void gather(const ObservedField<T>& field, const WindowRows& window, U* values, cudaStream_t stream) {
    launch<U>(gather_kernel<T, U>, {cover(window.rows, kRows.y), kRows}, stream, field, window, values);
}

template <typename T, typename U>
void scatter(T* field, const WindowRows& window, const U* values, cudaStream_t stream) {
    launch<T>(scatter_kernel<T, U>, {cover(window.rows, kRows.y), kRows}, stream, field, window, values);
}

#define ONDA_INSTANTIATE(T)                                                                                       \
    template void fill_halo<T>(T*, const FieldShape&, int, const LayerCopy*, int, cudaStream_t);                  \
    template void damp<T>(T*, T*, const FieldShape&, const SpongeBoxes&, const T* const(&)[3], cudaStream_t);     \
    template void add_sources<T>(T*, const SourceNodes<T>&, const std::int64_t*, int, cudaStream_t);              \
    template void sample_receivers<T>(const ObservedField<T>&, const ReceiverNodes<T>&, const std::int64_t*, int, \
                                      cudaStream_t);                                                              \
    template void find_largest<T>(const T*, const FieldShape&, int, std::int64_t, Largest*, cudaStream_t);        \
    template void gather<T, float>(const ObservedField<T>&, const WindowRows&, float*, cudaStream_t);             \
    template void gather<T, double>(const ObservedField<T>&, const WindowRows&, double*, cudaStream_t);           \
    template void scatter<T, float>(T*, const WindowRows&, const float*, cudaStream_t);                           \
    template void scatter<T, double>(T*, const WindowRows&, const double*, cudaStream_t)
ONDA_INSTANTIATE(float);
ONDA_INSTANTIATE(double);
#undef ONDA_INSTANTIATE

}  // namespace onda::cuda
