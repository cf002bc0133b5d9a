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

}  // namespace

ShotGather recorded_gather(const Plan& plan, const Shot& shot, const Wavefield& wavefield, int slot) {
    ShotGather gather;
    gather.shot = shot.id;
    for (const SourcePoint& source : shot.sources) gather.sources_m.push_back(source.position_m);
    gather.receivers_m = shot.receivers.list();
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
    // One after the other in one array, each taken out of its gather.
    std::vector<float> recorded;
    std::int64_t traces = 0;
    for (ShotGather& gather : gathers) {
        traces += std::ssize(gather.receivers_m);
        if (gathers.size() == 1)
            recorded = std::move(gather.pressure);
        else
            recorded.insert(recorded.end(), gather.pressure.begin(), gather.pressure.end());
        gather.pressure = {};
    }
    std::vector<float> all = to_output_sampling(time, recorded, traces);
    recorded = {};
    for (auto first = all.begin(); ShotGather& gather : gathers) {
        const auto count = std::ssize(gather.receivers_m) * time.output_samples;
        gather.dt_s = time.output_dt_s;
        gather.samples = time.output_samples;
        if (gathers.size() == 1)
            gather.pressure = std::move(all);
        else
            gather.pressure.assign(first, first + count);
        first += gathers.size() == 1 ? 0 : count;
    }
}

ShotGather make_gather(const Plan& plan, const Shot& shot, const Wavefield& wavefield) {
    ShotGather gather = recorded_gather(plan, shot, wavefield);
    bring_to_output_sampling(plan, std::span(&gather, 1));
    return gather;
}

}  // namespace onda
