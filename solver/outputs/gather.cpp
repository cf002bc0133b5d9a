#include "solver/outputs/gather.hpp"

#include <algorithm>
#include <utility>

#include "io/results/stored_pressure.hpp"
#include "solver/signal/resampling.hpp"
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

std::vector<float> to_output_sampling(const TimeAxis& time, std::span<const float> recorded, std::int64_t traces) {
    if (time.correction)
        return correct_traces<float>(recorded, traces, *time.correction, time.dt_s, time.output_dt_s,
                                     time.output_samples);
    return resample_traces(recorded, traces, time.dt_s, time.output_dt_s, time.output_samples);
}

/// The samples of all gathers after one another. The gathers lose them: a single one's are moved.
std::vector<float> take_samples(std::span<ShotGather> gathers) {
    if (gathers.size() == 1) return std::move(gathers.front().pressure);
    std::vector<float> all;
    for (ShotGather& gather : gathers) {
        all.insert(all.end(), gather.pressure.begin(), gather.pressure.end());
        gather.pressure = {};
    }
    return all;
}

}  // namespace

ShotGather recorded_gather(const Plan& plan, const Shot& shot, const Wavefield& wavefield, int slot) {
    ShotGather gather;
    gather.shot = shot.id;
    for (const SourcePoint& source : shot.sources) gather.sources_m.push_back(source.position_m);
    gather.receivers_m = shot.receivers.list();
    gather.carried = plan.survey.shots.carried_columns(shot.id);
    if (plan.aperture) gather.part = {{plan.grid.dimensions, plan.grid.n, plan.grid.spacing_m, plan.grid.origin_m}};
    gather.dt_s = plan.time.dt_s;
    gather.samples = plan.time.steps + 1;
    gather.pressure.resize(gather.receivers_m.size() * static_cast<std::size_t>(gather.samples));
    wavefield.download_traces(std::span<float>(gather.pressure), slot);
    require_storable_traces(gather, wavefield, slot);
    return gather;
}

void bring_to_output_sampling(const Plan& plan, std::span<ShotGather> gathers) {
    const TimeAxis& time = plan.time;
    if (!time.correction && time.output_dt_s == time.dt_s) return;
    std::int64_t traces = 0;
    for (const ShotGather& gather : gathers) traces += std::ssize(gather.receivers_m);
    std::vector<float> all = to_output_sampling(time, take_samples(gathers), traces);
    for (auto first = all.begin(); ShotGather & gather : gathers) {
        const auto end = first + std::ssize(gather.receivers_m) * time.output_samples;
        gather.dt_s = time.output_dt_s;
        gather.samples = time.output_samples;
        // Those of a single gather, which may be as large as the wavefield, are not copied.
        gather.pressure = gathers.size() == 1 ? std::move(all) : std::vector<float>(first, end);
        first = end;
    }
}

ShotGather make_gather(const Plan& plan, const Shot& shot, const Wavefield& wavefield) {
    ShotGather gather = recorded_gather(plan, shot, wavefield);
    bring_to_output_sampling(plan, std::span(&gather, 1));
    return gather;
}

}  // namespace onda
