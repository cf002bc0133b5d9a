// Launches the plain leap, for one radius (ONDA_RADIUS).
#include "kernels/cuda/leap/leap_direct.hpp"
#include "kernels/cuda/leap/leap_launch.hpp"

namespace onda::cuda {
namespace {

template <typename T_, int Dims, int R>
struct LeapDirectLaunch {
    using T = T_;
    using Tile = LeapDirectTile<T, Dims, R>;
    using Arguments = LeapArguments<T>;
    static constexpr auto kernel = leap_direct_step<T, Dims, R>;
    static constexpr LeapShape shape{.width = Tile::width,
                                     .height = Tile::height,
                                     .threads_x = Tile::width,
                                     .threads_y = Tile::height,
                                     .shared_bytes = Tile::shared_bytes,
                                     .radius = R,
                                     .align_x = 1};
    static constexpr LeapWork work = leap_direct_work<T, Dims, R>();
    static void complete(Arguments&, const Fields<T>&, int) {}
};

template <typename T>
void add_all(Instances<T>& list) {
    list.push_back(leap_row<LeapDirectLaunch<T, 3, ONDA_RADIUS>>("leap-direct", 75, 3));
    list.push_back(leap_row<LeapDirectLaunch<T, 2, ONDA_RADIUS>>("leap-direct", 75, 2));
}

}  // namespace

template <>
void add_leap_direct<ONDA_RADIUS>(Instances<float>& list) {
    add_all(list);
}
template <>
void add_leap_direct<ONDA_RADIUS>(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
