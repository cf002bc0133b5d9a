/// \file
/// The source signals of a stage, estimated from what its start model predicts: one of the survey, or one of each shot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "solver/inversion/wavelet_estimate.hpp"
#include "solver/plan/plan.hpp"

namespace onda {

/// Estimates of the signals that replace those of a survey. Refers to the plan of the pass that predicts.
class StageWavelets {
public:
    /// \param plan of the pass: where the estimate is of the survey all sources have one signal, otherwise all sources
    /// of a shot have. \param by_shot whether each shot has its own.
    StageWavelets(const Plan& plan, bool by_shot);

    /// Adds the traces of a shot. \param predicted, observed [trace][sample], weighted.
    void add(const Shot& shot, std::span<const float> predicted, std::span<const float> observed);

    /// How well the estimates explain the data, in words.
    [[nodiscard]] std::string told() const;
    /// Where write() leaves the signals, as wavelet.file of a configuration names them: wavelet.csv, or
    /// wavelet/{shot}.csv.
    [[nodiscard]] std::filesystem::path file() const;
    /// Writes the signals into a folder, and what they follow from: wavelet_filter.csv has the filter at each
    /// frequency, wavelets.csv a line for each shot. Shots without an estimate keep their signal: those that the stage
    /// does not take, and those of which no trace counts. \throws Error as write_wavelet_file().
    void write(const std::filesystem::path& folder) const;

private:
    struct OfShot {
        std::int64_t shot = 0;
        double explained = 0., cut_off = 0.;
        WaveletEstimate::Correction correction;
        std::vector<double> signal;
    };

    [[nodiscard]] std::vector<double> given_signal(std::size_t wavelet) const;
    [[nodiscard]] std::string told_by_shot() const;
    void write_by_shot(const std::filesystem::path& folder) const;

    const Plan& plan_;
    bool by_shot_;
    WaveletEstimate of_survey_;
    std::vector<OfShot> of_shots_;  ///< ascending by shot
    std::size_t without_ = 0;       ///< shots of which no trace counts
};

}  // namespace onda
