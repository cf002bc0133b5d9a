// The kernel of variable density that marches, with 16-byte copies, for one radius (ONDA_RADIUS).
#include "kernels/cuda/march25d/density_launch.hpp"

namespace onda::cuda {
namespace {

template <typename T>
void add_density_async(Instances<T>& list) {
    for_async_density_tiles<T, ONDA_RADIUS>(
        [&list]<typename Tile>() { list.push_back(density_march_row<Tile, DensityAsyncCopies>("async", 75)); });
}

}  // namespace

template <>
void add_density_async<ONDA_RADIUS>(Instances<float>& list) {
    add_density_async(list);
}
template <>
void add_density_async<ONDA_RADIUS>(Instances<double>& list) {
    add_density_async(list);
}

}  // namespace onda::cuda
