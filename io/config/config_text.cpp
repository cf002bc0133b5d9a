// The table as text: resolved copy, template, reference.
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

const Parameter* row_named(std::span<const Parameter> rows, std::string_view name) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Parameter& r) { return r.name == name; });
    return row == rows.end() ? nullptr : &*row;
}

// ---- the resolved copy

std::string resolved_rows(void* owner, std::span<const Parameter> rows, int dimensions, std::size_t indent);

/// A list of sections: every item's lines indented, the first marked with '- '.
std::string resolved_list(const Group& group, const Parameter& row, int dimensions, std::size_t indent) {
    std::string text;
    for (std::size_t i = 0; i < group.size(group.owner); ++i) {
        std::string item = resolved_rows(group.at(group.owner, i), row.rows, dimensions, indent + 2);
        item[indent] = '-';
        text += item;
    }
    return text;
}

/// Empty if there is nothing to write.
std::string resolved_group(const Group& group, const Parameter& row, int dimensions, std::size_t indent) {
    if (group.size(group.owner) == 0) return "";
    std::string body;
    if (group.kind == Group::Kind::list)
        body = resolved_list(group, row, dimensions, indent + 2);
    else
        body = resolved_rows(group.at(group.owner, 0), row.rows, dimensions, indent + 2);
    return body.empty() ? "" : spaces(indent) + std::string(row.name) + ":\n" + body;
}

/// Whether a row is written: not where the reader would refuse it.
bool is_resolved(void* owner, std::span<const Parameter> rows, const Parameter& row, int dimensions) {
    if (!applies(row, rows, owner) || (row.only_3d && dimensions == 2)) return false;
    const Parameter* rival = row.excludes.empty() ? nullptr : row_named(rows, row.excludes);
    return rival == nullptr || !value_text(rival->slot(owner)).has_value();
}

std::string resolved_rows(void* owner, std::span<const Parameter> rows, int dimensions, std::size_t indent) {
    std::string text;
    for (const Parameter& row : rows) {
        if (!is_resolved(owner, rows, row, dimensions)) continue;
        const Slot slot = row.slot(owner);
        if (is_group(slot))
            text += resolved_group(std::get<Group>(slot), row, dimensions, indent);
        else if (const auto value = value_text(slot))
            text += spaces(indent) + std::string(row.name) + ": " + *value + "\n";
    }
    return text;
}

void list_resolved_rows(void* owner, std::span<const Parameter> rows, int dimensions, const std::string& prefix,
                        std::vector<ResolvedParameter>& list) {
    for (const Parameter& row : rows) {
        if (!is_resolved(owner, rows, row, dimensions)) continue;
        const std::string path = prefix + std::string(row.name);
        const Slot slot = row.slot(owner);
        if (const auto* group = std::get_if<Group>(&slot)) {
            for (std::size_t i = 0; i < group->size(group->owner); ++i) {
                const std::string index = group->kind == Group::Kind::list ? "[" + std::to_string(i) + "]" : "";
                list_resolved_rows(group->at(group->owner, i), row.rows, dimensions, path + index + ".", list);
            }
        } else if (const auto value = value_text(slot)) {
            list.push_back({path, *value, row.input_file ? *std::get<std::filesystem::path*>(slot) : ""});
        }
    }
}

// ---- the template

constexpr std::size_t kHelpColumn = 34, kWidth = 118;

/// "[m] distance of … (type x, y; default 1)": the comment after a key.
std::string comment_of(const Parameter& row, void* owner, const Vocabulary& vocabulary) {
    std::string text = row.unit.empty() ? "" : "[" + std::string(row.unit) + "] ";
    text += row.help;
    const auto values = allowed_values(vocabulary, row.values);
    for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? ": " : " | ") + values[i].name;
    std::string notes;
    if (!row.when.key.empty()) {
        for (const auto word : split_words(row.when.values)) notes += (notes.empty() ? "" : ", ") + std::string(word);
        notes = std::string(row.when.key) + " " + notes;
    }
    const auto value = value_text(row.slot(owner));
    if (!row.required && !row.in_template && value) notes += notes.empty() ? "the default" : "; the default";
    return notes.empty() ? text : text + " (" + notes + ")";
}

/// A key with its comment, which is wrapped in a column of its own.
std::string with_comment(std::string line, const std::string& comment) {
    std::string text;
    if (line.size() >= kHelpColumn) {
        text = line + "\n";
        line.clear();
    }
    line += spaces(kHelpColumn - line.size()) + "  #";
    for (const auto word : split_words(comment)) {
        if (line.size() + 1 + word.size() > kWidth) {
            text += line + "\n";
            line = spaces(kHelpColumn) + "  #";
        }
        line += " " + std::string(word);
    }
    return text + line + "\n";
}

std::string template_line(const Parameter& row, void* owner, const Vocabulary& vocabulary, std::size_t indent) {
    const auto fallback = value_text(row.slot(owner));
    const std::string value = row.example.empty() ? fallback.value_or("") : std::string(row.example);
    const std::string line = spaces(indent) + (row.in_template ? "" : "# ") + std::string(row.name) + ": " + value;
    return with_comment(line, comment_of(row, owner, vocabulary));
}

std::string template_rows(void* owner, std::span<const Parameter> rows, const Vocabulary& vocabulary,
                          std::size_t indent);

/// A section, or the one example item of a list.
std::string template_group(const Group& group, const Parameter& row, const Vocabulary& vocabulary, std::size_t indent) {
    const bool list = group.kind == Group::Kind::list;
    const std::string head = spaces(indent) + std::string(row.name) + ":";
    std::string body = template_rows(group.append(group.owner), row.rows, vocabulary, indent + (list ? 4 : 2));
    if (list) body[indent + 2] = '-';
    const std::string help(row.help);
    return (indent == 0 ? "\n# " + help + "\n" + head + "\n" : with_comment(head, help)) + body;
}

std::string template_rows(void* owner, std::span<const Parameter> rows, const Vocabulary& vocabulary,
                          std::size_t indent) {
    std::string text;
    for (const Parameter& row : rows) {
        const Slot slot = row.slot(owner);
        const auto* group = std::get_if<Group>(&slot);
        if (group == nullptr || !row.example.empty())
            text += template_line(row, owner, vocabulary, indent);
        else if (group->kind != Group::Kind::optional_section)
            text += template_group(*group, row, vocabulary, indent);
    }
    return text;
}

// ---- the reference

std::string default_text(const Parameter& row, const Slot& slot) {
    if (!row.or_else.empty()) return "required, or `" + std::string(row.or_else) + "`";
    if (row.of_model_file) return "required, but for a model file, whose own it is then";
    if (row.required) return "required";
    const auto value = value_text(slot);
    return value ? "`" + *value + "`" : "";
}

std::string escaped(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
}

std::string meaning_of(const Parameter& row, const Vocabulary& vocabulary) {
    std::string text(row.help);
    const auto values = allowed_values(vocabulary, row.values);
    for (std::size_t i = 0; i < values.size(); ++i)
        text += (i == 0 ? ": `" : ", `") + values[i].name + "`" +
                (values[i].help.empty() ? "" : " (" + values[i].help + ")");
    if (!row.aliases.empty()) text += ". Also called `" + std::string(row.aliases) + "`";
    if (!row.excludes.empty()) text += ". Not together with `" + std::string(row.excludes) + "`";
    if (row.only_3d) text += ". 3-D only";
    if (!row.when.key.empty()) {
        text += ". With " + std::string(row.when.key);
        const auto words = split_words(row.when.values);
        for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? " `" : ", `") + std::string(words[i]) + "`";
    }
    return escaped(text);
}

std::string sentence(std::string_view help) {
    std::string text(help);
    if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text + ".";
}

std::string reference_line(const Parameter& row, const Slot& slot, const Vocabulary& vocabulary) {
    const std::string range = describe_range(row.range);
    return "| `" + std::string(row.name) + "` | " + describe_type(row, slot) + (range.empty() ? "" : ", " + range) +
           " | " + std::string(row.unit) + " | " + default_text(row, slot) + " | " + meaning_of(row, vocabulary) +
           " |\n";
}

/// A table for the struct, then one for each section in it.
std::string reference_rows(void* owner, std::span<const Parameter> rows, const Vocabulary& vocabulary,
                           const std::string& path, const std::string& help) {
    std::string text = "## " + (path.empty() ? std::string("Top level") : "`" + path + "`") + "\n\n" + help +
                       "\n\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
    std::string sections;
    for (const Parameter& row : rows) {
        const Slot slot = row.slot(owner);
        text += reference_line(row, slot, vocabulary);
        if (!is_group(slot)) continue;
        const auto& group = std::get<Group>(slot);
        const std::string here =
            (path.empty() ? "" : path + ".") + std::string(row.name) + (group.kind == Group::Kind::list ? "[]" : "");
        if (group.kind == Group::Kind::optional_section) continue;  // the same rows as a section elsewhere
        sections += "\n" + reference_rows(group.append(group.owner), row.rows, vocabulary, here, sentence(row.help));
    }
    return text + sections;
}

}  // namespace

std::vector<ResolvedParameter> resolved_parameters(const Config& config) {
    Config copy = config;
    std::vector<ResolvedParameter> list;
    list_resolved_rows(&copy, config_rows(), config.grid.dimensions(), "", list);
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
            text += resolved_group(std::get<Group>(slot), row, config.grid.dimensions(), 0);
        else if (const auto value = value_text(slot))
            text += std::string(row.name) + ": " + *value + "\n";
    }
    return text;
}

std::string config_template(const Vocabulary& vocabulary, bool names_schema) {
    Config defaults;
    const std::string schema = kSchemaName;
    const std::string first = names_schema ? "# yaml-language-server: $schema=" + schema + "\n" : "";
    const std::string help =
        names_schema ? "# " + schema + " beside this file gives editors completion and help.\n"
                     : "# `onda init -o FILE` writes it to a file, with a schema that gives editors help.\n";
    return first +
           "# A first run: a shot in a 2-D section of three layers. Takes a few seconds.\n"
           "# Lines that begin with '#' show what else there is. All keys: docs/config.md.\n" +
           help + "# `onda check FILE` says whether it can run, and what it will cost; `onda run FILE` runs it.\n" +
           template_rows(&defaults, config_rows(), vocabulary, 0);
}

std::string config_reference_markdown(const Vocabulary& vocabulary) {
    Config defaults;
    return "# Configuration\n\n"
           "Made by `onda schema --docs` from the table of parameters; do not edit.\n\n"
           "A configuration is one YAML document. It is read strictly: unknown or repeated keys, wrong types, units or "
           "ranges, tabs, anchors, tags, block text and text the parser would drop are errors, all reported at once "
           "with "
           "line and column. Numbers are plain decimals without a unit (`12.5`, `-3`, `2.5e-3`); each key's name ends "
           "in "
           "its unit. Booleans are `true` and `false`.\n\n"
           "Positions are (x, y, z) in a 3-D run and (x, z) in a 2-D run, in metres, z positive down. Files are "
           "relative "
           "to the folder of the configuration; one whose bytes are no UTF-8 is written as a URI, "
           "`file:/data/%ff/vp.h5`."
           "\n\n"
           "`--set key=value` overrides a parameter on the command line: `--set time.duration_s=2`, `--set "
           "sources[0].position_m=[800,20]`; `--set key=null` removes it.\n\n" +
           reference_rows(&defaults, config_rows(), vocabulary, "", "The sections of a configuration.");
}

}  // namespace onda
