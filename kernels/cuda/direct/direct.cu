// Launches the direct kernel of every operator, for one radius (ONDA_RADIUS).
#include "kernels/cuda/direct/direct_launch.hpp"

namespace onda::cuda {
namespace {

template <typename T, int R>
void add_constant_density(Instances<T>& list) {
    using Star = DirectStepper<T, StepArguments<T>, direct_step<T, 2, R>, direct_step<T, 3, R>,
                               [](int dimensions) { return star_work(dimensions, R); }>;
    add_blocks<T, Star>(list, Equation::star);
    if constexpr (sizeof(T) == sizeof(float)) {
        using Given = WithCodes<StepArguments<T>, CodedK>;
        using Coded = DirectStepper<T, Given, direct_step<T, 2, R, Given>, direct_step<T, 3, R, Given>,
                                    [](int dimensions) { return star_work(dimensions, R); }>;
        for (const Storage storage : {Storage::codes, Storage::table})
            add_blocks<T, Coded>(list, Equation::star, storage);
    }
    if constexpr (R == 1) {
        using Compact =
            DirectStepper<T, StepArguments<T>, direct_compact_step<T, 2>, direct_compact_step<T, 3>, compact_work>;
        add_blocks<T, Compact>(list, Equation::compact);
    }
}

template <typename T, int R>
void add_variable_density(Instances<T>& list) {
    using Density = DirectStepper<T, DensityArguments<T>, direct_density_step<T, 2, R>, direct_density_step<T, 3, R>,
                                  [](int dimensions) { return density_node_work(dimensions, R); }>;
    add_blocks<T, Density>(list, Equation::variable_density);
}

}  // namespace

template <>
void add_direct<ONDA_RADIUS>(Instances<float>& list) {
    add_constant_density<float, ONDA_RADIUS>(list);
}
template <>
void add_direct<ONDA_RADIUS>(Instances<double>& list) {
    add_constant_density<double, ONDA_RADIUS>(list);
}
template <>
void add_direct_density<ONDA_RADIUS>(Instances<float>& list) {
    add_variable_density<float, ONDA_RADIUS>(list);
}
template <>
void add_direct_density<ONDA_RADIUS>(Instances<double>& list) {
    add_variable_density<double, ONDA_RADIUS>(list);
}

}  // namespace onda::cuda
