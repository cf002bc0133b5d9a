/// \file
/// Where the sources and receivers of a survey lie, as ranges: what a reader compares with what was meant.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "solver/survey/survey.hpp"

namespace onda {

struct SurveyRanges {
    PositionBox sources_m;
    std::optional<PositionBox> receivers_m;          ///< absent without receivers
    std::optional<std::array<double, 2>> offsets_m;  ///< least and largest
    std::size_t shots = 0;                           ///< that were looked at
    bool is_complete = true;                         ///< whether every shot and receiver was
};

/// The ranges of all sources, all receivers, and their offsets: horizontal distances of a shot's receivers from its
/// first source. Of more than 2000 shots, or a million receivers in them, some are looked at, spread evenly, with the
/// first and the last: time and memory do not grow with the survey. \param shots one at least.
SurveyRanges ranges_of(const Shots& shots);

/// A warning that x and z of all sources were swapped: as they are swapped, they would lie at the one depth of all
/// receivers; as they are, they do not. Empty if there is none.
std::string doubt_of_swapped_axes(const SurveyRanges& ranges);

}  // namespace onda
