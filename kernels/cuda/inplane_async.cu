// The in-plane kernel with 16-byte copies, for one radius (ONDA_RADIUS): all strategies, all tiles.
#include "kernels/cuda/async_copies.hpp"
#include "kernels/cuda/inplane_launch.hpp"
#include "kernels/cuda/inplane_tiles.hpp"

namespace onda::cuda {
namespace {

template <typename T, int R, int Strategy>
void add_strategy(Instances<T>& list) {
    for_async_tiles<T, R, Strategy>(
        [&list]<typename Tile>() { list.push_back(inplane_instance<Tile, AsyncCopies>(Strategy, "async", 75)); });
}

template <typename T>
void add_all(Instances<T>& list) {
    add_strategy<T, ONDA_RADIUS, 0>(list);
    add_strategy<T, ONDA_RADIUS, 1>(list);
    add_strategy<T, ONDA_RADIUS, 2>(list);
    add_strategy<T, ONDA_RADIUS, 3>(list);
}

}  // namespace

template <>
void add_inplane_async<ONDA_RADIUS>(Instances<float>& list) {
    add_all(list);
}
template <>
void add_inplane_async<ONDA_RADIUS>(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
