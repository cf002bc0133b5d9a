#include "solver/outputs/shot_files.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/files/plain_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "solver/plan/experiment.hpp"

namespace onda {
namespace {

constexpr std::int64_t kMostCopied = 100;            // shots
constexpr std::int64_t kMostCopiedBytes = 64 << 20;  // of all shots together

/// Host, versions and command line are of about this size, whatever they are; a shot's own file does not tell them.
constexpr std::int64_t kCircumstances = 1000, kOtherProvenance = 1000;

std::int64_t config_bytes(const Config& config) {
    return static_cast<std::int64_t>(config.origin.text.size() + resolved_yaml(config).size());
}

}  // namespace

RunOutputs::RunOutputs(const Experiment& experiment, const Model& model) {
    for (const OutputFormat* format : output_formats())
        if (format->is_wanted(experiment)) entries_.push_back({format, format->make(experiment, model)});
}

void RunOutputs::expect(const std::function<bool(std::size_t)>& may_begin) const {
    for (const Entry& entry : entries_) entry.output->expect(may_begin);
}

std::vector<AtomicFile> RunOutputs::assemble(const FinishedSurvey& survey) const {
    std::vector<AtomicFile> files;
    for (const Entry& entry : entries_) {
        throw_if_interrupted();
        for (AtomicFile& file : entry.output->assemble(survey)) files.push_back(std::move(file));
    }
    return files;
}

std::vector<AtomicFile> RunOutputs::tell(const FinishedSurvey& survey, const std::string& summary) const {
    std::vector<AtomicFile> files;
    for (const Entry& entry : entries_)
        for (AtomicFile& file : entry.output->tell(survey, summary)) files.push_back(std::move(file));
    return files;
}

std::int64_t bytes_of_survey_files(const Experiment& experiment, const Placement& placement) {
    const std::int64_t provenance = config_bytes(experiment.config) + kCircumstances + kOtherProvenance;
    std::int64_t bytes = 0;
    for (const OutputFormat* format : output_formats())
        if (format->is_wanted(experiment))
            bytes = saturating_sum(bytes, format->predicted_bytes(experiment, placement, provenance));
    return bytes;
}

std::int64_t bytes_of_shots_alone(const Experiment& experiment) {
    std::int64_t bytes = 0;
    for (const OutputFormat* format : output_formats())
        if (format->shot_bytes != nullptr && format->is_wanted(experiment))
            bytes = saturating_sum(bytes, format->shot_bytes(experiment));
    return bytes;
}

bool keeps_shot_files(const Experiment& experiment, const Placement& placement) {
    if (gives_sums_alone(experiment)) return false;
    const std::int64_t shots = std::ssize(experiment.survey.shots);
    return shots > kMostCopied || (shots > 1 && saturating_sum(bytes_of_survey_files(experiment, placement),
                                                               bytes_of_shots_alone(experiment)) > kMostCopiedBytes);
}

Assembly assembly_of(const Experiment& experiment, const Placement& placement) {
    if (keeps_shot_files(experiment, placement)) return Assembly::links;
    return experiment.survey.shots.size() == 1 ? Assembly::only_shot : Assembly::copies;
}

std::optional<std::int64_t> ShotOutputs::next_step(std::int64_t step) const {
    std::optional<std::int64_t> first;
    for (const Entry& entry : entries_)
        if (const auto next = entry.output->steps().after(step); next && (!first || *next < *first)) first = next;
    return first;
}

void ShotOutputs::take_wavefield(const Propagator& propagator, int slot) {
    for (const Entry& entry : entries_)
        if (entry.output->steps().contains(propagator.step())) entry.output->take_wavefield(propagator, slot);
}

void ShotOutputs::take_snapshot(double time_s, std::span<const float> values) {
    for (const Entry& entry : entries_) entry.output->take_snapshot(time_s, values);
}

namespace {

std::vector<std::int64_t> steps_until(const ShotOutput& output, std::int64_t last) {
    std::vector<std::int64_t> steps;
    const StepSet& all = output.steps();
    for (auto step = all.after(-1); step && *step <= last; step = all.after(*step)) steps.push_back(*step);
    return steps;
}

/// What an output has kept: the place of its format among all, the steps at which it took wavefields, and its values.
struct KeptOutput {
    std::int64_t format = -1;  ///< after the last
    std::vector<std::int64_t> steps{};
    std::string values{};
};

std::int64_t place_of(const OutputFormat* format) {
    return std::ranges::find(output_formats(), format) - output_formats().begin();
}

void put_output(const KeptOutput& kept, KeptValues& values) {
    values.put(std::vector<std::int64_t>{kept.format});
    if (kept.format < 0) return;
    values.put(kept.steps);
    values.put(std::vector<char>(kept.values.begin(), kept.values.end()));
}

std::vector<KeptOutput> kept_outputs(KeptValues& values) {
    std::vector<KeptOutput> all;
    for (;;) {
        const auto format = values.get<std::int64_t>();
        if (format.size() != 1 || format.front() < 0) return all;
        KeptOutput& kept = all.emplace_back(KeptOutput{format.front()});
        kept.steps = values.get<std::int64_t>();
        const auto bytes = values.get<char>();
        kept.values.assign(bytes.begin(), bytes.end());
    }
}

}  // namespace

void ShotOutputs::keep(KeptValues& values, std::int64_t step) const {
    for (const Entry& entry : entries_) {
        KeptValues own;
        entry.output->keep(own);
        if (!own.bytes().empty())
            put_output({place_of(entry.format), steps_until(*entry.output, step), own.bytes()}, values);
    }
    put_output({}, values);
}

bool ShotOutputs::can_take_back(KeptValues values, std::int64_t step) const {
    const std::vector<KeptOutput> all = kept_outputs(values);
    return std::ranges::all_of(entries_, [&](const Entry& entry) {
        const auto kept = std::ranges::find(all, place_of(entry.format), &KeptOutput::format);
        return steps_until(*entry.output, step) == (kept == all.end() ? std::vector<std::int64_t>{} : kept->steps);
    });
}

void ShotOutputs::take_back(KeptValues& values) {
    for (const KeptOutput& kept : kept_outputs(values))
        for (const Entry& entry : entries_)
            if (place_of(entry.format) == kept.format) {
                KeptValues own(kept.values);
                entry.output->take_back(own);
            }
}

std::int64_t ShotOutputs::wavefields_until(std::int64_t step) const {
    std::int64_t wavefields = 0;
    for (const Entry& entry : entries_) wavefields += std::ssize(steps_until(*entry.output, step));
    return wavefields;
}

std::vector<float> ShotOutputs::snapshot(std::int64_t i) const {
    for (const Entry& entry : entries_)
        if (std::vector<float> values = entry.output->snapshot(i); !values.empty()) return values;
    return {};
}

std::vector<WantedPart> ShotOutputs::wanted_parts() const {
    std::vector<WantedPart> parts;
    for (const Entry& entry : entries_)
        for (WantedPart& part : entry.output->wanted_parts()) parts.push_back(std::move(part));
    return parts;
}

void ShotOutputs::take_parts(const std::vector<FileRecord>& files) {
    for (const Entry& entry : entries_) entry.output->take_parts(files);
}

void ShotOutputs::take_values(std::string_view name, std::span<const float> values) {
    for (const Entry& entry : entries_) entry.output->take_values(name, values);
}

void ShotOutputs::take_images(ShotImages& images) {
    for (const Entry& entry : entries_) entry.output->take_images(images);
}

void ShotOutputs::take_product(ShotProduct& product) {
    for (const Entry& entry : entries_) entry.output->take_product(product);
}

void ShotOutputs::take_gather(ShotGather& gather) {
    for (const Entry& entry : entries_) entry.output->take_gather(gather);
}

ShotFiles::ShotFiles(const RunOutputs& outputs, std::filesystem::path folder, Provenance provenance)
    : outputs_(outputs), folder_(std::move(folder)), provenance_(std::move(provenance)) {}

ShotOutputs ShotFiles::begin(const Shot& shot, std::size_t index, std::span<const SnapshotPart> parts) const {
    ShotOutputs begun;
    for (const auto& [format, output] : outputs_.entries()) {
        ShotPlace place{shot, index, folder_, {}, provenance_, parts};
        if (format->has_shot_files()) place.file = folder_ / shot_file_name(*format, shot.id);
        if (auto of_shot = output->begin(place)) begun.entries_.push_back({format, std::move(of_shot)});
    }
    return begun;
}

std::vector<FileRecord> ShotFiles::finish(ShotOutputs& shot) const {
    std::vector<FileRecord> files;
    for (const OutputFormat* format : output_formats()) {
        const auto entry = std::ranges::find(shot.entries_, format, &ShotOutputs::Entry::format);
        std::optional<AtomicFile> file;
        // Pictures and the like have no hash that would prove them.
        std::optional<UnsyncedFiles> none;
        if (!format->has_shot_files()) none.emplace(UnsyncedFiles::kNone);
        if (entry != shot.entries_.end()) file = entry->output->finish();
        if (format->has_shot_files()) files.push_back(file ? give_name(std::move(*file)) : FileRecord{});
    }
    return files;
}

namespace {

std::optional<std::string> fault_of_file(const std::filesystem::path& path, const FileRecord& file, LookAt look) {
    std::error_code absent;
    const std::string name = printable(file.name);
    if (const std::string kind = special_kind(path); !kind.empty()) return name + " is " + kind;
    const std::uintmax_t bytes = std::filesystem::file_size(path, absent);
    if (absent) return name + " is no longer there";
    if (bytes != static_cast<std::uintmax_t>(file.bytes))
        return fmt::format("{} is damaged: it has {} bytes, and had {}", name, bytes, file.bytes);
    if (look == LookAt::sizes) return std::nullopt;
    const std::string hash = record_of(path, file.name).hash;
    if (hash == file.hash) return std::nullopt;
    return fmt::format("{} is damaged: its hash is {}, and was {}", name, hash, file.hash);
}

}  // namespace

std::optional<std::string> ShotFiles::fault_of(const ShotRecord& record, LookAt look) const {
    for (const OutputFormat* format : output_formats()) {
        if (!format->has_shot_files() || file_of(record, *format).name.empty()) continue;
        const FileRecord& file = file_of(record, *format);
        if (auto fault = fault_of_file(folder_ / file.name, file, look)) return fault;
        for (const FileRecord& part : parts_of_file(*format, folder_ / file.name))
            if (auto fault = fault_of_file(folder_ / part.name, part, look)) return fault;
    }
    return std::nullopt;
}

}  // namespace onda
