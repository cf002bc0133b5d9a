#include "solver/outputs/output.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>

#include "io/results/result_file.hpp"

namespace onda {

const StepSet& ShotOutput::steps() const {
    static const StepSet none;
    return none;
}

void ShotOutput::take_wavefield(const Propagator& /*propagator*/, int /*slot*/) {}
void ShotOutput::take_snapshot(double /*time_s*/, std::span<const float> /*values*/) {}

std::vector<WantedPart> ShotOutput::wanted_parts() const {
    return {};
}

void ShotOutput::take_parts(std::vector<FileRecord> /*files*/) {}
void ShotOutput::keep(KeptValues& /*values*/) const {}
void ShotOutput::take_back(KeptValues& /*values*/) {}
std::vector<float> ShotOutput::snapshot(std::int64_t /*i*/) const {
    return {};
}
void ShotOutput::take_values(std::string_view /*name*/, std::span<const float> /*values*/) {}
void ShotOutput::take_images(ShotImages& /*images*/) {}
void ShotOutput::take_product(ShotProduct& /*product*/) {}
void ShotOutput::take_gather(ShotGather& /*gather*/) {}

std::optional<AtomicFile> ShotOutput::finish() {
    return {};
}

void RunOutput::expect(const std::function<bool(std::size_t)>& /*may_begin*/) {}

std::vector<AtomicFile> RunOutput::tell(const FinishedSurvey& /*survey*/, const std::string& /*summary*/) const {
    return {};
}

std::int64_t linked_file_bytes() {
    constexpr std::int64_t link = 100, parameters = 2500;
    return result_file_bytes(parameters) + link;
}

std::string kept_name(const FileRecord& file) {
    return std::string(kShotsName) + "/" + file.name;
}

AtomicFile FinishedSurvey::second_name(const OutputFormat& format, std::string_view name) const {
    return AtomicFile::of(folder / file_of(shots.front(), format).name, results / name, overwrite);
}

std::string shot_file_name(const OutputFormat& format, std::int64_t shot) {
    return fmt::format("{:05}.{}", shot, format.shot_file);
}

bool is_shot_file_name(std::string_view name) {
    const std::size_t digits = name.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || name[digits] != '.') return false;
    const std::string_view rest = name.substr(digits + 1);
    return std::ranges::any_of(output_formats(), [rest](const OutputFormat* format) {
        return format->has_shot_files() &&
               (rest == format->shot_file || (format->parts != nullptr && is_part_file_name(rest, format->shot_file)));
    });
}

std::vector<FileRecord> parts_of_file(const OutputFormat& format, const std::filesystem::path& shot_file) {
    if (format.parts == nullptr) return {};
    try {
        return format.parts(shot_file);
    } catch (const Error&) {
        return {};
    }
}

const FileRecord& file_of(const ShotRecord& shot, const OutputFormat& format) {
    std::size_t file = 0;
    for (const OutputFormat* each : output_formats()) {
        if (each == &format) break;
        file += each->has_shot_files() ? 1 : 0;
    }
    return shot.files.at(file);
}

}  // namespace onda
