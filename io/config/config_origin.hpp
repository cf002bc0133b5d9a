/// \file
/// The origin of a configuration: where its values were written, which a stage needs to report an error at its place.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace onda {

/// The text that a configuration was read from; empty for one that was made in code.
///
/// Stages take it beside their own section. Keys are dotted paths, such as "model.file" or "sources[2].position_m"; a
/// error is reported at the place of the key, or of the section that would hold it, as read_config does.
struct ConfigOrigin {
    std::filesystem::path file;          ///< as given; input files named in the text are relative to its folder
    std::string text;                    ///< the file as read, byte for byte
    std::vector<std::string> overrides;  ///< `key=value` of --set, in order
    /// The given parameters that have an effect only beside others: path, and value as written.
    std::map<std::string, std::string> conditional = {};
    /// Sections whose values come from others, such as "imaging.band_pass" from "inversion.stages[0].band_pass": errors
    /// name the latter.
    std::map<std::string, std::string> taken_from = {};

    /// Reports `key: message`. \throws Error(config).
    [[noreturn]] void fault(const std::string& key, const std::string& message) const;
    /// Reports `key = value: message`, with the value as it was written, if it was. \throws Error(config).
    [[noreturn]] void value_fault(const std::string& key, const std::string& message) const;

    bool operator==(const ConfigOrigin&) const = default;
};

/// The errors that a stage finds one after the other, reported together in the order of the text.
class StageFaults {
public:
    /// \param origin must outlive the list.
    explicit StageFaults(const ConfigOrigin& origin) : origin_(origin) {}

    /// Adds an error as ConfigOrigin::fault or value_fault reports one; an empty key stands for the whole
    /// configuration.
    void add(std::string key, std::string message);
    void add_of_value(std::string key, std::string message);
    [[nodiscard]] bool empty() const { return faults_.empty(); }
    /// Reports all errors together; there must be one. \throws Error(config).
    [[noreturn]] void raise() const;
    /// Reports all errors together, if there are any. \throws Error(config).
    void raise_if_any() const {
        if (!empty()) raise();
    }

private:
    [[nodiscard]] std::string given_key(const std::string& key) const;

    struct Fault {
        std::string key, message;
        bool with_value;
    };
    const ConfigOrigin& origin_;
    std::vector<Fault> faults_;
};

}  // namespace onda
