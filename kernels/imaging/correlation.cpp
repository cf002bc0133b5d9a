#include "kernels/imaging/correlation.hpp"

#include <stdexcept>

namespace onda {

void check_sum(LevelSum sum, bool illuminates) {
    if (sum != LevelSum::products && !illuminates) throw std::logic_error("an illumination that nobody asked for");
}

void check_lines(const OffsetLines& lines, Correlated what) {
    if (!lines.lines.empty() && what != Correlated::pressures && what != Correlated::pressures_and_squares)
        throw std::logic_error("products at an offset of something else than pressures");
}

LayerBoxes correlated_layers(const Problem& problem, Correlated what) {
    if (is_difference(what) || what == Correlated::applied) return layer_boxes(problem);
    Problem without = problem;
    without.strips = {};
    return layer_boxes(without);
}

}  // namespace onda
