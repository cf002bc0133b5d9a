// The CUDA kernels, run on the host from their own sources, give the bits of the reference (the thesis' kernel: to
// rounding) and write nothing but the nodes, under every schedule that copy engines and threads are free to choose.
// Takes 16 s.
#include "kernels/cuda/inplane/bulk_tensor_copies.hpp"
#include "kernels/cuda/march25d/march25d.hpp"
#include "kernels/cuda/thesis/thesis.hpp"
#include "tests/cuda_on_host/cuda_worlds.hpp"

using namespace onda;
using namespace onda::cuda;
using namespace onda::cuda::test;

namespace {

template <typename T, int R>
void march25d(World<T>& w, HostLaunch launch) {
    using Shape = March25dTile<T, R, 4, 6>;
    StepArguments<T> a;
    set_arrays(a, w);
    a.y_halo = w.y_halo();
    a.chunks = chunks_of(w);
    launch.block = {4, 6, 1};
    launch.grid = {blocks(a.nx, Shape::width), blocks(a.ny, Shape::height), chunk_count(a)};
    launch.shared_bytes = Shape::shared_bytes;
    launch_on_host(launch, march25d_step<T, R, 4, 6>, a);
}

/// The thesis' kernel with the tile it has for one strategy; its order is a run-time number.
template <typename T>
void thesis(World<T>& w, HostLaunch launch, const LoadStrategy& strategy, int tile_z, int tile_x) {
    ThesisArguments<T> a;
    set_arrays(a, w);
    a.layout = make_tile_layout(strategy, tile_x, tile_z, w.radius, w.radius, 1);
    a.tile_x = tile_x;
    a.tile_z = tile_z;
    a.y_halo = w.y_halo();
    launch.block = {static_cast<unsigned>(tile_z), 1, static_cast<unsigned>(tile_x)};
    launch.grid = {blocks(a.nz, tile_z), 1, blocks(a.nx, tile_x)};
    launch.shared_bytes = (a.layout.size + 2 * w.radius * tile_x * tile_z) * static_cast<std::int64_t>(sizeof(T));
    launch_on_host(launch, thesis_step<T>, a);
}

template <typename Tile, template <typename> class Engine>
Way<typename Tile::T> inplane_variant(int strategy, const char* engine) {
    return {std::string(kLoadStrategies[strategy].name) + ", " + engine + ", " + std::to_string(Tile::width) + "x" +
                std::to_string(Tile::height),
            0, inplane<Tile, Engine>};
}

/// Small, so that small grids have many of them; stages, rows and queues vary with the order.
template <typename T, int R, int Strategy>
using SmallTile = Tile<T, R, 4, 4, 1 + R % 3, 2 + (R + Strategy) % 3, (R + Strategy) % 2 == 0, 1, Strategy>;

template <typename T, int R>
std::vector<Way<T>> small_tiles() {
    std::vector<Way<T>> list{{"direct", 2, direct<T, direct_step<T, 2, R>>},
                             {"direct", 3, direct<T, direct_step<T, 3, R>>},
                             {"march25d", 0, march25d<T, R>}};
    unroll<0, 4>([&](auto strategy) {
        constexpr int i = strategy.value;
        list.push_back(inplane_variant<SmallTile<T, R, i>, BulkTensorCopies>(i, "bulk tensor"));
        list.push_back(inplane_variant<SmallTile<T, R, i>, AsyncCopies>(i, "async"));
    });
    return list;
}

/// The tiles that are compiled for GPUs.
template <typename T, int R>
std::vector<Way<T>> compiled_tiles() {
    std::vector<Way<T>> list;
    unroll<0, 4>([&](auto strategy) {
        constexpr int i = strategy.value;
        for_bulk_tensor_tiles<T, R, i>(
            [&]<typename Shape>() { list.push_back(inplane_variant<Shape, BulkTensorCopies>(i, "bulk tensor")); });
        for_async_tiles<T, R, i>(
            [&]<typename Shape>() { list.push_back(inplane_variant<Shape, AsyncCopies>(i, "async")); });
    });
    return list;
}

template <typename T>
std::vector<Way<T>> thesis_variants() {
    std::vector<Way<T>> list;
    for (const LoadStrategy& strategy : kLoadStrategies)
        list.push_back({"thesis-" + std::string(strategy.name), 0,
                        [&strategy](World<T>& w, HostLaunch launch) { thesis(w, launch, strategy, 4, 8); }});
    return list;
}

template <typename Tile, typename K>
void inplane_of_codes(World<float>& w, HostLaunch launch) {
    using Given = WithCodes<InPlaneArguments<float>, K>;
    const StoredK<K> stored(w);
    inplane_with<Tile, BulkTensorCopies, inplane_step<Tile, BulkTensorCopies, Given>, Given>(
        w, launch, [&stored](Given& a) { stored.set(a); });
}

template <typename K, int R>
void direct_of_codes(World<float>& w, HostLaunch launch) {
    using Given = WithCodes<StepArguments<float>, CodedK>;
    const StoredK<K> stored(w);
    Given a;
    set_arrays(a, w);
    a.k = nullptr;
    a.coded_k = {stored.storage, stored.codes.data() + stored.layout.origin, stored.medium.code, stored.table};
    a.k_pitch = stored.layout.pitch;
    a.k_plane = stored.layout.plane;
    launch.block = {8, 2, 1};
    launch.grid = {blocks(a.nx, 8), blocks(a.ny, 2), static_cast<unsigned>(a.nz)};
    if (w.of.grid.dimensions == 2)
        launch_on_host(launch, direct_step<float, 2, R, Given>, a);
    else
        launch_on_host(launch, direct_step<float, 3, R, Given>, a);
}

/// Worlds with the values of codes, computed from the codes.
template <typename K, int R>
void run_codes(const Case& c) {
    constexpr int strategy = 1;  // vertical, which is compiled
    std::vector<Way<float>> ways{{"direct, codes", 0, direct_of_codes<K, R>},
                                 {"small tile, codes", 0, inplane_of_codes<SmallTile<float, R, strategy>, K>}};
    if (c.grid.dimensions == 3)
        for_coded_tiles<R, strategy>([&]<typename Shape>() {
            ways.push_back({"tile, codes, " + std::to_string(Shape::width), 3, inplane_of_codes<Shape, K>});
        });
    const Scheme scheme = make_scheme(Equation::star, 2 * R);
    World<float> start(c, scheme);
    round_to(code_of_worlds(StoredK<K>::storage), start);
    run_all(start, scheme, ways, compare_bits<float>);
}

/// Halos and padding included, NaN only where there should be.
template <typename T>
void compare_roughly(const World<T>& world, const World<T>& expected) {
    double error = 0., largest = 0.;
    for (std::int64_t i = 0; i < world.p.size(); ++i) {
        const double is = world.p.data()[i], should = expected.p.data()[i];
        if (std::isnan(is) && std::isnan(should)) continue;
        REQUIRE(std::isfinite(is) == std::isfinite(should));
        error = std::max(error, std::abs(is - should));
        largest = std::max(largest, std::abs(should));
    }
    CHECK(error <= 10. * largest * double(std::numeric_limits<T>::epsilon()));
}

}  // namespace

TEST_CASE_TEMPLATE("CUDA kernels of every order give the bits of the reference", T, ONDA_COMPARED_TYPES) {
    unroll<1, kMaxRadius + 1>([](auto radius) {
        if constexpr (is_compared(radius.value))
            for (const Case& c : kCases) run_all(c, 2 * radius.value, small_tiles<T, radius.value>(), compare_bits<T>);
    });
}

TEST_CASE("tiles as they are compiled for GPUs give the bits of the reference") {
    const Case wide{"beyond one tile", {3, {270, 37, 3}, {10., 10., 10.}, {}}, {kZero, kRigid, kFree}, 2};
    const Case line{"2-D, beyond one tile", {2, {270, 1, 9}, {10., 10., 10.}, {}}, {kZero, kRigid}, 4};
    run_all(wide, 8, compiled_tiles<float, 4>(), compare_bits<float>);
    run_all(line, 8, compiled_tiles<float, 4>(), compare_bits<float>);
#if !defined(ONDA_SANITIZED)
    run_all(wide, 16, compiled_tiles<float, 8>(), compare_bits<float>);
    run_all(wide, 4, compiled_tiles<double, 2>(), compare_bits<double>);
#endif
}

TEST_CASE_TEMPLATE("kernels on codes of k give the bits of the values that they stand for", K, CodesOfK, IndicesOfK) {
    unroll<1, kMaxRadius + 1>([](auto radius) {
        if constexpr (is_compared(radius.value) && (radius.value % 3 == 1 || radius.value == 8))
            for (const Case& c : kCases) run_codes<K, radius.value>(c);
    });
}

TEST_CASE_TEMPLATE("the kernel of the thesis agrees with the reference to rounding", T, ONDA_COMPARED_TYPES) {
    for (const Case& c : kCases)
        for (const int order : {2, 8, 16}) run_all(c, order, thesis_variants<T>(), compare_roughly<T>);
}
