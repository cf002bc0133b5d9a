// The list of equations.
#include <array>

#include "kernels/equations/equation.hpp"

namespace onda {
namespace {

constexpr Parameter kVp{"vp", "m/s", "velocity of pressure waves"};
constexpr Parameter kRho{"rho", "kg/m3", "density"};

double squared_step(const double* parameters, double dt_s) {
    const double step = parameters[0] * dt_s;
    return step * step;
}

constexpr std::array kConstantParameters{kVp};
constexpr std::array kConstantArrays{MediumArray{"k", false, true, squared_step}};
constexpr Equation kConstantDensity{"constant_density", kConstantParameters, kConstantArrays, nullptr};

constexpr std::array kVariableParameters{kVp, kRho};
constexpr std::array kVariableArrays{
    MediumArray{"k", false, true,
                [](const double* parameters, double dt_s) { return squared_step(parameters, dt_s) * parameters[1]; }},
    MediumArray{"half_rho", true, false, [](const double* parameters, double) { return 0.5 * parameters[1]; }}};
constexpr Equation kVariableDensity{"variable_density", kVariableParameters, kVariableArrays,
                                    [](const double* arrays) { return 2. * arrays[1]; }};

}  // namespace

const Equation& equation_of(const Scheme& scheme) {
    return scheme.has_density() ? kVariableDensity : kConstantDensity;
}

}  // namespace onda
