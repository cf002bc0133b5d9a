// What rings take of fields and give them: one thread a node of a frame. Grid: x covers the nodes, y the shots.
#include "kernels/cuda/imaging/field_ring.hpp"
#include "kernels/cuda/imaging/node_rows.hpp"

namespace onda::cuda {
namespace {

constexpr int kThreads = 256;

/// Calls body(element of the field, value of the frame) for the thread's node.
template <typename T, typename Body>
__device__ __forceinline__ void for_node(const ShotLevels<T>& field, const DeviceFrame& frame, const Body& body) {
    const std::int64_t index = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    if (index >= frame.nodes) return;
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    int which = 0;
    while (which + 1 < frame.parts && index >= frame.part[which + 1].first) ++which;
    const DeviceFrame::Part& part = frame.part[which];
    const auto local = static_cast<unsigned>(index - part.first);
    const auto nx = static_cast<unsigned>(part.nodes.count[0]), ny = static_cast<unsigned>(part.nodes.count[1]);
    const unsigned row = local / nx;
    const int x = part.nodes.low[0] + static_cast<int>(local % nx), y = part.nodes.low[1] + static_cast<int>(row % ny),
              z = part.nodes.low[2] + static_cast<int>(row / ny);
    body(field.element(x, y, z, shot), shot * frame.nodes + index);
}

template <typename T>
__global__ void read_kernel(ShotLevels<T> field, const __grid_constant__ DeviceFrame frame, bool difference,
                            T* values) {
    for_node(field, frame, [&](std::int64_t element, std::int64_t value) {
        values[value] = difference ? field.now[element] - field.before[element] : field.now[element];
    });
}

template <typename T>
__global__ void write_kernel(ShotLevels<T> field, const __grid_constant__ DeviceFrame frame, const T* values, T* now) {
    for_node(field, frame, [&](std::int64_t element, std::int64_t value) { now[element] = values[value]; });
}

template <typename T>
__global__ void write_difference_kernel(ShotLevels<T> field, const __grid_constant__ DeviceFrame frame, const T* values,
                                        T* now, T* before) {
    for_node(field, frame, [&](std::int64_t element, std::int64_t value) {
        now[element] = 0;
        before[element] = values[value];
    });
}

LaunchShape nodes_of_shots(const DeviceFrame& frame, int shots) {
    return {{cover(frame.nodes, kThreads), static_cast<unsigned>(shots)}, kThreads};
}

}  // namespace

template <typename T>
void read_frame(const ShotLevels<T>& field, const DeviceFrame& frame, bool difference, T* values, cudaStream_t stream) {
    if (frame.nodes > 0)
        launch<T>(read_kernel<T>, nodes_of_shots(frame, field.shots), stream, field, frame, difference, values);
}

template <typename T>
void write_frame(const ShotLevels<T>& field, const DeviceFrame& frame, const T* values, T* now, cudaStream_t stream) {
    if (frame.nodes > 0)
        launch<T>(write_kernel<T>, nodes_of_shots(frame, field.shots), stream, field, frame, values, now);
}

template <typename T>
void write_difference(const ShotLevels<T>& field, const DeviceFrame& frame, const T* values, T* now, T* before,
                      cudaStream_t stream) {
    if (frame.nodes > 0)
        launch<T>(write_difference_kernel<T>, nodes_of_shots(frame, field.shots), stream, field, frame, values, now,
                  before);
}

#define ONDA_INSTANTIATE(T)                                                                             \
    template void read_frame<T>(const ShotLevels<T>&, const DeviceFrame&, bool, T*, cudaStream_t);      \
    template void write_frame<T>(const ShotLevels<T>&, const DeviceFrame&, const T*, T*, cudaStream_t); \
    template void write_difference<T>(const ShotLevels<T>&, const DeviceFrame&, const T*, T*, T*, cudaStream_t)
ONDA_INSTANTIATE(float);
ONDA_INSTANTIATE(double);
#undef ONDA_INSTANTIATE

}  // namespace onda::cuda
