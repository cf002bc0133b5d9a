#include "solver/discretisation/scheme.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "solver/program/find_row.hpp"

namespace onda {
namespace {

std::vector<Equation> equations_of(const SchemeConfig& config, const ConfigOrigin& origin) {
    std::vector<StencilRow> stencils;
    for (const Equation& equation : equations()) stencils.push_back(equation->stencil);
    const StencilRow& stencil =
        find_row(origin, "scheme.stencil", std::span<const StencilRow>(stencils), config.stencil);
    std::vector<Equation> found;
    std::ranges::copy_if(equations(), std::back_inserter(found),
                         [&](const Equation& equation) { return equation->stencil.name == stencil.name; });
    return found;
}

Equation choose_equation(const SchemeConfig& config, const Gives& gives, const ConfigOrigin& origin) {
    const std::vector<Equation> candidates = equations_of(config, origin);
    std::optional<Equation> best;
    for (const Equation& equation : candidates)
        if ((!best || (*best)->parameters.size() < equation->parameters.size()) &&
            std::ranges::all_of(equation->parameters, gives))
            best = equation;
    if (best) return *best;
    const auto& wanted = candidates.front()->parameters;
    const MediumParameter& missing = *std::ranges::find_if_not(wanted, gives);
    origin.fault("scheme.stencil",
                 fmt::format("{0} needs {1}, the {2} in {3}, which the model does not give: take model.type: file, and "
                             "a file with /{1}",
                             config.stencil, missing.name, missing.help, missing.unit));
}

/// The first stencil with which waves feel a parameter.
std::string_view stencil_with(const MediumParameter& parameter) {
    for (const Equation& equation : equations())
        if (has_parameter(equation, parameter.name)) return equation->stencil.name;
    throw std::logic_error("no equation has the parameter " + std::string(parameter.name));
}

/// Whether the parameter is constant for an equation whose waves would feel it with another stencil.
bool is_of_other_stencil(const Equation& equation, const MediumParameter& parameter) {
    return std::ranges::find(equation->constants, parameter.name, &MediumParameter::name) !=
               equation->constants.end() &&
           stencil_with(parameter) != equation->stencil.name;
}

/// Adds the parameters that the model gives, and that this equation has no place for; of those with one key the first.
void check_none_ignored(const Equation& equation, const Gives& gives, StageFaults& faults) {
    std::vector<std::string_view> told;
    for (const Equation& other : equations())
        for (const MediumParameter& parameter : other->parameters) {
            const bool is_known = has_parameter(equation, parameter.name) || parameter.key.empty() ||
                                  is_of_other_stencil(equation, parameter) ||
                                  std::ranges::find(told, parameter.key) != told.end();
            if (is_known || !gives(parameter)) continue;
            told.push_back(parameter.key);
            faults.add("scheme.stencil",
                       fmt::format("the equation {} has no {} ({}), which the model gives: leave it out, or take "
                                   "model.{}: none",
                                   name(equation), parameter.name, parameter.help, parameter.key));
        }
}

void check_equation(const Equation& equation, const SchemeConfig& config, const Grid& grid, const Gives& gives,
                    const ConfigOrigin& origin) {
    const std::string_view stencil = equation->stencil.name;
    const std::string place = fmt::format("scheme.stencil: {}", stencil);
    StageFaults faults(origin);
    if (const int order = equation->only_order; order != 0) {
        if (config.space_order != order)
            faults.add_of_value("scheme.space_order",
                                fmt::format("{} has order {}: use {}, or leave it out", place, order, order));
        if (config.coefficients != "taylor")
            faults.add_of_value(
                "scheme.coefficients",
                fmt::format(
                    "{} has a single set of finite-difference coefficients: omit it, or use scheme.stencil: star",
                    place));
    }
    const auto spacings_m = grid.derivative_spacings_m();
    if (equation->equal_spacings && std::ranges::any_of(spacings_m, [&](double h) { return h != spacings_m.front(); }))
        faults.add_of_value("grid.spacing_m", fmt::format("{} needs the same spacing along every axis", place));
    for (const MediumParameter& constant : equation->constants)
        if (is_of_other_stencil(equation, constant) && gives(constant))
            faults.add("scheme.stencil", fmt::format("{} is for constant {}: take {}, or model.{}: none", stencil,
                                                     constant.quantity, stencil_with(constant), constant.key));
    check_none_ignored(equation, gives, faults);
    faults.raise_if_any();
}

}  // namespace

void check_stencil_fits(const SchemeConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    const std::int64_t least = config.space_order / 2 + 1;
    for (int axis = 0; axis < 3; ++axis)
        if (grid.has_axis(axis) && grid.n[axis] < least)
            origin.value_fault("grid.shape",
                               fmt::format("scheme.space_order {} needs at least {} nodes along each axis; {} has {}",
                                           config.space_order, least, "xyz"[axis], grid.n[axis]));
}

Scheme make_scheme(const SchemeConfig& config, std::int64_t time_order, const Grid& grid, const Gives& gives,
                   const ConfigOrigin& origin) {
    const Equation equation = choose_equation(config, gives, origin);
    check_equation(equation, config, grid, gives, origin);
    if (time_order != 2 && equation != Equation::star)
        origin.fault("time.order",
                     fmt::format("{} is not available for the equation {}: use 2", time_order, name(equation)));
    Scheme scheme = make_scheme(equation, static_cast<int>(config.space_order),
                                config.coefficients == "optimised" ? Coefficients::optimised : Coefficients::taylor);
    scheme.time_order = static_cast<int>(time_order);
    return scheme;
}

}  // namespace onda
