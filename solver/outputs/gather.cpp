#include "solver/outputs/gather.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/results/stored_pressure.hpp"
#include "io/text/saturating.hpp"
#include "kernels/shot/source_density.hpp"
#include "solver/plan/computation.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/signal/for_traces.hpp"
#include "solver/signal/output_sampling.hpp"
#include "solver/signal/time_dispersion.hpp"
#include "solver/signal/time_integral.hpp"

namespace onda {
namespace {

/// \param rows of the gather's receivers: their pressure, and its derivatives.
void require_storable_rows(const ShotGather& gather, std::span<const float> rows, const Wavefield& wavefield,
                           int slot) {
    if (storable(rows)) return;
    // As the backend has them, for the message: what is beyond single precision is only infinite there.
    std::vector<double> exact(rows.size());
    wavefield.download_traces(std::span<double>(exact), slot);
    const std::size_t of_quantity = gather.receivers_m.size() * static_cast<std::size_t>(gather.samples);
    for (std::size_t first = 0; first < exact.size(); first += of_quantity)
        require_storable(
            std::span<const double>(exact).subspan(first, of_quantity),
            [&](std::size_t index) { return place_of_sample(gather, index, gather.samples, gather.dt_s); },
            first == 0 ? StoredQuantity{} : StoredQuantity{"gradient of the pressure", "Pa/m"});
}

/// The density at each receiver: that of the medium, as for sources (kernels/shot/source_density.hpp).
std::vector<double> receiver_densities(const ShotGather& gather, const ParticleMotion& motion,
                                       const Wavefield& wavefield) {
    if (motion.rho_kg_m3) return std::vector(gather.receivers_m.size(), *motion.rho_kg_m3);
    Sources places;
    for (const Position& receiver : gather.receivers_m)
        places.place.push_back(in_nodes(wavefield.medium().setup().grid, receiver));
    return source_densities(wavefield.medium(), places);
}

const GatherQuantity& acceleration_along(int axis) {
    const auto motions = particle_motions();
    return *std::ranges::find_if(motions,
                                 [axis](const GatherQuantity& row) { return row.axis == axis && !row.is_velocity; });
}

/// Makes pressure and accelerations of what was recorded. \param rows [quantity][receiver][sample].
void take_rows(ShotGather& gather, const ParticleMotion& motion, std::vector<float> rows, const Wavefield& wavefield) {
    const auto samples = static_cast<std::size_t>(gather.samples);
    const std::size_t receivers = gather.receivers_m.size(), of_quantity = receivers * samples;
    const std::vector<double> rho =
        motion.empty() ? std::vector<double>{} : receiver_densities(gather, motion, wavefield);
    for (std::size_t i = 0; i < motion.axes.size(); ++i) {
        const float* const slopes = rows.data() + (i + 1) * of_quantity;
        GatherComponent& acceleration =
            gather.motion.emplace_back(GatherComponent{&acceleration_along(motion.axes[i])});
        acceleration.values.resize(of_quantity);
        for (std::size_t r = 0; r < receivers; ++r)
            for (std::size_t n = r * samples; n < (r + 1) * samples; ++n)
                acceleration.values[n] = static_cast<float>(-static_cast<double>(slopes[n]) / rho[r]);
    }
    rows.resize(of_quantity);
    gather.pressure = std::move(rows);
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
    // What is written while accelerations are still there.
    const std::int64_t quantities = survey.motion.rows() + std::ssize(survey.motion.written);
    return saturating_product(receivers_together(survey, placement), quantities, time.output_samples,
                              std::int64_t{sizeof(float)});
}

void add_gather_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    // What was recorded becomes traces of each quantity: all of particle motion is there twice.
    const std::int64_t receivers = receivers_together(experiment.survey, computation.placement),
                       rows = saturating_product(receivers, experiment.survey.motion.rows()),
                       both = saturating_sum(rows, rows - receivers);
    list.add(host_row("gathers, as written", held::gathers,
                      bytes_of_gathers(experiment.survey, experiment.time, computation.placement), 1));
    if (!is_written_as_recorded(experiment.time))
        list.add(host_row("gathers, as recorded", held::resampling, both,
                          saturating_product(experiment.time.recorded_samples(), std::int64_t{sizeof(float)})));
    list.add(host_row("the correction of dispersion in time", held::resampling,
                      correction_bytes(experiment.time, rows, computation.setup.threads), 1));
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
    std::vector<float> rows(gather.receivers_m.size() *
                            static_cast<std::size_t>(survey.motion.rows() * gather.samples));
    wavefield.download_traces(std::span<float>(rows), slot);
    before.put_into(rows, gather.samples);
    require_storable_rows(gather, rows, wavefield, slot);
    take_rows(gather, survey.motion, std::move(rows), wavefield);
    return gather;
}

void write_motion(const ParticleMotion& motion, ShotGather& gather) {
    if (motion.empty()) return;
    std::vector<GatherComponent> written;
    for (const GatherQuantity* const quantity : motion.written) {
        const GatherQuantity& acceleration = acceleration_along(quantity->axis);
        const auto recorded = std::ranges::find(gather.motion, &acceleration, &GatherComponent::quantity);
        GatherComponent& component = written.emplace_back(GatherComponent{quantity, recorded->values});
        if (!quantity->is_velocity) continue;
        const auto samples = static_cast<std::size_t>(gather.samples);
        for_traces(std::ssize(gather.receivers_m), [&](std::int64_t i) {
            const auto trace = std::span(component.values).subspan(static_cast<std::size_t>(i) * samples, samples);
            integrate(trace, gather.dt_s, trace);
        });
    }
    gather.motion = std::move(written);
}

void bring_to_output_sampling(const TimeAxis& time, std::span<ShotGather> gathers) {
    if (is_written_as_recorded(time)) return;
    TraceList<const float> recorded(time.recorded_samples());
    TraceList<float> wanted(time.output_samples);
    std::vector<std::vector<float>> sampled;
    const auto add = [&](const ShotGather& gather, std::span<const float> traces) {
        recorded.add(traces);
        wanted.add(sampled.emplace_back(gather.receivers_m.size() * static_cast<std::size_t>(time.output_samples)));
    };
    for (const ShotGather& gather : gathers) {
        add(gather, gather.pressure);
        for (const GatherComponent& component : gather.motion) add(gather, component.values);
    }
    sample_output(time, recorded, wanted);
    for (std::size_t i = 0; ShotGather & gather : gathers) {
        gather.dt_s = time.output_dt_s;
        gather.samples = time.output_samples;
        gather.pressure = std::move(sampled[i++]);
        for (GatherComponent& component : gather.motion) component.values = std::move(sampled[i++]);
    }
}

}  // namespace onda
