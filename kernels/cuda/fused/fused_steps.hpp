/// \file
/// Whole time steps of one wavefield by the fused kernel.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/cuda/common_arguments.hpp"
#include "kernels/cuda/cpml/cpml_layers.hpp"
#include "kernels/cuda/fused/fused_plan.hpp"
#include "kernels/grid/halo.hpp"

namespace onda::cuda {

/// The images that stand in the halo of one axis of n layers.
inline AxisImages images_of(const std::vector<HaloCopy>& copies, std::int64_t n) {
    AxisImages images;
    const int layers = static_cast<int>(n);
    for (int j = 1; j <= kMaxRadius; ++j) {
        images.from[j - 1] = -j;
        images.from[kMaxRadius + j - 1] = layers - 1 + j;
        images.sign[j - 1] = images.sign[kMaxRadius + j - 1] = 1;
    }
    for (const HaloCopy& copy : copies) {
        const auto to = static_cast<int>(copy.to);
        const int slot = to < 0 ? -1 - to : kMaxRadius + to - layers;
        images.from[slot] = static_cast<int>(copy.from);
        images.sign[slot] = copy.sign;
        images.any = true;
    }
    return images;
}

/// What a whole step does beside p[n+1]. `sources` in the order of their blocks: see FusedSteps::block_of().
template <typename T>
struct FusedShot {
    bool records = false, injects = false;
    ReceiverNodes<T> receivers;
    SourceNodes<T> sources;
    const std::int64_t* base = nullptr;
    int offset = 0;
};

template <typename T>
class FusedSteps {
public:
    /// \param fields arrays that stay where they are. \param halos the images beyond the faces of each axis.
    /// \param layers null without.
    FusedSteps(const FusedShape& shape, int radius, const Fields<T>& fields,
               const std::array<std::vector<HaloCopy>, 3>& halos, const CpmlLayers<T>* layers)
        : shape_(shape), radius_(radius), sources_of_(table_size(fields.grid, shape)) {
        for (int now = 0; now < 2; ++now) {
            FusedArguments<T>& a = arguments_[now];
            set_common(a, fields, now);
            a.boxes = whole_grid<T>(fields.grid, shape);
            for (int axis = 0; axis < 3; ++axis)
                a.images[axis] =
                    images_of(halos[static_cast<std::size_t>(axis)], fields.grid.n[static_cast<std::size_t>(axis)]);
            if (layers == nullptr) continue;
            for (int axis = 0; axis < 3; ++axis) layers->copy_weights(axis, a.h[axis]);
            for (int face = 0; face < 6; ++face) a.side[face] = layers->fused_side(face, now);
        }
    }

    [[nodiscard]] std::int64_t bytes() const { return sources_of_.bytes(); }
    [[nodiscard]] static std::int64_t bytes_for(const Grid& grid, const FusedShape& shape) {
        return DeviceBuffer<std::int32_t>::bytes_for(table_size(grid, shape));
    }
    /// The block that adds a source at this node.
    [[nodiscard]] unsigned block_of(const std::array<std::int64_t, 3>& node) const {
        return fused_block_of<T>(arguments_[0].boxes, shape_, node);
    }
    /// Sets which source nodes a block adds. \param blocks of the source nodes, in order.
    void set_sources(const std::vector<unsigned>& blocks) {
        std::vector<std::int32_t> first;
        for (unsigned block = 0; block <= arguments_[0].boxes.blocks(); ++block)
            first.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(blocks, block) - blocks.begin()));
        copy_to_device(sources_of_.data(), first.data(), sources_of_.size());
    }
    /// Queues the step that reads p[now].
    void step(int now, const FusedShot<T>& shot, cudaStream_t stream) const {
        using Launch = void (*)(const FusedShape&, const FusedArguments<T>&, cudaStream_t);
        constexpr Launch launch_radius[kMaxRadius] = {launch_fused<1>, launch_fused<2>, launch_fused<3>,
                                                      launch_fused<4>, launch_fused<5>, launch_fused<6>,
                                                      launch_fused<7>, launch_fused<8>};
        FusedArguments<T> a = arguments_[now];
        a.base = shot.base;
        a.offset = shot.offset;
        if (shot.records) {
            a.receivers = shot.receivers;
            a.record_blocks = static_cast<unsigned>(blocks_for(shot.receivers.receivers, shape_.threads));
        }
        if (shot.injects && shot.sources.nodes > 0) {
            a.sources = shot.sources;
            a.sources_of = sources_of_.data();
        }
        launch_radius[radius_ - 1](shape_, a, stream);
    }

private:
    [[nodiscard]] static std::int64_t table_size(const Grid& grid, const FusedShape& shape) {
        return std::int64_t{whole_grid<T>(grid, shape).blocks()} + 1;
    }

    FusedShape shape_;
    int radius_;
    FusedArguments<T> arguments_[2];
    DeviceBuffer<std::int32_t> sources_of_;
};

}  // namespace onda::cuda
