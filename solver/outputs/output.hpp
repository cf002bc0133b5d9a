/// \file
/// What a run leaves: a row for each output format, and what the program asks of it. Names of files, columns of the
/// table of shots, links, forecasts, what --force may replace and what a summary proves follow from the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/results/provenance.hpp"
#include "io/results/seismograms.hpp"
#include "kernels/plan/allocations.hpp"
#include "solver/discretisation/step_set.hpp"
#include "solver/imaging/operand.hpp"
#include "solver/model/model.hpp"
#include "solver/outputs/kept_values.hpp"
#include "solver/outputs/shot_images.hpp"
#include "solver/outputs/shot_record.hpp"
#include "solver/outputs/snapshot_parts.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/ranks/wanted_part.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

struct Computation;
struct Experiment;
struct Placement;

struct OutputFormat;

/// One format's part in one shot, from before its first step until its files are there. What a shot gives comes in the
/// order of these functions; the defaults take nothing. An object that goes before finish() leaves no file.
/// Several threads may finish shots of a batch at the same time, each its own.
/// Each may throw Error(cannot_create | io_error | unstable) or Interrupted.
class ShotOutput {
public:
    virtual ~ShotOutput() = default;
    /// The steps at which take_wavefield() is wanted; those of snapshots are the plan's.
    [[nodiscard]] virtual const StepSet& steps() const;
    /// The wavefield as it is now, on the thread of the time steps, which waits. \param slot of the shot in its batch.
    virtual void take_wavefield(const Propagator& propagator, int slot);
    /// A snapshot: pressure [Pa] of the plan's window, [z][y][x], or of this process' part of it, if it has one
    /// (ShotPlace::parts). In order of time, on the thread that writes snapshots.
    virtual void take_snapshot(double time_s, std::span<const float> values);
    /// Writes down what take_wavefield() has taken, for a checkpoint.
    virtual void keep(KeptValues& values) const;
    /// Takes what keep() has written, in place of what it has. \throws Error(bad_data).
    virtual void take_back(KeptValues& values);
    /// The values of a snapshot that take_snapshot() has taken, counted from 0; empty where the format keeps none.
    [[nodiscard]] virtual std::vector<float> snapshot(std::int64_t i) const;
    /// What other processes are to write of the shot's snapshots.
    [[nodiscard]] virtual std::vector<WantedPart> wanted_parts() const;
    /// Takes the files that other processes have written of the shot's snapshots, under their final names.
    virtual void take_parts(std::vector<FileRecord> files);
    /// What a task makes of the shot that others do not, under a name that it shares with those who take it.
    virtual void take_values(std::string_view name, std::span<const float> values);
    /// The images and misfits of a shot whose gradient is computed; the caller's are lost.
    virtual void take_images(ShotImages& images);
    /// What a linear operator makes of the shot; the caller's is lost.
    virtual void take_product(ShotProduct& product);
    /// The gather at the user's sampling, of a shot with receivers; the caller's is lost.
    virtual void take_gather(ShotGather& gather);
    /// The file of the shot, complete but for its name; none if the format has none of this shot.
    virtual std::optional<AtomicFile> finish();
};

/// Where a format finds the shot that begins, and puts what it makes of it.
struct ShotPlace {
    const Shot& shot;
    std::size_t index;                    ///< in the survey, from 0
    const std::filesystem::path& folder;  ///< of the unfinished survey
    std::filesystem::path file;           ///< of the shot, in that folder; empty if the format has none
    const Provenance& provenance;         ///< holds nothing but what the shot follows from; outlives the shot
    std::span<const SnapshotPart> parts;  ///< of its snapshots, where several processes have them
};

/// The folder with the files of shots and their table, of surveys that keep them.
inline constexpr const char* kShotsName = "shots";
/// The name of a shot's file from the folder of the results, where files of shots are kept.
std::string kept_name(const FileRecord& file);

/// How shots come into the file that presents them as one.
enum class Assembly {
    only_shot,  ///< its file gets a second name
    copies,     ///< of a few small shots: their own files go
    links,      ///< to files of many or large shots, which stay in the folder shots
};

/// A survey whose shots are all there.
struct FinishedSurvey {
    const Experiment& experiment;
    std::span<const ShotRecord> shots;     ///< by number
    const std::filesystem::path& folder;   ///< where the files of shots are
    const std::filesystem::path& results;  ///< where those of the survey go
    const Provenance& provenance;
    bool overwrite;
    Assembly assembly;
    /// The files that assemble() has made, by their names, where they lie until they have these.
    std::map<std::string, std::filesystem::path> staged{};

    /// The file of the only shot as that of the survey. \throws Error(cannot_create | io_error).
    [[nodiscard]] AtomicFile second_name(const OutputFormat& format, std::string_view name) const;
};

/// One format's part in one run. It may refer to the plan, which outlives it.
class RunOutput {
public:
    virtual ~RunOutput() = default;
    /// What takes the results of a shot that begins; null if the format takes nothing of it. Several shots are alive at
    /// a time.
    [[nodiscard]] virtual std::unique_ptr<ShotOutput> begin(const ShotPlace& place) = 0;
    /// Told before the first of them begins: which shots may begin here, by index. Others have left their files before,
    /// or are not selected.
    virtual void expect(const std::function<bool(std::size_t)>& may_begin);
    /// The files of the survey, ready for their names. \throws Error(cannot_create | io_error); Interrupted.
    [[nodiscard]] virtual std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const = 0;
    /// Files that tell of the survey and of all that assemble() made; none by default.
    /// \param summary the text of a summary.json that lists those. \throws as assemble().
    [[nodiscard]] virtual std::vector<AtomicFile> tell(const FinishedSurvey& survey, const std::string& summary) const;
};

/// Bytes of an HDF5 file of a shot before its shot, and of the link to it.
std::int64_t linked_file_bytes();

/// A row: an output format.
struct OutputFormat {
    /// Names of the format's columns in the table of shots, "seismogram", and of a shot's file, "seismograms.h5" after
    /// the number of the shot. Both are empty if a shot has no file of this format.
    std::string_view column, shot_file;
    /// Whether a file of a survey may have this name.
    bool (*is_result)(std::string_view name);
    /// Whether a run makes this format at all; where not, nothing else but names is asked.
    bool (*is_wanted)(const Experiment& experiment);
    /// Before the model goes: what is needed of it is kept.
    std::unique_ptr<RunOutput> (*make)(const Experiment& experiment, const Model& model);
    /// Bytes of the files of a survey that holds all of its shots. \param provenance_bytes as Provenance::bytes tells.
    std::int64_t (*predicted_bytes)(const Experiment& experiment, const Placement& placement,
                                    std::int64_t provenance_bytes);
    /// Bytes of a file of a shot, where it is kept, beyond what its shot takes in the file of the survey.
    std::int64_t (*own_file_bytes)() = linked_file_bytes;
    /// Bytes of all shots together that their files hold and that of the survey does not. Null where there are none.
    std::int64_t (*shot_bytes)(const Experiment& experiment) = nullptr;
    /// The files of parts that the file of a shot joins, as it lists them: beside it, with names of
    /// is_part_file_name(). Null where it never does. \throws Error(missing_input | bad_data).
    std::vector<FileRecord> (*parts)(const std::filesystem::path& shot_file) = nullptr;
    /// Adds the rows of what it holds of the host's memory (solver/program/host_memory.hpp). Null where it is next to
    /// nothing.
    void (*add_memory)(Allocations& list, const Experiment& experiment, const Computation& computation) = nullptr;

    [[nodiscard]] bool has_shot_files() const { return !shot_file.empty(); }
};

/// All formats. Those with a file of each shot have their columns in this order. output_formats.cpp defines nothing
/// else, so that a test can link a list of its own in its place.
std::span<const OutputFormat* const> output_formats();

/// The name of a shot's file: "00012.seismograms.h5". \param format with a file of each shot.
std::string shot_file_name(const OutputFormat& format, std::int64_t shot);
/// Whether a file of a shot, of any format, or of a part of one may have this name.
bool is_shot_file_name(std::string_view name);
/// The files of parts that the file of a shot joins, as it lists them; none where it cannot be read.
std::vector<FileRecord> parts_of_file(const OutputFormat& format, const std::filesystem::path& shot_file);
/// What a shot left of a format; without a name where there is none. \param format with a file of each shot.
const FileRecord& file_of(const ShotRecord& shot, const OutputFormat& format);

}  // namespace onda
