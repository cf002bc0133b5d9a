#include "solver/inversion/stage_wavelets.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/files/atomic_file.hpp"
#include "io/files/file_by_shot.hpp"
#include "io/text/number_text.hpp"

namespace onda {
namespace {

/// The filter of an estimate, frequency by frequency.
std::string filter_table(const WaveletEstimate& estimate) {
    std::string text = "frequency_hz,amplitude,phase_rad,synthetic,observed,explained\n";
    for (const WaveletEstimate::Row& row : estimate.rows())
        text += fmt::format("{},{},{},{},{},{}\n", shortest(row.frequency_hz), shortest(row.amplitude),
                            shortest(row.phase_rad), shortest(row.synthetic), shortest(row.observed),
                            shortest(row.explained));
    return text;
}

WaveletEstimate estimate_of(const Plan& plan) {
    return {static_cast<std::size_t>(plan.time.output_samples), plan.time.output_dt_s};
}

}  // namespace

StageWavelets::StageWavelets(const Plan& plan, bool by_shot)
    : plan_(plan), by_shot_(by_shot), of_survey_(estimate_of(plan)) {}

std::vector<double> StageWavelets::given_signal(std::size_t wavelet) const {
    std::vector<double> signal(static_cast<std::size_t>(plan_.time.output_samples));
    for (std::size_t n = 0; n < signal.size(); ++n)
        signal[n] = plan_.survey.wavelets.at(wavelet).value(static_cast<double>(n) * plan_.time.output_dt_s);
    return signal;
}

void StageWavelets::add(const Shot& shot, std::span<const float> predicted, std::span<const float> observed) {
    if (!by_shot_) return of_survey_.add(predicted, observed, {});
    WaveletEstimate estimate = estimate_of(plan_);
    estimate.add(predicted, observed, {});
    const double explained = estimate.explained();
    if (!(explained > 0.)) {
        ++without_;
        return;
    }
    const std::vector<double> given = given_signal(shot.sources.front().wavelet);
    of_shots_.push_back({shot.id, explained, estimate.cut_off(given), estimate.correction(), estimate.apply(given)});
}

std::string StageWavelets::told() const {
    if (by_shot_) return told_by_shot();
    return fmt::format(
        "what it predicts explains {:.1f} % of the energy of the observed data; {:.2g} % of its own lies "
        "before t = 0 or beyond the record, and is cut off",
        100. * of_survey_.explained(), 100. * of_survey_.cut_off(given_signal(0)));
}

std::string StageWavelets::told_by_shot() const {
    if (of_shots_.empty()) return "none of the observed traces counts, and all shots keep their signals";
    const auto [worst, best] = std::ranges::minmax_element(of_shots_, {}, &OfShot::explained);
    const auto [early, late] =
        std::ranges::minmax_element(of_shots_, {}, [](const OfShot& of) { return of.correction.delay_s; });
    const auto cut = std::ranges::max_element(of_shots_, {}, &OfShot::cut_off);
    std::string text = fmt::format(
        "what the signals of {} shots predict explains {:.1f} (shot {}) to {:.1f} % of the energy of the observed "
        "data; they come {:.3g} to {:.3g} ms later than those given; up to {:.2g} % (shot {}) of their own lies before "
        "t = 0 or beyond the record, and is cut off",
        of_shots_.size(), 100. * worst->explained, worst->shot, 100. * best->explained, 1e3 * early->correction.delay_s,
        1e3 * late->correction.delay_s, 100. * cut->cut_off, cut->shot);
    if (without_ > 0)
        text += fmt::format("; {} shot{} of which no trace counts keep{} the signal given", without_,
                            without_ == 1 ? "" : "s", without_ == 1 ? "s" : "");
    return text;
}

std::filesystem::path StageWavelets::file() const {
    return by_shot_ ? "wavelet/{shot}.csv" : "wavelet.csv";
}

void StageWavelets::write(const std::filesystem::path& folder) const {
    if (by_shot_) return write_by_shot(folder);
    write_wavelet_file(folder / file(), of_survey_.apply(given_signal(0)), plan_.time.output_dt_s);
    stage_text_file(folder / "wavelet_filter.csv", filter_table(of_survey_), true).commit();
}

void StageWavelets::write_by_shot(const std::filesystem::path& folder) const {
    const std::filesystem::path pattern = folder / file();
    std::filesystem::create_directories(pattern.parent_path());
    const Shots shots = plan_.survey.shots.all();
    auto estimated = of_shots_.begin();
    std::string table = "shot,explained,delay_s,amplitude,phase_rad,cut_off\n";
    for (std::size_t i = 0; i < shots.size(); ++i) {
        const std::int64_t shot = shots.id(i);
        const std::filesystem::path of_shot = file_of_shot(pattern, shot);
        if (estimated == of_shots_.end() || estimated->shot != shot) {
            write_wavelet_file(of_shot, given_signal(shots.sources(i).front().wavelet), plan_.time.output_dt_s);
            continue;
        }
        write_wavelet_file(of_shot, estimated->signal, plan_.time.output_dt_s);
        const WaveletEstimate::Correction& correction = estimated->correction;
        table +=
            fmt::format("{},{},{},{},{},{}\n", shot, shortest(estimated->explained), shortest(correction.delay_s),
                        shortest(correction.amplitude), shortest(correction.phase_rad), shortest(estimated->cut_off));
        ++estimated;
    }
    stage_text_file(folder / "wavelets.csv", table, true).commit();
}

}  // namespace onda
