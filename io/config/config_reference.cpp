// The table as the reference of all parameters, in Markdown: docs/config.md.
#include <algorithm>

#include "io/config/config_table.hpp"

namespace onda {
namespace {

constexpr std::string_view kIntroduction = R"(# Configuration

Made by `onda schema --docs` from the table of parameters; do not edit.

A configuration is one YAML document. It is read strictly: unknown or repeated keys, wrong types, units or ranges, tabs, anchors, tags, block text and text the parser would drop are errors, all reported at once with line and column. Numbers are plain decimals without a unit (`12.5`, `-3`, `2.5e-3`); each key's name ends in its unit. Booleans are `true` and `false`.

Positions are (x, y, z) in a 3-D run and (x, z) in a 2-D run, in metres, z positive down. Files are relative to the folder of the configuration; one whose bytes are no UTF-8 is written as a URI, `file:/data/%ff/vp.h5`.

`--set key=value` overrides a parameter on the command line: `--set time.duration_s=2`, `--set sources[0].position_m=[800,20]`; `--set key=null` removes it. `onda init` writes a configuration to start from.
)";

std::string code(std::string_view text) {
    return "`" + std::string(text) + "`";
}

/// Texts in a row, each as code.
template <typename Texts>
std::string codes(const Texts& texts) {
    std::string list;
    for (const auto& text : texts) list += (list.empty() ? "" : ", ") + code(text);
    return list;
}

std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
}

std::string sentence(std::string_view help) {
    std::string text(help);
    if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text + ".";
}

/// A section of the configuration with the place of one such in a Config of defaults.
struct Section {
    std::string path;  ///< "model.layers[]"
    const Parameter& row;
    void* owner;
};

/// Where Markdown puts the heading of a section: letters and digits alone.
std::string link_to(const Section& section) {
    std::string anchor;
    for (const char letter : section.path)
        if (std::string_view("[].").find(letter) == std::string_view::npos) anchor += letter;
    return "[" + code(section.path) + "](#" + anchor + ")";
}

/// The sections of a struct and theirs, in the order of the table. An optional one whose rows are those of a section
/// before it is described there.
void list_sections(void* owner, std::span<const Parameter> rows, const std::string& path,
                   std::vector<Section>& sections) {
    for (const Parameter& row : rows) {
        const Slot slot = row.slot(owner);
        const auto* group = std::get_if<Group>(&slot);
        if (group == nullptr) continue;
        const auto has_its_rows = [&row](const Section& section) { return section.row.rows.data() == row.rows.data(); };
        if (group->kind == Group::Kind::optional_section && std::ranges::any_of(sections, has_its_rows)) continue;
        const std::string here = path + std::string(row.name) + (group->kind == Group::Kind::list ? "[]" : "");
        sections.push_back({here, row, group->append(group->owner)});
        list_sections(sections.back().owner, row.rows, here + ".", sections);
    }
}

std::string value_cell(const Parameter& row, const Slot& slot) {
    std::string type = describe_type(row, slot);
    for (const std::string_view article : {"a ", "an "})
        if (type.starts_with(article)) type.erase(0, article.size());
    const std::string range = describe_range(row.range);
    return type + (range.empty() ? "" : ", " + range) +
           (row.unit.empty() ? "" : (range.empty() ? ", " : " ") + std::string(row.unit));
}

std::string default_cell(const Parameter& row, const Slot& slot) {
    if (!row.or_else.empty()) return "required, or " + code(row.or_else);
    if (row.of_model_file) return "required, or that of a model file";
    if (row.required) return "required";
    const auto value = value_text(slot);
    return value ? code(*value) : "";
}

std::string meaning_cell(const Parameter& row) {
    std::string text(row.help);
    if (!row.aliases.empty()) text += "; also called " + codes(split_words(row.aliases));
    if (!row.excludes.empty()) text += "; not together with " + codes(split_words(row.excludes));
    if (row.only_3d) text += "; 3-D only";
    if (row.needs != nullptr) text += "; needs " + std::string(row.needs->what);
    return text;
}

/// The parameter whose value decides which rows of a section apply; empty where all do.
std::string_view deciding_key(std::span<const Parameter> rows) {
    const auto row = std::ranges::find_if(rows, [](const Parameter& r) { return !r.when.key.empty(); });
    return row == rows.end() ? std::string_view() : row->when.key;
}

std::string table_of(const Section& section) {
    const std::string_view key = deciding_key(section.row.rows);
    std::string text = "| key | value | default | " + (key.empty() ? "" : "with " + code(key) + " | ") +
                       "meaning |\n|---|---|---|" + (key.empty() ? "" : "---|") + "---|\n";
    for (const Parameter& row : section.row.rows) {
        const Slot slot = row.slot(section.owner);
        text += "| " + code(row.name) + " | " + value_cell(row, slot) + " | " + default_cell(row, slot) + " | ";
        if (!key.empty()) text += codes(split_words(row.when.values)) + " | ";
        text += cell(meaning_cell(row)) + " |\n";
    }
    return text;
}

/// What names mean, once for all rows that take the same ones.
std::string names_of(const Section& section, const Vocabulary& vocabulary) {
    std::string text;
    const auto& rows = section.row.rows;
    for (auto row = rows.begin(); row != rows.end(); ++row) {
        const auto takes_the_same = [&](const Parameter& other) { return other.values == row->values; };
        const auto names = allowed_values(vocabulary, row->values);
        if (names.empty() || std::find_if(rows.begin(), row, takes_the_same) != row) continue;
        std::vector<std::string_view> keys;
        for (const Parameter& other : rows)
            if (takes_the_same(other)) keys.push_back(other.name);
        text += "\n| " + codes(keys) + " | |\n|---|---|\n";
        for (const AllowedValue& name : names) text += "| " + code(name.name) + " | " + cell(name.help) + " |\n";
    }
    return text;
}

constexpr std::size_t kMostKeysOfCell = 20;  // more are hard to read

std::string index_of(const Section& top, const std::vector<Section>& sections) {
    std::string text = "\n| to set | section | keys |\n|---|---|---|\n";
    for (const Section& section : sections) {
        std::vector<std::string_view> keys;
        for (const Parameter& row : section.row.rows) keys.push_back(row.name);
        std::string before = "| " + std::string(section.row.task) + " | " + link_to(section) + " | ";
        for (std::size_t first = 0; first < keys.size(); first += kMostKeysOfCell) {
            const std::size_t count = std::min(kMostKeysOfCell, keys.size() - first);
            text += before + codes(std::span(keys).subspan(first, count)) + " |\n";
            before = "| | | ";
        }
    }
    std::vector<std::string_view> keys;
    for (const Parameter& row : top.row.rows)
        if (!std::holds_alternative<Group>(row.slot(top.owner))) keys.push_back(row.name);
    return text + "\nBeside the sections there are " + codes(keys) + ", under [Top level](#top-level).\n";
}

}  // namespace

std::string config_reference_markdown(const Vocabulary& vocabulary) {
    Config defaults;
    const Parameter all{.name = "", .help = "", .rows = config_rows()};
    const Section top{"", all, &defaults};
    std::vector<Section> sections;
    list_sections(&defaults, config_rows(), "", sections);
    std::string text = std::string(kIntroduction) + index_of(top, sections) + "\n## Top level\n\n" + table_of(top);
    for (const Section& section : sections)
        text += "\n## " + code(section.path) + "\n\n" + sentence(section.row.help) + "\n\n" + table_of(section) +
                names_of(section, vocabulary);
    return text;
}

}  // namespace onda
