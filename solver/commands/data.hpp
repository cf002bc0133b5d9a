/// \file
/// What the subcommands of `onda data` share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/pictures/picture.hpp"
#include "io/results/recorded_data.hpp"
#include "io/results/trace_bytes.hpp"
#include "solver/commands/commands.hpp"
#include "solver/data/recorded_facts.hpp"

namespace onda::data {

/// FILE...: SEG-Y, SU or seismograms.h5, or the folder of a run; --bytes: where trace headers have their fields.
struct Input {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> bytes;  ///< "source_x=201"
};
void add_input(CLI::App& command, Input& input);
void add_bytes(CLI::App& command, std::vector<std::string>& bytes);
/// \param given as --bytes has them. \param standard the bytes of fields that it does not name. \throws Error(usage)
/// for what is no field.
TraceBytes bytes_of(const std::vector<std::string>& given, const TraceBytes& standard = {});
/// Opens the files; the folder of a run stands for its seismograms.h5. \throws Error(missing_input | bad_data).
RecordedData open(const Input& input, const TraceBytes& bytes);

/// Traces as a message lists them, neighbours as a range: "3, 7 to 12", of several files or of a seismograms.h5 by
/// their names. \param most ranges; how many traces more there are is told.
std::string listed(const RecordedData& data, const std::vector<std::size_t>& traces, std::size_t most);
/// Numbers likewise.
std::string ranges_text(const std::vector<std::int64_t>& numbers, std::size_t most);
/// The files with what they hold.
nlohmann::ordered_json files_json(const RecordedData& data);
/// Traces as JSON has them: numbers from 1 through all files.
nlohmann::ordered_json traces_json(const std::vector<std::size_t>& traces);

/// A picture, and the values that it refers to.
struct Drawn {
    Picture picture;
    GatherPanel gather;
    std::vector<float> fold;
};
/// Map, fold, spectrum and the gather of a shot. \param shot its number; absent: that in the middle.
/// \throws Error(usage) for a shot that is not there.
Drawn draw(const RecordedData& data, const RecordedFacts& facts, std::optional<std::int64_t> shot);

Command add_check(CLI::App& data);

}  // namespace onda::data
