// The in-plane kernel with 16-byte copies, for one radius (ONDA_RADIUS): all strategies, all tiles.
#include "kernels/cuda/inplane/async_copies.hpp"
#include "kernels/cuda/inplane/inplane_launch.hpp"

namespace onda::cuda {
namespace {

template <typename T>
void add_inplane_async(Instances<T>& list) {
    for_each_strategy([&list]<int Strategy>() {
        for_async_tiles<T, ONDA_RADIUS, Strategy>(
            [&list]<typename Tile>() { list.push_back(inplane_row<Tile, AsyncCopies>(Strategy, "async", 75)); });
    });
    if constexpr (ONDA_RADIUS == 1) add_compact_inplane<T, AsyncCopies>(list, "async", 75);
}

}  // namespace

template <>
void add_inplane_async<ONDA_RADIUS>(Instances<float>& list) {
    add_inplane_async(list);
}
template <>
void add_inplane_async<ONDA_RADIUS>(Instances<double>& list) {
    add_inplane_async(list);
}

}  // namespace onda::cuda
