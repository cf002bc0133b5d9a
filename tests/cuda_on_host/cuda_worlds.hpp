/// \file
/// Small worlds on which the CUDA kernels run on the host, from their own sources, beside the CPU's reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/kernel_table.hpp"
#include "kernels/cuda/direct/direct.hpp"
#include "kernels/cuda/inplane/async_copies.hpp"
#include "kernels/cuda/inplane/inplane.hpp"
#include "kernels/grid/halo.hpp"
#include "kernels/plan/medium_code.hpp"
#include "tests/kernels/fields.hpp"
#include "tests/sanitized.hpp"

namespace onda::cuda::test {

using onda::test::noise;

struct Case {
    std::string name;
    Grid grid;
    FaceHalos halos{};
    int chunk = 1000;  ///< planes that one block updates, at most
};

inline constexpr Halo kZero = Halo::zero, kFree = Halo::mirror_negative, kRigid = Halo::mirror_positive;
inline constexpr int kSteps = 3;

// Extents of one, of less than the radius, of no multiple of anything, and beyond several tiles and chunks.
inline const std::vector<Case> kCases{
    {"one node", {3, {1, 1, 1}, {10., 10., 10.}, {}}},
    {"one plane", {3, {33, 17, 1}, {10., 10., 10.}, {}}},
    {"thinner than the radius", {3, {3, 2, 5}, {10., 10., 10.}, {}}, {kFree, kRigid, kRigid, kZero, kFree, kRigid}},
    {"several tiles and chunks",
     {3, {45, 19, 13}, {7.5, 12., 9.}, {}},
     {kZero, kRigid, kZero, kFree, kRigid, kZero},
     5},
    {"whole tiles, all mirrors", {3, {32, 16, 8}, {10., 8., 11.}, {}}, {kRigid, kFree, kFree, kRigid, kFree, kRigid}},
    {"2-D", {2, {61, 1, 17}, {10., 10., 6.}, {}}, {kRigid, kFree, kZero, kZero, kFree, kZero}, 7},
};

/// One array of exactly `size` elements on a cache line, so that AddressSanitizer notices what lies beyond.
template <typename T>
class Array {
public:
    explicit Array(std::int64_t size) : size_(size) {
        void* memory = nullptr;
        if (posix_memalign(&memory, 128, bytes()) != 0) throw std::bad_alloc();
        memory_.reset(static_cast<T*>(memory));
        std::fill_n(data(), size, std::numeric_limits<T>::quiet_NaN());
    }
    Array(const Array& other) : Array(other.size_) { std::memcpy(data(), other.data(), bytes()); }
    Array(Array&&) noexcept = default;
    Array& operator=(Array&&) noexcept = default;
    [[nodiscard]] T* data() const { return memory_.get(); }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] bool same_bits(const Array& other) const { return std::memcmp(data(), other.data(), bytes()) == 0; }

private:
    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
    std::unique_ptr<T, Free> memory_;
    std::int64_t size_;
};

/// p[n], p[n-1], k and, with variable density, rho / 2 of a case; NaN wherever no kernel has any business.
template <typename T>
struct World {
    Case of;
    Equation equation;
    int radius, halo;
    Layout field, model, density;
    Array<T> p, q, k, half_rho;
    Stencil<T> stencil;

    World(const Case& c, const Scheme& scheme)
        : of(c),
          equation(scheme.equation),
          radius(scheme.radius()),
          halo(scheme.halo()),
          field(layout(c.grid, halo)),
          model(layout(c.grid, 0)),
          density(layout(c.grid, radius)),
          p(field.size),
          q(field.size),
          k(model.size),
          half_rho(has_density() ? density.size : 0),
          stencil(make_stencil<T>(scheme, c.grid.spacing_m, c.grid.dimensions)) {
        for (std::int64_t z = 0; z < c.grid.nz(); ++z)
            for (std::int64_t y = 0; y < c.grid.ny(); ++y)
                for (std::int64_t x = 0; x < c.grid.nx(); ++x) fill(x, y, z);
        for (int axis = 0; has_density() && axis < 3; ++axis)
            if (c.grid.has_axis(axis)) copy_planes(half_rho, density, axis, density_copies(axis));
    }
    [[nodiscard]] bool has_density() const { return equation == Equation::variable_density; }
    [[nodiscard]] int y_halo() const { return static_cast<int>(field.halo[1]); }

    void fill_halos() {
        for (int axis = 0; axis < 3; ++axis)
            if (of.grid.has_axis(axis)) fill_halo(axis);
    }

private:
    [[nodiscard]] std::vector<HaloCopy> density_copies(int axis) const {
        const std::int64_t n = of.grid.n[axis];
        std::vector<HaloCopy> copies;
        for (std::int64_t j = 1; j <= density.halo[axis]; ++j)
            for (const std::int64_t to : {-j, n - 1 + j})
                copies.push_back({to, model_image(to, n, of.halos[2 * axis], of.halos[2 * axis + 1]), 1});
        return copies;
    }
    /// Along x whole vectors, so that the halo of a tile is.
    static Layout layout(const Grid& grid, std::int64_t halo) {
        constexpr std::int64_t v = Vec<T>::size;
        return {grid, {(halo + v - 1) / v * v, grid.dimensions == 3 ? halo : 0, halo}, sizeof(T)};
    }
    void fill(std::int64_t x, std::int64_t y, std::int64_t z) {
        const std::int64_t i = of.grid.at(x, y, z);
        T& now = p.data()[field.at(x, y, z)];
        T& before = q.data()[field.at(x, y, z)];
        now = static_cast<T>(noise(i, 2) - 0.5);
        before = static_cast<T>(static_cast<double>(now) * (1. - 1e-3 * noise(i, 3)));
        if (i % 7 == 0) now = before = static_cast<T>(1e-38 * noise(i, 4));  // denormals are flushed everywhere
        const double rho = has_density() ? 1000. + 1700. * noise(i, 5) : 1.;
        if (has_density()) half_rho.data()[density.at(x, y, z)] = static_cast<T>(0.5 * rho);
        k.data()[model.at(x, y, z)] = static_cast<T>((4. + 4. * noise(i)) * rho);
    }
    void fill_halo(int axis) {
        const std::int64_t n = of.grid.n[axis];
        std::vector<HaloCopy> copies;
        for (std::int64_t j = 1; j <= halo; ++j) copies.insert(copies.end(), {{-j, 0, 0}, {n - 1 + j, 0, 0}});
        for (const HaloCopy& copy : halo_copies(n, halo, of.halos[2 * axis], of.halos[2 * axis + 1]))
            copies.push_back(copy);
        copy_planes(p, field, axis, copies);
    }
    void copy_planes(Array<T>& array, const Layout& layout, int axis, const std::vector<HaloCopy>& copies) const {
        const int other = axis == 0 ? 1 : 0, third = axis == 2 ? 1 : 2;
        // Where corners are read, with the halos of the axes that are filled already.
        const bool corners = equation == Equation::compact;
        const auto beyond = [&](int of_axis) {
            return corners && of_axis < axis && of.grid.has_axis(of_axis) ? halo : 0;
        };
        for (const HaloCopy& copy : copies)
            for (std::int64_t a = -beyond(other); a < of.grid.n[other] + beyond(other); ++a)
                for (std::int64_t b = -beyond(third); b < of.grid.n[third] + beyond(third); ++b) {
                    std::array<std::int64_t, 3> to{}, from{};
                    to[axis] = copy.to;
                    from[axis] = copy.from;
                    to[other] = from[other] = a;
                    to[third] = from[third] = b;
                    array.data()[layout.at(to[0], to[1], to[2])] =
                        static_cast<T>(copy.sign) * array.data()[layout.at(from[0], from[1], from[2])];
                }
    }
};

/// Whether kernels of this radius are compared. Sanitizers multiply the time to compile and to run: they get two
/// orders.
constexpr bool is_compared(int radius) {
    return !onda::test::kSanitized || radius == 1 || radius == 4;
}

/// A way to compute one step of a world.
template <typename T>
struct Way {
    std::string name;
    int dimensions;  ///< 0: both
    std::function<void(World<T>&, HostLaunch)> step;
};

/// The world after a few steps.
template <typename T, typename Step>
World<T> run(const World<T>& start, const Step& step) {
    World<T> world = start;
    for (int n = 0; n < kSteps; ++n) {
        world.fill_halos();
        step(world);
        std::swap(world.p, world.q);
    }
    return world;
}

/// What the arguments of kernels have in common on the CPU and on the device.
template <typename Arguments, typename T>
void set_arrays(Arguments& a, const World<T>& w) {
    a.p = w.p.data() + w.field.origin;
    a.q = w.q.data() + w.field.origin;
    a.k = w.k.data() + w.model.origin;
    a.nx = static_cast<decltype(a.nx)>(w.field.n[0]);
    a.ny = static_cast<decltype(a.ny)>(w.field.n[1]);
    a.nz = static_cast<decltype(a.nz)>(w.field.n[2]);
    a.pitch = w.field.pitch;
    a.plane = w.field.plane;
    a.k_pitch = w.model.pitch;
    a.k_plane = w.model.plane;
    a.stencil = w.stencil;
}
template <typename Arguments, typename T>
void set_density(Arguments& a, const World<T>& w) {
    a.half_rho = w.half_rho.data() + w.density.origin;
    a.rho_pitch = w.density.pitch;
    a.rho_plane = w.density.plane;
}

template <typename T>
World<T> run_reference(const World<T>& start) {
    const auto sets = cpu::instruction_sets();
    const auto set = std::find_if(sets.rbegin(), sets.rend(), [](const auto& s) { return s.usable; });
    return run(start, [&](World<T>& w) {
        cpu::StepArguments<T> a;
        set_arrays(a, w);
        if (w.has_density()) set_density(a, w);
        const auto kernel = std::ranges::find(set->kernels, w.equation, &cpu::Kernel::equation);
        REQUIRE(kernel->name == "reference");
        if constexpr (sizeof(T) == 4)
            kernel->step_float(a);
        else
            kernel->step_double(a);
    });
}

inline unsigned blocks(std::int64_t nodes, std::int64_t size) {
    return static_cast<unsigned>((nodes + size - 1) / size);
}

/// The chunks of one of the marches through `planes`, where there are more than a block updates: a long one, then some
/// of half its length, as plans make them.
inline Chunks chunks_of(const Case& c, int planes) {
    const int chunk = std::min(c.chunk, planes);
    return {chunk, 1, std::max(1, chunk / 2)};
}
template <typename T>
Chunks chunks_of(const World<T>& w) {
    return chunks_of(w.of, static_cast<int>(w.field.n[2]));
}
inline unsigned chunk_count(const Chunks& chunks, int planes) {
    const int left = planes - chunks.long_chunks * chunks.chunk;
    return static_cast<unsigned>(chunks.long_chunks) + (left > 0 ? blocks(left, chunks.short_chunk) : 0);
}
template <typename T>
unsigned chunk_count(const StepArguments<T>& a) {
    return chunk_count(a.chunks, a.nz);
}

/// An array with its halo, for boxes of width x height. \param unit elements that the engine takes for one.
template <typename T>
TensorMap map_of(const Array<T>& array, const Layout& l, int width, int height, int unit = 1) {
    TensorMap map;
    map.base = array.data() + l.at(-l.halo[0], -l.halo[1], -l.halo[2]);
    map.element_bytes = static_cast<int>(sizeof(T)) * unit;
    for (int axis = 0; axis < 3; ++axis) map.extent[axis] = l.n[axis] + 2 * l.halo[axis];
    map.extent[0] = (map.extent[0] + unit - 1) / unit;
    map.stride_bytes[0] = l.pitch * static_cast<std::int64_t>(sizeof(T));
    map.stride_bytes[1] = l.plane * static_cast<std::int64_t>(sizeof(T));
    map.box_width = width / unit;
    map.box_height = height;
    return map;
}

/// \param set_further what the arguments have beside those of a world.
template <typename Tile, template <typename> class Engine, auto Kernel, typename Arguments, typename SetFurther>
void inplane_with(World<typename Tile::T>& w, HostLaunch launch, const SetFurther& set_further) {
    Arguments a;
    set_arrays(a, w);
    set_further(a);
    a.y_halo = w.y_halo();
    a.chunks = chunks_of(w);
    for (int i = 0; i < Tile::layout.count; ++i) {
        const StoredRectangle& r = Tile::layout.rectangle[i];
        a.maps[i] = map_of(w.p, w.field, r.width, r.height, Tile::map_unit);
    }
    launch.block = {Tile::block_x, Tile::block_y, 1};
    launch.grid = {blocks(a.nx, Tile::width), blocks(a.ny, Tile::height), chunk_count(a)};
    launch.shared_bytes = Engine<Tile>::shared_bytes;
    launch_on_host(launch, Kernel, a);
}

template <typename Tile, template <typename> class Engine, auto Kernel = inplane_step<Tile, Engine>>
void inplane(World<typename Tile::T>& w, HostLaunch launch) {
    inplane_with<Tile, Engine, Kernel, InPlaneArguments<typename Tile::T>>(w, launch, [](auto&) {});
}

template <typename T, auto Kernel>
void direct(World<T>& w, HostLaunch launch) {
    StepArguments<T> a;
    set_arrays(a, w);
    launch.block = {8, 2, 1};
    launch.grid = {blocks(a.nx, 8), blocks(a.ny, 2), static_cast<unsigned>(a.nz)};
    launch_on_host(launch, Kernel, a);
}

/// Codes for k of worlds, which is 4 to 8.
inline MediumCode code_of_worlds(Storage storage) {
    if (storage == Storage::codes) return medium_of_codes(4.f, 8.f);
    std::vector<float> values;
    for (int i = 0; i < 255; ++i) values.push_back(4.f + 4.f * static_cast<float>(i) / 254.f);
    return medium_of_table(values);
}

/// Gives a world the values of codes in the place of its own.
inline void round_to(const MediumCode& code, World<float>& w) {
    for (std::int64_t i = 0; i < w.k.size(); ++i)
        if (float& k = w.k.data()[i]; !std::isnan(k)) k = code.decoded(code.encoded(k));
}

/// k of a world as kernels read codes of it.
template <typename K>
struct StoredK {
    static constexpr Storage storage = sizeof(typename K::Code) == 2 ? Storage::codes : Storage::table;

    explicit StoredK(const World<float>& w)
        : medium(code_of_worlds(storage)), layout(w.of.grid, {0, 0, 0}, sizeof(typename K::Code)), codes(layout.size) {
        std::ranges::copy(medium.table, table);
        for (std::int64_t z = 0; z < w.of.grid.nz(); ++z)
            for (std::int64_t y = 0; y < w.of.grid.ny(); ++y)
                for (std::int64_t x = 0; x < w.of.grid.nx(); ++x)
                    codes.data()[layout.at(x, y, z)] =
                        static_cast<typename K::Code>(medium.encoded(w.k.data()[w.model.at(x, y, z)]));
    }
    /// Puts the codes in the place of k.
    template <typename Arguments>
    void set(Arguments& a) const {
        a.k = nullptr;
        a.coded_k = as<K>(CodedK{storage, codes.data() + layout.origin, medium.code, table});
        a.k_pitch = layout.pitch;
        a.k_plane = layout.plane;
    }

    MediumCode medium;
    Layout layout;
    Array<typename K::Code> codes;
    float table[MediumCode::kMostTableValues] = {};
};

/// Runs every variant on a world and hands what becomes of it to compare(world, expected).
template <typename T, typename Compare>
void run_all(const World<T>& start, const Scheme& scheme, const std::vector<Way<T>>& variants, const Compare& compare) {
    const Case& c = start.of;
    const World<T> expected = run_reference(start);
    int schedule = scheme.radius();
    for (const Way<T>& variant : variants) {
        if (variant.dimensions != 0 && variant.dimensions != c.grid.dimensions) continue;
        HostLaunch launch;
        launch.flush_denormals = sizeof(T) == 4;
        launch.copies = schedule % 2 == 0 ? Copies::early : Copies::late;
        launch.turns = schedule / 2 % 2 == 0 ? Turns::forward : Turns::backward;
        ++schedule;
        INFO(variant.name << ", " << c.name << ", " << name(scheme.equation) << ", order " << scheme.space_order << ", "
                          << 8 * sizeof(T) << " bits, " << (launch.copies == Copies::early ? "early" : "late")
                          << " copies, threads " << (launch.turns == Turns::forward ? "forward" : "backward"));
        World<T> world = start;
        REQUIRE_NOTHROW(world = run(start, [&](World<T>& w) { variant.step(w, launch); }));
        compare(world, expected);
    }
}

template <typename T, typename Compare>
void run_all(const Case& c, const Scheme& scheme, const std::vector<Way<T>>& variants, const Compare& compare) {
    run_all(World<T>(c, scheme), scheme, variants, compare);
}
template <typename T, typename Compare>
void run_all(const Case& c, int order, const std::vector<Way<T>>& variants, const Compare& compare) {
    run_all(c, make_scheme(Equation::star, order), variants, compare);
}

/// Halos and padding included: a kernel must not write there.
template <typename T>
void compare_bits(const World<T>& world, const World<T>& expected) {
    CHECK(world.p.same_bits(expected.p));
    CHECK(world.q.same_bits(expected.q));
}

}  // namespace onda::cuda::test
