#include "solver/outputs/outputs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "io/files/atomic_file.hpp"
#include "io/files/interruption.hpp"
#include "io/results/stored_pressure.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/program/hash.hpp"
#include "solver/signal/resampling.hpp"
#include "solver/signal/time_dispersion.hpp"

namespace onda {
Outputs::Outputs(const Plan& plan, const RunFolder& folder, const Provenance& provenance, RunPictures pictures)
    : plan_(plan), folder_(folder), pictures_(std::move(pictures)) {
    if (plan.survey.size.most_receivers > 0)
        seismograms_.emplace(folder.path() / "seismograms.h5", provenance, folder.overwrite());
    if (plan.snapshots.steps.empty()) return;
    snapshots_.emplace(folder.path() / "snapshots.h5", plan.snapshots.geometry, provenance, folder.overwrite());
    queue_.emplace([this](double time_s, std::span<const float> values) { snapshots_->write(time_s, values); });
}

void Outputs::begin_shot(const Shot& shot) {
    ++shots_begun_;
    if (snapshots_) snapshots_->begin_shot(shot.id, plan_.snapshots.steps.size());
}

std::int64_t Outputs::next_step(std::int64_t step) const {
    std::int64_t next = plan_.snapshots.steps.after(step).value_or(plan_.time.steps + 1);
    if (!first_shot()) return next;
    const auto picture = std::ranges::upper_bound(pictures_.steps(), step);
    return picture == pictures_.steps().end() ? next : std::min(next, *picture);
}

void Outputs::take(Propagator& propagator) {
    if (plan_.snapshots.steps.contains(propagator.step()))
        queue_->take(propagator.wavefield(), plan_.computed.window(plan_.snapshots.window), propagator.time_s());
    if (first_shot() && std::ranges::binary_search(pictures_.steps(), propagator.step())) pictures_.take(propagator);
}

ShotFingerprint Outputs::end_shot(const Shot& shot, const Propagator& propagator) {
    ShotFingerprint fingerprint;
    fingerprint.final_wavefield =
        fingerprint_wavefield(propagator.wavefield(), plan_.computed.inner(), plan_.setup.precision);
    if (queue_) queue_->drain();
    if (!shot.receivers.empty()) {
        const ShotGather gather = make_gather(plan_, shot, propagator.wavefield());
        seismograms_->write(gather);
        if (first_shot()) pictures_.take(gather);
        Fingerprint hash;
        hash.add(std::span<const float>(gather.pressure));
        fingerprint.seismograms = hash.hex();
    }
    return fingerprint;
}

std::vector<AtomicFile> Outputs::prepare() {
    std::vector<AtomicFile> files;
    files.push_back(stage_text_file(folder_.path() / "config.yaml", resolved_yaml(plan_.config), folder_.overwrite()));
    std::ranges::move(pictures_.prepare(folder_.path(), folder_.overwrite()), std::back_inserter(files));
    throw_if_interrupted();
    if (seismograms_) files.push_back(seismograms_->finish());
    throw_if_interrupted();
    if (snapshots_) std::ranges::move(snapshots_->finish(), std::back_inserter(files));
    return files;
}

namespace {

void require_storable_traces(const ShotGather& gather, const TimeAxis& time, const Wavefield& wavefield) {
    if (storable(std::span<const float>(gather.pressure))) return;
    // As the backend has them, for the message: what is beyond single precision is only infinite there.
    std::vector<double> exact(gather.pressure.size());
    wavefield.download_traces(std::span<double>(exact));
    require_storable(std::span<const double>(exact),
                     [&](std::size_t index) { return place_of_sample(gather, index, time.steps + 1, time.dt_s); });
}

}  // namespace

ShotGather make_gather(const Plan& plan, const Shot& shot, const Wavefield& wavefield) {
    const TimeAxis& time = plan.time;
    ShotGather gather;
    gather.shot = shot.id;
    for (const SourcePoint& source : shot.sources) gather.sources_m.push_back(source.position_m);
    gather.receivers_m = shot.receivers.list();
    gather.dt_s = time.output_dt_s;
    gather.samples = time.output_samples;
    const auto traces = static_cast<std::int64_t>(shot.receivers.size());
    gather.pressure.resize(traces * (time.steps + 1));
    wavefield.download_traces(std::span<float>(gather.pressure));
    require_storable_traces(gather, time, wavefield);
    if (time.correction)
        gather.pressure = correct_traces<float>(gather.pressure, traces, *time.correction, time.dt_s, time.output_dt_s,
                                                time.output_samples);
    else if (time.output_dt_s != time.dt_s)
        gather.pressure = resample_traces(gather.pressure, traces, time.dt_s, time.output_dt_s, time.output_samples);
    return gather;
}

namespace {

template <typename T>
std::string fingerprint_planes(const Wavefield& wavefield, Window window) {
    Fingerprint hash;
    const std::int64_t planes = std::exchange(window.count[2], 1);
    std::vector<T> plane(static_cast<std::size_t>(window.points()));
    for (std::int64_t z = 0; z < planes; ++z, window.first[2] += window.step[2]) {
        wavefield.download(window, std::span<T>(plane));
        hash.add(std::span<const T>(plane));
    }
    return hash.hex();
}

}  // namespace

std::string fingerprint_wavefield(const Wavefield& wavefield, const Window& window, Precision precision) {
    return precision == Precision::float64 ? fingerprint_planes<double>(wavefield, window)
                                           : fingerprint_planes<float>(wavefield, window);
}

}  // namespace onda
