/// \file
/// Traces of several shots in an order of their own: common-offset gathers and those of a common midpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/results/seismograms.hpp"
#include "solver/pictures/receiver_lines.hpp"
#include "solver/survey/fold.hpp"

namespace onda {

/// A trace of a survey, and where it stands among those that are shown.
struct SortedTrace {
    std::int64_t shot = 1;
    std::size_t receiver = 0;  ///< of the shot, from 0
    double place_m = 0.;
    double off_m = 0.;  ///< by how much it is not what was asked for
};

/// Traces in the order of their places.
struct SortedTraces {
    std::vector<SortedTrace> traces;
    std::string axis;  ///< what their places are: "Offset [m]"
};

/// Of each shot the trace whose offset (offsets_m()) is nearest, if it is no farther than `within_m`: by midpoint,
/// along x or y, whichever changes more.
SortedTraces common_offset(std::span<const ShotGather> headers, double offset_m, double within_m);
/// The traces whose midpoint lies within a distance of a place: by offset.
SortedTraces common_midpoint(std::span<const ShotGather> headers, const Midpoint& at_m, double within_m);

/// The median distance from one receiver of a shot to the next.
double usual_distance_m(std::span<const ShotGather> headers);

/// Traces as a line for gather_panel(): where their places are even enough to be shown side by side, at these; else one
/// after the other. \param sorted one trace at least.
ReceiverLine line_of(const SortedTraces& sorted);

}  // namespace onda
