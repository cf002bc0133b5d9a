// What a correlation does to nodes. Sums and products are rounded one by one, as on the CPU.
#include "kernels/cuda/imaging/correlation.hpp"
#include "kernels/cuda/imaging/node_rows.hpp"

namespace onda::cuda {
namespace {

constexpr int kThreads = 256;

/// What is correlated at an element and at those after it.
template <typename T, int W>
__device__ __forceinline__ Neighbours<T, W> values_at(const ShotLevels<T>& field, std::int64_t element) {
    const auto difference = [element](const T* now, const T* before) {
        Neighbours<T, W> values = Neighbours<T, W>::load(now + element);
        const Neighbours<T, W> taken = Neighbours<T, W>::load(before + element);
        ONDA_UNROLL
        for (int i = 0; i < W; ++i) values.v[i] = values.v[i] - taken.v[i];
        return values;
    };
    if (field.before == nullptr) return Neighbours<T, W>::load(field.now + element);
    Neighbours<T, W> values = difference(field.now, field.before);
    if (field.added_now == nullptr) return values;
    const Neighbours<T, W> added = difference(field.added_now, field.added_before);
    ONDA_UNROLL
    for (int i = 0; i < W; ++i) values.v[i] = values.v[i] + added.v[i];
    return values;
}

template <typename T>
__global__ void keep_kernel(ShotLevels<T> field, NodeRange nodes, NodeArray<T> kept) {
    let_next_launch_begin();
    wait_for_launch_before();
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    for_vectors_of_row<T>(nodes, [&](auto width, int x, int y, int z) {
        constexpr int W = decltype(width)::value;
        values_at<T, W>(field, field.element(x, y, z, shot)).store_once(kept.row(y, z, shot) + x);
    });
}

template <typename T>
__device__ __forceinline__ T& at_node(const NodeArray<T>& array, int x, int y, int z, std::int64_t shot) {
    return array.row(y, z, shot)[x];
}

/// Adds a b to the nodes of an image from this place on.
template <typename T, int W>
__device__ __forceinline__ void add_products(T* image, const Neighbours<T, W>& a, const Neighbours<T, W>& b) {
    auto sum = Neighbours<T, W>::load_once(image);
    ONDA_UNROLL
    for (int i = 0; i < W; ++i) sum.v[i] = sum.v[i] + a.v[i] * b.v[i];
    sum.store_once(image);
}

/// Adds what a node's adjoint difference and the kept one give to the images of a shot; of its neighbours, too.
template <typename T, int W>
__device__ __forceinline__ void sum_up(const Images<T>& images, int x, int y, int z, std::int64_t shot,
                                       const Neighbours<T, W>& adjoint, const Neighbours<T, W>& forward) {
    add_products(images.product.row(y, z, shot) + x, adjoint, forward);
    if (images.forward.data == nullptr) return;
    add_products(images.forward.row(y, z, shot) + x, forward, forward);
    add_products(images.adjoint.row(y, z, shot) + x, adjoint, adjoint);
}

template <typename T>
__global__ void meet_kernel(ShotLevels<T> field, NodeRange nodes, NodeArray<T> kept, Images<T> images) {
    let_next_launch_begin();
    wait_for_launch_before();
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    for_vectors_of_row<T>(nodes, [&](auto width, int x, int y, int z) {
        constexpr int W = decltype(width)::value;
        const auto forward = Neighbours<T, W>::load_once(kept.row(y, z, shot) + x);
        sum_up(images, x, y, z, shot, values_at<T, W>(field, field.element(x, y, z, shot)), forward);
    });
}

/// One step of a recursion. \param value that is undone. \returns what it has been.
template <typename T>
__device__ __forceinline__ T undo(T a, T b, T c, T value, T& z) {
    const T bz = b * z;
    value = c * (value - bz);
    z = bz + a * value;
    return value;
}

/// One thread a node of a layer. Grid: x covers the nodes, y the shots.
template <typename T>
__global__ void layers_kernel(ShotLevels<T> field, const __grid_constant__ DeviceLayers<T> layers, int steps,
                              NodeArray<T> kept, Images<T> images) {
    let_next_launch_begin();
    wait_for_launch_before();
    const std::int64_t index = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    if (index >= layers.nodes) return;
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    int which = 0;
    while (which + 1 < layers.boxes && index >= layers.box[which + 1].first) ++which;
    const DeviceLayerBox& box = layers.box[which];
    const auto local = static_cast<unsigned>(index - box.first);
    const unsigned row = local / static_cast<unsigned>(box.nodes.count[0]);
    const int node[3] = {box.nodes.low[0] + static_cast<int>(local % static_cast<unsigned>(box.nodes.count[0])),
                         box.nodes.low[1] + static_cast<int>(row % static_cast<unsigned>(box.nodes.count[1])),
                         box.nodes.low[2] + static_cast<int>(row / static_cast<unsigned>(box.nodes.count[1]))};
    const std::int64_t element = field.element(node[0], node[1], node[2], shot);
    T value = values_at<T, 1>(field, element).v[0], earlier = 0;
    if (layers.met != nullptr) {
        T& met = layers.met[shot * layers.nodes + index];
        if (steps == 2) earlier = field.before[element] - met;
        met = field.now[element];
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (box.memory[axis] < 0) continue;
        T& memory = layers.values[shot * layers.memory + box.memory[axis] + local];
        const T a = layers.a[axis][node[axis]], b = layers.b[axis][node[axis]], c = layers.c[axis][node[axis]];
        T z = memory;
        if (steps == 2) earlier = undo(a, b, c, earlier, z);
        value = undo(a, b, c, value, z);
        memory = z;
    }
    if (kept.data == nullptr) return;
    sum_up(images, node[0], node[1], node[2], shot, Neighbours<T, 1>{{value}},
           Neighbours<T, 1>{{at_node(kept, node[0], node[1], node[2], shot)}});
}

/// One thread an offset of a line on a plane. Grid: x covers those, y the shots.
template <typename T>
__global__ void offsets_kernel(ShotLevels<T> field, NodeArray<T> kept, DeviceOffsets<T> offsets) {
    let_next_launch_begin();
    wait_for_launch_before();
    const std::int64_t index = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    const int of_line = 2 * offsets.most + 1;
    const std::int64_t of_plane = static_cast<std::int64_t>(offsets.count) * of_line;
    if (index >= of_plane * offsets.n[2]) return;
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    const auto z = static_cast<int>(index / of_plane), local = static_cast<int>(index % of_plane);
    const int line = local / of_line, h = local % of_line - offsets.most;
    const int x = offsets.lines[2 * line], y = offsets.lines[2 * line + 1], hx = offsets.axis == 0 ? h : 0, hy = h - hx;
    const int at = offsets.axis == 0 ? x : y, last = offsets.n[offsets.axis] - 1;
    if (at - h < 0 || at + h < 0 || at - h > last || at + h > last) return;
    T& sum = offsets.sums[shot * of_plane * offsets.n[2] + index];
    sum = sum + field.now[field.element(x + hx, y + hy, z, shot)] * at_node(kept, x - hx, y - hy, z, shot);
}

}  // namespace

template <typename T>
void keep_values(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept, cudaStream_t stream) {
    if (is_empty(nodes)) return;
    launch<T>(keep_kernel<T>, rows_of_shots(nodes, field.shots, true), stream, field, nodes, kept);
}

template <typename T>
void meet_inside(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept, const Images<T>& images,
                 cudaStream_t stream) {
    if (is_empty(nodes)) return;
    launch<T>(meet_kernel<T>, rows_of_shots(nodes, field.shots, true), stream, field, nodes, kept, images);
}

template <typename T>
void meet_in_layers(const ShotLevels<T>& field, const DeviceLayers<T>& layers, int steps, const NodeArray<T>& kept,
                    const Images<T>& images, cudaStream_t stream) {
    if (layers.nodes == 0) return;
    const dim3 grid(cover(layers.nodes, kThreads), static_cast<unsigned>(field.shots));
    launch<T>(layers_kernel<T>, {grid, kThreads, 0, true}, stream, field, layers, steps, kept, images);
}

template <typename T>
void meet_at_offsets(const ShotLevels<T>& field, const NodeArray<T>& kept, const DeviceOffsets<T>& offsets,
                     cudaStream_t stream) {
    const std::int64_t sums = static_cast<std::int64_t>(offsets.count) * (2 * offsets.most + 1) * offsets.n[2];
    if (sums == 0) return;
    const dim3 grid(cover(sums, kThreads), static_cast<unsigned>(field.shots));
    launch<T>(offsets_kernel<T>, {grid, kThreads, 0, true}, stream, field, kept, offsets);
}

#define ONDA_INSTANTIATE(T)                                                                                     \
    template void keep_values<T>(const ShotLevels<T>&, const NodeRange&, const NodeArray<T>&, cudaStream_t);    \
    template void meet_inside<T>(const ShotLevels<T>&, const NodeRange&, const NodeArray<T>&, const Images<T>&, \
                                 cudaStream_t);                                                                 \
    template void meet_in_layers<T>(const ShotLevels<T>&, const DeviceLayers<T>&, int, const NodeArray<T>&,     \
                                    const Images<T>&, cudaStream_t);                                            \
    template void meet_at_offsets<T>(const ShotLevels<T>&, const NodeArray<T>&, const DeviceOffsets<T>&, cudaStream_t)
ONDA_INSTANTIATE(float);
ONDA_INSTANTIATE(double);
#undef ONDA_INSTANTIATE

}  // namespace onda::cuda
