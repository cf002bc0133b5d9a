// Launches the fused kernel, for one radius (ONDA_RADIUS).
#include "kernels/cuda/fused/fused.hpp"
#include "kernels/cuda/fused/fused_plan.hpp"
#include "kernels/cuda/launch.hpp"

namespace onda::cuda {
namespace {

template <typename T>
constexpr auto kernel_for(int dimensions) {
    return dimensions == 2 ? fused_step<T, 2, ONDA_RADIUS> : fused_step<T, 3, ONDA_RADIUS>;
}

template <typename T>
void launch_blocks(int threads, const FusedArguments<T>& a, cudaStream_t stream) {
    LaunchShape shape{a.record_blocks + a.volumes * blocks_of(a.boxes), static_cast<unsigned>(threads)};
    shape.overlaps = true;
    launch<T>(kernel_for<T>(a.stencil.dimensions), shape, stream, a);
}

/// The stencil alone, behind the interface of all kernels.
template <typename T>
class FusedStepper final : public Stepper {
public:
    FusedStepper(int threads, const Fields<T>& fields) : threads_(threads) {
        for (int now = 0; now < 2; ++now) {
            set_common(arguments_[now], fields, now);
            set_boxes(arguments_[now], fused_boxes<T>(fields.grid, {}, threads), 1, 0);
            arguments_[now].images = fused_images({}, fields.grid.nz());
        }
    }
    void step(int now, cudaStream_t stream) const override { launch_blocks(threads_, arguments_[now], stream); }

private:
    int threads_;
    FusedArguments<T> arguments_[2];
};

template <typename T>
void add_blocks(Instances<T>& list) {
    for (const int threads : {64, kFusedThreads})
        for (const int dimensions : {2, 3}) {
            Instance<T> row;
            row.kernel = "fused";
            row.tile = tile_name<T>(threads, dimensions);
            row.radius = ONDA_RADIUS;
            row.dimensions = dimensions;
            row.architecture = 75;
            row.parameters[0] = threads;
            row.whole_steps = true;
            row.make = [](const Instance<T>& self, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
                return std::make_unique<FusedStepper<T>>(self.parameters[0], fields);
            };
            row.resources = [](const Instance<T>& self, const Stencil<T>& stencil) {
                return resources_of(reinterpret_cast<const void*>(kernel_for<T>(stencil.dimensions)),
                                    self.parameters[0], 0);
            };
            row.facts = [](const Instance<T>& self, const StepExtent<T>& extent) {
                const Cpml none, &layers = extent.layers != nullptr ? *extent.layers : none;
                StepFacts facts = fused_facts<T>(extent.grid, layers, self.parameters[0], ONDA_RADIUS);
                facts.compiled = self.resources(self, extent.stencil);
                facts.blocks *= extent.volumes;  // all volumes are one launch
                return all_volumes(facts, extent.volumes);
            };
            list.push_back(row);
        }
}

}  // namespace

template <>
void launch_fused<ONDA_RADIUS>(int threads, const FusedArguments<float>& a, cudaStream_t stream) {
    launch_blocks(threads, a, stream);
}
template <>
void launch_fused<ONDA_RADIUS>(int threads, const FusedArguments<double>& a, cudaStream_t stream) {
    launch_blocks(threads, a, stream);
}
template <>
void add_fused<ONDA_RADIUS>(Instances<float>& list) {
    add_blocks(list);
}
template <>
void add_fused<ONDA_RADIUS>(Instances<double>& list) {
    add_blocks(list);
}

}  // namespace onda::cuda
