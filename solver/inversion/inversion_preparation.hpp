/// \file
/// What full-waveform inversion makes of a configuration before its first pass, and what it refuses: for the inversion
/// itself, and for what foretells it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/config/config.hpp"
#include "solver/inversion/inversion_stage.hpp"
#include "solver/model/model.hpp"
#include "solver/ranks/rank_place.hpp"

namespace onda {

/// \throws Error(config) where there is nothing to invert: no section `inversion`, no stages, no section `imaging`.
void check_inversion_sections(const Config& config);

/// The configuration of gradients by the parameters that are inverted. \param config with both sections.
[[nodiscard]] Config with_inverted_parameters(Config config);

/// Sets the bounds that the configuration leaves to the program, within the limits of models: of vp 1.2 times beyond
/// the start model, of epsilon and delta, where they are inverted, 0.1 beyond it.
void complete_bounds(InversionConfig& inversion, const StartModelFacts& start);

/// \param config with its bounds complete. \param mask step_mask() on the grid of the model.
/// \throws Error(config) with all problems() of the start model.
void check_start_model(const Config& config, const Model& start, std::span<const float> mask);

/// The shots of a stage that are predicted as it begins: up to a dozen of the first drawing, or all of it where a
/// source signal is estimated; where one is of each shot, all that other drawings may take, too.
[[nodiscard]] std::vector<std::int64_t> shots_to_predict(const InversionStage& stage);

/// A configuration of which stages can be made (InversionStage).
struct PreparedInversion {
    Config config;  ///< with its grid and bounds complete
    StartModelFacts start;
};

/// Prepares without making the start model where its range can be told exactly and lies within the bounds.
/// \throws what `onda fwi` throws before its first stage.
[[nodiscard]] PreparedInversion prepare_inversion(const Config& config, const RankPlace& ranks);

}  // namespace onda
