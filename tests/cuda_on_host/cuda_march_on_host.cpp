// Every mapping of the compact stencil and of the 5-point star, run on the host from the sources of the CUDA kernels,
// gives the bits of the reference and writes nothing but the nodes, under every schedule.
// Takes 1 s.
#include "kernels/cuda/compact/march.hpp"
#include "kernels/cuda/inplane/bulk_tensor_copies.hpp"
#include "tests/cuda_on_host/cuda_worlds.hpp"

using namespace onda;
using namespace onda::cuda;
using namespace onda::cuda::test;

namespace {

template <typename Tile, template <typename> class Engine, typename Operator>
Way<typename Tile::T> march_variant(const char* engine) {
    return {std::string("march, ") + engine + ", rim " + std::to_string(Tile::rim) + ", " +
                std::to_string(Tile::width) + "x" + std::to_string(Tile::height) + "r" + std::to_string(Tile::rows),
            Tile::dimensions, inplane<Tile, Engine, march_step<Tile, Engine, Operator>>};
}

/// Every mapping of the compact stencil, with tiles of which small grids have many.
template <typename T>
std::vector<Way<T>> small_compact_tiles() {
    std::vector<Way<T>> list{{"direct", 2, direct<T, direct_compact_step<T, 2>>},
                             {"direct", 3, direct<T, direct_compact_step<T, 3>>}};
    const auto add = [&list]<typename Tile, int Dims>() {
        using Operator = CompactOperator<T, Dims>;
        list.push_back(march_variant<Tile, MappedCopies, Operator>("mapped"));
        list.push_back(march_variant<Tile, AsyncCopies, Operator>("async"));
        if constexpr (Tile::rim == 0) list.push_back(march_variant<Tile, BulkTensorCopies, Operator>("bulk tensor"));
    };
    add.template operator()<MarchTile<T, 4, 4, 2, 3, 2, 1, 1, 0>, 3>();
    add.template operator()<MarchTile<T, 4, 4, 3, 2, 1, 2, 1, 0>, 3>();
    add.template operator()<MarchTile<T, 6, 6, 1, 2, 1, 3, 1, 1>, 3>();
    add.template operator()<MarchTile<T, 8, 1, 1, 4, 4, 2, 1, 0>, 2>();
    add.template operator()<MarchTile<T, 8, 1, 1, 3, 1, 4, 1, 1>, 2>();
    return list;
}

/// The tiles that are compiled for GPUs, of the kernels that sum planes.
template <typename T>
std::vector<Way<T>> compiled_compact_tiles() {
    std::vector<Way<T>> list;
    const auto mapped = [&list]<typename Tile>() {
        list.push_back(march_variant<Tile, MappedCopies, CompactOperator<T, Tile::dimensions>>("mapped"));
    };
    for_compact_inplane_tiles<T>([&list]<typename Tile>() {
        using Operator = CompactOperator<T, Tile::dimensions>;
        list.push_back(march_variant<Tile, BulkTensorCopies, Operator>("bulk tensor"));
        list.push_back(march_variant<Tile, AsyncCopies, Operator>("async"));
    });
    for_direct_tiles<T>(mapped);
    for_overlapped_tiles<T>(mapped);
    for_row_tiles<T, 0>(mapped);
    for_row_tiles<T, 1>(mapped);
    return list;
}

/// The 5-point star in both mappings.
template <typename T>
std::vector<Way<T>> five_point_tiles() {
    std::vector<Way<T>> list;
    const auto add = [&list]<typename Tile>() {
        list.push_back(march_variant<Tile, MappedCopies, StarOperator<T, 2>>("mapped"));
    };
    add.template operator()<MarchTile<T, 4, 1, 1, 3, 2, 2, 1, 0>>();
    add.template operator()<MarchTile<T, 4, 1, 1, 2, 1, 1, 1, 1>>();
    for_row_tiles<T, 0>(add);
    for_row_tiles<T, 1>(add);
    return list;
}

}  // namespace

TEST_CASE_TEMPLATE("every mapping of the compact stencil and of the 5-point star gives the bits of the reference", T,
                   ONDA_COMPARED_TYPES) {
    for (Case c : kCases) {
        if (c.grid.dimensions == 2) run_all(c, 2, five_point_tiles<T>(), compare_bits<T>);
        c.grid.spacing_m.fill(10.);
        for (const Scheme& scheme :
             {make_scheme(Equation::compact, 2), make_compact_scheme({-128. / 30., 14. / 30., 3. / 30., 1. / 30.})})
            run_all(c, scheme, small_compact_tiles<T>(), compare_bits<T>);
    }
}

TEST_CASE(
    "tiles of the compact stencil and the 5-point star as they are compiled for GPUs give the bits of the reference") {
    const Case wide{"beyond one tile", {3, {270, 37, 3}, {10., 10., 10.}, {}}, {kZero, kRigid, kFree}, 2};
    const Case line{"2-D, beyond one tile", {2, {1100, 1, 9}, {10., 10., 10.}, {}}, {kZero, kRigid}, 4};
    for (const Case& c : {wide, line})
        run_all(c, make_scheme(Equation::compact, 2), compiled_compact_tiles<float>(), compare_bits<float>);
    run_all(line, 2, five_point_tiles<float>(), compare_bits<float>);
}
