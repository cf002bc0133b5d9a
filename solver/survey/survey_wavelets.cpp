#include "solver/survey/survey_wavelets.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/files/file_by_shot.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

std::vector<std::string> doubts_of_wavelet(const Wavelet& wavelet, double duration_s) {
    std::vector<std::string> doubts = wavelet.warnings;
    if (wavelet.t0_s >= duration_s)
        doubts.push_back(
            fmt::format("{}: its centre comes after the end of the run at {:.6g} s", wavelet.description, duration_s));
    return doubts;
}

/// "12 Hz", "11.5 to 12 Hz".
std::string range_of_frequencies(double lowest_hz, double highest_hz) {
    return lowest_hz == highest_hz ? fmt::format("{:.4g} Hz", lowest_hz)
                                   : fmt::format("{:.4g} to {:.4g} Hz", lowest_hz, highest_hz);
}

}  // namespace

std::size_t SurveyWavelets::signal_of(const SourceConfig& source, std::size_t entry) {
    const WaveletConfig& wanted = source.wavelet ? *source.wavelet : common_;
    const auto made = std::ranges::find_if(signals_, [&](const Signal& other) { return *other.config == wanted; });
    if (made != signals_.end()) return static_cast<std::size_t>(made - signals_.begin());
    Signal& signal =
        signals_.emplace_back(Signal{&wanted, source.wavelet ? fmt::format("sources[{}].wavelet", entry) : "wavelet"});
    signal.is_by_shot = wanted.type == "file" && is_by_shot(wanted.file);
    if (!signal.is_by_shot) {
        signal.wavelets = {wavelets_.size()};
        wavelets_.push_back(make_wavelet(wanted, signal.key, origin_));
        if (wanted.type == "ormsby") check_length(signal.key);
    }
    return signals_.size() - 1;
}

std::size_t SurveyWavelets::in_shot(std::size_t signal, std::int64_t shot) {
    Signal& wanted = signals_.at(signal);
    if (!wanted.is_by_shot) return wanted.wavelets.front();
    const auto [at, is_new] = wanted.of_shot.try_emplace(shot, wavelets_.size());
    if (is_new) {
        wanted.wavelets.push_back(at->second);
        wavelets_.push_back(make_in_shot(wanted, shot));
    }
    return at->second;
}

Wavelet SurveyWavelets::make_in_shot(const Signal& signal, std::int64_t shot) const {
    WaveletConfig own = *signal.config;
    own.file = file_of_shot(own.file, shot);
    try {
        return make_wavelet(own, fmt::format("{} of shot {}", signal.key, shot), origin_);
    } catch (const Error& error) {
        throw Error(error.code(),
                    fmt::format("{} (the signal of shot {}, by {}.file)", error.what(), shot, signal.key));
    }
}

/// The spectrum of an Ormsby wavelet is measured: thousands of long ones would take minutes.
void SurveyWavelets::check_length(const std::string& key) {
    constexpr double most = 1e5;
    const Wavelet& wavelet = wavelets_.back();
    periods_ += wavelet.duration_s * wavelet.highest_frequency_hz;
    if (periods_ > most)
        origin_.fault(key, fmt::format("the Ormsby wavelets up to this one have {:.4g} periods of their highest "
                                       "frequencies in all; the most is {:.0e}: put them into files",
                                       periods_, most));
}

std::vector<std::string> SurveyWavelets::descriptions() const {
    std::vector<std::string> lines;
    for (const Signal& signal : signals_) {
        if (!signal.is_by_shot) {
            lines.push_back(wavelets_[signal.wavelets.front()].description);
            continue;
        }
        if (signal.wavelets.empty()) continue;
        const auto frequencies = [&](double Wavelet::*frequency_hz) {
            const auto [lowest, highest] =
                std::ranges::minmax(signal.wavelets, {}, [&](std::size_t i) { return wavelets_[i].*frequency_hz; });
            return range_of_frequencies(wavelets_[lowest].*frequency_hz, wavelets_[highest].*frequency_hz);
        };
        lines.push_back(fmt::format("{} of {} shot{}, spectrum's peak at {} and 1 % of it at {}",
                                    shown(signal.config->file), signal.wavelets.size(),
                                    signal.wavelets.size() == 1 ? "" : "s", frequencies(&Wavelet::peak_frequency_hz),
                                    frequencies(&Wavelet::highest_frequency_hz)));
    }
    return lines;
}

void SurveyWavelets::check_centres(double duration_s) const {
    for (const Signal& signal : signals_) {
        const std::optional<double>& t0_s = signal.config->t0_s;
        if (!t0_s || *t0_s < duration_s) continue;
        const bool fits_as_ms = *t0_s * 1e-3 < duration_s;
        origin_.value_fault(
            signal.key + ".t0_s",
            fmt::format("the wavelet's centre comes after the end of the run at {:.6g} s{}", duration_s,
                        fits_as_ms ? "; if it is in milliseconds, write " + number_text(*t0_s * 1e-3) : ""));
    }
}

std::vector<std::string> SurveyWavelets::warnings(double duration_s) const {
    std::vector<std::string> lines;
    for (const Signal& signal : signals_) {
        std::size_t doubtful = 0;
        for (const std::size_t i : signal.wavelets) {
            const std::vector<std::string> doubts = doubts_of_wavelet(wavelets_[i], duration_s);
            if (!doubts.empty() && doubtful++ == 0) lines.insert(lines.end(), doubts.begin(), doubts.end());
        }
        if (doubtful > 1)
            lines.back() += fmt::format("; likewise the signal{} of {} more shot{}", doubtful == 2 ? "" : "s",
                                        doubtful - 1, doubtful == 2 ? "" : "s");
    }
    return lines;
}

}  // namespace onda
