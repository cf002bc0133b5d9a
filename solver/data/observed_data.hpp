/// \file
/// Observed seismograms, matched to the survey of a configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// What observed seismograms are to fit.
struct ObservedSampling {
    double dt_s = 0.;
    std::int64_t samples = 0;
    double tolerance_m = 0.;  ///< by which positions may differ
};
/// That of the seismograms of a run. Positions that differ by less than a thousandth of a spacing are those of one
/// place.
ObservedSampling observed_sampling(const Grid& grid, const TimeAxis& time);

/// Whether files of observed data have the supershots of a survey, and not the shots that fire in them.
/// \throws Error(missing_input | bad_data), also for supershots of other codes.
bool has_supershots(const std::vector<std::filesystem::path>& files, const Survey& survey);

/// What becomes of observed seismograms.
enum class ObservedUse {
    compared,  ///< with synthetic ones: what compares them filters both (shot_misfit.hpp)
    imaged     ///< alone: they are filtered as they are read
};

/// The shots of a survey in files: one seismograms.h5, whose shots have the survey's numbers, sources and receivers, or
/// any number of files (io/results/recorded_data.hpp), whose traces are found by where they were shot and received, in
/// any order. Shots are read when they are asked for, by any thread.
class ObservedData {
public:
    /// \param encoding that the shots are supershots of: the files have those that are encoded, and are encoded as they
    ///     are read, or a seismograms.h5 the supershots themselves. Null where shots are none.
    /// \param config whose files, `segy_bytes`, `subtract`, `gain`, `receivers` and, of data that are imaged,
    /// `band_pass` are taken. \throws Error(missing_input | bad_data), naming file and what is wrong: no seismograms,
    /// shots of the survey that are not there; supershots of other codes.
    ObservedData(const ImagingConfig& config, const Shots& shots, const ObservedSampling& sampling,
                 ObservedUse use = ObservedUse::compared, std::shared_ptr<const Encoding> encoding = nullptr);
    ~ObservedData();
    ObservedData(ObservedData&&) noexcept;

    /// The pressure [Pa] of a shot, [receiver][sample], at the samples asked for, less that of `subtract`, with the
    /// gain; zeros of a trace that is marked as dead, and of receivers that do not count, whose traces files need not
    /// have where traces are found by their places. \throws Error(bad_data) naming file, shot and receiver where
    /// positions or their number differ, the record is too short or begins too late, more than a hundredth of the
    /// energy is lost by resampling, or values that are resampled are not finite; where no trace, or several, belong to
    /// a receiver.
    [[nodiscard]] std::vector<float> traces(const Shot& shot) const;

    /// Files as they are matched.
    class Kind;

private:
    ObservedSampling sampling_;
    std::optional<GainConfig> gain_;
    std::optional<BandPassConfig> band_pass_;  ///< of data that are imaged
    std::unique_ptr<Kind> observed_, subtracted_;
};

}  // namespace onda
