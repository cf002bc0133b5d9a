// Promise: the CUDA kernels of variable density, run on the host from their own sources, give the bits of the CPU
// reference and write nothing but the nodes, under every schedule that copies and threads are free to choose.
#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels/cpu/kernel_table.hpp"
#include "kernels/cuda/forward_density_tiles.hpp"
#include "kernels/halo.hpp"
#include "kernels/scheme.hpp"
#include "tests/fields.hpp"

using namespace onda;
using namespace onda::cuda;

namespace {

struct Case {
    std::string name;
    Grid grid;
    FaceHalos halos{};
    int chunk = 1000;  ///< planes that one block updates
};

constexpr Halo kZero = Halo::zero, kFree = Halo::mirror_negative, kRigid = Halo::mirror_positive;
constexpr int kSteps = 3;
#if defined(ONDA_FEW_ORDERS)
constexpr bool kAllOrders = false;
#else
constexpr bool kAllOrders = true;
#endif

// Extents of one, of less than the radius, of no multiple of anything, and beyond several tiles and chunks.
const std::vector<Case> kCases{
    {"one node", {3, {1, 1, 1}, {10., 10., 10.}, {}}},
    {"one plane", {3, {33, 17, 1}, {10., 10., 10.}, {}}},
    {"thinner than the radius", {3, {3, 2, 5}, {10., 10., 10.}, {}}, {kFree, kRigid, kRigid, kZero, kFree, kRigid}},
    {"several tiles and chunks",
     {3, {45, 19, 13}, {7.5, 12., 9.}, {}},
     {kZero, kRigid, kZero, kFree, kRigid, kZero},
     5},
    {"whole tiles, all mirrors", {3, {32, 16, 8}, {10., 8., 11.}, {}}, {kRigid, kFree, kFree, kRigid, kFree, kRigid}},
    {"2-D", {2, {61, 1, 17}, {10., 10., 6.}, {}}, {kRigid, kFree, kZero, kZero, kFree, kZero}},
};

/// A padded array on a cache line that is NaN wherever nothing was written.
template <typename T>
struct Array {
    struct alignas(128) Line {
        T value[128 / sizeof(T)];
    };
    Layout layout;
    std::vector<Line> lines;  // a layout is whole lines

    explicit Array(const Layout& l) : layout(l), lines(static_cast<std::size_t>(l.size) * sizeof(T) / sizeof(Line)) {
        for (Line& line : lines) std::ranges::fill(line.value, std::numeric_limits<T>::quiet_NaN());
    }
    [[nodiscard]] T* data() { return lines.front().value; }
    [[nodiscard]] T* origin() { return data() + layout.origin; }
    [[nodiscard]] T& at(std::int64_t x, std::int64_t y, std::int64_t z) { return data()[layout.at(x, y, z)]; }
    [[nodiscard]] bool same_bits(const Array& other) const {
        return std::memcmp(lines.data(), other.lines.data(), lines.size() * sizeof(Line)) == 0;
    }
    void fill_halo(int axis, const std::vector<HaloCopy>& copies) {
        const int other = axis == 0 ? 1 : 0, third = axis == 2 ? 1 : 2;
        for (const HaloCopy& copy : copies)
            for (std::int64_t a = 0; a < layout.n[other]; ++a)
                for (std::int64_t b = 0; b < layout.n[third]; ++b) {
                    std::array<std::int64_t, 3> to{}, from{};
                    to[axis] = copy.to;
                    from[axis] = copy.from;
                    to[other] = from[other] = a;
                    to[third] = from[third] = b;
                    at(to[0], to[1], to[2]) = static_cast<T>(copy.sign) * at(from[0], from[1], from[2]);
                }
    }
};

constexpr std::int64_t round_up(std::int64_t n, std::int64_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

template <typename T>
struct World {
    Case of;
    int radius;
    Array<T> p, q, k, half_rho;
    Stencil<T> stencil;

    World(const Case& c, int order)
        : of(c),
          radius(order / 2),
          p(layout(c.grid, order - 1)),
          q(p),
          k(layout(c.grid, 0)),
          half_rho(layout(c.grid, order / 2)),
          stencil(make_stencil<T>(make_scheme(WaveOperator::variable_density, order), c.grid.spacing_m,
                                  c.grid.dimensions)) {
        for (std::int64_t z = 0; z < c.grid.nz(); ++z)
            for (std::int64_t y = 0; y < c.grid.ny(); ++y)
                for (std::int64_t x = 0; x < c.grid.nx(); ++x) fill(x, y, z);
        for (int axis = 0; axis < 3; ++axis)
            if (c.grid.has_axis(axis))
                half_rho.fill_halo(axis,
                                   model_copies(c.grid.n[axis], radius, c.halos[2 * axis], c.halos[2 * axis + 1]));
    }
    static Layout layout(const Grid& grid, std::int64_t halo) {
        return {grid, {round_up(halo, Vec<T>::size), grid.dimensions == 3 ? halo : 0, halo}, sizeof(T)};
    }
    void fill_halos() {
        const std::int64_t halo = 2 * radius - 1;
        for (int axis = 0; axis < 3; ++axis) {
            if (!of.grid.has_axis(axis)) continue;
            const std::int64_t n = of.grid.n[axis];
            std::vector<HaloCopy> copies;
            for (std::int64_t j = 1; j <= halo; ++j) copies.insert(copies.end(), {{-j, 0, 0}, {n - 1 + j, 0, 0}});
            for (const HaloCopy& copy : halo_copies(n, halo, of.halos[2 * axis], of.halos[2 * axis + 1]))
                copies.push_back(copy);
            p.fill_halo(axis, copies);
        }
    }

private:
    void fill(std::int64_t x, std::int64_t y, std::int64_t z) {
        const std::int64_t i = of.grid.at(x, y, z);
        T& now = p.at(x, y, z);
        T& before = q.at(x, y, z);
        now = static_cast<T>(test::noise(i, 2) - 0.5);
        before = static_cast<T>(static_cast<double>(now) * (1. - 1e-3 * test::noise(i, 3)));
        if (i % 7 == 0) now = before = static_cast<T>(1e-38 * test::noise(i, 4));  // denormals are flushed everywhere
        half_rho.at(x, y, z) = static_cast<T>(500. + 850. * test::noise(i, 5));
        k.at(x, y, z) = static_cast<T>((4. + 4. * test::noise(i)) * 2. * static_cast<double>(half_rho.at(x, y, z)));
    }
};

/// The world after a few steps.
template <typename T, typename Step>
World<T> run(World<T> world, const Step& step) {
    for (int n = 0; n < kSteps; ++n) {
        world.fill_halos();
        step(world);
        std::swap(world.p, world.q);
    }
    return world;
}

/// What the arguments of kernels have in common on the CPU and on the device.
template <typename Arguments, typename T>
void set_arrays(Arguments& a, World<T>& w) {
    a.p = w.p.origin();
    a.q = w.q.origin();
    a.k = w.k.origin();
    a.nx = static_cast<decltype(a.nx)>(w.of.grid.nx());
    a.ny = static_cast<decltype(a.ny)>(w.of.grid.ny());
    a.nz = static_cast<decltype(a.nz)>(w.of.grid.nz());
    a.pitch = w.p.layout.pitch;
    a.plane = w.p.layout.plane;
    a.k_pitch = w.k.layout.pitch;
    a.k_plane = w.k.layout.plane;
    a.stencil = w.stencil;
}

template <typename T>
void reference(World<T>& w) {
    const auto& sets = cpu::instruction_sets();
    const auto set = std::find_if(sets.rbegin(), sets.rend(), [](const auto& s) { return s.usable; });
    const auto kernel = std::ranges::find_if(set->kernels, [](const cpu::Kernel& row) {
        return row.name == "reference" && row.wave_operator == WaveOperator::variable_density;
    });
    cpu::StepArguments<T> a;
    set_arrays(a, w);
    a.half_rho = w.half_rho.origin();
    a.rho_pitch = w.half_rho.layout.pitch;
    a.rho_plane = w.half_rho.layout.plane;
    if constexpr (sizeof(T) == 4)
        kernel->step_float(a);
    else
        kernel->step_double(a);
}

template <typename T>
DensityArguments<T> arguments_of(World<T>& w) {
    DensityArguments<T> a;
    set_arrays(a.step, w);
    a.half_rho = w.half_rho.origin();
    a.rho_pitch = w.half_rho.layout.pitch;
    a.rho_plane = w.half_rho.layout.plane;
    a.x_halo = static_cast<int>(w.p.layout.halo[0]);
    a.y_halo = static_cast<int>(w.p.layout.halo[1]);
    a.rho_x_halo = static_cast<int>(w.half_rho.layout.halo[0]);
    a.rho_y_halo = static_cast<int>(w.half_rho.layout.halo[1]);
    a.chunk = std::min(w.of.chunk, a.step.nz);
    return a;
}

unsigned blocks(int nodes, int size) {
    return static_cast<unsigned>((nodes + size - 1) / size);
}

template <typename T, int Dims, int R>
void direct(World<T>& w, HostLaunch launch) {
    const DensityArguments<T> a = arguments_of(w);
    launch.block = {8, 2, 1};
    launch.grid = {blocks(a.step.nx, 8), blocks(a.step.ny, 2), static_cast<unsigned>(a.step.nz)};
    launch_on_host(launch, direct_density_step<T, Dims, R>, a);
}

template <typename Tile>
void forward(World<typename Tile::T>& w, HostLaunch launch) {
    const auto a = arguments_of(w);
    launch.block = {Tile::block_x, Tile::block_y, 1};
    launch.grid = {blocks(a.step.nx, Tile::width), blocks(a.step.ny, Tile::height), blocks(a.step.nz, a.chunk)};
    launch.shared_bytes = Tile::shared_bytes;
    launch_on_host(launch, forward_density_step<Tile>, a);
}

/// A way to compute one step of a world.
template <typename T>
struct Variant {
    std::string name;
    int dimensions;
    std::function<void(World<T>&, HostLaunch)> step;
};

/// Small tiles, so that small grids have many of them; rows and stages vary with the order.
template <typename T, int R>
std::vector<Variant<T>> small_variants() {
    return {{"direct", 2, direct<T, 2, R>},
            {"direct", 3, direct<T, 3, R>},
            {"forward, 1 row", 3, forward<DensityTile<T, R, 4, 6, 1, 2 + R % 2, 1>>},
            {"forward, 2 rows", 3, forward<DensityTile<T, R, 2, 4, 2, 3 - R % 2, 1>>},
            {"forward, 3 rows", 3, forward<DensityTile<T, R, 2, 2, 3, 2, 1>>}};
}

template <typename T, int R>
std::vector<Variant<T>> compiled_variants() {
    std::vector<Variant<T>> list;
    for_density_tiles<T, R>([&list]<typename Tile>() {
        list.push_back({std::to_string(Tile::width) + "x" + std::to_string(Tile::height), 3, forward<Tile>});
    });
    return list;
}

template <typename T>
void compare_all(const Case& c, int order, const std::vector<Variant<T>>& variants) {
    const World<T> start(c, order);
    World<T> expected = run(start, reference<T>);
    int schedule = order / 2;
    for (const Variant<T>& variant : variants) {
        if (variant.dimensions != c.grid.dimensions) continue;
        HostLaunch launch;
        launch.flush_denormals = sizeof(T) == 4;
        launch.copies = schedule % 2 == 0 ? Copies::early : Copies::late;
        launch.turns = schedule / 2 % 2 == 0 ? Turns::forward : Turns::backward;
        ++schedule;
        INFO(variant.name << ", " << c.name << ", order " << order << ", " << 8 * sizeof(T) << " bits, "
                          << (launch.copies == Copies::early ? "early" : "late") << " copies, threads "
                          << (launch.turns == Turns::forward ? "forward" : "backward"));
        World<T> world = start;
        REQUIRE_NOTHROW(world = run(start, [&](World<T>& w) { variant.step(w, launch); }));
        CHECK(world.p.same_bits(expected.p));  // halos and padding included: a kernel must not write there
        CHECK(world.q.same_bits(expected.q));
    }
}

}  // namespace

TEST_CASE_TEMPLATE("CUDA kernels of variable density give the bits of the reference at every order", T, float, double) {
    unroll<1, kMaxRadius + 1>([](auto radius) {
        if constexpr (kAllOrders || radius.value % 3 == 1)
            for (const Case& c : kCases) compare_all(c, 2 * radius.value, small_variants<T, radius.value>());
    });
}

TEST_CASE("tiles of variable density as they are compiled for GPUs give the bits of the reference") {
    const Case wide{"beyond one tile", {3, {140, 37, 4}, {10., 10., 10.}, {}}, {kZero, kRigid, kFree}, 3};
    compare_all(wide, 8, compiled_variants<float, 4>());
#if !defined(ONDA_FEW_ORDERS)
    compare_all(wide, 16, compiled_variants<float, 8>());
    compare_all(wide, 4, compiled_variants<double, 2>());
#endif
}
