/// \file
/// Whole time steps of one wavefield by the fused kernel.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/common_arguments.hpp"
#include "kernels/cuda/fused/fused_plan.hpp"
#include "kernels/cuda/strips/cpml.hpp"
#include "kernels/steps/step_list.hpp"

namespace onda::cuda {

/// A single step by the fused kernel, of what nothing cuts: `record` to `inject` are one launch, unless some strips
/// need launches of their own, which `inject` then follows. The sample is the one that the step before has left.
inline constexpr std::array kFusedStep{Operation::fill_halos,   Operation::send_planes, Operation::step_inside,
                                       Operation::await_planes, Operation::record,      Operation::step_beside_cuts,
                                       Operation::absorb,       Operation::inject,      Operation::swap};
static_assert(is_order_of(kFusedStep, kSingleStep));

/// Whether the fused kernel can compute steps with these layers: no thread may reach two strips of one axis, and
/// places in a few planes of p, or in a strip, must be counted with 32 bits.
template <typename T>
bool fused_fits(const Grid& grid, const Cpml& layers) {
    std::int64_t planes = 2 * kMaxRadius + kFusedRows;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t width = layers.face[2 * axis].width() + layers.face[2 * axis + 1].width();
        if (width > 0 && grid.n[axis] <= width + std::int64_t{16 / sizeof(T)}) return false;
        planes = std::max(planes, width);
    }
    constexpr std::int64_t margin = 64;  // halo and padding
    return (grid.nx() + margin) * (grid.ny() + margin) * planes < INT_MAX &&
           (grid.ny() + grid.nz()) * 3 * planes < INT_MAX;
}

/// What a fused step does beside p[n+1]. `sources` in the order of their blocks: see FusedSteps::block_of().
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
    /// \param planned with the rows that add_rows() adds; \param fields arrays that stay where they are. \param
    /// across_z the images beyond the faces of z. \param layers null without.
    FusedSteps(int threads, int radius, const Allocations& planned, const Fields<T>& fields,
               const std::vector<HaloCopy>& across_z, const CpmlLayers<T>* layers)
        : threads_(threads),
          radius_(radius),
          boxes_(fused_boxes<T>(fields.grid, layers != nullptr ? layers->strips().layers : Cpml{}, threads)),
          sources_of_(planned.of("fused.sources")) {
        if (layers != nullptr) profiles_ = upload_vector(planned.of("fused.profiles"), profiles_of(layers->strips()));
        for (int now = 0; now < 2; ++now) {
            FusedArguments<T>& a = arguments_[now];
            set_common(a, fields, now);
            set_boxes(a, boxes_, fields.volumes, fields.volume_step);
            a.images = fused_images(across_z, fields.grid.nz());
            if (layers != nullptr) set_strips(a, *layers, now);
        }
    }

    [[nodiscard]] std::int64_t bytes() const { return sources_of_.bytes() + profiles_.bytes(); }
    static void add_rows(Allocations& list, const Grid& grid, int volumes, const Cpml& layers, int threads) {
        std::int64_t values = 0;
        for (const CpmlFace& face : layers.face) values += profile_size(face);
        const std::int64_t blocks = volumes * std::int64_t{blocks_of(fused_boxes<T>(grid, layers, threads))};
        list.add(on_device("fused.sources", Owner::wavefield, blocks + 1, sizeof(std::int32_t)));
        list.add(on_device("fused.profiles", Owner::wavefield, values, sizeof(FusedProfile<T>)));
    }
    /// The block that adds a source at this node of a shot.
    [[nodiscard]] unsigned block_of(std::array<std::int64_t, 3> node, int shot) const {
        const int dimensions = arguments_[0].stencil.dimensions;
        if (dimensions == 2) node[1] += shot;
        const unsigned before = dimensions == 2 ? 0 : static_cast<unsigned>(shot) * blocks_of(boxes_);
        return before + fused_block_of(boxes_, dimensions, node);
    }
    /// Sets which source nodes a block adds. \param blocks of the source nodes, in order.
    void set_sources(const std::vector<unsigned>& blocks) {
        std::vector<std::int32_t> first;
        for (unsigned block = 0; first.size() < static_cast<std::size_t>(sources_of_.size()); ++block)
            first.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(blocks, block) - blocks.begin()));
        copy_to_device(sources_of_.data(), first.data(), sources_of_.size());
    }
    /// Queues the step that reads p[now].
    void step(int now, const FusedShot<T>& shot, cudaStream_t stream) const {
        using Launch = void (*)(int, const FusedArguments<T>&, cudaStream_t);
        constexpr Launch launch_radius[kMaxRadius] = {launch_fused<1>, launch_fused<2>, launch_fused<3>,
                                                      launch_fused<4>, launch_fused<5>, launch_fused<6>,
                                                      launch_fused<7>, launch_fused<8>};
        FusedArguments<T> a = arguments_[now];
        a.base = shot.base;
        a.offset = shot.offset;
        if (shot.records) {
            a.receivers = shot.receivers;
            a.record_blocks = static_cast<unsigned>(blocks_for(shot.receivers.receivers, threads_));
        }
        if (shot.injects && shot.sources.nodes > 0) {
            a.sources = shot.sources;
            a.sources_of = sources_of_.data();
        }
        launch_radius[radius_ - 1](threads_, a, stream);
    }

private:
    [[nodiscard]] static std::int64_t profile_size(const CpmlFace& face) {
        return face.width() == 0 ? 0 : kMaxRadius + face.width() + 1;
    }
    /// Profiles of all faces, one after the other, from t = -kMaxRadius on; psi has values from 0 on, zeta from 1 on.
    [[nodiscard]] static std::vector<FusedProfile<T>> profiles_of(const cpml::Strips& strips) {
        std::vector<FusedProfile<T>> all;
        for (const CpmlFace& face : strips.layers.face) {
            const std::size_t begin = all.size() + kMaxRadius;
            all.resize(all.size() + static_cast<std::size_t>(profile_size(face)));
            const auto width = static_cast<std::size_t>(face.width());
            for (std::size_t t = 0; t < width; ++t) {
                all[begin + t].a_psi = static_cast<T>(face.a_psi[t]);
                all[begin + t].b_psi = static_cast<T>(face.b_psi[t]);
                all[begin + t + 1].a_zeta = static_cast<T>(face.a_zeta[t]);
                all[begin + t + 1].b_zeta = static_cast<T>(face.b_zeta[t]);
            }
        }
        return all;
    }
    void set_strips(FusedArguments<T>& a, const CpmlLayers<T>& layers, int now) const {
        const FusedProfile<T>* profile = profiles_.data();
        for (int axis = 0; axis < 3; ++axis) layers.copy_weights(axis, a.h[axis]);
        a.strip_step = layers.volume_memory();
        for (int face = 0; face < 6; ++face) {
            a.side[face] = layers.fused_side(face, now);
            if (a.side[face].width == 0) continue;
            a.side[face].profile = profile + kMaxRadius - radius_;
            profile += profile_size(layers.strips().layers.face[static_cast<std::size_t>(face)]);
            if (face % 2 == 0)
                a.low_reach[face / 2] = a.side[face].edge + 1;
            else
                a.high_reach[face / 2] = a.side[face].edge;
        }
    }

    int threads_, radius_;
    FusedBoxes boxes_;
    FusedArguments<T> arguments_[2];
    DeviceBuffer<std::int32_t> sources_of_;
    DeviceBuffer<FusedProfile<T>> profiles_;
};

}  // namespace onda::cuda
