/// \file
/// Weights of data: which traces and which of their samples a misfit compares.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/config/config.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// The horizontal distance of a source and a receiver [m], as mutes and ranges of offsets take it.
double absolute_offset_m(const Position& source_m, const Position& receiver_m);

/// A trace as its weights depend on it.
struct TracePlace {
    Position source_m{};  ///< the first source of its shot
    Position receiver_m{};
    std::int64_t shot = 1;
    std::int64_t receiver = 1;  ///< its place in the shot, from 1
};

/// Whether a trace is of the receivers that are selected and inside the range of offsets.
bool is_compared(const ImagingConfig& config, const TracePlace& place);

/// Checks that mutes that are picked trace by trace have a pick of every trace that counts otherwise.
/// \throws Error(bad_data) naming file, shot and receiver of one that has none.
void check_picks(const ImagingConfig& config, const Shots& shots);

/// The weights of one trace: a diagonal matrix W that multiplies synthetic and observed alike, and, being its own
/// transpose, the derivative of what is computed from them.
class DataWeights {
public:
    /// The product of the weight of the trace, 1 or 0 for receivers that are selected or not and inside or outside the
    /// range of offsets, of the mutes and of the time window. Tapers are cosines inside what is kept: a top mute at t
    /// has the weight 0 up to t and 1 from t + taper_s on.
    /// \param config whose picks have the trace, if they are of traces and it counts otherwise.
    /// \param samples at times 0, dt_s, 2 dt_s, …; what lies within 1e-6 dt_s of an edge lies on it.
    DataWeights(const ImagingConfig& config, const TracePlace& place, std::int64_t samples, double dt_s,
                double of_trace = 1.) {
        set(config, place, samples, dt_s, of_trace);
    }
    /// Those of no trace yet.
    DataWeights() = default;
    /// Makes these the weights of another trace, in the same memory.
    void set(const ImagingConfig& config, const TracePlace& place, std::int64_t samples, double dt_s, double of_trace);

    /// Whether nothing of the trace counts.
    [[nodiscard]] bool excludes_all() const { return excludes_all_; }
    [[nodiscard]] std::span<const double> samples() const { return weight_; }
    /// trace[sample] *= weight[sample].
    void apply(std::span<double> trace) const;

private:
    std::vector<double> weight_;
    bool excludes_all_ = true;
};

}  // namespace onda
