/// \file
/// Observed seismograms, matched to the survey of a configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "solver/discretisation/time_axis.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// What observed seismograms are to fit.
struct ObservedSampling {
    double dt_s = 0.;
    std::int64_t samples = 0;
    double tolerance_m = 0.;  ///< by which positions may differ
};

/// A file with the shots of a survey: a seismograms.h5, whose shots have the survey's numbers, sources and receivers,
/// or SEG-Y or SU (io/results/trace_reader.hpp), whose traces are found by where they were shot and received, in any
/// order. Shots are read when they are asked for, by any thread.
class ObservedData {
public:
    /// \throws Error(missing_input | bad_data), naming file and what is wrong: no seismograms, shots of the survey that
    /// are not there.
    ObservedData(const std::filesystem::path& file, const Shots& shots, const ObservedSampling& sampling);
    ~ObservedData();
    ObservedData(ObservedData&&) noexcept;

    /// The pressure [Pa] of a shot, [receiver][sample], as many samples as asked for; zeros of a trace that is marked
    /// as dead. \throws Error(bad_data) naming file, shot and receiver where positions, their number, the sample
    /// interval or the length of the record differ, or values are not finite; where no trace, or several, belong to a
    /// receiver.
    [[nodiscard]] std::vector<float> traces(const Shot& shot) const;

    /// A kind of file.
    class Kind;

private:
    std::unique_ptr<Kind> kind_;
};

}  // namespace onda
