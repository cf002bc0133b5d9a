#include "solver/outputs/gather.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/results/stored_pressure.hpp"
#include "io/text/saturating.hpp"
#include "solver/plan/computation.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/signal/output_sampling.hpp"
#include "solver/signal/time_dispersion.hpp"

namespace onda {
namespace {

void require_storable_traces(const ShotGather& gather, const Wavefield& wavefield, int slot) {
    if (storable(std::span<const float>(gather.pressure))) return;
    // As the backend has them, for the message: what is beyond single precision is only infinite there.
    std::vector<double> exact(gather.pressure.size());
    wavefield.download_traces(std::span<double>(exact), slot);
    require_storable(std::span<const double>(exact),
                     [&](std::size_t index) { return place_of_sample(gather, index, gather.samples, gather.dt_s); });
}

/// The wavelets of a shot's sources, each once, in the order of the survey.
void note_wavelets(const Shot& shot, std::span<const Wavelet> all, const TimeAxis& time, int dimensions,
                   ShotGather& gather) {
    std::vector<std::size_t> used;
    for (const SourcePoint& source : shot.sources) used.push_back(source.wavelet);
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const SourcePoint& source : shot.sources) {
        gather.source_wavelet.push_back(std::ranges::lower_bound(used, source.wavelet) - used.begin());
        gather.source_amplitude.push_back(source.amplitude);
    }
    SourceWavelets& wavelets = gather.wavelets;
    std::int64_t samples = 0;
    for (const std::size_t i : used) samples = std::max(samples, signature_samples(all[i], time));
    wavelets.dt_s = time.dt_s;
    wavelets.amplitude_unit = dimensions == 2 ? "Pa" : "Pa m";
    for (const std::size_t i : used) {
        const Wavelet& wavelet = all[i];
        wavelets.type.push_back(wavelet.type);
        wavelets.t0_s.push_back(wavelet.t0_s);
        wavelets.peak_frequency_hz.push_back(wavelet.peak_frequency_hz);
        std::vector<double> signal = sample_signature(wavelet, time);
        signal.resize(static_cast<std::size_t>(samples));
        wavelets.signal.insert(wavelets.signal.end(), signal.begin(), signal.end());
    }
}

std::int64_t receivers_together(const Survey& survey, const Placement& placement) {
    return saturating_product(survey.size.most_receivers, shots_together(placement));
}

}  // namespace

double largest_magnitude(std::span<const float> pressure) {
    float largest = 0.f;
#pragma omp parallel for simd reduction(max : largest)
    for (std::size_t i = 0; i < pressure.size(); ++i) largest = std::max(largest, std::abs(pressure[i]));
    return static_cast<double>(largest);
}

std::int64_t bytes_of_gathers(const Survey& survey, const TimeAxis& time, const Placement& placement) {
    return saturating_product(receivers_together(survey, placement), time.output_samples, std::int64_t{sizeof(float)});
}

void add_gather_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    const std::int64_t receivers = receivers_together(experiment.survey, computation.placement);
    list.add(host_row("gathers, as written", held::gathers,
                      bytes_of_gathers(experiment.survey, experiment.time, computation.placement), 1));
    if (!is_written_as_recorded(experiment.time))
        list.add(host_row("gathers, as recorded", held::resampling, receivers,
                          saturating_product(experiment.time.recorded_samples(), std::int64_t{sizeof(float)})));
    list.add(host_row("the correction of dispersion in time", held::resampling,
                      correction_bytes(experiment.time, receivers, computation.setup.threads), 1));
}

bool are_towed(const Experiment& experiment) {
    return std::ranges::any_of(experiment.config.receivers,
                               [](const ReceiverConfig& receivers) { return receivers.relative_to == "source"; });
}

ShotGather recorded_gather(const Shot& shot, const Survey& survey, const TimeAxis& time, const Domain& domain,
                           const Wavefield& wavefield, int slot, const RecordedBefore<float>& before) {
    ShotGather gather;
    gather.shot = shot.id;
    gather.sources_m = shot.source_positions();
    gather.receivers_m = shot.receivers.list();
    note_wavelets(shot, survey.wavelets, time, domain.grid.dimensions, gather);
    gather.carried = survey.shots.carried_columns(shot.id);
    if (const Grid& grid = domain.grid; domain.aperture)
        gather.part = {{grid.dimensions, grid.n, grid.spacing_m, grid.origin_m}};
    gather.dt_s = time.recorded_dt_s();
    gather.samples = time.recorded_samples();
    gather.pressure.resize(gather.receivers_m.size() * static_cast<std::size_t>(gather.samples));
    wavefield.download_traces(std::span<float>(gather.pressure), slot);
    before.put_into(gather.pressure, gather.samples);
    require_storable_traces(gather, wavefield, slot);
    return gather;
}

void bring_to_output_sampling(const TimeAxis& time, std::span<ShotGather> gathers) {
    if (is_written_as_recorded(time)) return;
    TraceList<const float> recorded(time.recorded_samples());
    TraceList<float> wanted(time.output_samples);
    std::vector<std::vector<float>> pressure;
    for (const ShotGather& gather : gathers) {
        recorded.add(gather.pressure);
        wanted.add(pressure.emplace_back(gather.receivers_m.size() * static_cast<std::size_t>(time.output_samples)));
    }
    sample_output(time, recorded, wanted);
    for (std::size_t i = 0; ShotGather & gather : gathers) {
        gather.dt_s = time.output_dt_s;
        gather.samples = time.output_samples;
        gather.pressure = std::move(pressure[i++]);
    }
}

}  // namespace onda
