#include "solver/tasks/checkpoints.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <spdlog/fmt/fmt.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "solver/outputs/snapshot_output.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/tasks/batch_snapshots.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

bool reverses(const Experiment& experiment) {
    return experiment.imaging && experiment.imaging->reverses;
}

constexpr std::chrono::duration<double> kPauseOfCheckpoints = std::chrono::minutes(30);
constexpr double kMostCost = 0.02;  ///< of the time that steps take

/// Of the shots that advance together: of their receivers, or, of an adjoint run that records, of their sources.
std::int64_t bytes_of_traces(const Experiment& experiment, const Computation& computation) {
    const SurveySize& size = experiment.survey.size;
    const std::int64_t samples =
        saturating_product(shots_together(computation.placement), experiment.time.recorded_samples());
    const bool in_double = experiment.imaging && computation.setup.precision == Precision::float64;
    const auto of_trace = std::int64_t{sizeof(float)} + (in_double ? std::int64_t{sizeof(double)} : 0);
    if (!reverses(experiment)) return saturating_product(samples, size.most_receiver_rows, of_trace);
    if (!experiment.imaging->sums.density) return 0;
    return saturating_product(samples, size.most_sources, std::int64_t{sizeof(double)});
}

std::int64_t bytes_of_frame(const Plan& plan) {
    return plan.snapshots.window.points() * std::int64_t{sizeof(float)};
}

/// Large pieces by all threads, each of which gets pages of its own where there were none.
void copy_bytes(std::string_view from, char* to) {
    constexpr std::int64_t piece = 1 << 20;
    const auto bytes = static_cast<std::int64_t>(from.size());
#pragma omp parallel for if (bytes > 2 * piece)
    for (std::int64_t at = 0; at < bytes; at += piece)
        std::copy_n(from.data() + at, std::min(piece, bytes - at), to + at);
}

}  // namespace

bool keeps_checkpoints(const Plan& plan) {
    return plan.task->keeps_checkpoints && plan.config.checkpoint.every_minutes != 0.;
}

void add_checkpoint_memory(Allocations& list, const Plan& plan) {
    if (!keeps_checkpoints(plan) || plan.snapshots.steps.empty()) return;
    if (plan.placement.ranks_per_grid == 1 || !leads_grid(plan.placement)) return;
    list.add(host_row("snapshots on their way to checkpoints", held::frame, plan.snapshots.window.points(),
                      sizeof(float), own_workers(plan.placement)));
}

std::int64_t bytes_of_checkpoints(const Experiment& experiment, const Computation& computation) {
    const std::int64_t sums = reverses(experiment) ? sums_bytes(experiment, computation) : 0;
    return saturating_sum(state_bytes(computation), sums, bytes_of_traces(experiment, computation));
}

std::int64_t copies_of_states(const Experiment& experiment, const Computation& computation) {
    const auto workers = std::max<std::int64_t>(1, std::ssize(computation.placement.workers));
    return saturating_product(workers, bytes_of_checkpoints(experiment, computation));
}

std::int64_t checkpoints_on_disk(const Experiment& experiment, const Computation& computation) {
    const std::int64_t shots = shots_together(computation.placement);
    const std::int64_t frames = saturating_product(experiment.snapshots.window.points(),
                                                   experiment.snapshots.steps.size(), std::int64_t{sizeof(float)});
    constexpr std::int64_t at_a_time = 3;  // the last two, and the next while it is written
    return saturating_sum(saturating_product(copies_of_states(experiment, computation), at_a_time),
                          saturating_product(shots, frames));
}

std::vector<std::filesystem::path> CheckpointStore::files_of(std::int64_t shot) const {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& path : {file(shot), earlier_file(shot)}) {
        std::error_code none;
        if (std::filesystem::exists(path, none)) files.push_back(path);
    }
    return files;
}

std::int64_t CheckpointStore::step_of(std::int64_t shot) const {
    for (const std::filesystem::path& path : files_of(shot)) try {
            return CheckpointReader(path, CheckpointReader::Extent::header).record().step;
        } catch (const Error&) {
            continue;  // told when the shot goes on
        }
    return 0;
}

/// Whenever the program is killed, one of both names is there.
void CheckpointStore::add(std::int64_t shot, AtomicFile checkpoint) const {
    if (std::rename(file(shot).c_str(), earlier_file(shot).c_str()) != 0 && errno != ENOENT)
        throw_system_fault(ExitCode::io_error, earlier_file(shot), "cannot give the checkpoint its name", errno);
    checkpoint.rename();
}

void CheckpointStore::remove(std::int64_t shot) const {
    for (const std::filesystem::path& path : {file(shot), earlier_file(shot), frames_file(shot)}) {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
}

std::map<std::string, std::string> KeptShots::follows_from(std::size_t /*slot*/, std::int64_t /*step*/) const {
    return {};
}

BatchCheckpoints::BatchCheckpoints(CheckpointStore& store, const Plan& plan, Batch& batch)
    : store_(store), plan_(plan), batch_(batch), frames_(batch.size()) {}

BatchCheckpoints::~BatchCheckpoints() {
    try {
        settle();
    } catch (...) {
        return;  // what has ended the run is told
    }
}

std::int64_t BatchCheckpoints::frames_until(std::int64_t step) const {
    std::int64_t frames = 0;
    for (auto at = plan_.snapshots.steps.after(-1); at && *at <= step; at = plan_.snapshots.steps.after(*at)) ++frames;
    return frames;
}

// ---- Going on

/// The latest first. What cannot be read is told, and goes.
std::vector<BatchCheckpoints::Readers> BatchCheckpoints::common_checkpoints() const {
    std::vector<Readers> common;
    for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
        std::vector<Readers> so_far = std::exchange(common, {});
        for (const std::filesystem::path& path : store_.files_of(batch_[slot].shot.id)) try {
                auto reader = std::make_unique<CheckpointReader>(path);
                if (slot == 0) {
                    common.emplace_back().push_back(std::move(reader));
                    continue;
                }
                for (Readers& others : so_far)
                    if (!others.empty() && others.front()->record().step == reader->record().step) {
                        others.push_back(std::move(reader));
                        common.push_back(std::move(others));
                        break;
                    }
            } catch (const Error& error) {
                store_.settings().log->warn(std::string("checkpoint not used: ") + error.what());
            }
    }
    return common;
}

std::int64_t BatchCheckpoints::find(const KeptShots& shots) {
    found_.clear();
    for (Readers& readers : common_checkpoints()) {
        if (!are_whole(readers, shots)) continue;
        found_ = std::move(readers);
        const std::int64_t step = found_.front()->record().step;
        const std::string again = shots.computed_again();
        store_.settings().log->info(
            fmt::format("going on  shot{} from the checkpoint after {}{}{}",
                        batch_.size() == 1 ? fmt::format(" {}", batch_.front().shot.id)
                                           : fmt::format("s {} to {}", batch_.front().shot.id, batch_.back().shot.id),
                        shots.name_of(step), again.empty() ? "" : "; computed again: ", again));
        return step;
    }
    return 0;
}

/// Everything is read and checked before anything changes.
bool BatchCheckpoints::are_whole(const Readers& readers, const KeptShots& shots) {
    frames_ = std::vector<Frames>(batch_.size());
    try {
        for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
            readers[slot]->verify();
            const CheckpointRecord& record = readers[slot]->record();
            if (record.identity != store_.settings().identity || record.shot != batch_[slot].shot.id ||
                record.step < shots.first_kept_step() || record.step >= shots.steps() || !has_frames(record, slot))
                readers[slot]->fail("is of another run, or its snapshots are not there");
            check_length(*readers[slot], shots, slot);
            if (record.parts != shots.state().state_parts())
                readers[slot]->fail("is of a grid that was cut at other planes, or of another run");
        }
        return true;
    } catch (const Error& error) {
        store_.settings().log->warn(std::string("checkpoint not used: ") + error.what());
        frames_ = std::vector<Frames>(batch_.size());
        return false;
    }
}

/// That the record of the checkpoint, if it was to be of another length, has been the same until then. \throws
/// Error(bad_data).
void BatchCheckpoints::check_length(const CheckpointReader& reader, const KeptShots& shots, std::size_t slot) const {
    const CheckpointRecord& record = reader.record();
    for (const auto& [name, hash] : shots.follows_from(slot, record.step)) {
        const auto before = record.follows_from.find(name);
        if (before == record.follows_from.end() || before->second != hash)
            reader.fail("is of a record of another length, for which there are other " + name);
    }
    if (!batch_[slot].outputs.can_take_back(KeptValues(record.outputs), record.step))
        reader.fail("is of a record of another length, of which pictures or the report take other wavefields");
}

void BatchCheckpoints::restore(KeptShots& shots) {
    for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
        ShotInProgress& shot = batch_[slot];
        const CheckpointReader& reader = *found_.at(slot);
        reader.restore(shots.state(), static_cast<int>(slot));
        shot.record.largest_observed_pressure = reader.record().largest_observed_pressure;
        KeptValues values(reader.record().outputs);
        shot.outputs.take_back(values);
        shots.take_back(slot, reader.record(), values);
        if (!values.at_end()) reader.fail("has more of its outputs than they take back");
    }
    shots.go_on_from(found_.front()->record().step);
    found_.clear();
}

/// Whether the snapshots of a record are on disk as they were. Notes them.
bool BatchCheckpoints::has_frames(const CheckpointRecord& record, std::size_t slot) {
    if (record.frames == 0) return true;
    const std::filesystem::path path = store_.frames_file(record.shot);
    std::error_code none;
    if (!std::filesystem::exists(path, none)) return false;
    Frames& kept = frames_[slot];
    kept.found = open_plain_file(path, O_RDONLY);
    const Descriptor& file = kept.found;
    for (; kept.count < record.frames; ++kept.count) {
        throw_if_interrupted();
        const std::string frame = read_piece(file, path, kept.count * bytes_of_frame(plan_), bytes_of_frame(plan_));
        if (std::ssize(frame) != bytes_of_frame(plan_)) return false;
        kept.hash.add_bytes(frame);
    }
    return kept.hash.hex() == record.frames_hash;
}

void BatchCheckpoints::go_on_with(BatchSnapshots& snapshots) {
    snapshots_ = &snapshots;
    for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
        if (frames_[slot].count == 0) continue;
        const std::filesystem::path path = store_.frames_file(batch_[slot].shot.id);
        const Descriptor file = std::move(frames_[slot].found);
        std::vector<float> values(static_cast<std::size_t>(plan_.snapshots.window.points()));
        std::int64_t frame = 0;
        for (auto step = plan_.snapshots.steps.after(-1); frame < frames_[slot].count;
             step = plan_.snapshots.steps.after(*step), ++frame) {
            throw_if_interrupted();
            const std::string bytes = read_piece(file, path, frame * bytes_of_frame(plan_), bytes_of_frame(plan_));
            std::memcpy(values.data(), bytes.data(), std::min(bytes.size(), values.size() * sizeof(float)));
            snapshots.give_back(static_cast<int>(slot), static_cast<double>(*step) * plan_.time.dt_s, values);
        }
    }
}

// ---- Keeping

bool BatchCheckpoints::is_time() const {
    const std::optional<std::chrono::duration<double>>& every = store_.settings().every;
    return Clock::now() - last_ >=
           every.value_or(std::max(kPauseOfCheckpoints, std::chrono::duration<double>(cost_s_ / kMostCost)));
}

bool BatchCheckpoints::is_due(const KeptShots& shots, StepControl& control) {
    const bool is_asked = control.wants_checkpoint();
    if (shots.step() == shots.steps()) return false;
    return control.wants_to_end() || (!has_given_up_ && (is_asked || is_time()));
}

void BatchCheckpoints::keep(KeptShots& shots, StepControl& control) {
    const bool ends = control.wants_to_end();
    const Clock::time_point begun = Clock::now();
    shots.settle();
    const bool is_kept = settle() && !has_given_up_ && succeeds([&] { write(shots); }) && (!ends || settle());
    last_ = Clock::now();
    cost_s_ = std::chrono::duration<double>(last_ - begun).count();
    if (is_kept)
        store_.settings().log->info(
            fmt::format("checkpoint after {}; the steps waited {:.3g} s", shots.name_of(shots.step()), cost_s_));
    if (ends) control.end();
}

/// Neither a full disk nor want of memory or threads ends a run. \returns whether nothing was thrown.
template <typename Body>
bool BatchCheckpoints::succeeds(const Body& body) {
    try {
        body();
        return true;
    } catch (const Error& error) {
        if (error.code() != ExitCode::io_error && error.code() != ExitCode::cannot_create) throw;
        note_failure(error.what());
    } catch (const std::bad_alloc&) {
        states_.clear();  // nothing is being written of them
        note_failure("out of memory");
    } catch (const std::system_error& error) {
        note_failure(error.what());
    }
    return false;
}

bool BatchCheckpoints::settle() {
    return succeeds([this] {
        if (writing_.valid()) writing_.get();
    });
}

/// Snapshots that checkpoints need would take the room of those that the run is to leave: they go, and no more are
/// kept.
void BatchCheckpoints::note_failure(const std::string& why) {
    store_.settings().log->warn("no checkpoint: " + why);
    if (plan_.snapshots.steps.empty()) return;
    has_given_up_ = true;
    for (const ShotInProgress& shot : batch_) store_.remove(shot.shot.id);
}

CheckpointRecord BatchCheckpoints::record_of(const KeptShots& shots, std::size_t slot) const {
    const ShotInProgress& shot = batch_[slot];
    CheckpointRecord record;
    record.identity = store_.settings().identity;
    record.shot = shot.shot.id;
    record.step = shots.step();
    record.step_name = shots.name_of(record.step);
    record.largest_observed_pressure = shot.record.largest_observed_pressure;
    record.frames = frames_[slot].count;
    record.frames_hash = frames_[slot].hash.hex();
    record.follows_from = shots.follows_from(slot, record.step);
    record.wavefields = shot.outputs.wavefields_until(record.step);
    KeptValues values;
    shot.outputs.keep(values, record.step);
    shots.keep(slot, record, values);
    record.outputs = values.bytes();
    return record;
}

/// Half of the memory that nobody uses is for copies of states, of which each worker has its own.
bool BatchCheckpoints::may_copy_states() const {
    const std::int64_t needed = bytes_of_checkpoints(plan_.experiment(), plan_.computation());
    return available_memory_bytes() / (2 * store_.settings().workers) > needed;
}

/// Devices with memory of their own go on once the host has a copy of the state, if it has room for one.
void BatchCheckpoints::write(KeptShots& shots) {
    const ShotState& state = shots.state();
    const bool in_background = plan_.placement.device->has_own_memory() && (!states_.empty() || may_copy_states());
    if (in_background) states_.resize(batch_.size());
    std::vector<CheckpointRecord> records;
    std::vector<AtomicFile> files;
    for (std::size_t slot = 0; slot < batch_.size(); ++slot) {
        keep_frames(slot, shots.step());
        CheckpointRecord record = record_of(shots, slot);
        record.parts = state.state_parts();
        const auto put_state = [&](const std::function<void(std::string_view)>& put) {
            state.visit(static_cast<int>(slot), [&](const StatePart&, std::int64_t, std::span<const std::byte> planes) {
                put({reinterpret_cast<const char*>(planes.data()), planes.size()});
            });
        };
        if (in_background) {
            std::size_t bytes_of_state = 0;
            for (const StatePart& part : record.parts) bytes_of_state += static_cast<std::size_t>(bytes_of(part));
            states_[slot].resize(bytes_of_state);
            put_state([to = states_[slot].data()](std::string_view bytes) mutable {
                copy_bytes(bytes, to);
                to += bytes.size();
            });
            records.push_back(std::move(record));
        } else {
            files.push_back(stage_checkpoint(store_.file(record.shot), record, put_state));
        }
    }
    if (!in_background) return give_names(std::move(files));
    writing_ = std::async(std::launch::async, [this, kept = std::move(records)] {
        std::vector<AtomicFile> written;
        for (std::size_t slot = 0; slot < kept.size(); ++slot)
            written.push_back(stage_checkpoint(store_.file(kept[slot].shot), kept[slot], [&](const auto& put) {
                put({states_[slot].data(), states_[slot].size()});
            }));
        give_names(std::move(written));
    });
}

/// All shots of a batch have their files before the first gets its name: so that they have a step in common.
void BatchCheckpoints::give_names(std::vector<AtomicFile> files) const {
    for (std::size_t slot = 0; slot < files.size(); ++slot) store_.add(batch_[slot].shot.id, std::move(files[slot]));
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
        const std::vector<float> values = snapshots_->whole_frame(static_cast<int>(slot), kept.count);
        const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
        if (std::ssize(bytes) != bytes_of_frame(plan_))
            throw Error(ExitCode::internal, shown(path) + ": a snapshot of another size");
        if (write_all(file, bytes) != 0) fail();
        kept.hash.add_bytes(bytes);
    }
    if (::fdatasync(file.id()) != 0 && errno != EINVAL) fail();
}

}  // namespace onda
