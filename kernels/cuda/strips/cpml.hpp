/// \file
/// The perfectly matched layers of a wavefield: their memory variables, and the launches of their strips.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "kernels/cuda/cpml/cpml_launches.hpp"
#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/strips/strip.hpp"
#include "kernels/plan/state_parts.hpp"

namespace onda::cuda {

template <typename T>
class CpmlLayers final : public StripSteps<T> {
public:
    CpmlLayers(const Cpml& layers, const StripPlace<T>& place)
        : strips_(planned_from(layers, place)),
          equation_(place.setup.scheme.equation),
          medium_(place.fields.medium),
          volumes_(place.fields.volumes),
          volume_step_(place.fields.volume_step),
          memory_(place.row("cpml.memory")),
          profiles_(upload_vector(place.row("cpml.profiles"), cpml::all_profiles<T>(strips_))),
          launches_(cpml_launches<T>(
              strips_,
              {place.fields.field, place.fields.k().layout, place.fields.half_rho().layout, place.fields.k().at,
               place.fields.half_rho().at, memory_.data(), profiles_.data(), place.fields.coded_k})) {}

    [[nodiscard]] std::int64_t bytes() const override { return memory_.bytes() + profiles_.bytes(); }
    static void add_rows(Allocations& list, const Cpml& layers, const StripExtent& extent) {
        const cpml::Strips strips = planned_from(layers, extent);
        const auto fields = static_cast<std::int64_t>(fields_of_layers(extent.setup.scheme.equation));
        list.add(
            on_device("cpml.memory", Owner::wavefield, fields * extent.volumes * volume_memory(strips), sizeof(T)));
        list.add(on_device("cpml.profiles", Owner::wavefield, cpml::profile_of(strips, 6), sizeof(T)));
    }

    [[nodiscard]] const cpml::Strips& strips() const { return strips_; }
    void reset(cudaStream_t stream) override {
        ONDA_CUDA_TRY(cudaMemsetAsync(memory_.data(), 0, static_cast<std::size_t>(memory_.size()) * sizeof(T), stream));
    }
    /// Distance from the memory variables of a volume to those of the next.
    [[nodiscard]] std::int64_t volume_memory() const { return volume_memory(strips_); }
    void for_state(int shot, int now, const typename StripSteps<T>::StateBody& body) const override {
        Grid one = strips_.grid;
        const bool side_by_side = one.dimensions == 2;
        if (side_by_side) one.n[1] = 1;
        for (int face = 0; face < 6; ++face) {
            const std::int64_t width = cpml::width_of(strips_, face);
            if (width == 0) continue;
            const cpml::MemoryOfFace memory = cpml::memory_of_face<T>(strips_, face);
            const auto& [along_x, along_y, along_z] = memory.strides;
            for (std::size_t field = 0; field < fields_of_layers(equation_); ++field)
                for (const char* variable : {"psi", "zeta"}) {
                    const StatePart part = strip_state(strips_.layers, one, face, width,
                                                       variable_of_field(*equation_, field, variable), sizeof(T));
                    const std::int64_t begin = variable[0] == 'p' ? memory.psi[now] : memory.zeta;
                    body(
                        part,
                        memory_.data() + memory_before(field, side_by_side ? 0 : shot) + begin +
                            (side_by_side ? shot * along_y : 0),
                        WindowRows{0, along_x, along_y, along_z, part.extents[0], part.extents[1], 0, part.extents[1]});
                }
        }
    }
    [[nodiscard]] bool in_whole_steps() const override { return strips_.two_psi; }
    void apply(std::span<const StepLevels<T>> fields, int volume, cudaStream_t stream) const override {
        const std::span<const LayerCoupling> couplings = equation_->factor->couplings;
        for (std::size_t field = 0; couplings.empty() && field < fields.size(); ++field)
            for (const CpmlLaunch<T>& launch : launches_)
                apply(launch, fields[field], volume, memory_before(field, volume), {}, stream);
        if (couplings.empty()) return;
        for (const CpmlLaunch<T>& launch : launches_) {
            const LayerCoupling& coupling = couplings[static_cast<std::size_t>(launch.axis)];
            const std::size_t own = coupling.field, other = 1 - own;
            CpmlShared<T> shared{fields[other].q + volume * volume_step_, multiplier(coupling.multiplier[own]),
                                 multiplier(coupling.multiplier[other])};
            if (coupling.with_third) shared.third = fields[2].q + volume * volume_step_;
            apply(launch, fields[own], volume, memory_before(0, volume), shared, stream);
        }
    }

    /// The weights of the strips across one axis, for the fused kernel.
    void copy_weights(int axis, T (&h)[kMaxRadius + 1]) const {
        std::ranges::copy(cpml_weights<T>(strips_.scheme, strips_.grid.spacing_m[static_cast<std::size_t>(axis)]), h);
    }
    /// The strip of one face, in a step that reads p[now], for the fused kernel: all but its profile.
    [[nodiscard]] FusedSide<T> fused_side(int face, int now) const {
        const int width = static_cast<int>(cpml::width_of(strips_, face));
        if (width == 0) return {};
        const cpml::MemoryOfFace memory = cpml::memory_of_face<T>(strips_, face);
        const std::int64_t n = strips_.grid.n[static_cast<std::size_t>(face / 2)];
        FusedSide<T> side;
        side.psi = memory_.data() + memory.psi[now];
        side.psi_next = memory_.data() + memory.psi[1 - now];
        side.zeta = memory_.data() + memory.zeta;
        side.width = width;
        side.edge = static_cast<int>(node_before_strip(n, width, face % 2 == 1));
        for (std::size_t axis = 0; axis < 3; ++axis) side.stride[axis] = static_cast<int>(memory.strides[axis]);
        return side;
    }

private:
    /// The strips across one axis in one volume of a field. \param memory elements before its memory variables.
    void apply(const CpmlLaunch<T>& launch, const StepLevels<T>& levels, int volume, std::int64_t memory,
               const CpmlShared<T>& shared, cudaStream_t stream) const {
        using Apply = void (*)(const CpmlLaunch<T>&, const CpmlArguments<T>&, cudaStream_t);
        constexpr Apply apply_radius[kMaxRadius] = {apply_cpml<1>, apply_cpml<2>, apply_cpml<3>, apply_cpml<4>,
                                                    apply_cpml<5>, apply_cpml<6>, apply_cpml<7>, apply_cpml<8>};
        CpmlArguments<T> arguments = levels.now == 0 ? launch.arguments : cpml::with_psi_swapped(launch.arguments);
        arguments.p = levels.p + volume * volume_step_;
        arguments.q = levels.q + volume * volume_step_;
        arguments.shared = shared;
        for (CpmlSide<T>& side : arguments.side) {
            side.psi += memory;
            side.zeta += memory;
        }
        apply_radius[strips_.scheme.radius() - 1](launch, arguments, stream);
    }
    /// An array of the medium by its name; null without one.
    [[nodiscard]] const T* multiplier(std::string_view name) const {
        const auto& arrays = equation_->arrays;
        const auto array = std::ranges::find(arrays, name, &MediumArray::name);
        return array == arrays.end() ? nullptr : medium_[static_cast<std::size_t>(array - arrays.begin())].at;
    }

    static cpml::Strips planned_from(const Cpml& layers, const StripExtent& extent) {
        cpml::Strips strips{extent.grid, extent.setup.scheme, layers, extent.whole_steps};
        for (double& spacing : strips.grid.spacing_m) spacing *= spacing_in(extent.turn);
        return strips;
    }

    /// Elements before the memory variables of a field in one of the volumes.
    [[nodiscard]] std::int64_t memory_before(std::size_t field, std::int64_t volume) const {
        return (static_cast<std::int64_t>(field) * volumes_ + volume) * volume_memory();
    }
    /// Volumes begin on lines of 128 bytes.
    static std::int64_t volume_memory(const cpml::Strips& strips) {
        return (cpml::memory_of<T>(strips, 6) + 31) / 32 * 32;
    }

    cpml::Strips strips_;
    Equation equation_;
    std::array<ArrayOnDevice<T>, kMaxMediumArrays> medium_;
    int volumes_;
    std::int64_t volume_step_;  ///< of a field
    DeviceBuffer<T> memory_, profiles_;
    std::vector<CpmlLaunch<T>> launches_;
};

}  // namespace onda::cuda
