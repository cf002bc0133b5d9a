// The table as YAML: the value of every parameter.
#include <algorithm>

#include "io/config/config_table.hpp"

namespace onda {
namespace {

std::string spaces(std::size_t count) {
    return std::string(count, ' ');
}

bool is_group(const Slot& slot) {
    return std::holds_alternative<Group>(slot);
}

std::string resolved_rows(void* owner, std::span<const Parameter> rows, const Config& config, std::size_t indent);

/// A list of sections: every item's lines indented, the first marked with '- '.
std::string resolved_list(const Group& group, const Parameter& row, const Config& config, std::size_t indent) {
    std::string text;
    for (std::size_t i = 0; i < group.size(group.owner); ++i) {
        std::string item = resolved_rows(group.at(group.owner, i), row.rows, config, indent + 2);
        item[indent] = '-';
        text += item;
    }
    return text;
}

/// The text of a group of parameters; empty if there is nothing to write.
std::string resolved_group(const Group& group, const Parameter& row, const Config& config, std::size_t indent) {
    if (group.size(group.owner) == 0) return "";
    std::string body;
    if (group.kind == Group::Kind::list)
        body = resolved_list(group, row, config, indent + 2);
    else
        body = resolved_rows(group.at(group.owner, 0), row.rows, config, indent + 2);
    return body.empty() ? "" : spaces(indent) + std::string(row.name) + ":\n" + body;
}

std::string resolved_rows(void* owner, std::span<const Parameter> rows, const Config& config, std::size_t indent) {
    std::string text;
    for (const Parameter& row : rows) {
        if (!is_resolved(owner, rows, row, config)) continue;
        const Slot slot = row.slot(owner);
        if (is_group(slot))
            text += resolved_group(std::get<Group>(slot), row, config, indent);
        else if (const auto value = value_text(slot))
            text += spaces(indent) + std::string(row.name) + ": " + *value + "\n";
    }
    return text;
}

/// The one path that a slot has.
std::filesystem::path input_file_of(const Slot& slot) {
    if (const auto* files = std::get_if<std::vector<std::filesystem::path>*>(&slot)) return (*files)->front();
    return *std::get<std::filesystem::path*>(slot);
}

void list_resolved_rows(void* owner, std::span<const Parameter> rows, const Config& config, const std::string& prefix,
                        std::vector<ResolvedParameter>& list) {
    for (const Parameter& row : rows) {
        if (!is_resolved(owner, rows, row, config)) continue;
        const std::string path = prefix + std::string(row.name);
        const Slot slot = row.slot(owner);
        if (const auto* group = std::get_if<Group>(&slot)) {
            for (std::size_t i = 0; i < group->size(group->owner); ++i) {
                const std::string index = group->kind == Group::Kind::list ? "[" + std::to_string(i) + "]" : "";
                list_resolved_rows(group->at(group->owner, i), row.rows, config, path + index + ".", list);
            }
        } else if (const auto* files = std::get_if<std::vector<std::filesystem::path>*>(&slot);
                   files != nullptr && (*files)->size() > 1) {
            for (std::size_t i = 0; i < (*files)->size(); ++i) {
                std::filesystem::path file = (**files)[i];
                list.push_back({path + "[" + std::to_string(i) + "]", *value_text(&file), file});
            }
        } else if (const auto value = value_text(slot)) {
            list.push_back({path, *value, row.input_file ? input_file_of(slot) : ""});
        }
    }
}

void list_without_effect(void* owner, std::span<const Parameter> rows, const std::string& prefix, const Config& config,
                         std::vector<std::string>& lines) {
    for (const Parameter& row : rows) {
        const std::string path = prefix + std::string(row.name);
        const Slot slot = row.slot(owner);
        if (const auto* group = std::get_if<Group>(&slot); group != nullptr && group->kind == Group::Kind::section)
            list_without_effect(group->owner, row.rows, path + ".", config, lines);
        const auto given = config.origin.conditional.find(path);
        if (row.needs == nullptr || given == config.origin.conditional.end() || row.needs->holds(config)) continue;
        lines.push_back(path + " = " + given->second + " has no effect: " + std::string(row.needs->lack));
    }
}

}  // namespace

std::vector<std::string> keys_without_effect(const Config& config) {
    Config copy = config;
    std::vector<std::string> lines;
    list_without_effect(&copy, config_rows(), "", config, lines);
    return lines;
}

std::vector<ResolvedParameter> resolved_parameters(const Config& config) {
    Config copy = config;
    std::vector<ResolvedParameter> list;
    list_resolved_rows(&copy, config_rows(), config, "", list);
    return list;
}

std::string resolved_yaml(const Config& config) {
    Config copy = config;
    std::string text;
    for (const Parameter& row : config_rows()) {
        // A section that is still as it was made, and could not be read so, was not given: each source has a wavelet.
        if (row.name == "wavelet" && copy.wavelet == WaveletConfig{}) continue;
        const Slot slot = row.slot(&copy);
        if (is_group(slot))
            text += resolved_group(std::get<Group>(slot), row, config, 0);
        else if (const auto value = value_text(slot))
            text += std::string(row.name) + ": " + *value + "\n";
    }
    return text;
}

}  // namespace onda
