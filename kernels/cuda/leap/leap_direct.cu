// Launches the plain leap, for one radius (ONDA_RADIUS).
#include "kernels/cuda/leap/leap_direct.hpp"
#include "kernels/cuda/leap/leap_launch.hpp"

namespace onda::cuda {
namespace {

template <typename T_, int Dims, int R, typename Given = LeapArguments<T_>>
struct LeapDirectLaunch {
    using T = T_;
    using Tile = LeapDirectTile<T, Dims, R>;
    using Arguments = Given;
    static constexpr auto kernel = leap_direct_step<T, Dims, R, Given>;
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

template <int Dims>
void add_coded(Instances<float>& list) {
    using Launch = LeapDirectLaunch<float, Dims, ONDA_RADIUS, WithCodes<LeapArguments<float>, CodedK>>;
    auto row = leap_row<Launch>("leap-direct", 75, Dims);
    for (const Storage storage : {Storage::codes, Storage::table}) {
        row.storage = storage;
        list.push_back(row);
    }
}

template <typename T>
void add_leap_direct(Instances<T>& list) {
    list.push_back(leap_row<LeapDirectLaunch<T, 3, ONDA_RADIUS>>("leap-direct", 75, 3));
    list.push_back(leap_row<LeapDirectLaunch<T, 2, ONDA_RADIUS>>("leap-direct", 75, 2));
}

}  // namespace

template <>
void add_leap_direct<ONDA_RADIUS>(Instances<float>& list) {
    add_leap_direct(list);
    add_coded<3>(list);
    add_coded<2>(list);
}
template <>
void add_leap_direct<ONDA_RADIUS>(Instances<double>& list) {
    add_leap_direct(list);
}

}  // namespace onda::cuda
