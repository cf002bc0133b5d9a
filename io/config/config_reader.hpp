/// \file
/// The way from a document to a Config, driven by the rows of the table.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "io/config/config_faults.hpp"
#include "io/config/config_table.hpp"
#include "io/config/strict_yaml.hpp"

namespace onda {

/// The knowledge of the reader besides the values: where each was written, and which are already faulty.
struct Reading {
    FaultList faults;
    std::filesystem::path folder;                ///< input files are relative to it
    std::map<std::string, SourcePlace> keys;     ///< path of a parameter -> its key (list items: the item)
    std::map<std::string, SourcePlace> values;   ///< path of a parameter -> its value
    std::map<std::string, std::string> written;  ///< path of a parameter -> its value as written, for messages
    std::map<std::string, std::string> alias;    ///< path of a parameter -> the other name under which it was written
    std::set<std::string> faulty;

    [[nodiscard]] bool given(const std::string& path) const { return values.count(path) != 0; }
    /// Whether a parameter, given or defaulted, is of the right type and range.
    [[nodiscard]] bool sound(const std::string& path) const { return faulty.count(path) == 0; }
    /// The name of a parameter in messages: the one that was written.
    [[nodiscard]] std::string named(const std::string& path) const;
    /// The place of a parameter, or of the nearest section around it that was written.
    [[nodiscard]] SourcePlace place_of(std::string path) const;
};

/// The value of a node on one line, clipped.
std::string show(const YamlNode& node);

/// Fills `config` from the document's root, recording errors of keys, types, ranges and names.
/// \param vocabulary absent: names are not looked at.
/// \param dimensions of the model's file, which decides where grid.shape is not given; 0: not known.
void read_rows(Config& config, const YamlNode& root, const Vocabulary* vocabulary, int dimensions, Reading& reading);
/// Records errors of keys of which one must be given where another is or is not.
void check_given_together(const Config& config, Reading& reading);

}  // namespace onda
