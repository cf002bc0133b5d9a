// What images and scattering do with fluxes. Sums and products are rounded one by one, as on the CPU.
#include "kernels/cuda/imaging/flux.hpp"
#include "kernels/cuda/imaging/node_rows.hpp"

namespace onda::cuda {
namespace {

constexpr int kThreadsOfFluxes = 256;

/// \param before the values of the axis that come before value 0: beyond a cut.
template <typename T>
__device__ __forceinline__ T image_of(int image, int before, const T* base, std::int64_t stride) {
    const int from = image == 0 ? 0 : (image > 0 ? image : -image) - 1 - before;
    return static_cast<T>(image == 0 ? 0 : (image > 0 ? 1 : -1)) * base[from * stride];
}

/// sum over k of d_k (v(ahead) - v(behind)) at a place of an axis: of nodes k ahead of a half node, or, transposed, of
/// half nodes k behind a node.
template <typename T, bool Transposed>
__device__ __forceinline__ T sum_of_pairs(const DeviceFluxAxis<T>& axis, const DeviceVolume<T>& values, int x, int y,
                                          int z, std::int64_t shot) {
    const int* const images = Transposed ? axis.halves : axis.nodes;
    const int i = axis.axis == 0 ? x : axis.axis == 1 ? y : z, r = axis.radius;
    const std::int64_t stride = axis.axis == 0 ? 1 : axis.axis == 1 ? values.pitch : values.plane;
    const T* const base = values.first + shot * values.shot + z * values.plane + y * values.pitch + x - i * stride;
    T sum = T(0);
    for (int k = 1; k <= r; ++k) {
        const int ahead = Transposed ? i + r - k : i + r + k - 1, behind = Transposed ? i + r + k - 1 : i + r - k;
        const T share = axis.weights[k - 1] * (image_of(images[ahead], axis.before, base, stride) -
                                               image_of(images[behind], axis.before, base, stride));
        sum = k == 1 ? share : sum + share;
    }
    return sum;
}

template <typename T>
struct MeetFluxes {
    DeviceFluxAxis<T> axis;
    DeviceVolume<T> nu, kept;
    NodeArray<T> image;

    __device__ T value(int x, int y, int z, std::int64_t shot) const {
        return sum_of_pairs<T, false>(axis, nu, x, y, z, shot);
    }
    __device__ void take(int x, int y, int z, std::int64_t shot, T adjoint) const {
        if (kept.first == nullptr) return;
        T& to = image.row(y, z, shot)[x];
        to = to + adjoint * sum_of_pairs<T, false>(axis, kept, x, y, z, shot);
    }
};

template <typename T>
struct MakeFluxes {
    DeviceFluxAxis<T> axis;
    DeviceVolume<T> pressure;
    NodeArray<T> buoyancy, flux;

    __device__ T value(int x, int y, int z, std::int64_t shot) const {
        return sum_of_pairs<T, false>(axis, pressure, x, y, z, shot);
    }
    __device__ void take(int x, int y, int z, std::int64_t shot, T derivative) const {
        flux.row(y, z, shot)[x] = buoyancy.row(y, z, 0)[x] * derivative;
    }
};

template <typename T>
struct AddFluxes {
    DeviceFluxAxis<T> axis;
    DeviceVolume<T> flux;
    NodeArray<T> k;
    ShotLevels<T> levels;
    T* before;

    __device__ T value(int x, int y, int z, std::int64_t shot) const {
        return sum_of_pairs<T, true>(axis, flux, x, y, z, shot);
    }
    __device__ void take(int x, int y, int z, std::int64_t shot, T sum) const {
        T& to = before[levels.element(x, y, z, shot)];
        to = to + k.row(y, z, 0)[x] * sum;
    }
};

template <typename Work>
__global__ void fluxes_inside_kernel(NodeRange nodes, const __grid_constant__ Work work) {
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    for_nodes_of_row(nodes, [&](int x, int y, int z) { work.take(x, y, z, shot, work.value(x, y, z, shot)); });
}

/// One thread a place of a layer, whose recursions come between. Grid: x covers the places, y the shots.
template <typename T, typename Work>
__global__ void fluxes_in_layers_kernel(const __grid_constant__ DeviceLayers<T> layers,
                                        const __grid_constant__ Work work) {
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
    T value = work.value(node[0], node[1], node[2], shot);
    for (int axis = 0; axis < 3; ++axis) {
        if (box.memory[axis] < 0) continue;
        T& z = layers.values[shot * layers.memory + box.memory[axis] + local];
        const int at = node[axis];
        const T bz = layers.b[axis][at] * z;
        value = layers.c[axis][at] * (value - bz);
        z = bz + layers.a[axis][at] * value;
    }
    work.take(node[0], node[1], node[2], shot, value);
}

template <typename T, typename Work>
void launch_in_layers(const FluxParts<T>& parts, const Work& work, cudaStream_t stream) {
    if (parts.layers.nodes == 0) return;
    const dim3 grid(cover(parts.layers.nodes, kThreadsOfFluxes), static_cast<unsigned>(parts.shots));
    launch<T>(fluxes_in_layers_kernel<T, Work>, {grid, kThreadsOfFluxes}, stream, parts.layers, work);
}
template <typename T, typename Work>
void launch_inside(const FluxParts<T>& parts, const Work& work, cudaStream_t stream) {
    if (is_empty(parts.inner)) return;
    launch<T>(fluxes_inside_kernel<Work>, rows_of_shots(parts.inner, parts.shots), stream, parts.inner, work);
}

template <typename T>
__global__ void keep_level_kernel(ShotLevels<T> field, NodeRange nodes, NodeArray<T> kept) {
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    for_nodes_of_row(nodes,
                     [&](int x, int y, int z) { kept.row(y, z, shot)[x] = field.now[field.element(x, y, z, shot)]; });
}

}  // namespace

template <typename T>
void keep_level(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept, cudaStream_t stream) {
    if (is_empty(nodes)) return;
    launch<T>(keep_level_kernel<T>, rows_of_shots(nodes, field.shots), stream, field, nodes, kept);
}

template <typename T>
void meet_fluxes(const FluxParts<T>& parts, const DeviceFluxAxis<T>& axis, const DeviceVolume<T>& nu,
                 const DeviceVolume<T>& kept, const NodeArray<T>& image, cudaStream_t stream) {
    const MeetFluxes<T> work{axis, nu, kept, image};
    if (kept.first != nullptr) launch_inside(parts, work, stream);
    launch_in_layers(parts, work, stream);
}

template <typename T>
void make_fluxes(const FluxParts<T>& parts, const DeviceFluxAxis<T>& axis, const DeviceVolume<T>& pressure,
                 const NodeArray<T>& buoyancy, const NodeArray<T>& flux, cudaStream_t stream) {
    const MakeFluxes<T> work{axis, pressure, buoyancy, flux};
    launch_inside(parts, work, stream);
    launch_in_layers(parts, work, stream);
}

template <typename T>
void add_fluxes(const FluxParts<T>& parts, const DeviceFluxAxis<T>& axis, const DeviceVolume<T>& flux,
                const NodeArray<T>& k, const ShotLevels<T>& levels, T* before, cudaStream_t stream) {
    const AddFluxes<T> work{axis, flux, k, levels, before};
    launch_inside(parts, work, stream);
    launch_in_layers(parts, work, stream);
}

#define ONDA_INSTANTIATE(T)                                                                                 \
    template void keep_level<T>(const ShotLevels<T>&, const NodeRange&, const NodeArray<T>&, cudaStream_t); \
    template void meet_fluxes<T>(const FluxParts<T>&, const DeviceFluxAxis<T>&, const DeviceVolume<T>&,     \
                                 const DeviceVolume<T>&, const NodeArray<T>&, cudaStream_t);                \
    template void make_fluxes<T>(const FluxParts<T>&, const DeviceFluxAxis<T>&, const DeviceVolume<T>&,     \
                                 const NodeArray<T>&, const NodeArray<T>&, cudaStream_t);                   \
    template void add_fluxes<T>(const FluxParts<T>&, const DeviceFluxAxis<T>&, const DeviceVolume<T>&,      \
                                const NodeArray<T>&, const ShotLevels<T>&, T*, cudaStream_t)
ONDA_INSTANTIATE(float);
ONDA_INSTANTIATE(double);
#undef ONDA_INSTANTIATE

}  // namespace onda::cuda
