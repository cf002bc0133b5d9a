/// \file
/// What the CPU backend allocates: the layouts of its arrays, and the rows of their list.
#pragma once

#include <cstdint>

#include "kernels/cpu/cpu.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/plan/layouts.hpp"

namespace onda::cpu {

inline LayoutRules layout_rules(const Problem& problem) {
    return {problem.element_bytes(), 1};
}

/// The threads of a wavefield of one shot.
int threads_of(const Setup& setup);

/// The name of the row of an array of the medium.
inline std::string medium_row(const MediumArray& array) {
    return "medium." + std::string(array.name);
}
/// The name of the row of a field's level n - 1.
inline std::string previous_row(std::string_view field) {
    return std::string(field) + "_previous";
}

/// Adds the rows of the sources of a shot, none without sources. \param shots alike. \param fields that they act on.
void add_sources(Allocations& list, const ShotSize& size, std::int64_t element_bytes, int shots = 1,
                 std::int64_t fields = 1);
/// Adds the rows of the receivers of a shot and of its traces, none without receivers. \param shots alike.
void add_receivers(Allocations& list, const ShotSize& size, std::int64_t element_bytes, int shots = 1);

}  // namespace onda::cpu
