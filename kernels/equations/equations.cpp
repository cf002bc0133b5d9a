// The list of equations.
#include <array>

#include "kernels/equations/equation.hpp"

namespace onda {

std::span<const Equation> equations() {
    static constexpr std::array list{Equation::star,
                                     Equation::compact,
                                     Equation::variable_density,
                                     Equation::attenuation,
                                     Equation::attenuation_of_two,
                                     Equation::attenuation_density,
                                     Equation::attenuation_density_of_two,
                                     Equation::drag,
                                     Equation::drag_density,
                                     Equation::vti,
                                     Equation::tti};
    return list;
}

}  // namespace onda
