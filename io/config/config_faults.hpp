/// \file
/// Errors of a configuration, each at its place, reported together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/strict_yaml.hpp"

namespace onda {

/// The place where something was written: source 0 is the file, source i the i-th override.
struct SourcePlace {
    int source = 0;
    TextPlace place;
};

class FaultList {
public:
    /// \param name as the user gave it; \param text and overrides must outlive the list.
    FaultList(std::string name, std::string_view text, std::span<const std::string> overrides)
        : name_(std::move(name)), text_(text), overrides_(overrides) {}

    void add(const SourcePlace& at, std::string message) { faults_.push_back({at, std::move(message), false}); }
    /// Adds an error that says what those at the same place do, and better.
    void add_instead(const SourcePlace& at, std::string message);
    /// Adds an error that is an input file which does not exist.
    void add_missing_file(const SourcePlace& at, std::string message) {
        faults_.push_back({at, std::move(message), true});
    }
    [[nodiscard]] bool empty() const { return faults_.empty(); }
    /// Reports the errors in the order of the text, overrides last.
    /// \throws Error(config), or Error(missing_input) if one of the errors is a missing file.
    [[noreturn]] void raise() const;

private:
    struct Fault {
        SourcePlace at;
        std::string message;
        bool missing_file;
    };
    [[nodiscard]] std::string format(const Fault& fault) const;

    std::string name_;
    std::string_view text_;
    std::span<const std::string> overrides_;
    std::vector<Fault> faults_;
};

}  // namespace onda
