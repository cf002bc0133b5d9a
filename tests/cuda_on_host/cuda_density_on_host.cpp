// The CUDA kernels of variable density, run on the host from their own sources, give the bits of the CPU reference and
// write nothing but the nodes, under every schedule that copies and threads are free to choose.
// Takes 25 s.
#include "kernels/cuda/direct/direct.hpp"
#include "kernels/cuda/march25d/density_groups.hpp"
#include "kernels/cuda/march25d/density_march.hpp"
#include "tests/cuda_on_host/cuda_worlds.hpp"

using namespace onda;
using namespace onda::cuda;
using namespace onda::cuda::test;

namespace {

template <typename T>
void set_all(DensityArguments<T>& a, const World<T>& w) {
    set_arrays(a, w);
    set_density(a, w);
    a.x_halo = static_cast<int>(w.field.halo[0]);
    a.y_halo = w.y_halo();
    a.rho_x_halo = static_cast<int>(w.density.halo[0]);
    a.rho_y_halo = static_cast<int>(w.density.halo[1]);
    a.chunks = chunks_of(w);
}

template <typename T, int Dims, int R>
void direct_density(World<T>& w, HostLaunch launch) {
    DensityArguments<T> a;
    set_all(a, w);
    launch.block = {8, 2, 1};
    launch.grid = {blocks(a.nx, 8), blocks(a.ny, 2), static_cast<unsigned>(a.nz)};
    launch_on_host(launch, direct_density_step<T, Dims, R>, a);
}

template <typename Tile, auto Kernel>
void march(World<typename Tile::T>& w, HostLaunch launch) {
    DensityTileArguments<typename Tile::T> a;
    set_all(a, w);
    a.maps = {map_of(w.p, w.field, Tile::p.row(), Tile::p.rows()),
              map_of(w.half_rho, w.density, Tile::rho.row(), Tile::rho.rows())};
    launch.grid = {blocks(a.nx, Tile::width), blocks(a.ny, Tile::height), chunk_count(a)};
    launch.shared_bytes = Tile::shared_bytes;
    launch_on_host(launch, Kernel, a);
}
template <typename Tile, template <typename> class Copies>
void march_alike(World<typename Tile::T>& w, HostLaunch launch) {
    launch.block = {Tile::block_x, Tile::block_y, 1};
    march<Tile, density_march_step<Tile, Copies>>(w, launch);
}
template <typename Tile>
void march_in_groups(World<typename Tile::T>& w, HostLaunch launch) {
    launch.block = {Tile::threads, 1, 1};
    march<Tile, density_group_step<Tile>>(w, launch);
}

/// Small tiles, so that small grids have many of them; rows and stages vary with the order.
template <typename T, int R>
std::vector<Way<T>> small_variants() {
    using OneRow = DensityTile<T, R, 4, 6, 1, 2 + R % 2, 1>;
    using TwoRows = DensityTile<T, R, 2, 4, 2, 3 - R % 2, 1>;
    using ThreeRows = DensityTile<T, R, 2, 2, 3, 2, 1>;
    using Groups = DensityGroupTile<T, R, 16, 16, 1 + R % 2, 2 - R % 2, 2, 2 + 2 * (R % 2), 1 + R % 2, 2 + R % 2>;
    return {{"direct", 2, direct_density<T, 2, R>},
            {"direct", 3, direct_density<T, 3, R>},
            {"march25d, 1 row", 3, march_alike<OneRow, DensityAsyncCopies>},
            {"march25d, 2 rows", 3, march_alike<TwoRows, DensityAsyncCopies>},
            {"march25d, 2 rows, bulk tensor", 3, march_alike<TwoRows, DensityBulkTensorCopies>},
            {"march25d, 3 rows, bulk tensor", 3, march_alike<ThreeRows, DensityBulkTensorCopies>},
            {"march25d, groups", 3, march_in_groups<Groups>}};
}

template <typename T, int R>
std::vector<Way<T>> compiled_variants() {
    std::vector<Way<T>> list;
    const auto name = []<typename Tile>() { return std::to_string(Tile::width) + "x" + std::to_string(Tile::height); };
    for_async_density_tiles<T, R>([&]<typename Tile>() {
        list.push_back({name.template operator()<Tile>() + " async", 3, march_alike<Tile, DensityAsyncCopies>});
    });
    for_bulk_tensor_density_tiles<T, R>([&]<typename Tile>() {
        list.push_back({name.template operator()<Tile>() + " tma", 3, march_alike<Tile, DensityBulkTensorCopies>});
    });
    for_density_group_tiles<T, R>([&]<typename Tile>() {
        list.push_back({name.template operator()<Tile>() + " groups", 3, march_in_groups<Tile>});
    });
    return list;
}

template <typename T>
void compare_all(const Case& c, int order, const std::vector<Way<T>>& variants) {
    run_all(c, make_scheme(Equation::variable_density, order), variants, compare_bits<T>);
}

}  // namespace

TEST_CASE_TEMPLATE("CUDA kernels of variable density give the bits of the reference at every order", T,
                   ONDA_COMPARED_TYPES) {
    unroll<1, kMaxRadius + 1>([](auto radius) {
        if constexpr (is_compared(radius.value))
            for (const Case& c : kCases) compare_all(c, 2 * radius.value, small_variants<T, radius.value>());
    });
}

TEST_CASE("tiles of variable density as they are compiled for GPUs give the bits of the reference") {
    const Case wide{"beyond one tile", {3, {140, 37, 4}, {10., 10., 10.}, {}}, {kZero, kRigid, kFree}, 3};
    compare_all(wide, 8, compiled_variants<float, 4>());
#if !defined(ONDA_SANITIZED)
    compare_all(wide, 2, compiled_variants<float, 1>());
    compare_all(wide, 14, compiled_variants<float, 7>());
    compare_all(wide, 16, compiled_variants<float, 8>());
    compare_all(wide, 4, compiled_variants<double, 2>());
    compare_all(wide, 12, compiled_variants<double, 6>());
#endif
}
