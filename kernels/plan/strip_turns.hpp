/// \file
/// When the strips of a problem act.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/equations/star/leap.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/setup.hpp"

namespace onda {

/// What a strip acts on: p[n+1] after a step, or, in a step of order 4 in time, as a part of A on u = A p and again on
/// A u (kernels/plan/shell.hpp). Its memory variables of p and of u are apart.
enum class StripTurn { after_step, on_inner, on_outer };
/// All turns, in the order in which they come.
inline constexpr std::array kTurns{StripTurn::on_inner, StripTurn::on_outer, StripTurn::after_step};

/// The turn of the strips that follow this pass over a shell.
constexpr StripTurn turn_of(ShellPass pass) {
    if (pass == ShellPass::step) return StripTurn::after_step;
    return pass == ShellPass::inner ? StripTurn::on_inner : StripTurn::on_outer;
}

/// Whether a strip acts then.
inline bool has_turn(const Problem& problem, const Strip& strip, StripTurn turn) {
    const bool twice = problem.scheme.time_order == 4 && strip.in_operator();
    return !strip.empty() && (turn == StripTurn::after_step) != twice;
}

/// The spacing that a strip sees, over that of the grid. A u counts a twelfth; what a layer adds to it is quadratic in
/// the weights of its derivative, and a twelfth if these are divided by sqrt(12).
inline double spacing_in(StripTurn turn) {
    return turn == StripTurn::on_outer ? std::sqrt(12.) : 1.;
}

/// The end of the names of what a strip has for a turn: its second has the same again.
constexpr std::string_view kAgain = ".again";

/// The name, in lists of allocations and in states, of what a strip has for a turn.
inline std::string name_in(StripTurn turn, const std::string& name) {
    return turn == StripTurn::on_outer ? name + std::string(kAgain) : name;
}
/// Whether that is the name of something that a strip has for its second turn.
inline bool is_again(std::string_view name) {
    return name.ends_with(kAgain);
}

/// Adds the rows of what strips have for their second turn. \param add_rows adds those of a strip for one turn.
template <typename AddRows>
void add_rows_again(Allocations& list, const Problem& problem, const AddRows& add_rows) {
    for (const auto& strip : problem.strips) {
        if (!has_turn(problem, *strip, StripTurn::on_outer)) continue;
        Allocations again;
        add_rows(again, *strip);
        for (Allocation row : again.rows()) {
            row.name = name_in(StripTurn::on_outer, row.name);
            list.add(std::move(row));
        }
    }
}

}  // namespace onda
