/// \file
/// What images and scattering of fluxes hold in the memory of one GPU: axes, layers, and arrays of half nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/imaging/flux.hpp"
#include "kernels/cuda/imaging/node_layout.hpp"
#include "kernels/imaging/flux_axes.hpp"
#include "kernels/imaging/layer_boxes.hpp"

namespace onda::cuda {

/// An array [shot][z][y][x] whose rows begin on whole sectors of memory, and how it is planned.
struct ArrayExtents {
    std::array<std::int64_t, 3> n;
    std::int64_t element_bytes;

    [[nodiscard]] std::int64_t pitch() const { return sector_pitch(n[0], element_bytes); }
    [[nodiscard]] std::int64_t elements() const { return pitch() * n[1] * n[2]; }  ///< of a shot
    template <typename T>
    [[nodiscard]] NodeArray<T> array(T* data) const {
        return {data, pitch(), pitch() * n[1], elements()};
    }
    template <typename T>
    [[nodiscard]] DeviceVolume<T> volume(const T* data) const {
        return {data, pitch(), pitch() * n[1], elements()};
    }
    /// Copies values [z][y][x] to an array of one shot. Waits.
    template <typename T>
    void upload(std::span<const double> values, const DeviceBuffer<T>& to) const {
        std::vector<T> rows(static_cast<std::size_t>(elements()));
        for (std::int64_t row = 0; row < n[1] * n[2]; ++row)
            for (std::int64_t x = 0; x < n[0]; ++x)
                rows[static_cast<std::size_t>(row * pitch() + x)] =
                    static_cast<T>(values[static_cast<std::size_t>(row * n[0] + x)]);
        copy_to_device(to.data(), rows.data(), elements());
    }
    /// Copies an array of one shot to values [z][y][x].
    template <typename T>
    void download(const T* from, std::span<double> values) const {
        std::vector<T> rows(static_cast<std::size_t>(elements()));
        ONDA_CUDA_TRY(cudaMemcpy(rows.data(), from, rows.size() * sizeof(T), cudaMemcpyDeviceToHost));
        for (std::int64_t row = 0; row < n[1] * n[2]; ++row)
            std::copy_n(rows.begin() + row * pitch(), n[0], values.begin() + row * n[0]);
    }
};

inline ArrayExtents extents_of(const Setup& setup) {
    return {setup.grid.n, setup.element_bytes()};
}
inline ArrayExtents extents_of(const FluxAxis& flux, const Setup& setup) {
    return {flux.n, setup.element_bytes()};
}

/// Arrays of the nodes that D takes of a field, planes beyond cuts included, by node (0, 0, 0) of the grid.
struct TakenNodes {
    TakenNodes(const Setup& setup, HalfNodes which) : TakenNodes(setup, nodes_of_fluxes(setup, which)) {}

    template <typename T>
    [[nodiscard]] NodeArray<T> array(T* data) const {
        return extents.array(data + before);
    }
    template <typename T>
    [[nodiscard]] DeviceVolume<T> volume(const T* data) const {
        return extents.volume(data + before);
    }
    NodeRange nodes;
    ArrayExtents extents;
    std::int64_t before;  ///< elements before that of node (0, 0, 0)

private:
    TakenNodes(const Setup& setup, const Box& box)
        : nodes(range_of(box)),
          extents{{box.high[0], box.high[1], box.high[2] - box.low[2]}, setup.element_bytes()},
          before(-box.low[2] * extents.pitch() * extents.n[1]) {}
};

template <typename T>
void queue_zeros(const DeviceBuffer<T>& buffer, const Stream& stream) {
    if (buffer.size() > 0)
        ONDA_CUDA_TRY(
            cudaMemsetAsync(buffer.data(), 0, static_cast<std::size_t>(buffer.size()) * sizeof(T), stream.get()));
}

/// The axis of fluxes on the device, with its tables.
template <typename T>
class FluxAxisOnDevice {
public:
    static void add_rows(Allocations& list, const std::string& name, const FluxAxis& flux) {
        list.add(on_device(name, Owner::wavefield, std::ssize(flux.nodes) + std::ssize(flux.halves), sizeof(int)));
    }
    FluxAxisOnDevice(const Allocations& planned, const std::string& name, const FluxAxis& flux)
        : tables_(upload_vector(planned.of(name), tables_of(flux))) {
        axis_.axis = flux.axis;
        axis_.radius = static_cast<int>(flux.radius());
        std::ranges::transform(flux.weights, axis_.weights, [](double weight) { return static_cast<T>(weight); });
        axis_.before = static_cast<int>(flux.beyond[0]);
        axis_.nodes = tables_.data();
        axis_.halves = tables_.data() + flux.nodes.size();
    }
    [[nodiscard]] const DeviceFluxAxis<T>& get() const { return axis_; }
    [[nodiscard]] std::int64_t bytes() const { return tables_.bytes(); }

private:
    static std::vector<int> tables_of(const FluxAxis& flux) {
        std::vector<int> tables;
        for (const std::vector<AxisImage>* images : {&flux.nodes, &flux.halves})
            for (const AxisImage& image : *images)
                tables.push_back(image.sign * static_cast<int>(image.from + flux.beyond[0] + 1));
        return tables;
    }

    DeviceBuffer<int> tables_;
    DeviceFluxAxis<T> axis_;
};

/// Layers of nodes or half nodes on the device, with what they remember of all shots.
template <typename T>
class FluxPartsOnDevice {
public:
    static void add_rows(Allocations& list, const std::string& name, const LayerBoxes& layers, int shots) {
        list.add(on_device(name, Owner::wavefield, shots * layers.memory, sizeof(T)));
        list.add(on_device(name + ".profiles", Owner::wavefield, std::ssize(profiles_of(layers)), sizeof(T)));
    }
    FluxPartsOnDevice(const Allocations& planned, const std::string& name, const LayerBoxes& layers, int shots)
        : memory_(planned.of(name)), profiles_(upload_vector(planned.of(name + ".profiles"), profiles_of(layers))) {
        parts_.inner = range_of(layers.inner);
        parts_.shots = shots;
        DeviceLayers<T>& to = parts_.layers;
        to.nodes = layers.nodes;
        to.memory = layers.memory;
        to.values = memory_.data();
        for (const LayerBox& box : layers.boxes) {
            DeviceLayerBox& on_gpu = to.box[to.boxes++];
            on_gpu.nodes = range_of(box.nodes);
            on_gpu.first = box.first;
            std::ranges::copy(box.memory, on_gpu.memory);
        }
        const T* at = profiles_.data();
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (const T** values : {&to.a[axis], &to.b[axis], &to.c[axis]}) {
                *values = at;
                at += std::ssize(layers.axis[axis].a);
            }
    }
    [[nodiscard]] const FluxParts<T>& get() const { return parts_; }
    [[nodiscard]] const DeviceBuffer<T>& memory() const { return memory_; }
    [[nodiscard]] std::int64_t bytes() const { return memory_.bytes() + profiles_.bytes(); }

private:
    /// a, b and c of x, of y, of z.
    static std::vector<T> profiles_of(const LayerBoxes& layers) {
        std::vector<T> all;
        for (const LayerProfile& axis : layers.axis)
            for (const std::vector<double>* values : {&axis.a, &axis.b, &axis.c})
                all.insert(all.end(), values->begin(), values->end());
        return all;
    }

    DeviceBuffer<T> memory_, profiles_;
    FluxParts<T> parts_{};
};

}  // namespace onda::cuda
