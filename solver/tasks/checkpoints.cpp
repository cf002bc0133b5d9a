#include "solver/tasks/checkpoints.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <spdlog/fmt/fmt.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/results/stored_pressure.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "solver/outputs/kept_values.hpp"
#include "solver/outputs/snapshot_output.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

constexpr std::chrono::duration<double> kPauseOfCheckpoints = std::chrono::minutes(30);
constexpr double kMostCost = 0.02;  ///< of the time that steps take
constexpr std::size_t kCheckpointsOfShot = 2;

std::int64_t bytes_of_frame(const Plan& plan) {
    return plan.snapshots.window.points() * std::int64_t{sizeof(float)};
}

void remove_file(const std::filesystem::path& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

/// The first `samples` of each trace.
std::vector<float> beginnings(std::span<const float> traces, std::int64_t of_trace, std::int64_t samples) {
    std::vector<float> some;
    some.reserve(traces.size() / static_cast<std::size_t>(of_trace) * static_cast<std::size_t>(samples));
    for (std::size_t at = 0; at < traces.size(); at += static_cast<std::size_t>(of_trace))
        some.insert(some.end(), traces.begin() + static_cast<std::ptrdiff_t>(at),
                    traces.begin() + static_cast<std::ptrdiff_t>(at) + samples);
    return some;
}

}  // namespace

bool keeps_checkpoints(const Plan& plan) {
    return plan.task->keeps_checkpoints && plan.config.checkpoint.every_minutes != 0.;
}

std::int64_t checkpoints_on_disk(const Experiment& experiment, const Computation& computation) {
    const std::int64_t shots = shots_together(computation.placement),
                       workers = std::max<std::int64_t>(1, std::ssize(computation.placement.workers));
    const std::int64_t traces = saturating_product(experiment.survey.size.most_receivers,
                                                   experiment.time.recorded_samples(), std::int64_t{sizeof(float)});
    const std::int64_t frames = saturating_product(experiment.snapshots.window.points(),
                                                   experiment.snapshots.steps.size(), std::int64_t{sizeof(float)});
    const std::int64_t state = saturating_product(workers, state_bytes(computation));
    return saturating_sum(saturating_product(saturating_sum(state, saturating_product(shots, traces)),
                                             static_cast<std::int64_t>(kCheckpointsOfShot)),
                          saturating_product(shots, frames));
}

CheckpointStore::CheckpointStore(CheckpointSettings settings) : settings_(std::move(settings)) {
    look();
}

void CheckpointStore::look() {
    const std::lock_guard lock(mutex_);
    steps_.clear();
    std::error_code fault;
    for (std::filesystem::directory_iterator entry(settings_.folder, fault), end; !fault && entry != end;
         entry.increment(fault))
        if (const auto found = checkpoint_of(entry->path().filename().string()))
            steps_[found->shot].insert(found->step);
}

std::vector<std::int64_t> CheckpointStore::steps_of(std::int64_t shot) const {
    const std::lock_guard lock(mutex_);
    const auto found = steps_.find(shot);
    if (found == steps_.end()) return {};
    return {found->second.rbegin(), found->second.rend()};
}

std::int64_t CheckpointStore::step_of(std::int64_t shot) const {
    const std::vector<std::int64_t> steps = steps_of(shot);
    return steps.empty() ? 0 : steps.front();
}

void CheckpointStore::note(std::int64_t shot, std::int64_t step) {
    const std::lock_guard lock(mutex_);
    std::set<std::int64_t>& steps = steps_[shot];
    steps.insert(step);
    while (steps.size() > kCheckpointsOfShot) {
        remove_file(file(shot, *steps.begin()));
        steps.erase(steps.begin());
    }
}

void CheckpointStore::remove(std::int64_t shot) {
    for (const std::int64_t step : steps_of(shot)) remove_file(file(shot, step));
    remove_file(frames_file(shot));  // which may be there without a checkpoint
    const std::lock_guard lock(mutex_);
    steps_.erase(shot);
}

BatchCheckpoints::BatchCheckpoints(CheckpointStore& store, const Plan& plan, Batch& batch)
    : store_(store), plan_(plan), batch_(batch), frames_(batch.size()) {}

BatchCheckpoints::~BatchCheckpoints() {
    if (writing_.valid()) writing_.wait();
}

std::int64_t BatchCheckpoints::frames_until(std::int64_t step) const {
    std::int64_t frames = 0;
    for (auto at = plan_.snapshots.steps.after(-1); at && *at <= step; at = plan_.snapshots.steps.after(*at)) ++frames;
    return frames;
}

// ---- Going on

/// Those that all shots of the batch have, the latest first.
std::vector<std::int64_t> BatchCheckpoints::common_steps() const {
    std::vector<std::int64_t> common = store_.steps_of(batch_.front().shot.id);
    for (const ShotInProgress& shot : batch_) {
        const std::vector<std::int64_t> own = store_.steps_of(shot.shot.id);
        std::erase_if(common, [&own](std::int64_t step) { return std::ranges::find(own, step) == own.end(); });
    }
    return common;
}

void BatchCheckpoints::go_on(Propagator& propagator) {
    const std::vector<std::int64_t> steps = common_steps();
    if (steps.empty()) return;
    for (const std::int64_t step : steps)
        if (restore(propagator, step)) return;
    begin_at_rest(propagator);
}

void BatchCheckpoints::begin_at_rest(Propagator& propagator) {
    for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
        store_.remove(batch_[slot].shot.id);
        propagator.wavefield().restore(static_cast<int>(slot),
                                       [](const StatePart&, std::int64_t, std::span<std::byte> planes) {
                                           std::ranges::fill(planes, std::byte{0});
                                       });
    }
}

/// Everything is read and checked before anything changes.
bool BatchCheckpoints::restore(Propagator& propagator, std::int64_t step) {
    std::vector<std::unique_ptr<CheckpointReader>> readers;
    std::vector<Frames> frames = std::exchange(frames_, std::vector<Frames>(batch_.size()));
    try {
        for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
            const std::filesystem::path path = store_.file(batch_[slot].shot.id, step);
            readers.push_back(std::make_unique<CheckpointReader>(path));
            readers.back()->verify();
            const CheckpointRecord& record = readers.back()->record();
            const bool is_of_this_run = record.identity == store_.settings().identity && record.step == step &&
                                        record.shot == batch_[slot].shot.id &&
                                        record.parts == propagator.wavefield().state_parts();
            if (!is_of_this_run || !has_frames(record, slot))
                throw Error(ExitCode::bad_data, shown(path) + ": is of another run, or its snapshots are not there");
        }
    } catch (const Error& error) {
        // One that is not there any more belongs to a process that has had the shot in the meantime.
        if (error.code() != ExitCode::bad_data && error.code() != ExitCode::cannot_create) throw;
        store_.settings().log->warn(std::string("checkpoint not used: ") + error.what());
        frames_ = std::move(frames);
        return false;
    }
    for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
        ShotInProgress& shot = batch_[slot];
        const CheckpointRecord& record = readers[slot]->record();
        readers[slot]->restore(propagator.wavefield(), static_cast<int>(slot));
        shot.record.largest_observed_pressure = record.largest_observed_pressure;
        shot.before = {record.samples, record.traces};
        KeptValues outputs(record.outputs);
        shot.outputs.take_back(outputs);
    }
    propagator.go_on_from(step);
    store_.settings().log->info(
        fmt::format("going on  shot{} from the checkpoint after step {} of {}",
                    batch_.size() == 1 ? fmt::format(" {}", batch_.front().shot.id)
                                       : fmt::format("s {} to {}", batch_.front().shot.id, batch_.back().shot.id),
                    step, plan_.time.steps));
    return true;
}

/// Whether the snapshots of a record are on disk as they were. Notes them.
bool BatchCheckpoints::has_frames(const CheckpointRecord& record, std::size_t slot) {
    if (record.frames == 0) return true;
    const std::filesystem::path path = store_.frames_file(record.shot);
    std::error_code none;
    if (!std::filesystem::exists(path, none)) return false;
    const Descriptor file = open_plain_file(path, O_RDONLY);
    Frames& kept = frames_[slot];
    for (; kept.count < record.frames; ++kept.count) {
        throw_if_interrupted();
        const std::string frame = read_piece(file, path, kept.count * bytes_of_frame(plan_), bytes_of_frame(plan_));
        if (std::ssize(frame) != bytes_of_frame(plan_)) return false;
        kept.hash.add_bytes(frame);
    }
    return kept.hash.hex() == record.frames_hash;
}

void BatchCheckpoints::give_frames_back() {
    for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
        if (frames_[slot].count == 0) continue;
        const std::filesystem::path path = store_.frames_file(batch_[slot].shot.id);
        const Descriptor file = open_plain_file(path, O_RDONLY);
        std::vector<float> values(static_cast<std::size_t>(plan_.snapshots.window.points()));
        std::int64_t frame = 0;
        for (auto step = plan_.snapshots.steps.after(-1); frame < frames_[slot].count;
             step = plan_.snapshots.steps.after(*step), ++frame) {
            throw_if_interrupted();
            const std::string bytes = read_piece(file, path, frame * bytes_of_frame(plan_), bytes_of_frame(plan_));
            std::memcpy(values.data(), bytes.data(), std::min(bytes.size(), values.size() * sizeof(float)));
            batch_[slot].outputs.take_snapshot(static_cast<double>(*step) * plan_.time.dt_s, values);
        }
    }
}

// ---- Keeping

bool BatchCheckpoints::is_time() const {
    const std::optional<std::chrono::duration<double>>& every = store_.settings().every;
    return Clock::now() - last_ >=
           every.value_or(std::max(kPauseOfCheckpoints, std::chrono::duration<double>(cost_s_ / kMostCost)));
}

void BatchCheckpoints::keep_if_due(Propagator& propagator, const BatchWatch& watch, BatchSnapshots* snapshots,
                                   StepControl& control) {
    const bool ends = control.wants_to_end();
    if ((!ends && !control.wants_checkpoint() && !is_time()) || propagator.step() == plan_.time.steps) return;
    const Clock::time_point begun = Clock::now();
    watch.check(propagator);
    if (snapshots != nullptr) snapshots->settle();
    const bool is_kept = keep(propagator) && (!ends || settle());
    last_ = Clock::now();
    cost_s_ = std::chrono::duration<double>(last_ - begun).count();
    if (is_kept)
        store_.settings().log->info(fmt::format("checkpoint after step {} of {}; the steps waited {:.3g} s",
                                                propagator.step(), plan_.time.steps, cost_s_));
    if (ends) control.end();
}

/// Neither a full disk nor want of memory or threads ends a run. \returns whether nothing was thrown.
template <typename Body>
bool BatchCheckpoints::tell_if_none_is_kept(const Body& body) const {
    const auto tell = [this](const std::string& why) { store_.settings().log->warn("no checkpoint: " + why); };
    try {
        body();
        return true;
    } catch (const Error& error) {
        if (error.code() != ExitCode::io_error && error.code() != ExitCode::cannot_create) throw;
        tell(error.what());
    } catch (const std::bad_alloc&) {
        tell("out of memory");
    } catch (const std::system_error& error) {
        tell(error.what());
    }
    return false;
}

bool BatchCheckpoints::keep(Propagator& propagator) {
    settle();
    const bool is_kept = tell_if_none_is_kept([&] { write(propagator); });
    if (!is_kept) drop_needless_frames();
    return is_kept;
}

bool BatchCheckpoints::settle() {
    return tell_if_none_is_kept([this] {
        if (writing_.valid()) writing_.get();
    });
}

/// Gives a full disk back the snapshots of shots that have no checkpoint.
void BatchCheckpoints::drop_needless_frames() {
    for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
        const std::int64_t shot = batch_[slot].shot.id;
        if (store_.step_of(shot) != 0) continue;
        remove_file(store_.frames_file(shot));
        frames_[slot] = Frames{};
    }
}

CheckpointRecord BatchCheckpoints::record_at(const Propagator& propagator, std::size_t slot) const {
    const ShotInProgress& shot = batch_[slot];
    CheckpointRecord record;
    record.identity = store_.settings().identity;
    record.shot = shot.shot.id;
    record.step = propagator.step();
    record.largest_observed_pressure = shot.record.largest_observed_pressure;
    record.frames = frames_[slot].count;
    record.frames_hash = frames_[slot].hash.hex();
    const std::int64_t of_trace = plan_.time.recorded_samples();
    record.samples = propagator.step() / plan_.time.stride + 1;
    std::vector<float> traces(shot.shot.receivers.size() * static_cast<std::size_t>(of_trace));
    if (!traces.empty()) propagator.wavefield().download_traces(std::span<float>(traces), static_cast<int>(slot));
    shot.before.put_into(traces, of_trace);
    record.traces = beginnings(traces, of_trace, record.samples);
    if (!storable(std::span<const float>(record.traces)))
        throw Error(ExitCode::unstable, fmt::format("shot {}: a trace is not finite in single precision at step {}",
                                                    shot.shot.id, propagator.step()));
    KeptValues outputs;
    shot.outputs.keep(outputs);
    record.outputs = outputs.bytes();
    record.parts = propagator.wavefield().state_parts();
    return record;
}

/// Devices with memory of their own go on once the host has a copy of the state, if it has room for one.
void BatchCheckpoints::write(Propagator& propagator) {
    const std::int64_t step = propagator.step();
    const Wavefield& wavefield = propagator.wavefield();
    const std::int64_t state = state_bytes(plan_.computation());
    const bool in_background =
        plan_.placement.device->has_own_memory() && available_memory_bytes() > 2 * state + (std::int64_t{1} << 28);
    std::vector<CheckpointRecord> records;
    std::vector<std::string> states(batch_.size());
    std::vector<AtomicFile> files;
    for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
        keep_frames(slot, step);
        CheckpointRecord record = record_at(propagator, slot);
        const auto put_state = [&](const std::function<void(std::string_view)>& put) {
            wavefield.visit(static_cast<int>(slot),
                            [&](const StatePart&, std::int64_t, std::span<const std::byte> planes) {
                                put({reinterpret_cast<const char*>(planes.data()), planes.size()});
                            });
        };
        if (in_background) {
            put_state([&](std::string_view bytes) { states[slot] += bytes; });
            records.push_back(std::move(record));
        } else {
            files.push_back(stage_checkpoint(store_.file(record.shot, step), record, put_state));
        }
    }
    if (!in_background) return give_names(std::move(files), step);
    writing_ = std::async(std::launch::async, [this, step, kept = std::move(records), all = std::move(states)] {
        std::vector<AtomicFile> written;
        for (std::size_t slot = 0; slot < kept.size(); ++slot)
            written.push_back(stage_checkpoint(store_.file(kept[slot].shot, step), kept[slot],
                                               [&](const auto& put) { put(all[slot]); }));
        give_names(std::move(written), step);
    });
}

/// All shots of a batch have their files before the first gets its name: so that they have a step in common.
void BatchCheckpoints::give_names(std::vector<AtomicFile> files, std::int64_t step) {
    for (std::size_t slot = 0; slot < files.size(); ++slot) {
        files[slot].rename();
        store_.note(batch_[slot].shot.id, step);  // at once: whatever fails then, it is removed in its time
    }
    sync_folder(store_.settings().folder);
}

/// Appends what snapshots there are since the last checkpoint.
void BatchCheckpoints::keep_frames(std::size_t slot, std::int64_t step) {
    const std::int64_t frames = frames_until(step);
    Frames& kept = frames_[slot];
    if (kept.count == frames) return;
    const std::filesystem::path path = store_.frames_file(batch_[slot].shot.id);
    const Descriptor file = open_plain_file(path, O_WRONLY | O_CREAT);
    const auto fail = [&path] { throw_system_fault(ExitCode::io_error, path, "cannot write the snapshots", errno); };
    if (::lseek(file.id(), static_cast<off_t>(kept.count * bytes_of_frame(plan_)), SEEK_SET) < 0) fail();
    for (; kept.count < frames; ++kept.count) {
        const std::vector<float> values = batch_[slot].outputs.snapshot(kept.count);
        const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
        if (std::ssize(bytes) != bytes_of_frame(plan_))
            throw Error(ExitCode::internal, shown(path) + ": a snapshot of another size");
        if (write_all(file, bytes) != 0) fail();
        kept.hash.add_bytes(bytes);
    }
    if (::fdatasync(file.id()) != 0 && errno != EINVAL) fail();
}

}  // namespace onda
