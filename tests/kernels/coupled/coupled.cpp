#include "tests/kernels/coupled/coupled.hpp"

#include <array>
#include <vector>

#include "kernels/cpu/kernel_table.hpp"
#include "kernels/equations/constant_density.hpp"
#include "kernels/equations/scheme.hpp"
#include "tests/kernels/coupled/coupled_math.hpp"

namespace onda::test {
namespace {

using namespace onda::cpu;

constexpr MediumParameter kOmega{
    .name = "omega",
    .quantity = "coupling",
    .unit = "rad/s",
    .help = "angular frequency of the coupling",
    .lowest = 0.,
    .highest = 1000.,
};
constexpr std::array kParameters{kVp, kOmega};
constexpr std::array<std::string_view, 2> kFields{"p", "s"};
constexpr std::array kArrays{medium_array<squared_step>("k", false, true),
                             medium_array<[](const double* parameters, double dt_s) {
                                 const double step = parameters[1] * dt_s;
                                 return step * step;
                             }>("g", false, true)};

Scheme make(int space_order, Coefficients coefficients) {
    Scheme scheme = make_scheme(Equation::star, space_order, coefficients);
    scheme.equation = kCoupled;
    return scheme;
}

template <typename T, int Dims, int R>
struct Coupled {
    static void step(const StepArguments<T>& a) {
        for (std::int64_t z = 0; z < a.nz; ++z)
            for (std::int64_t y = 0; y < a.ny; ++y)
                for (std::int64_t x = 0; x < a.nx; ++x) {
                    const std::int64_t i = x + y * a.pitch + z * a.plane;
                    const T* const p = a.p + i;
                    const T* const s = a.further_p[0] + i;
                    const MediumView<T>&k = a.medium[0], &g = a.medium[1];
                    const T k_here = k.at[x + y * k.pitch + z * k.plane], g_here = g.at[x + y * g.pitch + z * g.plane];
                    a.q[i] = advance_coupled(p, a.q[i], k_here, g_here, *s,
                                             laplacian<T, Dims, R>(p, a.pitch, a.plane, a.stencil));
                    a.further_q[0][i] = advance_coupled(s, a.further_q[0][i], k_here, g_here, *p,
                                                        laplacian<T, Dims, R>(s, a.pitch, a.plane, a.stencil));
                }
    }
};

std::span<const Kernel> kernels() {
    static const std::vector<Kernel> rows{
        {"reference", "plain loops", step_of_order<Coupled, float>, step_of_order<Coupled, double>, nullptr, kCoupled}};
    return rows;
}

}  // namespace

const EquationRow kCoupledEquation{
    .name = "coupled",
    .help = "two pressures that pull at each other",
    .title = "coupled",
    .stencil = {"coupled", "those on the axes, of two fields"},
    .parameters = kParameters,
    .constants = {},
    .fields = kFields,
    .arrays = kArrays,
    .source_density = nullptr,
    .make_scheme = make,
    .halo = [](int radius) { return radius; },
    .axis_symbol = second_derivative_axis_symbol,
    .symbol = sum_of_axes,
    .stability_limit_s = limit_of_sum_of_axes,
    .set_float = set_second_derivative_stencil<float>,
    .set_double = set_second_derivative_stencil<double>,
    .factor = &kStarFactor,
    .cpu_kernels = kernels,
    .on_cuda = coupled_on_cuda,
};

Equation coupled_without_layers() {
    static const EquationRow row = [] {
        EquationRow without = kCoupledEquation;
        without.factor = nullptr;
        return without;
    }();
    return row;
}

}  // namespace onda::test

namespace onda {

/// The list of the programs that are linked with this file, in place of kernels/equations/equations.cpp.
std::span<const Equation> equations() {
    static constexpr std::array list{Equation::star, Equation::compact, Equation::variable_density, test::kCoupled};
    return list;
}

}  // namespace onda
