// What rings take of fields and give them: one thread a node of a frame. Grid: x covers the nodes, y the shots.
#include "kernels/cuda/imaging/field_ring.hpp"
#include "kernels/cuda/imaging/node_rows.hpp"
#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {
namespace {

constexpr int kThreads = CodedBlock::kValues;

/// The value of the thread's node.
template <typename T>
__device__ __forceinline__ T value_of(const T* values, std::int64_t value) {
    return values[value];
}
template <typename T>
__device__ __forceinline__ T value_of(const CodedBlock* blocks, std::int64_t) {
    const CodedBlock& block = blocks[blockIdx.y * static_cast<std::int64_t>(gridDim.x) + blockIdx.x];
    return decoded<T>(block.code[threadIdx.x], block.unit);
}

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

/// A block of threads codes a block of nodes. Shared memory: their sizes, of which those of the lower half become the
/// larger ones of both, until one is left.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    code_kernel(ShotLevels<T> field, const __grid_constant__ DeviceFrame frame, bool difference, CodedBlock* blocks) {
    auto* const sizes = reinterpret_cast<BitsOf<T>*>(shared_memory());
    const unsigned thread = threadIdx.x;
    T value = 0;
    for_node(field, frame, [&](std::int64_t element, std::int64_t) {
        value = difference ? field.now[element] - field.before[element] : field.now[element];
    });
    sizes[thread] = bits_of_size(value);
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half && sizes[thread] < sizes[thread + half]) sizes[thread] = sizes[thread + half];
    }
    __syncthreads();
    const float unit = unit_of<T>(sizes[0]);
    CodedBlock& block = blocks[blockIdx.y * static_cast<std::int64_t>(gridDim.x) + blockIdx.x];
    if (thread == 0) block.unit = unit;
    block.code[thread] = coded(value, unit);
}

template <typename T, typename Stored>
__global__ void write_kernel(ShotLevels<T> field, const __grid_constant__ DeviceFrame frame,
                             const __grid_constant__ WeightedValues<T, Stored> of, T* now) {
    for_node(field, frame, [&](std::int64_t element, std::int64_t value) {
        T sum = value_of<T>(of.values[0], value);
        if (of.count > 1) sum = of.weight[0] * sum;
        for (int i = 1; i < of.count; ++i) sum = sum + of.weight[i] * value_of<T>(of.values[i], value);
        now[element] = sum;
    });
}

template <typename T, typename Stored>
__global__ void write_difference_kernel(ShotLevels<T> field, const __grid_constant__ DeviceFrame frame,
                                        const Stored* values, T* now, T* before) {
    for_node(field, frame, [&](std::int64_t element, std::int64_t value) {
        now[element] = 0;
        before[element] = value_of<T>(values, value);
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
void read_frame(const ShotLevels<T>& field, const DeviceFrame& frame, bool difference, CodedBlock* values,
                cudaStream_t stream) {
    if (frame.nodes == 0) return;
    LaunchShape shape = nodes_of_shots(frame, field.shots);
    shape.shared_bytes = kThreads * sizeof(BitsOf<T>);
    launch<T>(code_kernel<T>, shape, stream, field, frame, difference, values);
}

template <typename T, typename Stored>
void write_frame(const ShotLevels<T>& field, const DeviceFrame& frame, const WeightedValues<T, Stored>& values, T* now,
                 cudaStream_t stream) {
    if (frame.nodes > 0)
        launch<T>(write_kernel<T, Stored>, nodes_of_shots(frame, field.shots), stream, field, frame, values, now);
}

template <typename T, typename Stored>
void write_difference(const ShotLevels<T>& field, const DeviceFrame& frame, const Stored* values, T* now, T* before,
                      cudaStream_t stream) {
    if (frame.nodes > 0)
        launch<T>(write_difference_kernel<T, Stored>, nodes_of_shots(frame, field.shots), stream, field, frame, values,
                  now, before);
}

#define ONDA_INSTANTIATE_STORED(T, Stored)                                                                           \
    template void read_frame<T>(const ShotLevels<T>&, const DeviceFrame&, bool, Stored*, cudaStream_t);              \
    template void write_frame<T, Stored>(const ShotLevels<T>&, const DeviceFrame&, const WeightedValues<T, Stored>&, \
                                         T*, cudaStream_t);                                                          \
    template void write_difference<T, Stored>(const ShotLevels<T>&, const DeviceFrame&, const Stored*, T*, T*,       \
                                              cudaStream_t)
#define ONDA_INSTANTIATE(T)        \
    ONDA_INSTANTIATE_STORED(T, T); \
    ONDA_INSTANTIATE_STORED(T, CodedBlock)
ONDA_INSTANTIATE(float);
ONDA_INSTANTIATE(double);
#undef ONDA_INSTANTIATE
#undef ONDA_INSTANTIATE_STORED

}  // namespace onda::cuda
