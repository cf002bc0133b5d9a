/// \file
/// What surrounds the stencil in a time step: halos, sponge, sources, receivers, extremum, copies. All on the device.
#pragma once

#include "kernels/cuda/shot_operations.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// Fills the halo layers along y (axis 1) or z (axis 2), a vector a thread, with the halos that are already filled:
/// those along x, and for axis 2 along y, so that corners come out as images of images. Grid: x covers the vectors of a
/// row from its halo on, y the other of z and y, z the copies.
template <typename T>
__global__ void fill_halo_rows_kernel(T* p, FieldShape s, int axis, const LayerCopy* copies) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * Vec<T>::size - s.x_halo;
    const int y_halo = axis == 1 ? 0 : s.y_halo;
    const int other = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) - y_halo;
    if (x >= s.nx + s.halo || other >= (axis == 1 ? s.nz : s.ny + y_halo)) return;
    const LayerCopy copy = copies[blockIdx.z];
    const std::int64_t along = axis == 1 ? s.pitch : s.plane, across = axis == 1 ? s.plane : s.pitch;
    T* const node = p + x + other * across;
    Vec<T> value = load_vector(static_cast<const T*>(node + copy.from * along));
    ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v) value.v[v] = static_cast<T>(copy.sign) * value.v[v];
    store_inside(node + copy.to * along, value, s.nx + s.halo - x);
}

/// Fills the halo layers along x. Grid: x covers y, y covers z, z the copies.
template <typename T>
__global__ void fill_halo_columns_kernel(T* p, FieldShape s, const LayerCopy* copies) {
    const int y = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int z = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (y >= s.ny || z >= s.nz) return;
    const LayerCopy copy = copies[blockIdx.z];
    T* const node = p + y * s.pitch + z * s.plane;
    node[copy.to] = static_cast<T>(copy.sign) * node[copy.from];
}

/// Multiplies p and, unless it is null, q by (tx[x] ty[y]) tz[z] in the boxes, a vector of both a thread. Where a box
/// was widened to whole vectors the factor is 1.
template <typename T>
__global__ void damp_kernel(T* __restrict__ p, T* __restrict__ q, FieldShape s,
                            const __grid_constant__ SpongeBoxes boxes, const T* __restrict__ tx,
                            const T* __restrict__ ty, const T* __restrict__ tz) {
    constexpr int V = Vec<T>::size;
    const std::int64_t index = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    if (index >= boxes.first[boxes.count]) return;
    int b = 0;
    while (index >= boxes.first[b + 1]) ++b;
    const SpongeBox box = boxes.box[b];
    const auto local = static_cast<unsigned>(index - boxes.first[b]);
    const unsigned row = local / static_cast<unsigned>(box.vectors);
    const int along = static_cast<int>(local % static_cast<unsigned>(box.vectors)) * V;
    const int x = along < box.x_gap_begin ? along : along - box.x_gap_begin + box.x_gap_end;
    const int y = box.y + static_cast<int>(row % static_cast<unsigned>(box.ny));
    const int z = box.z + static_cast<int>(row / static_cast<unsigned>(box.ny));
    const std::int64_t node = z * s.plane + y * s.pitch + x;
    Vec<T> now = load_vector(static_cast<const T*>(p + node)), next{};
    if (q != nullptr) next = load_vector(static_cast<const T*>(q + node));
    ONDA_UNROLL
    for (int v = 0; v < V; ++v) {
        const T factor = (tx[x + v] * ty[y]) * tz[z];
        now.v[v] *= factor;
        next.v[v] *= factor;
    }
    store_inside(p + node, now, s.nx - x);
    if (q != nullptr) store_inside(q + node, next, s.nx - x);
}

/// One thread a node: no two threads write the same value, and each adds in one fixed order.
template <typename T>
__global__ void add_sources_kernel(T* p, SourceNodes<T> s, const std::int64_t* base, int offset) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < s.nodes) add_source(p, s, i, *base + offset);
}

template <typename T>
__global__ void sample_receivers_kernel(ObservedField<T> p, ReceiverNodes<T> s, const std::int64_t* base, int offset) {
    let_next_launch_begin();
    wait_for_launch_before();
    const std::int64_t r = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    if (r < s.receivers) sample_receiver(p, s, r, *base + offset);
}

static __global__ void decode_elements_kernel(CodedK k, const std::int64_t* element, std::int64_t count,
                                              float* values) {
    const auto i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) values[i] = k[element[i]];
}

static __global__ void set_counter_kernel(std::int64_t* counter, std::int64_t value) {
    *counter = value;
}

template <typename T>
struct BitsOf;
template <>
struct BitsOf<float> {
    using type = std::uint32_t;
};
template <>
struct BitsOf<double> {
    using type = std::uint64_t;
};

/// The larger value; of equal ones the earlier node.
ONDA_HOST_DEVICE Largest larger(Largest a, Largest b) {
    return a.bits > b.bits || (a.bits == b.bits && a.node < b.node) ? a : b;
}

/// One result a block. Grid: x covers the rows of a field, y the fields. Block: a power of two. Shared memory: one
/// Largest a thread.
template <typename T>
__global__ void find_largest_kernel(const T* first, FieldShape s, std::int64_t step, Largest* results) {
    using Bits = typename BitsOf<T>::type;
    Largest mine{0, 0};
    const std::int64_t rows = static_cast<std::int64_t>(s.ny) * s.nz;
    for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* const values = first + blockIdx.y * step + row / s.ny * s.plane + row % s.ny * s.pitch;
        for (int x = static_cast<int>(threadIdx.x); x < s.nx; x += static_cast<int>(blockDim.x)) {
            const Bits bits = *reinterpret_cast<const Bits*>(values + x) & (~Bits{0} >> 1);
            mine = larger(mine, Largest{bits, row * s.nx + x});
        }
    }
    auto* const shared = reinterpret_cast<Largest*>(shared_memory());
    const auto thread = threadIdx.x;
    shared[thread] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (thread < half) shared[thread] = larger(shared[thread], shared[thread + half]);
        __syncthreads();
    }
    if (thread == 0) results[blockIdx.y * gridDim.x + blockIdx.x] = shared[0];
}

/// Compact rows of a window. threadIdx.x runs along x; grid and threadIdx.y cover the rows.
template <typename T, typename U>
__global__ void gather_kernel(ObservedField<T> field, WindowRows w, U* values) {
    const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.y) + threadIdx.y;
    if (row >= w.rows) return;
    const std::int64_t y = (w.first_row + row) % w.count_y, z = (w.first_row + row) / w.count_y;
    const ObservedField<T> from = field.from(w.element + y * w.step_y + z * w.step_z);
    for (std::int64_t x = threadIdx.x; x < w.count_x; x += blockDim.x)
        values[row * w.count_x + x] = static_cast<U>(from(x * w.step_x));
}

/// The reverse for whole rows: compact rows into the padded array.
template <typename T, typename U>
__global__ void scatter_kernel(T* field, WindowRows w, const U* values) {
    const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.y) + threadIdx.y;
    if (row >= w.rows) return;
    const std::int64_t y = (w.first_row + row) % w.count_y, z = (w.first_row + row) / w.count_y;
    T* const to = field + w.element + y * w.step_y + z * w.step_z;
    for (std::int64_t x = threadIdx.x; x < w.count_x; x += blockDim.x)
        to[x] = static_cast<T>(values[row * w.count_x + x]);
}

}  // namespace onda::cuda
