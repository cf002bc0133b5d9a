// Launches the direct kernel of vertical transverse isotropy, and that which marches with 16-byte copies, for one radius
// (ONDA_RADIUS).
#include "kernels/cuda/direct/direct_launch.hpp"
#include "kernels/cuda/inplane/async_copies.hpp"
#include "kernels/cuda/vti/direct_vti.hpp"
#include "kernels/cuda/vti/vti_launch.hpp"

namespace onda::cuda {
namespace {

template <typename T>
void add_direct_vti(Instances<T>& list) {
    constexpr int R = ONDA_RADIUS;
    using Vti = DirectStepper<T, WithStresses<T, StepArguments<T>>, direct_vti_step<T, 2, R>, direct_vti_step<T, 3, R>,
                              [](int dimensions) { return vti_work(dimensions, R); }>;
    add_blocks<T, Vti>(list, Equation::vti);
}

}  // namespace

template <>
void add_vti<ONDA_RADIUS>(Instances<float>& list) {
    TileList<float, ONDA_RADIUS, strategy_place("vertical")>::one<32, 8, 1, 2, false, 1>(
        [&list]<typename Tile>() { list.push_back(vti_march_row<Tile, AsyncCopies>("async", 75)); });
    add_direct_vti(list);
}
template <>
void add_vti<ONDA_RADIUS>(Instances<double>& list) {
    add_direct_vti(list);
}

}  // namespace onda::cuda
