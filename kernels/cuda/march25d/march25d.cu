// Launches the 2.5-D kernels of constant and of variable density, for one radius (ONDA_RADIUS).
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/march25d/march25d.hpp"
#include "kernels/cuda/march25d/march25d_density.hpp"

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

/// How the kernel of variable density is launched, for MarchStepper.
template <typename Tile>
struct DensityLaunch {
    using T = typename Tile::T;
    using Arguments = DensityArguments<T>;
    static constexpr auto kernel = march25d_density_step<Tile>;
    static constexpr MarchShape shape{
        .width = Tile::width,
        .height = Tile::height,
        .block_x = Tile::block_x,
        .block_y = Tile::block_y,
        .shared_bytes = Tile::shared_bytes,
        .reach = 2 * Tile::radius - 1,
        .longest = 96 * Tile::radius,
    };
    static constexpr MarchWork work = density_work<Tile>();
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

template <typename T>
void add_variable_density(Instances<T>& list) {
    for_density_tiles<T, ONDA_RADIUS>([&list]<typename Tile>() {
        using Launch = DensityLaunch<Tile>;
        const std::string tile = tile_name(Launch::shape) + "r" + std::to_string(Tile::rows);
        Instance<T> row = march_row<Launch>("march25d", tile, 75);
        row.equation = Equation::variable_density;
        row.radius = ONDA_RADIUS;
        row.dimensions = 3;
        list.push_back(row);
    });
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
template <>
void add_march25d_density<ONDA_RADIUS>(Instances<float>& list) {
    add_variable_density(list);
}
template <>
void add_march25d_density<ONDA_RADIUS>(Instances<double>& list) {
    add_variable_density(list);
}

}  // namespace onda::cuda
