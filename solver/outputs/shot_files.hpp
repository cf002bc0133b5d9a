/// \file
/// All formats of a run at once: the files of its shots, and what presents them as one survey.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solver/outputs/output.hpp"

namespace onda {

struct Experiment;
struct Placement;

/// The formats that a run makes. It is made before the model goes, and refers to the plan.
class RunOutputs {
public:
    struct Entry {
        const OutputFormat* format;
        std::unique_ptr<RunOutput> output;
    };
    RunOutputs(const Experiment& experiment, const Model& model);
    /// The formats of `entries`, whatever output_formats() lists.
    explicit RunOutputs(std::vector<Entry> entries) : entries_(std::move(entries)) {}

    [[nodiscard]] std::span<const Entry> entries() const { return entries_; }

    /// RunOutput::expect() of all.
    void expect(const std::function<bool(std::size_t)>& may_begin) const;

    /// The files of a survey, ready for their names: the file of the only shot itself, copies of a few small shots, or
    /// links to the files of many or large ones in results/shots.
    /// \throws Error(io_error | cannot_create); Interrupted.
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const;
    /// The files that tell of the survey and of what assemble() made: RunOutput::tell().
    [[nodiscard]] std::vector<AtomicFile> tell(const FinishedSurvey& survey, const std::string& summary) const;

private:
    std::vector<Entry> entries_;
};

/// The bytes of the files of a survey that holds all of its shots.
std::int64_t bytes_of_survey_files(const Experiment& experiment, const Placement& placement);
/// What the files of its shots hold beside those: OutputFormat::shot_bytes of all formats.
std::int64_t bytes_of_shots_alone(const Experiment& experiment);
/// Whether the results of a survey keep the files of each shot, behind seismograms.h5 and snapshots.h5 that link to
/// them. Small surveys do not: their files hold the shots themselves. It follows from the configuration alone.
bool keeps_shot_files(const Experiment& experiment, const Placement& placement);
/// How the shots of a plan come into the files of its survey.
Assembly assembly_of(const Experiment& experiment, const Placement& placement);

/// What a shot gives to each format that takes something of it.
class ShotOutputs {
public:
    /// The first step later than `step` at which an output wants the wavefield, snapshots apart.
    [[nodiscard]] std::optional<std::int64_t> next_step(std::int64_t step) const;
    /// Hands the wavefield to those that want it at its step. \param slot of the shot in its batch.
    void take_wavefield(const Propagator& propagator, int slot);
    void take_snapshot(double time_s, std::span<const float> values);
    /// Writes down what outputs have taken up to a step, and at which steps.
    void keep(KeptValues& values, std::int64_t step) const;
    /// Whether all have taken wavefields at the steps up to `step` at which they want them now. \param values of
    /// keep(), which those of an output that is no longer there may be among. \throws Error(bad_data).
    [[nodiscard]] bool can_take_back(KeptValues values, std::int64_t step) const;
    void take_back(KeptValues& values);
    /// How many wavefields outputs want up to a step.
    [[nodiscard]] std::int64_t wavefields_until(std::int64_t step) const;
    /// The values of a snapshot, of a format that has them; empty where none has.
    [[nodiscard]] std::vector<float> snapshot(std::int64_t i) const;
    [[nodiscard]] std::vector<WantedPart> wanted_parts() const;
    void take_parts(const std::vector<FileRecord>& files);
    void take_values(std::string_view name, std::span<const float> values);
    void take_images(ShotImages& images);
    void take_product(ShotProduct& product);
    void take_gather(ShotGather& gather);

private:
    friend class ShotFiles;
    struct Entry {
        const OutputFormat* format;
        std::unique_ptr<ShotOutput> output;
    };
    std::vector<Entry> entries_;
};

/// How closely the files of shots are looked at.
enum class LookAt {
    sizes,     ///< which costs next to nothing
    contents,  ///< all that their hashes cover (record_of())
};

/// The files of shots in one folder. They hold nothing but what the shots follow from, so that the same shot gives the
/// same bytes whenever and wherever it is computed, but for snapshots in parts, of which there are as many as cuts
/// make.
class ShotFiles {
public:
    /// \param outputs outlives it.
    ShotFiles(const RunOutputs& outputs, std::filesystem::path folder, Provenance provenance);

    /// Begins the outputs of a shot. \param index in the survey. \param parts of its snapshots, of snapshot_parts().
    /// \throws Error.
    [[nodiscard]] ShotOutputs begin(const Shot& shot, std::size_t index,
                                    std::span<const SnapshotPart> parts = {}) const;
    /// Gives the files of a shot their names. \returns ShotRecord::files. \throws Error(io_error); Interrupted.
    [[nodiscard]] std::vector<FileRecord> finish(ShotOutputs& shot) const;

    /// What is wrong with the files of a record and those of parts that they join: "00002.snapshots.h5 is damaged: …";
    /// nothing if they are there and are as the record tells. \throws Error(io_error) where a file cannot be read.
    [[nodiscard]] std::optional<std::string> fault_of(const ShotRecord& record, LookAt look) const;

private:
    const RunOutputs& outputs_;
    std::filesystem::path folder_;
    Provenance provenance_;
};

}  // namespace onda
