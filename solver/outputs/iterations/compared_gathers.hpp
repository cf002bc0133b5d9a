/// \file
/// A shot as it was observed and as models predict it: its traces side by side, and their spectra.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/pictures/picture.hpp"
#include "solver/pictures/gather_picture.hpp"

namespace onda {

/// Amplitude spectra of the traces of a shot that count, weighted and not filtered: those of one length and step.
struct ComparedSpectra {
    Spectrum observed, by_start, by_current;
    Spectrum left_by_start, left;  ///< of observed less predicted traces
};

/// What was observed in a shot and what two models predict of it, as the misfit compares them: traces
/// [receiver][sample] from t = 0 on.
struct ComparedGathers {
    std::int64_t shot = 1;
    std::vector<std::array<double, 3>> receivers_m{};  ///< one at least
    double dt_s = 0.;
    std::int64_t samples = 0;
    std::span<const float> observed{}, by_start{}, by_current{};
    std::string quantity = "Pressure [Pa]";  ///< of the traces
    std::string model = "";                  ///< that predicts them now: "stage 2, iteration 7"
    std::string band = "";                   ///< that they are filtered to: "3 to 8 Hz"
    std::optional<ComparedSpectra> spectra{};
};

/// Panels, and the values that their picture shows.
struct GatherComparison {
    std::vector<GatherPanel> panels;
    Picture picture;
};
/// Observed, predicted by the start model, predicted now, and what is left of the observed, on one scale, of the line
/// with most receivers. \throws Error(internal) for traces that are not receivers x samples.
GatherComparison compare_gathers(const std::string& title, const ComparedGathers& gathers);

/// The spectra in dB, relative to the largest amplitude of the observed one.
Picture spectra_picture(const std::string& title, const ComparedGathers& gathers, const ComparedSpectra& spectra);

/// "3 to 8 Hz", "up to 8 Hz", "3 Hz and more"; "all" where nothing is filtered.
std::string band_text(const std::optional<BandPassConfig>& band);

/// The energy of one spectrum between the corners of a band as a part of that of another; none where the other has
/// none. \param left, whole of the same frequencies.
std::optional<double> energy_part(const Spectrum& left, const Spectrum& whole,
                                  const std::optional<BandPassConfig>& band);

}  // namespace onda
