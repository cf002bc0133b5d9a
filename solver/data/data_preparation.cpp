#include "solver/data/data_preparation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <spdlog/fmt/fmt.h>

#include "solver/signal/for_traces.hpp"
#include "solver/signal/resampling.hpp"

namespace onda {
namespace {

constexpr double kOnSample = 1e-6;  // of an interval: what lies so near to a sample lies on it

/// The sample of a record at which time 0 lies, if every wanted sample is one of the record.
std::optional<std::int64_t> common_samples(const RecordAxis& record, const WantedSamples& wanted) {
    if (std::abs(record.dt_s - wanted.dt_s) > 1e-9 * wanted.dt_s) return std::nullopt;
    const double first = -record.start_s / record.dt_s;
    if (std::abs(first - std::round(first)) > kOnSample) return std::nullopt;
    return std::llround(first);
}

std::vector<float> copied(std::span<const float> records, const RecordAxis& record, const WantedSamples& wanted,
                          std::int64_t first) {
    const std::int64_t traces = std::ssize(records) / record.samples;
    std::vector<float> values(static_cast<std::size_t>(traces * wanted.samples), 0.f);
    const std::int64_t before = std::clamp<std::int64_t>(-first, 0, wanted.samples);
    const std::int64_t skipped = std::max<std::int64_t>(first, 0);
    for (std::int64_t i = 0; i < traces; ++i)
        std::copy_n(records.begin() + i * record.samples + skipped, wanted.samples - before,
                    values.begin() + i * wanted.samples + before);
    return values;
}

}  // namespace

std::string fault_of_record(const RecordAxis& record, const WantedSamples& wanted) {
    const double end_s = record.start_s + static_cast<double>(record.samples - 1) * record.dt_s;
    const double needed_s = static_cast<double>(wanted.samples - 1) * wanted.dt_s;
    if (record.start_s > wanted.first_s + kOnSample * record.dt_s)
        return fmt::format(
            "starts {:.6g} s after the source: what it would have recorded before is not known; set "
            "imaging.time_window_s.min to {:.6g} if it does not count",
            record.start_s, record.start_s);
    if (end_s < needed_s - kOnSample * wanted.dt_s)
        return fmt::format("ends at {:.6g} s, the record of this run at {:.6g} s: shorten time.duration_s", end_s,
                           needed_s);
    return {};
}

std::vector<float> at_wanted_samples(std::span<const float> records, const RecordAxis& record,
                                     const WantedSamples& wanted) {
    if (const auto first = common_samples(record, wanted)) return copied(records, record, wanted, *first);
    const std::int64_t traces = std::ssize(records) / record.samples;
    std::vector<float> values(static_cast<std::size_t>(traces * wanted.samples));
    resample_traces<float, float>({records, traces}, record.dt_s, wanted.dt_s, {std::span(values), traces},
                                  record.start_s);
    return values;
}

double energy_above(std::span<const float> records, std::int64_t samples, double dt_s, double frequency_hz) {
    const auto each = static_cast<std::size_t>(samples);
    const std::size_t n = FourierTransform::length(std::max<std::size_t>(2 * each, 4));
    const FourierTransform transform(n);
    const std::int64_t traces = std::ssize(records) / samples;
    const double first = frequency_hz * dt_s * static_cast<double>(n);
    std::vector<double> all(static_cast<std::size_t>(traces)), above(all);
    for_traces(traces, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        std::vector<double> series(n, 0.);
        std::vector<std::complex<double>> spectrum(n / 2 + 1);
        std::ranges::copy(records.subspan(at * each, each), series.begin());
        transform.forward(series, spectrum);
        for (std::size_t k = 0; k < spectrum.size(); ++k) {
            const double energy = std::norm(spectrum[k]);
            all[at] += energy;
            if (static_cast<double>(k) > first) above[at] += energy;
        }
    });
    double sum = 0., sum_above = 0.;
    for (std::size_t i = 0; i < all.size(); ++i) sum += all[i], sum_above += above[i];
    return sum > 0. ? sum_above / sum : 0.;
}

double highest_kept_hz(double dt_s) {
    return 0.9 * 0.5 / dt_s;
}

void apply_gain(const GainConfig& gain, std::span<float> traces, std::int64_t samples, double dt_s) {
    std::vector<float> factor;
    for (std::int64_t n = 0; n < samples; ++n)
        factor.push_back(static_cast<float>(std::pow(static_cast<double>(n) * dt_s, gain.time_power)));
    for (std::size_t i = 0; i < traces.size(); ++i) traces[i] *= factor[i % factor.size()];
}

ButterworthBand band_of(const BandPassConfig& config) {
    return {config.low_hz, config.high_hz, static_cast<int>(config.order), config.phase == "minimum"};
}

void apply_band_pass(const BandPassConfig& config, std::span<float> traces, std::int64_t samples, double dt_s) {
    const auto each = static_cast<std::size_t>(samples);
    const BandPass filter(band_of(config), each, dt_s);
    for_traces(std::ssize(traces) / samples, [&](std::int64_t i) {
        const auto trace = traces.subspan(static_cast<std::size_t>(i) * each, each);
        std::vector<double> values(trace.begin(), trace.end());
        filter.apply(values);
        std::ranges::transform(values, trace.begin(), [](double x) { return static_cast<float>(x); });
    });
}

}  // namespace onda
