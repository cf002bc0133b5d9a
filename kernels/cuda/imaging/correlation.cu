// What a correlation does to nodes. Sums and products are rounded one by one, as on the CPU.
#include <algorithm>

#include "kernels/cuda/imaging/correlation.hpp"
#include "kernels/cuda/launch_kernel.hpp"

namespace onda::cuda {
namespace {

constexpr int kThreads = 256;
const dim3 kRows(64, 4);  // threads along x, rows

unsigned cover(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count + size - 1) / size);
}

/// Calls body(x, y, z) for the nodes of the thread's row. Grid: x covers the rows of a range, y the shots.
template <typename Body>
__device__ __forceinline__ void for_nodes_of_row(const NodeRange& nodes, const Body& body) {
    const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.y) + threadIdx.y;
    if (row >= static_cast<std::int64_t>(nodes.count[1]) * nodes.count[2]) return;
    const int y = nodes.low[1] + static_cast<int>(row % nodes.count[1]);
    const int z = nodes.low[2] + static_cast<int>(row / nodes.count[1]);
    for (int x = static_cast<int>(threadIdx.x); x < nodes.count[0]; x += static_cast<int>(blockDim.x))
        body(nodes.low[0] + x, y, z);
}

template <typename T>
__global__ void keep_kernel(ShotLevels<T> field, NodeRange nodes, NodeArray<T> kept) {
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    for_nodes_of_row(nodes, [&](int x, int y, int z) {
        const std::int64_t element = shot * field.shot + z * field.plane + y * field.pitch + x;
        kept.row(y, z, shot)[x] = field.now[element] - field.before[element];
    });
}

template <typename T>
__global__ void meet_kernel(ShotLevels<T> field, NodeRange nodes, NodeArray<T> kept, NodeArray<T> image) {
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    for_nodes_of_row(nodes, [&](int x, int y, int z) {
        const std::int64_t element = shot * field.shot + z * field.plane + y * field.pitch + x;
        T& sum = image.row(y, z, shot)[x];
        sum = sum + (field.now[element] - field.before[element]) * kept.row(y, z, shot)[x];
    });
}

/// One thread a node of a layer. Grid: x covers the nodes, y the shots.
template <typename T>
__global__ void layers_kernel(ShotLevels<T> field, const __grid_constant__ DeviceLayers<T> layers, NodeArray<T> kept,
                              NodeArray<T> image) {
    const std::int64_t index = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    if (index >= layers.nodes) return;
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    int b = 0;
    while (b + 1 < layers.boxes && index >= layers.box[b + 1].first) ++b;
    const DeviceLayerBox& box = layers.box[b];
    const auto local = static_cast<unsigned>(index - box.first);
    const unsigned row = local / static_cast<unsigned>(box.nodes.count[0]);
    const int node[3] = {box.nodes.low[0] + static_cast<int>(local % static_cast<unsigned>(box.nodes.count[0])),
                         box.nodes.low[1] + static_cast<int>(row % static_cast<unsigned>(box.nodes.count[1])),
                         box.nodes.low[2] + static_cast<int>(row / static_cast<unsigned>(box.nodes.count[1]))};
    const std::int64_t element = shot * field.shot + node[2] * field.plane + node[1] * field.pitch + node[0];
    T value = field.now[element] - field.before[element];
    for (int axis = 0; axis < 3; ++axis) {
        if (box.memory[axis] < 0) continue;
        T& z = layers.values[shot * layers.memory + box.memory[axis] + local];
        const int at = node[axis];
        const T bz = layers.b[axis][at] * z;
        value = layers.c[axis][at] * (value - bz);
        z = bz + layers.a[axis][at] * value;
    }
    if (kept.data == nullptr) return;
    T& sum = image.row(node[1], node[2], shot)[node[0]];
    sum = sum + value * kept.row(node[1], node[2], shot)[node[0]];
}

dim3 rows_of_shots(const NodeRange& nodes, int shots) {
    return {cover(static_cast<std::int64_t>(nodes.count[1]) * nodes.count[2], kRows.y), static_cast<unsigned>(shots)};
}

bool is_empty(const NodeRange& nodes) {
    return nodes.count[0] <= 0 || nodes.count[1] <= 0 || nodes.count[2] <= 0;
}

}  // namespace

template <typename T>
void keep_difference(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept,
                     cudaStream_t stream) {
    if (is_empty(nodes)) return;
    launch<T>(keep_kernel<T>, {rows_of_shots(nodes, field.shots), kRows}, stream, field, nodes, kept);
}

template <typename T>
void meet_inside(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept,
                 const NodeArray<T>& image, cudaStream_t stream) {
    if (is_empty(nodes)) return;
    launch<T>(meet_kernel<T>, {rows_of_shots(nodes, field.shots), kRows}, stream, field, nodes, kept, image);
}

template <typename T>
void meet_in_layers(const ShotLevels<T>& field, const DeviceLayers<T>& layers, const NodeArray<T>& kept,
                    const NodeArray<T>& image, cudaStream_t stream) {
    if (layers.nodes == 0) return;
    const dim3 grid(cover(layers.nodes, kThreads), static_cast<unsigned>(field.shots));
    launch<T>(layers_kernel<T>, {grid, kThreads}, stream, field, layers, kept, image);
}

#define ONDA_INSTANTIATE(T)                                                                                        \
    template void keep_difference<T>(const ShotLevels<T>&, const NodeRange&, const NodeArray<T>&, cudaStream_t);   \
    template void meet_inside<T>(const ShotLevels<T>&, const NodeRange&, const NodeArray<T>&, const NodeArray<T>&, \
                                 cudaStream_t);                                                                    \
    template void meet_in_layers<T>(const ShotLevels<T>&, const DeviceLayers<T>&, const NodeArray<T>&,             \
                                    const NodeArray<T>&, cudaStream_t)
ONDA_INSTANTIATE(float);
ONDA_INSTANTIATE(double);
#undef ONDA_INSTANTIATE

}  // namespace onda::cuda
