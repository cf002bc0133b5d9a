// The CUDA kernels of perfectly matched layers, run on the host from their own sources, give the bits of the CPU's
// plain loops, those of the kernel `reference`, for strips of any width on any face, and write nothing but the nodes.
// Takes 1 s.
#include <array>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/kernel_table.hpp"
#include "kernels/cpu/strips/strip.hpp"
#include "kernels/cuda/cpml/cpml.hpp"
#include "tests/kernels/fields.hpp"
#include "tests/sanitized.hpp"

using namespace onda;
using cuda::CpmlLaunch;

namespace {

struct Case {
    std::string name;
    Grid grid;
    std::array<int, 6> width;
};

// No strips on some faces, strips that meet, that fill an axis, of one node, and beyond a warp's tile of 32.
const std::vector<Case> kCases{
    {"all faces", {3, {21, 14, 13}, {10., 8., 11.}, {}}, {5, 4, 3, 5, 2, 6}},
    {"one node", {3, {9, 8, 7}, {10., 10., 10.}, {}}, {1, 1, 1, 1, 1, 1}},
    {"some faces", {3, {18, 11, 12}, {10., 10., 10.}, {}}, {0, 7, 4, 0, 0, 5}},
    {"strips that meet, or share a node", {3, {12, 9, 8}, {10., 10., 10.}, {}}, {6, 6, 4, 4, 3, 5}},
    {"one strip fills an axis", {3, {7, 6, 9}, {10., 10., 10.}, {}}, {7, 0, 0, 6, 9, 0}},
    {"wider than a tile", {3, {93, 3, 3}, {10., 10., 10.}, {}}, {47, 40, 1, 1, 1, 1}},
    {"2-D", {2, {33, 1, 27}, {10., 10., 6.}, {}}, {8, 9, 0, 0, 7, 8}},
};

/// Memory of a test's own.
template <typename T>
Allocation row_of(std::int64_t elements) {
    return cpu::paged("array", Owner::wavefield, elements, sizeof(T));
}

CpmlFace layer_of(int width, int face) {
    CpmlFace layer;
    int seed = 20;
    for (auto* part : {&layer.a_psi, &layer.a_zeta, &layer.b_psi, &layer.b_zeta}) {
        const bool is_a = seed < 22;
        for (int t = 0; t < width; ++t) {
            const double noise = test::noise(100 * face + t, seed);
            part->push_back(is_a ? -0.4 * noise : 0.5 + 0.5 * noise);
        }
        ++seed;
    }
    return layer;
}

template <typename T>
Precision precision_of() {
    return sizeof(T) == sizeof(float) ? Precision::float32 : Precision::float64;
}

Setup setup_of(const Case& c, Equation equation, int order, Precision precision) {
    Setup setup;
    setup.grid = c.grid;
    setup.scheme = make_scheme(equation, order);
    setup.precision = precision;
    setup.kernel = "reference";
    for (int face = 0; face < 6; ++face)
        setup.strips.edit<Cpml>().face[static_cast<std::size_t>(face)] =
            layer_of(c.width[static_cast<std::size_t>(face)], face);
    return setup;
}

/// Values that begin on 128 bytes, NaN but for those that `fill` gives.
template <typename T>
struct Array {
    Layout layout;
    cpu::Buffer<T> values;

    template <typename Fill>
    Array(const Layout& of, const Fill& fill) : layout(of), values(row_of<T>(of.size)) {
        std::fill_n(values.data(), of.size, std::numeric_limits<T>::quiet_NaN());
        const auto& h = of.halo;
        for (std::int64_t z = -h[2]; z < of.n[2] + h[2]; ++z)
            for (std::int64_t y = -h[1]; y < of.n[1] + h[1]; ++y)
                for (std::int64_t x = -h[0]; x < of.n[0] + h[0]; ++x) {
                    const bool inside = x >= 0 && y >= 0 && z >= 0 && x < of.n[0] && y < of.n[1] && z < of.n[2];
                    values.data()[of.at(x, y, z)] =
                        inside ? static_cast<T>(fill(x + of.n[0] * (y + of.n[1] * z))) : T(0);
                }
    }
    [[nodiscard]] T* node() const { return values.data() + layout.origin; }
    [[nodiscard]] bool same_bits(const Array& other) const {
        return std::memcmp(values.data(), other.values.data(), static_cast<std::size_t>(layout.size) * sizeof(T)) == 0;
    }
};

/// Whole vectors of halo along x, as a CUDA backend has.
template <typename T>
Layout padded(const Grid& grid, int halo) {
    constexpr int v = 16 / sizeof(T);
    return {grid, {(halo + v - 1) / v * v, grid.dimensions == 3 ? halo : 0, halo}, sizeof(T)};
}

template <typename T, typename F>
void run(const CpmlLaunch<T>& l, const T* p, T* q) {
    const cuda::HostLaunch launch{{l.grid[0], l.grid[1], l.grid[2]},
                                  {l.block[0], l.block[1], l.block[2]},
                                  l.shared_bytes,
                                  cuda::Copies::late,
                                  cuda::Turns::backward,
                                  sizeof(T) == 4};
    cuda::CpmlArguments<T> arguments = l.arguments;
    arguments.p = p;
    arguments.q = q;
    if (l.axis == 0)
        cuda::launch_on_host(launch, cuda::cpml_rows_kernel<T, F>, arguments);
    else
        cuda::launch_on_host(launch, cuda::cpml_columns_kernel<T, F>, arguments);
}

template <typename T>
cpu::Arrays<T> arrays_of(const Array<T>& k, const Array<T>& half_rho, const Layout& field) {
    cpu::Arrays<T> a;
    a.nx = field.n[0];
    a.ny = field.n[1];
    a.nz = field.n[2];
    a.pitch = field.pitch;
    a.plane = field.plane;
    a.k = k.node();
    a.k_pitch = k.layout.pitch;
    a.k_plane = k.layout.plane;
    a.half_rho = half_rho.node();
    a.rho_pitch = half_rho.layout.pitch;
    a.rho_plane = half_rho.layout.plane;
    return a;
}

/// Three steps of the strips alone, on fields that change. \param two_psi whether psi has two arrays that take turns.
template <typename T, typename F>
void compare(const Case& c, const Setup& setup, bool two_psi) {
    CAPTURE(c.name);
    CAPTURE(setup.scheme.space_order);
    const Layout field = padded<T>(c.grid, setup.scheme.halo());
    const Array<T> k({c.grid, {0, 0, 0}, sizeof(T)}, [](std::int64_t i) { return 4. + 4. * test::noise(i); });
    Array<T> half_rho(padded<T>(c.grid, setup.scheme.radius()), [](std::int64_t) { return 1.; });
    for (std::int64_t i = 0; i < half_rho.layout.size; ++i)
        half_rho.values.data()[i] = static_cast<T>(500. + 1000. * test::noise(i, 7));
    const Allocations planned = cpu::allocations(setup);
    const auto expected_layers =
        cpu::make_strips<T>({setup, planned, cpu::instruction_sets().front(), arrays_of(k, half_rho, field)});
    expected_layers.front()->reset();

    const cuda::cpml::Strips strips{setup.grid, setup.scheme, setup.strips.get<Cpml>(), two_psi};
    cpu::Buffer<T> memory(row_of<T>(cuda::cpml::memory_of<T>(strips, 6)));
    std::fill_n(memory.data(), cuda::cpml::memory_of<T>(strips, 6), T(0));
    const std::vector<T> profiles = cuda::cpml::all_profiles<T>(strips);
    const auto launches = cuda::cpml_launches<T>(
        strips, {field, k.layout, half_rho.layout, k.node(), half_rho.node(), memory.data(), profiles.data()});
    const auto values = [](int of) { return [of](std::int64_t i) { return test::noise(i, of) - 0.5; }; };
    for (int n = 0; n < 3; ++n) {
        const Array<T> p(field, values(n)), before(field, values(n + 10)), q(field, values(n + 10)),
            expected(field, values(n + 10));
        const cpu::FieldLevels<T> levels{p.node(), expected.node()};
        expected_layers.front()->apply({&levels, 1});
        for (CpmlLaunch<T> launch : launches) {
            if (n % 2 == 1) launch.arguments = cuda::cpml::with_psi_swapped(launch.arguments);
            run<T, F>(launch, p.node(), q.node());
        }
        REQUIRE(q.same_bits(expected));
        REQUIRE_FALSE(q.same_bits(before));
    }
}

template <typename T, template <int> typename F, int R = kMaxRadius>
void compare_radii(Equation equation) {
    for (const Case& c : kCases) compare<T, F<R>>(c, setup_of(c, equation, 2 * R, precision_of<T>()), R % 2 == 0);
    if constexpr (R > 1) compare_radii<T, F, R - 1>(equation);
}

}  // namespace

TEST_CASE_TEMPLATE("strips of every order, width and face have the bits of the CPU's", T, ONDA_COMPARED_TYPES) {
    compare_radii<T, StarFactor>(Equation::star);
}

TEST_CASE_TEMPLATE("strips of variable density have the bits of the CPU's", T, ONDA_COMPARED_TYPES) {
    compare_radii<T, DensityFactor>(Equation::variable_density);
}

TEST_CASE_TEMPLATE("strips of the compact operator have the bits of the CPU's", T, ONDA_COMPARED_TYPES) {
    for (Case c : kCases) {
        c.grid.spacing_m = {10., 10., 10.};
        const Setup setup = setup_of(c, Equation::compact, 2, precision_of<T>());
        if (c.grid.dimensions == 3)
            compare<T, CompactFactor<3>>(c, setup, false);
        else
            compare<T, CompactFactor<2>>(c, setup, false);
    }
}
