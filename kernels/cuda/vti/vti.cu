// Launches the direct kernel of vertical transverse isotropy, and that which marches with 16-byte copies, for one
// radius (ONDA_RADIUS).
#include "kernels/cuda/direct/direct_launch.hpp"
#include "kernels/cuda/inplane/async_copies.hpp"
#include "kernels/cuda/vti/direct_vti.hpp"
#include "kernels/cuda/vti/vti_launch.hpp"

namespace onda::cuda {
namespace {

template <typename T, typename Arguments>
void add_direct_vti(Instances<T>& list, Equation equation) {
    constexpr int R = ONDA_RADIUS;
    using Vti = DirectStepper<T, Arguments, direct_vti_step<T, 2, R, Arguments>, direct_vti_step<T, 3, R, Arguments>,
                              [](int dimensions) { return vti_work(dimensions, R, kHasStrain<Arguments>); }>;
    add_blocks<T, Vti>(list, equation);
}
template <typename T>
void add_direct_vti(Instances<T>& list) {
    add_direct_vti<T, WithStresses<T, StepArguments<T>>>(list, Equation::vti);
    add_direct_vti<T, WithStrain<T, StepArguments<T>>>(list, Equation::vti_of_gradients);
}

}  // namespace

template <>
void add_vti<ONDA_RADIUS>(Instances<float>& list) {
    TileList<float, ONDA_RADIUS, strategy_place("vertical")>::one<32, 8, 1, 2, false, 1>(
        [&list]<typename Tile>() { add_vti_march<Tile, AsyncCopies>(list, "async", 75); });
    add_direct_vti(list);
}
template <>
void add_vti<ONDA_RADIUS>(Instances<double>& list) {
    add_direct_vti(list);
}

}  // namespace onda::cuda
