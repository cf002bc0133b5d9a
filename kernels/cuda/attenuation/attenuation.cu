// Launches the kernels of attenuation, direct, and in-plane or marching with 16-byte copies, for one radius
// (ONDA_RADIUS).
#include "kernels/cuda/attenuation/density_relaxing.hpp"
#include "kernels/cuda/attenuation/drag.hpp"
#include "kernels/cuda/attenuation/inplane_relaxing.hpp"
#include "kernels/cuda/direct/direct_launch.hpp"
#include "kernels/cuda/inplane/async_copies.hpp"

namespace onda::cuda {
namespace {

template <typename T, int Count>
void add_direct_attenuation(Instances<T>& list, Equation equation, Equation with_density) {
    constexpr int R = ONDA_RADIUS;
    using Given = WithMemory<T, StepArguments<T>, Count>;
    using Relaxing = DirectStepper<T, Given, direct_step<T, 2, R, Given>, direct_step<T, 3, R, Given>,
                                   [](int dimensions) { return with_memory(star_work(dimensions, R), Count); }>;
    add_blocks<T, Relaxing>(list, equation);
    using Dense = WithMemory<T, DensityArguments<T>, Count>;
    using RelaxingDensity =
        DirectStepper<T, Dense, direct_density_step<T, 2, R, Dense>, direct_density_step<T, 3, R, Dense>,
                      [](int dimensions) { return with_memory(density_node_work(dimensions, R), Count); }>;
    add_blocks<T, RelaxingDensity>(list, with_density);
}

template <typename T>
void add_direct_drag(Instances<T>& list) {
    constexpr int R = ONDA_RADIUS;
    using Given = WithDrag<T, StepArguments<T>>;
    using Dragging = DirectStepper<T, Given, direct_step<T, 2, R, Given>, direct_step<T, 3, R, Given>,
                                   [](int dimensions) { return with_drag(star_work(dimensions, R)); }>;
    add_blocks<T, Dragging>(list, Equation::drag);
    using Dense = WithDrag<T, DensityArguments<T>>;
    using DraggingDensity =
        DirectStepper<T, Dense, direct_density_step<T, 2, R, Dense>, direct_density_step<T, 3, R, Dense>,
                      [](int dimensions) { return with_drag(density_node_work(dimensions, R)); }>;
    add_blocks<T, DraggingDensity>(list, Equation::drag_density);
}

template <int Count>
void add_inplane_attenuation(Instances<float>& list) {
    constexpr int strategy = strategy_place("vertical");
    using List = TileList<float, ONDA_RADIUS, strategy>;
    List::template one<32, 8, 2, 2, (ONDA_RADIUS > 4), 1>(
        [&list]<typename Tile>() { list.push_back(relaxing_row<Tile, AsyncCopies, Count>(strategy, "async", 75)); });
}

template <int R>
void add_marching_drag(Instances<float>& list) {
    constexpr int strategy = strategy_place("vertical");
    using List = TileList<float, R, strategy>;
    List::template one<32, 8, 2, 2, (R > 4), 1>(
        [&list]<typename Tile>() { list.push_back(dragging_row<Tile, AsyncCopies>(strategy, "async", 75)); });
    using OfDensity = DensityTile<float, R, 16, 16, 1, 2, (R > 4 ? 1 : 2)>;
    list.push_back(dragging_density_row<OfDensity, DensityAsyncCopies>("async", 75));
}

template <int Count>
void add_marching_density(Instances<float>& list) {
    constexpr int R = ONDA_RADIUS;
    using Tile = DensityTile<float, R, 16, 16, 1, 2, (R > 4 ? 1 : 2)>;
    list.push_back(relaxing_density_row<Tile, DensityAsyncCopies, Count>("async", 75));
}

template <typename T>
void add_all_attenuation(Instances<T>& list) {
    add_direct_attenuation<T, 1>(list, Equation::attenuation, Equation::attenuation_density);
    add_direct_attenuation<T, 2>(list, Equation::attenuation_of_two, Equation::attenuation_density_of_two);
    add_direct_drag(list);
}

}  // namespace

template <>
void add_attenuation<ONDA_RADIUS>(Instances<float>& list) {
    add_inplane_attenuation<1>(list);
    add_inplane_attenuation<2>(list);
    add_marching_density<1>(list);
    add_marching_density<2>(list);
    add_marching_drag<ONDA_RADIUS>(list);
    add_all_attenuation(list);
}
template <>
void add_attenuation<ONDA_RADIUS>(Instances<double>& list) {
    add_all_attenuation(list);
}

}  // namespace onda::cuda
