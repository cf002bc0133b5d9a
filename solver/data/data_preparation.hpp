/// \file
/// What is done with recorded traces before they are compared or imaged: they come to the samples of the run, another
/// record is subtracted, and they get a gain; and the filter that synthetic traces get, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "solver/signal/band_pass.hpp"

namespace onda {

/// Where the samples of a record lie: sample n at start_s + n dt_s after the source began.
struct RecordAxis {
    double start_s = 0., dt_s = 0.;
    std::int64_t samples = 0;
};

/// The samples that are wanted of it: at 0, dt_s, 2 dt_s, …
struct WantedSamples {
    double dt_s = 0.;
    std::int64_t samples = 0;
    double first_s = 0.;  ///< nothing before counts
};

/// Why a record does not have what is wanted; empty where it does: it ends before, or starts after `first_s`.
std::string fault_of_record(const RecordAxis& record, const WantedSamples& wanted);

/// Brings records to the samples that are wanted. Where every one of these is a sample of the record it is copied, bit
/// by bit; otherwise they are resampled, limited to the band that both can hold. Zero before the record.
/// \param records [trace][record.samples], finite; such as fault_of_record() finds none in.
/// \return [trace][wanted.samples]
std::vector<float> at_wanted_samples(std::span<const float> records, const RecordAxis& record,
                                     const WantedSamples& wanted);

/// The part of the energy of records that lies above a frequency. \param records [trace][samples], finite.
double energy_above(std::span<const float> records, std::int64_t samples, double dt_s, double frequency_hz);
/// The highest frequency that resampling to an interval keeps.
double highest_kept_hz(double dt_s);

/// trace[n] *= (n dt_s)^power in traces [trace][samples].
void apply_gain(const GainConfig& gain, std::span<float> traces, std::int64_t samples, double dt_s);

/// The filter of a configuration.
ButterworthBand band_of(const BandPassConfig& config);
/// Filters traces [trace][samples].
void apply_band_pass(const BandPassConfig& config, std::span<float> traces, std::int64_t samples, double dt_s);

}  // namespace onda
