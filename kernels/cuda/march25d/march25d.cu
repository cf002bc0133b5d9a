// Launches the 2.5-D kernel of constant density, for one radius (ONDA_RADIUS).
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/march25d/march25d.hpp"

namespace onda::cuda {
namespace {

/// How the kernel of constant density is launched, for MarchStepper.
template <typename T_, int R, int BX, int BY>
struct ConstantLaunch {
    using T = T_;
    using Arguments = StepArguments<T>;
    using Tile = March25dTile<T, R, BX, BY>;
    static constexpr auto kernel = march25d_step<T, R, BX, BY>;
    static constexpr MarchShape shape{
        .width = Tile::width,
        .height = Tile::height,
        .block_x = BX,
        .block_y = BY,
        .shared_bytes = Tile::shared_bytes,
        .reach = R,
        .longest = 64,
    };
    static constexpr MarchWork work = march25d_work<Tile>();
    static void complete(Arguments&, const Fields<T>&, int) {}
};

std::string tile_name(const MarchShape& shape) {
    return std::to_string(shape.width) + "x" + std::to_string(shape.height);
}

template <typename T, int BX, int BY>
void add_constant_tile(Instances<T>& list) {
    using Launch = ConstantLaunch<T, ONDA_RADIUS, BX, BY>;
    Instance<T> row = march_row<Launch>("march25d", tile_name(Launch::shape), 75);
    row.radius = ONDA_RADIUS;
    row.dimensions = BY == 1 ? 2 : 3;
    list.push_back(row);
}

template <typename T>
void add_constant_density(Instances<T>& list) {
    add_constant_tile<T, 32, (ONDA_RADIUS > 4 ? 16 : 8)>(list);
    add_constant_tile<T, 64, 1>(list);
}

}  // namespace

template <>
void add_march25d<ONDA_RADIUS>(Instances<float>& list) {
    add_constant_density(list);
}
template <>
void add_march25d<ONDA_RADIUS>(Instances<double>& list) {
    add_constant_density(list);
}

}  // namespace onda::cuda
