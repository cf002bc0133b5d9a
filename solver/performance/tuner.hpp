/// \file
/// Measures the ways to compute a case on the grid itself, the most promising first, in a time that was set.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solver/performance/measurement.hpp"
#include "solver/performance/tuning.hpp"

namespace onda {

/// What became of a candidate.
struct Trial {
    Candidate candidate;
    std::optional<Sample> seconds = {};  ///< of a step of one shot, one a round
    std::string not_measured = {};       ///< why there are none
};

struct TunerOptions {
    double budget_s = 50.;   ///< that all may take; two candidates are measured whatever they take
    int rounds = 7;          ///< of each of the fastest
    double promising = 1.5;  ///< times the best prediction: candidates above are left out
    std::int64_t receivers = 0;
    /// Gets every candidate once it has been looked at.
    std::function<void(const Trial&)> progress = {};
};

/// Looks at the candidates in their order, three rounds each, until 0.6 of the time has gone; those within a tenth of
/// the fastest, and `always`, then take turns for as many rounds as were asked for or time allows. One wavefield is in
/// memory at a time unless all of the last fit together.
/// \param always is looked at first. \returns those that were measured, the fastest first by the median; then the rest.
/// \throws Error(out_of_memory) if there is no room for the random field that fills the wavefields.
std::vector<Trial> measure_candidates(const TuningCase& of, const std::vector<Candidate>& ranked,
                                      const Candidate& always, const TunerOptions& options);

/// The trial to keep: the first, unless the rule's choice is as fast to within 2 %, by the median or by the fastest of
/// its rounds: on a machine that others use these tell different stories, and the rule was measured on idle ones.
const Trial& winner(const std::vector<Trial>& sorted, const Candidate& rule);

/// A closer look at a few candidates: `rounds` rounds of each, in turns, on wavefields of their own.
/// \returns seconds of a step of one shot, in the order of the candidates; none for those without room.
std::vector<std::optional<Sample>> take_turns(const TuningCase& of, const std::vector<Candidate>& candidates,
                                              std::span<const double> field, const TunerOptions& options);

/// The random field of a case. \throws Error(out_of_memory).
std::vector<double> field_of(const TuningCase& of);

}  // namespace onda
