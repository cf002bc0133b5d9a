// What runs leave, byte for byte, where their names are all that may differ.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/program/program.hpp"

using Contents = std::map<std::string, std::string>;

/// Without the checksums of what HDF5 files hold of attributes, the name of the run among them.
inline std::string without_checksums(std::string file) {
    constexpr std::size_t before = 18, checksum = 4;
    for (std::size_t at = 0; (at = file.find("FHDB", at)) != std::string::npos; ++at)
        if (at + before + checksum < file.size()) file.replace(at + before, checksum, "----");
    return file;
}

/// The text without a part of it that names the run.
inline std::string without(std::string text, const std::string& part) {
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.replace(at, part.size(), "-");
    return text;
}

/// What a complete run has left, byte for byte, but for the log and what names the run.
inline Contents results_in(const std::filesystem::path& out) {
    const auto summary = nlohmann::json::parse(text_of(out / "summary.json"));
    Contents contents{{"hashes", summary["hashes"].dump()},
                      {"largest", summary["largest_observed_pressure_pa"].dump()}};
    for (const auto& entry : std::filesystem::directory_iterator(out))
        if (const std::string name = entry.path().filename(); name != "onda.log" && name != "summary.json")
            contents[name] =
                without_checksums(without(without(text_of(entry.path()), summary["run_id"]), summary["started_utc"]));
    return contents;
}
