/// \file
/// The names and extents under which every device gives the state of a strip (StatePart).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/boundaries/strip.hpp"
#include "kernels/equations/equation.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/plan/shell.hpp"
#include "kernels/plan/strip_turns.hpp"
#include "kernels/wavefield.hpp"

namespace onda {

/// The state of one memory variable of a strip: "cpml.x_min.psi". \param face 2 * axis + (0 low, 1 high); \param width
/// of the strip.
inline StatePart strip_state(const Strip& strip, const Grid& grid, int face, std::int64_t width,
                             std::string_view variable, std::int64_t element_bytes) {
    return {std::string(strip.name()) + "." + std::string(face_name(face)) + "." + std::string(variable),
            strip_grid(grid, face, width).n, element_bytes};
}

/// The fields of which layers have memory variables: each, or at each face one, under the name of the first, where
/// fields share what layers do.
inline std::size_t fields_of_layers(const Equation& equation) {
    return equation->factor == nullptr || equation->factor->couplings.empty() ? equation->fields.size() : 1;
}

/// The name of a memory variable of a field: "psi" of the first, "s.psi" of another.
inline std::string variable_of_field(const EquationRow& equation, std::size_t field, std::string_view variable) {
    return (field == 0 ? std::string() : std::string(equation.fields[field]) + ".") + std::string(variable);
}

/// The state of the odd level of a leap inside one face: "p_odd.x_min".
inline StatePart odd_state(int face, const Box& box, std::int64_t element_bytes) {
    StatePart part{"p_odd." + std::string(face_name(face)), {}, element_bytes};
    for (std::size_t a = 0; a < 3; ++a) part.extents[a] = box.high[a] - box.low[a];
    return part;
}

/// The place of a part in a state: 0 for levels of fields, then turn by turn, strip by strip and face by face. Parts of
/// one face keep the order in which its kind gives them.
inline int place_in_state(const Problem& problem, const StatePart& part) {
    int place = 0;
    for (const StripTurn turn : kTurns)
        for (const auto& strip : problem.strips) {
            const bool acts = has_turn(problem, *strip, turn) && is_again(part.name) == (turn == StripTurn::on_outer);
            for (int face = 0; face < 6; ++face) {
                ++place;
                const std::string prefix = std::string(strip->name()) + "." + std::string(face_name(face)) + ".";
                if (acts && part.name.starts_with(prefix)) return place;
            }
        }
    return 0;
}

/// The bytes of a plane of a part.
inline std::int64_t plane_bytes(const StatePart& part) {
    return part.extents[0] * part.extents[1] * part.element_bytes;
}

}  // namespace onda
