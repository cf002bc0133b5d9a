#include "kernels/imaging/correlation.hpp"

#include <stdexcept>

namespace onda {

void check_sum(LevelSum sum, bool illuminates) {
    if (sum != LevelSum::products && !illuminates) throw std::logic_error("an illumination that nobody asked for");
}

void check_lines(const OffsetLines& lines, Correlated what) {
    if (!lines.lines.empty() && !is_pressure(what))
        throw std::logic_error("products at an offset of something else than pressures");
}

std::vector<Correlated> correlated_beside(const EquationRow& equation, bool anisotropy) {
    std::vector<Correlated> beside;
    for (std::size_t field = 0; field < equation.memory.size(); ++field) beside.push_back(correlated_memory(field));
    if (equation.memory.empty() && strengths_of(equation) > 0) beside.push_back(Correlated::level_before);
    if (has_strain(equation)) beside.push_back(Correlated::strain_differences);
    if (has_strain(equation) && anisotropy) beside.push_back(Correlated::sum_of_differences);
    return beside;
}

LayerBoxes correlated_layers(const Problem& problem, Correlated what) {
    if (!is_pressure(what)) return layer_boxes(problem);
    Problem without = problem;
    without.strips = {};
    return layer_boxes(without);
}

}  // namespace onda
