/// \file
/// Observed seismograms, matched to the survey of a configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/results/result_reader.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// What observed seismograms are to fit.
struct ObservedSampling {
    double dt_s = 0.;
    std::int64_t samples = 0;
    double tolerance_m = 0.;  ///< by which positions may differ
};

/// A file seismograms.h5 whose shots are those of a survey. Shots are read when they are asked for, by any thread.
class ObservedData {
public:
    /// \throws Error(missing_input | bad_data), naming file and what is wrong: no seismograms, shots of the survey that
    /// are not there.
    ObservedData(const std::filesystem::path& file, const Shots& shots);

    /// The pressure [Pa] of a shot, [receiver][sample], as many samples as asked for. \throws Error(bad_data) naming
    /// file, shot and receiver where positions, their number, the sample interval or the length of the record differ,
    /// or values are not finite.
    [[nodiscard]] std::vector<float> traces(const Shot& shot, const ObservedSampling& sampling) const;

private:
    std::filesystem::path file_;
    SeismogramReader reader_;
};

}  // namespace onda
