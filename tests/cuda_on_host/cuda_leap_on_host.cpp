// The CUDA kernels that leap, and those of the passes over a shell, run on the host from their own sources, give the
// bits of plain loops and write nothing but the nodes, under every schedule that copy engines and threads are free to
// choose.
// Takes 13 s.
#include "kernels/cpu/denormals.hpp"
#include "kernels/cuda/leap/leap_bulk_tensor.hpp"
#include "kernels/cuda/leap/leap_direct.hpp"
#include "kernels/cuda/leap/leap_tiles.hpp"
#include "kernels/cuda/leap/shell.hpp"
#include "tests/cuda_on_host/cuda_worlds.hpp"

using namespace onda;
using namespace onda::cuda;
using namespace onda::cuda::test;

namespace {

/// Weights that are neither those of leaps nor those of order 4 in time, and no powers of two.
template <typename T>
constexpr LeapWeights<T> kWeights{T(1.1), T(0.3)};

/// The nodes of a case that leap, when not all do.
struct Nodes {
    int low[3], high[3];
};

template <typename T>
Nodes all_of(const World<T>& w) {
    return {{0, 0, 0}, {int(w.field.n[0]), int(w.field.n[1]), int(w.field.n[2])}};
}

/// The nodes of a grid without some at each face, where it has as many.
template <typename T>
Nodes inner_of(const World<T>& w) {
    Nodes nodes = all_of(w);
    for (int axis = 0; axis < 3; ++axis) {
        if (!w.of.grid.has_axis(axis) || w.field.n[axis] < 8) continue;
        nodes.low[axis] = 1 + 2 * axis;
        nodes.high[axis] -= 4 - axis;
    }
    return nodes;
}

template <typename Body>
void for_nodes(const Nodes& nodes, const Body& body) {
    for (int z = nodes.low[2]; z < nodes.high[2]; ++z)
        for (int y = nodes.low[1]; y < nodes.high[1]; ++y)
            for (int x = nodes.low[0]; x < nodes.high[0]; ++x) body(x, y, z);
}

template <typename T, int Dims, int R>
void plain_leap(World<T>& w, const Nodes& nodes) {
    const cpu::FlushDenormals<T> flush;
    std::vector<T> u(static_cast<std::size_t>(w.field.size), T(0));
    for_nodes(all_of(w), [&](int x, int y, int z) {
        const T* const p = w.p.data() + w.field.at(x, y, z);
        u[static_cast<std::size_t>(w.field.at(x, y, z))] = leap_inner(
            w.k.data()[w.model.at(x, y, z)], laplacian<T, Dims, R>(p, w.field.pitch, w.field.plane, w.stencil));
    });
    for_nodes(nodes, [&](int x, int y, int z) {
        const std::int64_t node = w.field.at(x, y, z);
        const T* const inner = u.data() + node;
        w.q.data()[node] =
            leap(kWeights<T>, w.p.data()[node], w.q.data()[node], *inner, w.k.data()[w.model.at(x, y, z)],
                 laplacian<T, Dims, R>(inner, w.field.pitch, w.field.plane, w.stencil));
    });
}

template <typename T>
void set_leap(LeapArguments<T>& a, const World<T>& w, const Nodes& nodes, int align) {
    set_arrays(a, w);
    a.weights = kWeights<T>;
    a.y_halo = w.y_halo();
    for (int axis = 0; axis < 3; ++axis) {
        a.begin[axis] = nodes.low[axis];
        a.end[axis] = nodes.high[axis];
    }
    a.begin[0] = nodes.low[0] / align * align;
    a.chunks = chunks_of(w.of, nodes.high[2] - nodes.low[2]);
}
template <typename T>
dim3 blocks_of(const LeapArguments<T>& a, int width, int height) {
    return {blocks(a.end[0] - a.begin[0], width), blocks(a.end[1] - a.begin[1], height),
            chunk_count(a.chunks, a.end[2] - a.begin[2])};
}

template <typename T, int Dims, int R>
void leap_direct(World<T>& w, HostLaunch launch, const Nodes& nodes) {
    using Tile = LeapDirectTile<T, Dims, R>;
    LeapArguments<T> a;
    set_leap(a, w, nodes, 1);
    launch.block = {Tile::width, Tile::height, 1};
    launch.grid = blocks_of(a, Tile::width, Tile::height);
    launch.shared_bytes = Tile::shared_bytes;
    launch_on_host(launch, leap_direct_step<T, Dims, R>, a);
}

template <typename Tile>
void launch_leap_tile(HostLaunch launch, const typename ArgumentsOf<Tile>::type& a) {
    launch.block = {Tile::threads, 1, 1};
    launch.grid = blocks_of(a, Tile::width, Tile::height);
    launch.shared_bytes = Tile::shared_bytes;
    launch_on_host(launch, leap_bulk_tensor_step<Tile>, a);
}

template <typename Tile>
void leap_tile(World<typename Tile::T>& w, HostLaunch launch, const Nodes& nodes) {
    typename ArgumentsOf<Tile>::type a;
    set_leap(a, w, nodes, Tile::align_x);
    a.p_map = map_of(w.p, w.field, Tile::p_width, Tile::p_height);
    if constexpr (sizeof(typename Tile::Stored) < sizeof(typename Tile::T)) {
        const StoredK<typename Tile::K> stored(w);
        stored.set(a);
        a.k_map = map_of(stored.codes, stored.layout, Tile::k_width, Tile::inner_height);
        launch_leap_tile<Tile>(launch, a);
    } else {
        a.k_map = map_of(w.k, w.model, Tile::k_width, Tile::inner_height);
        launch_leap_tile<Tile>(launch, a);
    }
}

/// A way to leap in some nodes of a world.
template <typename T>
struct LeapWay {
    std::string name;
    int dimensions;
    std::function<void(World<T>&, HostLaunch, const Nodes&)> leap;
    std::function<void(World<T>&, const Nodes&)> plain;
    bool writes_beside = false;  ///< any number at nodes before the first, up to a vector
    Storage storage = Storage::full;
};

template <typename T, int R>
std::vector<LeapWay<T>> small_leaps() {
    using Small = LeapTile<T, R, 16, 6, 1 + R % 2, 1 + R % 3, 2 + R % 2, 2 + R % 3>;
    return {{"direct", 2, leap_direct<T, 2, R>, plain_leap<T, 2, R>},
            {"direct", 3, leap_direct<T, 3, R>, plain_leap<T, 3, R>},
            {"tile", 3, leap_tile<Small>, plain_leap<T, 3, R>, true}};
}

template <int R, typename K>
LeapWay<float> coded_leap() {
    using Small = LeapTile<float, R, 16, 6, 1 + R % 2, 1 + R % 3, 2 + R % 2, 2 + R % 3, K>;
    return {"tile on codes", 3, leap_tile<Small>, plain_leap<float, 3, R>, true, StoredK<K>::storage};
}

template <typename T, int R>
std::vector<LeapWay<T>> compiled_leaps() {
    std::vector<LeapWay<T>> list;
    for_leap_tiles<T, R>([&]<typename Tile>() {
        list.push_back({"tile " + std::to_string(Tile::width) + "x" + std::to_string(Tile::height), 3, leap_tile<Tile>,
                        plain_leap<T, 3, R>, true});
    });
    return list;
}

template <typename T>
void compare_nodes(const World<T>& world, const World<T>& expected, const Nodes& nodes, bool all) {
    if (all) return compare_bits(world, expected);
    int different = 0;
    for_nodes(nodes, [&](int x, int y, int z) {
        const std::int64_t node = world.field.at(x, y, z);
        if (std::memcmp(world.q.data() + node, expected.q.data() + node, sizeof(T)) != 0) ++different;
    });
    CHECK(different == 0);
    CHECK(world.p.same_bits(expected.p));
}

template <typename T>
void compare_leaps(const Case& c, int order, const std::vector<LeapWay<T>>& ways) {
    const World<T> start(c, make_scheme(Equation::star, order));
    int schedule = order / 2;
    for (const LeapWay<T>& way : ways)
        for (const bool all : {true, false}) {
            if (way.dimensions != c.grid.dimensions) continue;
            HostLaunch launch;
            launch.flush_denormals = sizeof(T) == 4;
            launch.copies = schedule % 2 == 0 ? Copies::early : Copies::late;
            launch.turns = schedule / 2 % 2 == 0 ? Turns::forward : Turns::backward;
            ++schedule;
            const Nodes nodes = all ? all_of(start) : inner_of(start);
            INFO(way.name << ", " << c.name << ", order " << order << ", " << 8 * sizeof(T) << " bits, "
                          << (all ? "all nodes" : "some") << ", schedule " << schedule % 4);
            World<T> world = start, expected = start;
            if constexpr (sizeof(T) == sizeof(float))
                if (way.storage != Storage::full)
                    for (World<T>* w : {&world, &expected}) round_to(code_of_worlds(way.storage), *w);
            for (World<T>* w : {&world, &expected}) w->fill_halos();
            REQUIRE_NOTHROW(way.leap(world, launch, nodes));
            way.plain(expected, nodes);
            compare_nodes(world, expected, nodes, all || !way.writes_beside);
            if (!all) continue;
            std::swap(world.p, world.q);
            std::swap(expected.p, expected.q);
            for (World<T>* w : {&world, &expected}) w->fill_halos();
            REQUIRE_NOTHROW(way.leap(world, launch, nodes));
            way.plain(expected, nodes);
            compare_nodes(world, expected, nodes, true);
        }
}

/// A pass over the nodes outside `inner`, to another array than the level before it.
template <typename T, int Dims, int R, ShellPass Pass>
void compare_pass(const Case& c) {
    World<T> world(c, make_scheme(Equation::star, 2 * R));
    world.fill_halos();
    const Nodes inner = inner_of(world), all = all_of(world);
    Array<T> next = world.p, expected = world.p;
    ShellArguments<T> a;
    a.weights = kWeights<T>;
    a.p = world.p.data() + world.field.origin;
    a.before = world.q.data() + world.field.origin;
    a.next = next.data() + world.field.origin;
    a.k = world.k.data() + world.model.origin;
    a.pitch = world.field.pitch;
    a.plane = world.field.plane;
    a.k_pitch = world.model.pitch;
    a.k_plane = world.model.plane;
    a.stencil = world.stencil;
    a.planes = 3;
    const auto add = [&](const Nodes& nodes) {
        ShellBoxes::Box& box = a.boxes.box[a.boxes.count];
        for (int axis = 0; axis < 3; ++axis) {
            if (nodes.low[axis] >= nodes.high[axis]) return;
            box.low[axis] = nodes.low[axis];
            box.high[axis] = nodes.high[axis];
        }
        box.first_x = box.low[0] / Vec<T>::size * Vec<T>::size;
        box.threads_x = 4;
        box.bricks_x = blocks(box.high[0] - box.first_x, 4 * Vec<T>::size);
        box.bricks_y = blocks(box.high[1] - box.low[1], kShellThreads / 4);
        a.boxes.first[a.boxes.count + 1] =
            a.boxes.first[a.boxes.count] + box.bricks_x * box.bricks_y * blocks(box.high[2] - box.low[2], a.planes);
        ++a.boxes.count;
    };
    Nodes rest = all;
    for (const int axis : {2, 1, 0}) {
        Nodes low = rest, high = rest;
        low.high[axis] = rest.low[axis] = inner.low[axis];
        high.low[axis] = rest.high[axis] = inner.high[axis];
        add(low);
        add(high);
    }
    {
        const cpu::FlushDenormals<T> flush;
        for_nodes(all, [&](int x, int y, int z) {
            const bool leaps = x >= inner.low[0] && x < inner.high[0] && y >= inner.low[1] && y < inner.high[1] &&
                               z >= inner.low[2] && z < inner.high[2];
            if (leaps) return;
            const std::int64_t node = world.field.at(x, y, z);
            const T* const p = world.p.data() + node;
            expected.data()[node] = shell_node<Pass>(
                kWeights<T>, *p, world.q.data()[node], expected.data()[node], world.k.data()[world.model.at(x, y, z)],
                laplacian<T, Dims, R>(p, world.field.pitch, world.field.plane, world.stencil));
        });
    }
    if (a.boxes.count == 0) return;
    HostLaunch launch;
    launch.flush_denormals = sizeof(T) == 4;
    launch.block = {kShellThreads, 1, 1};
    launch.grid = {a.boxes.first[a.boxes.count], 1, 1};
    INFO(c.name << ", order " << 2 * R);
    REQUIRE_NOTHROW(launch_on_host(launch, shell_step<T, Dims, R, Pass>, a));
    CHECK(next.same_bits(expected));
}

template <typename T, int Dims, int R>
void compare_shell(const Case& c) {
    compare_pass<T, Dims, R, ShellPass::step>(c);
    compare_pass<T, Dims, R, ShellPass::inner>(c);
    compare_pass<T, Dims, R, ShellPass::outer>(c);
}

}  // namespace

TEST_CASE_TEMPLATE("leaps of every order give the bits of plain loops", T, ONDA_COMPARED_TYPES) {
    unroll<1, kMaxRadius + 1>([](auto radius) {
        if constexpr (is_compared(radius.value))
            for (const Case& c : kCases) compare_leaps(c, 2 * radius.value, small_leaps<T, radius.value>());
    });
}

TEST_CASE("leaps on codes of k give the bits of the values that they stand for") {
    unroll<1, kMaxRadius + 1>([](auto radius) {
        constexpr int r = radius.value;
        if constexpr (is_compared(r))
            for (const Case& c : kCases) {
                if (c.grid.dimensions == 2) continue;
                compare_leaps<float>(c, 2 * r, {coded_leap<r, CodesOfK>(), coded_leap<r, IndicesOfK>()});
            }
    });
}

TEST_CASE("tiles of leaps as they are compiled for GPUs give the bits of plain loops") {
    const Case wide{"beyond one tile", {3, {150, 37, 7}, {10., 10., 10.}, {}}, {kZero, kRigid, kFree}, 5};
    unroll<1, kMaxRadius + 1>([&](auto radius) {
        if constexpr (!onda::test::kSanitized || radius.value == 4)
            compare_leaps(wide, 2 * radius.value, compiled_leaps<float, radius.value>());
    });
}

TEST_CASE_TEMPLATE("passes over a shell give the bits of plain loops", T, ONDA_COMPARED_TYPES) {
    unroll<1, kMaxRadius + 1>([](auto radius) {
        if constexpr (is_compared(radius.value)) {
            for (const Case& c : kCases) {
                if (c.grid.dimensions == 2)
                    compare_shell<T, 2, radius.value>(c);
                else
                    compare_shell<T, 3, radius.value>(c);
            }
        }
    });
}
