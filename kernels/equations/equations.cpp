// The list of equations.
#include <algorithm>
#include <array>

#include "kernels/equations/equation.hpp"

namespace onda {

std::span<const Equation> equations() {
    static constexpr std::array list{Equation::star, Equation::compact, Equation::variable_density};
    return list;
}

bool has_parameter(const Equation& equation, std::string_view name) {
    return std::ranges::any_of(equation->parameters, [&](const Parameter& row) { return row.name == name; });
}

}  // namespace onda
