/// \file
/// Fluxes on a GPU: launches of what images and scattering do with first derivatives halfway between nodes.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "kernels/cuda/imaging/correlation.hpp"
#include "kernels/cuda/imaging/node_arrays.hpp"

namespace onda::cuda {

/// The largest radius of an operator.
inline constexpr int kMostFluxWeights = 8;

/// A FluxAxis on the device.
template <typename T>
struct DeviceFluxAxis {
    int axis = 0, radius = 0;
    T weights[kMostFluxWeights] = {};
    int before = 0;  ///< nodes before node 0 that D takes: FluxAxis::beyond
    /// FluxAxis::nodes and halves: 0 where there is none, else from + before + 1, with the sign of the image.
    const int *nodes = nullptr, *halves = nullptr;
};

/// Values of some shots [z][y][x], nodes or half nodes, at (0, 0, 0) of the first shot.
template <typename T>
struct DeviceVolume {
    const T* first = nullptr;
    std::int64_t pitch = 0, plane = 0, shot = 0;
};

/// Nodes or half nodes, and the layers among them: all but `inner`.
template <typename T>
struct FluxParts {
    NodeRange inner;
    DeviceLayers<T> layers;
    int shots = 0;
};

/// Queues kept = now. \param nodes those beyond cuts included.
template <typename T>
void keep_level(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept, cudaStream_t stream);
/// Queues image += (layers of D nu) (D kept) on half nodes. \param kept without data: only layers move on.
template <typename T>
void meet_fluxes(const FluxParts<T>& parts, const DeviceFluxAxis<T>& axis, const DeviceVolume<T>& nu,
                 const DeviceVolume<T>& kept, const NodeArray<T>& image, cudaStream_t stream);
/// Queues flux = db (layers of D p) on half nodes. \param buoyancy db of a shot.
template <typename T>
void make_fluxes(const FluxParts<T>& parts, const DeviceFluxAxis<T>& axis, const DeviceVolume<T>& pressure,
                 const NodeArray<T>& buoyancy, const NodeArray<T>& flux, cudaStream_t stream);
/// Queues before += k (layers of D* flux) on nodes. \param k of a shot. \param levels where `before` lies.
template <typename T>
void add_fluxes(const FluxParts<T>& parts, const DeviceFluxAxis<T>& axis, const DeviceVolume<T>& flux,
                const NodeArray<T>& k, const ShotLevels<T>& levels, T* before, cudaStream_t stream);

}  // namespace onda::cuda
