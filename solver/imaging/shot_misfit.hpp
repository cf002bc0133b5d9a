/// \file
/// The misfit of the seismograms of one shot, and its adjoint sources.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "io/config/config.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/imaging/misfit.hpp"
#include "solver/signal/resampling.hpp"

namespace onda {

/// What a run compares data by.
struct MisfitSettings {
    const MisfitRow* misfit = nullptr;
    ImagingConfig config;  ///< parameters of the misfit, and weights of data
};

/// Checks the section "imaging" of a configuration. \param duration_s of the record.
/// \throws Error(config) with every fault: names that are none, ranges, windows and mutes that leave nothing, tapers
/// that are longer than what they taper. Error(missing_input | bad_data) for picks of mutes, which are read here.
MisfitSettings make_misfit_settings(const ImagingConfig& config, double duration_s, const ConfigOrigin& origin);
/// Checks that samples so far apart hold the corners of the filter. \throws Error(config).
void check_band_pass(const ImagingConfig& config, double dt_s, const ConfigOrigin& origin);

/// OwnedTraces in either precision.
using TraceValues = std::variant<TraceList<const float>, TraceList<const double>>;

/// Where and when the traces of a shot were recorded. Refers to the positions.
struct ShotGeometry {
    Position source_m{};                    ///< the first source of the shot
    std::span<const Position> receivers_m;  ///< [trace]
    std::int64_t samples = 0;               ///< of each trace, at times 0, dt_s, 2 dt_s, …
    double dt_s = 0.;
    std::span<const double> trace_weights{};  ///< [trace]; empty: 1 each
    std::int64_t room = 0;                    ///< samples that each adjoint source has memory for, if that is more
    std::int64_t shot = 1;                    ///< its number
};

struct MisfitOfShot {
    double value = 0.;             ///< J, the sum over traces
    std::vector<double> of_trace;  ///< [trace]
    OwnedTraces adjoint_source;    ///< dJ/d(synthetic)
    /// OwnedTraces whose weights are all zero, and others that are dead: whose observed samples, or, where the misfit
    /// divides by the norm of the synthetic ones, those, are all zero once weighted. The misfit of both, and their
    /// adjoint source, is 0.
    std::int64_t excluded = 0, dead = 0;
};

/// Compares synthetic and observed seismograms W B d and W B d_obs, filtered (imaging.band_pass; B is the identity
/// without) and weighted alike; the adjoint source is B' W dJ/d(W B d). The
/// sums do not depend on the number of threads, in any bit.
/// \throws Error(unstable) where a synthetic sample is not finite, Error(bad_data) where an observed one is not or
/// numbers are so large that their misfit is none. std::invalid_argument if sizes differ.
MisfitOfShot evaluate_misfit(const MisfitSettings& settings, const ShotGeometry& shot, const TraceValues& synthetic,
                             const TraceValues& observed);

/// The misfit of what a linear operator predicts to seismograms of zeros, over the traces that evaluate_misfit() would
/// compare: with l2 half the integral of (W B d)^2, and with B' W' W B d as its adjoint source.
MisfitOfShot evaluate_prediction(const MisfitSettings& settings, const ShotGeometry& shot, const TraceValues& predicted,
                                 const TraceValues& observed);

}  // namespace onda
