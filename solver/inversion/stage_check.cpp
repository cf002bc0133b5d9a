#include "solver/inversion/stage_check.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include "io/results/seismograms.hpp"
#include "solver/data/data_preparation.hpp"
#include "solver/data/data_weights.hpp"
#include "solver/data/observed_data.hpp"
#include "solver/inversion/cycle_skips.hpp"
#include "solver/inversion/stage_wavelets.hpp"
#include "solver/outputs/seismogram_output.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/tasks/inversion_tasks.hpp"

namespace onda {
namespace {

/// The survey of a pass that predicts seismograms, and what was observed in it.
struct PredictedSurvey {
    PredictedSurvey(const Config& config, const RankPlace& ranks)
        : plan(make_plan(config, ranks, &kPredictionTask)),
          observed(*config.imaging, plan.survey.shots, observed_sampling(plan.domain.grid, plan.time),
                   ObservedUse::compared, plan.survey.encoding) {}

    Plan plan;
    ObservedData observed;
};

/// The traces of a shot, weighted by samples as a misfit weights them; of traces that do not count all are zero.
void weight_traces(const ImagingConfig& config, const ShotGather& gather, std::span<float> traces) {
    const auto samples = static_cast<std::size_t>(gather.samples);
    DataWeights weights;
    for (std::size_t i = 0; i < gather.receivers_m.size(); ++i) {
        weights.set(config,
                    {gather.sources_m.front(), gather.receivers_m[i], gather.shot, static_cast<std::int64_t>(i) + 1},
                    gather.samples, gather.dt_s, 1.);
        for (std::size_t n = 0; n < samples; ++n) {
            float& value = traces[i * samples + n];
            const double weight = weights.excludes_all() ? 0. : weights.samples()[n];
            value = static_cast<float>(static_cast<double>(value) * weight);
        }
    }
}

/// Spectra before any band-pass, of traces of which anything that was observed counts.
ComparedSpectra spectra_of(const ImagingConfig& config, ShotGather gather, const GathersOfShot& unfiltered) {
    const auto samples = static_cast<std::size_t>(gather.samples);
    std::vector<float> observed = unfiltered.observed;
    weight_traces(config, gather, observed);
    std::vector<std::size_t> counted;
    for (std::size_t i = 0; i < gather.receivers_m.size(); ++i)
        if (std::ranges::any_of(std::span(observed).subspan(i * samples, samples), [](float p) { return p != 0.f; }))
            counted.push_back(i);
    ComparedSpectra spectra;
    gather.pressure = observed;
    spectra.observed = amplitude_spectrum(gather, counted);
    const auto add = [&](const std::vector<float>& predicted, Spectrum& of_predicted, Spectrum& of_left) {
        gather.pressure = predicted;
        weight_traces(config, gather, gather.pressure);
        of_predicted = amplitude_spectrum(gather, counted);
        for (std::size_t i = 0; i < observed.size(); ++i) gather.pressure[i] = observed[i] - gather.pressure[i];
        of_left = amplitude_spectrum(gather, counted);
    };
    add(unfiltered.by_start, spectra.by_start, spectra.left_by_start);
    add(unfiltered.by_current, spectra.by_current, spectra.left);
    return spectra;
}

}  // namespace

StageCheck check_stage(const Config& config, const Plan& plan, const std::filesystem::path& folder,
                       const std::filesystem::path& into) {
    const PredictedSurvey predicted(config, plan.placement.ranks);
    const Plan& of_pass = predicted.plan;
    const ImagingConfig& imaging = *config.imaging;
    const auto samples = static_cast<std::size_t>(of_pass.time.output_samples);
    const double dt_s = of_pass.time.output_dt_s;
    std::optional<ButterworthBand> band;
    if (imaging.band_pass) band = band_of(*imaging.band_pass);
    CycleSkipCheck skips(samples, dt_s, band);
    const InversionConfig& inversion = *config.inversion;
    std::optional<StageWavelets> wavelets;
    if (inversion.wavelet != "given") wavelets.emplace(of_pass, inversion.wavelet_of == "shot");
    for (const Shot& shot : of_pass.survey.shots) {
        if (shot.receivers.empty()) continue;
        ShotGather gather = read_gather(folder / kSeismogramsName, shot.id);
        std::vector<float> traces = predicted.observed.traces(shot);
        weight_traces(imaging, gather, gather.pressure);
        weight_traces(imaging, gather, traces);
        skips.add(shot.id, gather.pressure, traces, {});
        if (wavelets) wavelets->add(shot, gather.pressure, traces);
    }
    StageCheck check{warning_of(skips.result()), {}, {}};
    if (!wavelets) return check;
    check.wavelet_told = wavelets->told();
    check.wavelet_file = wavelets->file();
    if (!into.empty()) wavelets->write(into);
    return check;
}

std::unique_ptr<GathersOfShot> gathers_of_shot(const Config& config, const Plan& plan, std::int64_t shot,
                                               const std::filesystem::path& before, const std::filesystem::path& now,
                                               const std::string& model) {
    const PredictedSurvey predicted(config, plan.placement.ranks);
    const Plan& of_pass = predicted.plan;
    const ImagingConfig& imaging = *config.imaging;
    const Shot of_survey = of_pass.survey.shots[of_pass.survey.shots.index_of(shot)];
    ShotGather gather = read_gather(now / kSeismogramsName, shot);
    auto gathers = std::make_unique<GathersOfShot>();
    gathers->observed = predicted.observed.traces(of_survey);
    gathers->by_start = read_gather(before / kSeismogramsName, shot).pressure;
    gathers->by_current = std::move(gather.pressure);
    if (gathers->by_start.size() != gathers->by_current.size() ||
        gathers->observed.size() != gathers->by_current.size())
        throw std::logic_error("gathers of different samples are compared");
    gathers->compared.spectra = spectra_of(imaging, gather, *gathers);
    for (std::vector<float>* traces : {&gathers->observed, &gathers->by_start, &gathers->by_current}) {
        if (imaging.band_pass) apply_band_pass(*imaging.band_pass, *traces, gather.samples, gather.dt_s);
        weight_traces(imaging, gather, *traces);
    }
    ComparedGathers& compared = gathers->compared;
    compared.shot = shot;
    compared.receivers_m = gather.receivers_m;
    compared.dt_s = gather.dt_s;
    compared.samples = gather.samples;
    compared.observed = gathers->observed;
    compared.by_start = gathers->by_start;
    compared.by_current = gathers->by_current;
    compared.model = model;
    compared.band = band_text(imaging.band_pass);
    return gathers;
}

void collect_positions(const InversionStage& stage, const InversionConfig& config, const std::filesystem::path& model,
                       std::vector<Position>& sources, std::vector<Position>& receivers) {
    if (config.source_taper_m == 0. && config.receiver_taper_m == 0.) return;
    std::set<Position> of_sources, of_receivers;
    const Plan plan = make_plan(stage.pass(model, 0, stage.all_shots()), stage.ranks(), &kMisfitTask);
    for (const Shot& shot : plan.survey.observed_shots()) {
        if (config.source_taper_m > 0.)
            for (const SourcePoint& source : shot.sources) of_sources.insert(source.position_m);
        if (config.receiver_taper_m > 0.)
            for (const Position& receiver : shot.receivers.list()) of_receivers.insert(receiver);
    }
    sources.assign(of_sources.begin(), of_sources.end());
    receivers.assign(of_receivers.begin(), of_receivers.end());
}

}  // namespace onda
