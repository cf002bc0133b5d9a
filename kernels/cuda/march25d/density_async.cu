// The kernel of variable density that marches, with 16-byte copies, for one radius (ONDA_RADIUS).
#include "kernels/cuda/march25d/density_async.hpp"
#include "kernels/cuda/march25d/density_launch.hpp"

namespace onda::cuda {
namespace {

template <typename Tile>
struct AsyncLaunch {
    using T = typename Tile::T;
    using Arguments = DensityArguments<T>;
    static constexpr auto kernel = density_async_step<Tile>;
    static constexpr MarchShape shape = density_shape<Tile, Tile::block_x, Tile::block_y>;
    static constexpr MarchWork work = density_work<Tile>();
    static void complete(Arguments&, const Fields<T>&, int) {}
};

template <typename T>
void add_all(Instances<T>& list) {
    for_async_density_tiles<T, ONDA_RADIUS>(
        [&list]<typename Tile>() { list.push_back(density_row<AsyncLaunch<Tile>>("async", 75, 1)); });
}

}  // namespace

template <>
void add_density_async<ONDA_RADIUS>(Instances<float>& list) {
    add_all(list);
}
template <>
void add_density_async<ONDA_RADIUS>(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
