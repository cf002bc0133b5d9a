/// \file
/// What recorded traces are, before anything is computed with them: geometry, fold, amplitudes, spectrum, faults.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "io/results/recorded_data.hpp"
#include "solver/pictures/gather_picture.hpp"
#include "solver/survey/fold.hpp"
#include "solver/survey/positions.hpp"

namespace onda {

/// The traces of one place of a source.
struct RecordedShot {
    /// The field record of its traces, where each shot has one of its own; else in the order of the data, from 1.
    std::int64_t number = 0;
    Position source_m{};
    std::vector<std::size_t> traces;
};

struct RecordedFacts {
    std::vector<RecordedShot> shots;  ///< in the order in which they come first
    std::size_t receivers = 0;        ///< places
    PositionBox sources_m, receivers_m;
    std::array<double, 3> offsets_m{};  ///< horizontal distances: least, median, largest
    std::array<double, 2> starts_s{};   ///< of first samples: least, largest
    Fold fold;                          ///< of traces that are not dead

    // Traces, ascending.
    std::vector<std::size_t> dead;        ///< marked as dead; the samples of others alone are looked at
    std::vector<std::size_t> zero;        ///< whose samples are all 0
    std::vector<std::size_t> not_finite;  ///< with NaN or infinite samples
    /// Traces shot and received where an earlier one was, that one second; dead ones are none.
    std::vector<std::pair<std::size_t, std::size_t>> duplicates;

    std::size_t live = 0;                   ///< traces with finite samples, not all 0
    std::array<double, 3> rms{};            ///< of live traces: least, median, largest
    Spectrum spectrum;                      ///< the root of the mean square of live traces
    double peak_hz = 0.;                    ///< where the spectrum is largest
    std::array<double, 2> band_hz{0., 0.};  ///< the lowest and highest frequencies within 20 dB of that
};

/// Looks at every sample once. Memory grows with the number of traces, not with their samples.
/// \param bin_m of the fold; 0: half of the median distance from one receiver of a shot to the next.
/// \throws Error(bad_data | io_error); Interrupted.
RecordedFacts facts_of(const RecordedData& data, double bin_m = 0.);

/// The shots of traces, in the order in which they come first.
std::vector<RecordedShot> recorded_shots(const std::vector<RecordedTrace>& traces);
/// The gather of a shot, in the order of its traces; dead traces, and those with samples that are not finite, as zeros.
ShotGather gather_of(const RecordedData& data, const RecordedShot& shot);

}  // namespace onda
