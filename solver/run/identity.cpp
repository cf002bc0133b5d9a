#include "solver/run/identity.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <spdlog/fmt/fmt.h>

#include "io/files/file_by_shot.hpp"
#include "io/files/input_file.hpp"
#include "io/models/field_geometry.hpp"
#include "io/results/recorded_data.hpp"
#include "io/text/printable.hpp"
#include "solver/program/hash.hpp"

namespace onda {
namespace {

/// Whether a parameter changes no bit of any shot. A model's file is known by the model that was made of it. Fields
/// that are rebuilt differ by rounding; how else they are kept, and where, does not matter.
bool is_no_part(const std::string& path, const std::string& value, bool compares) {
    constexpr std::array<std::string_view, 7> whole{
        "title",        "schema_version",      "output.directory",  "model.file",
        "imaging.ring", "imaging.ring_folder", "imaging.memory_gib"};
    if (path.starts_with("imaging.lsrtm") || path.starts_with("inversion")) return true;  // no pass depends on them
    if (path == "imaging.storage") return value != "ring" || !compares;
    return path.starts_with("backend.") || path.starts_with("checkpoint.") ||
           (path.starts_with("imaging") && !compares) || std::ranges::find(whole, path) != whole.end();
}

std::string hash_of_file(const std::filesystem::path& path) {
    std::ifstream file = open_input_file(path);
    Fingerprint hash;
    std::string piece(1 << 20, '\0');
    while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
        hash.add_bytes(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount())));
    return hash.hex();
}

/// Of the files of all shots where a name stands for these.
std::string hash_of_files(const std::filesystem::path& path) {
    if (!is_by_shot(path)) return hash_of_file(path);
    Fingerprint hash;
    for (const auto& [shot, file] : files_by_shot(path))
        hash.add_bytes(fmt::format("{} {}\n", shot, hash_of_file(file)));
    return hash.hex();
}

std::string value_in(const Identity& identity, const std::string& name) {
    const auto entry = identity.find(name);
    return entry == identity.end() ? "not given" : printable(entry->second);
}

}  // namespace

Identity identity_of(const Config& config, const std::string& version, const std::string& model_hash,
                     const std::string& kernel, std::string_view task) {
    Identity identity{{"Onda", version}, {"model", model_hash}};
    if (!task.empty()) identity["task"] = task;
    for (const ResolvedParameter& parameter : resolved_parameters(config)) {
        if (is_no_part(parameter.path, parameter.value, !task.empty())) continue;
        identity[parameter.path] = parameter.file.empty() ? parameter.value : "hash " + hash_of_files(parameter.file);
        if (is_field_geometry(parameter.file))
            for (const std::filesystem::path& file : files_of_geometry(parameter.file))
                if (file != parameter.file)
                    identity[parameter.path + ", " + printable(file.extension().string())] =
                        "hash " + hash_of_file(file);
        if (is_trace_array(parameter.file))
            identity[parameter.path + ", table of traces"] = "hash " + hash_of_file(table_of_array(parameter.file));
    }
    // These kernels sum in an order of their own; all others give the same bits.
    if (kernel.starts_with("thesis-")) identity["backend.kernel"] = kernel;
    return identity;
}

std::string text_of(const Identity& identity) {
    std::string text;
    for (const auto& [name, value] : identity) text += name + ": " + value + '\n';
    return text;
}

std::string hash_of(const Identity& identity) {
    return hash_of(text_of(identity));
}

namespace {

/// Without what changes nothing before a record ends. Other tasks have adjoint fields, which begin at its end.
Identity identity_of_steps(Identity identity) {
    if (identity.contains("task")) return identity;
    for (const char* name : {kDurationKey, kPicturesKey, kReportKey}) identity.erase(name);
    return identity;
}

}  // namespace

std::string hash_of_steps(const Identity& identity) {
    return hash_of(identity_of_steps(identity));
}

bool is_longer_record(const Identity& before, const Identity& longer) {
    if (before.contains("task") || identity_of_steps(before) != identity_of_steps(longer)) return false;
    for (const char* name : {kPicturesKey, kReportKey})
        if (value_in(before, name) != value_in(longer, name) && value_in(longer, name) != "false") return false;
    const auto duration_s = [](const Identity& identity) {
        return std::strtod(value_in(identity, kDurationKey).c_str(), nullptr);
    };
    return duration_s(longer) > duration_s(before);
}

std::string differences(const Identity& there, const Identity& here) {
    Identity all = there;
    all.insert(here.begin(), here.end());
    std::string text;
    for (const auto& [name, value] : all)
        if (const std::string before = value_in(there, name), now = value_in(here, name); before != now)
            text += fmt::format("{}  {}: {} there, {} now", text.empty() ? "" : "\n", printable(name), before, now);
    return text;
}

}  // namespace onda
