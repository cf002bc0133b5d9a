/// \file
/// What the stages of a full-waveform inversion will take, before anything of it is computed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "io/config/config.hpp"
#include "solver/plan/plan.hpp"
#include "solver/planning/run_time.hpp"
#include "solver/ranks/rank_place.hpp"

namespace onda {

/// A stage that makes all iterations that it may make. Its band is plan.config.imaging->band_pass, its grid
/// plan.domain.grid.
struct StageForecast {
    std::int64_t number = 1;
    std::int64_t shots = 0;  ///< of a gradient
    std::int64_t iterations = 0;
    double frequency_hz = 0.;  ///< InversionStage::frequency_hz()
    Plan plan;                 ///< of its gradients
    /// Nodes of its grid that stay as they are; none where it does not fit into memory.
    std::optional<std::int64_t> held;

    std::optional<TimeForecast> run_time;  ///< of a gradient, as a run of its own; none: nothing was to be tried out
    double gradient_s = 0., trial_s = 0.;  ///< of a pass; 0 likewise
    double seconds = 0.;                   ///< of the whole stage, with the smoothing of gradients; 0 likewise

    /// At the peak: of the larger of its passes, or of its pictures, with the vectors of the optimiser.
    std::int64_t host_bytes = 0;
    std::int64_t device_bytes = 0;  ///< of the larger of its passes; 0 where the device has no memory of its own
    std::int64_t disk_bytes = 0;    ///< of its folders in `iterations`, but for a wavelet that is estimated
};

/// The stages of an inversion, as far as they follow from the configuration. Of the forward runs of a line search 1.5
/// are taken for an iteration: L-BFGS mostly takes the first, and its first iteration some more.
/// \param config of `onda fwi`. \param with_trial whether parts of the passes are tried out (forecast_time()), which
/// takes a second for each number of shots and spacing that stages have.
/// \param folder where the results are to go.
/// \throws what `onda fwi` throws before its first pass, as far as neither memory nor disk are short.
[[nodiscard]] std::vector<StageForecast> forecast_inversion(const Config& config, const RankPlace& ranks,
                                                            bool with_trial, const std::filesystem::path& folder);

}  // namespace onda
