// The table as YAML with comments.
#include "io/config/config_template.hpp"

#include <algorithm>
#include <sstream>

#include "io/config/config_table.hpp"

namespace onda {
namespace {

constexpr std::size_t kHelpColumn = 34, kWidth = 118;

std::string spaces(std::size_t count) {
    return std::string(count, ' ');
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

/// Every line behind '#'.
std::string commented_out(const std::string& text) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) result += "# " + line + "\n";
    return result;
}

/// Rows of a struct, beside those of one that is as it was made.
struct Rows {
    void* owner;
    void* fallback;
    std::span<const Parameter> rows;
    std::size_t indent;
};

class Writer {
public:
    enum class Values { examples, given };
    /// \param values whether the examples of the table are written, or what a configuration has.
    Writer(const Vocabulary& vocabulary, Values values, const Config& config)
        : vocabulary_(vocabulary), values_(values), config_(config) {}

    [[nodiscard]] std::string rows_with_comments(const Rows& of) const;

private:
    [[nodiscard]] bool has_values() const { return values_ == Values::given; }
    [[nodiscard]] bool is_written(const Rows& of, const Parameter& row) const;
    [[nodiscard]] bool is_given(const Rows& of, const Parameter& row, const Group& group) const;
    [[nodiscard]] std::string comment_of(const Parameter& row, void* fallback) const;
    [[nodiscard]] std::string line(const Rows& of, const Parameter& row) const;
    [[nodiscard]] std::string section(const Rows& of, const Parameter& row, const Group& group) const;
    [[nodiscard]] std::string section_body(const Rows& of, const Parameter& row, const Group& group) const;
    [[nodiscard]] std::string plain_rows(const Rows& of) const;
    [[nodiscard]] std::string plain_items(const Rows& of, const Parameter& row, const Group& group,
                                          std::size_t first) const;

    const Vocabulary& vocabulary_;
    Values values_;
    const Config& config_;
};

/// A section of the kind of `group` that is as it was made.
void* new_section(const Rows& of, const Parameter& row) {
    const Slot slot = row.slot(of.fallback);
    const auto& group = std::get<Group>(slot);
    return group.append(group.owner);
}

bool Writer::is_written(const Rows& of, const Parameter& row) const {
    if (!has_values()) return row.in_template;
    if (!is_resolved(of.owner, of.rows, row, config_)) return false;
    const auto value = value_text(row.slot(of.owner));
    return value && (row.required || row.in_template || value != value_text(row.slot(of.fallback)));
}

/// "[m] distance of … (type x, y; default 1)": the comment after a key.
std::string Writer::comment_of(const Parameter& row, void* fallback) const {
    std::string text = row.unit.empty() ? "" : "[" + std::string(row.unit) + "] ";
    text += row.help;
    const auto values = allowed_values(vocabulary_, row.values);
    for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? ": " : " | ") + values[i].name;
    std::string notes;
    if (!row.when.key.empty()) {
        for (const auto word : split_words(row.when.values)) notes += (notes.empty() ? "" : ", ") + std::string(word);
        notes = std::string(row.when.key) + " " + notes;
    }
    if (!row.required && !row.in_template && value_text(row.slot(fallback)))
        notes += notes.empty() ? "the default" : "; the default";
    return notes.empty() ? text : text + " (" + notes + ")";
}

std::string Writer::line(const Rows& of, const Parameter& row) const {
    const bool written = is_written(of, row);
    std::string value(row.example);
    const bool is_list = std::holds_alternative<Group>(row.slot(of.owner));
    if (!is_list && (value.empty() || (written && has_values())))
        value = value_text(row.slot(written ? of.owner : of.fallback)).value_or("");
    // One number for all axes.
    if (row.count.single && value.starts_with('[') && value.find(',') == std::string::npos)
        value = value.substr(1, value.size() - 2);
    const std::string key = spaces(of.indent) + (written ? "" : "# ") + std::string(row.name) + ": " + value;
    std::string comment = comment_of(row, of.fallback);
    if (constexpr std::string_view note = " (the default)"; written && comment.ends_with(note))
        comment.erase(comment.size() - note.size());
    return with_comment(key, comment);
}

/// What has a value of its own, without comments.
std::string Writer::plain_rows(const Rows& of) const {
    std::string text;
    for (const Parameter& row : of.rows) {
        const Slot slot = row.slot(of.owner);
        const auto* group = std::get_if<Group>(&slot);
        if (group == nullptr) {
            if (is_written(of, row))
                text += spaces(of.indent) + std::string(row.name) + ": " + *value_text(slot) + "\n";
        } else if (group->size(group->owner) > 0 && is_resolved(of.owner, of.rows, row, config_)) {
            const std::string body = plain_items(of, row, *group, 0);
            if (!body.empty()) text += spaces(of.indent) + std::string(row.name) + ":\n" + body;
        }
    }
    return text;
}

/// The items of a list, or the section, from the one numbered `first` on.
std::string Writer::plain_items(const Rows& of, const Parameter& row, const Group& group, std::size_t first) const {
    const bool list = group.kind == Group::Kind::list;
    std::string text;
    for (std::size_t i = first; i < group.size(group.owner); ++i) {
        std::string item =
            plain_rows({group.at(group.owner, i), new_section(of, row), row.rows, of.indent + (list ? 4 : 2)});
        if (list) item[of.indent + 2] = '-';
        text += item;
    }
    return text;
}

/// A list with items, or a section with a value of its own. Others are there too where nothing speaks against it.
bool Writer::is_given(const Rows& of, const Parameter& row, const Group& group) const {
    if (group.size(group.owner) == 0) return false;
    const bool needs_values =
        of.indent > 0 || std::ranges::any_of(row.rows, [](const Parameter& r) { return r.required; });
    const Rows own{group.at(group.owner, 0), new_section(of, row), row.rows, 0};
    return !needs_values || plain_rows(own) != plain_rows({own.fallback, own.fallback, row.rows, 0});
}

/// A section, or a list of which the first item has the comments.
std::string Writer::section_body(const Rows& of, const Parameter& row, const Group& group) const {
    const bool list = group.kind == Group::Kind::list;
    void* const fresh = new_section(of, row);
    void* const first = has_values() ? group.at(group.owner, 0) : fresh;
    std::string body = rows_with_comments({first, fresh, row.rows, of.indent + (list ? 4 : 2)});
    if (!list) return body;
    // The dash stands before the first key that is written.
    for (std::size_t at = 0; at < body.size(); at = body.find('\n', at) + 1)
        if (body[at + of.indent + 4] != '#' && body[at + of.indent + 4] != ' ') {
            body[at + of.indent + 2] = '-';
            break;
        }
    return has_values() ? body + plain_items(of, row, group, 1) : body;
}

std::string Writer::section(const Rows& of, const Parameter& row, const Group& group) const {
    const std::string head = spaces(of.indent) + std::string(row.name) + ":", help(row.help);
    if (has_values() && !is_given(of, row, group)) {
        const Writer examples(vocabulary_, Values::examples, config_);
        return "\n# " + help + "\n" + commented_out(head + "\n" + examples.section_body(of, row, group));
    }
    const std::string body = section_body(of, row, group);
    return (of.indent == 0 ? "\n# " + help + "\n" + head + "\n" : with_comment(head, help)) + body;
}

std::string Writer::rows_with_comments(const Rows& of) const {
    std::string text;
    for (const Parameter& row : of.rows) {
        const Slot slot = row.slot(of.owner);
        const auto* group = std::get_if<Group>(&slot);
        const bool given = has_values() && group != nullptr && group->size(group->owner) > 0 &&
                           is_resolved(of.owner, of.rows, row, config_);
        if (group == nullptr || (!row.example.empty() && !given))
            text += line(of, row);
        else if (given && (!row.example.empty() || group->kind == Group::Kind::optional_section))
            text += with_comment(spaces(of.indent) + std::string(row.name) + ":", std::string(row.help)) +
                    plain_items(of, row, *group, 0);
        else if (group->kind != Group::Kind::optional_section)
            text += section(of, row, *group);
    }
    return text;
}

std::string with_head(const std::string& about, bool names_schema, const std::string& body) {
    const std::string schema = kSchemaName;
    const std::string first = names_schema ? "# yaml-language-server: $schema=" + schema + "\n" : "";
    const std::string help =
        names_schema ? "# " + schema + " beside this file gives editors completion and help.\n"
                     : "# `onda init -o FILE` writes it to a file, with a schema that gives editors help.\n";
    return first + "# " + about + "\n# Lines that begin with '#' show what else there is. All keys: docs/config.md.\n" +
           help + "# `onda check FILE` says whether it can run, and what it will cost; `onda run FILE` runs it.\n" +
           body;
}

}  // namespace

std::string config_template(const Vocabulary& vocabulary, bool names_schema) {
    Config defaults;
    const Writer writer(vocabulary, Writer::Values::examples, defaults);
    return with_head("A first run: a shot in a 2-D section of three layers. Takes a few seconds.", names_schema,
                     writer.rows_with_comments({&defaults, &defaults, config_rows(), 0}));
}

std::string config_like(const Config& config, const std::string& about, const Vocabulary& vocabulary,
                        bool names_schema) {
    Config copy = config, defaults;
    const Writer writer(vocabulary, Writer::Values::given, config);
    return with_head(about, names_schema, writer.rows_with_comments({&copy, &defaults, config_rows(), 0}));
}

}  // namespace onda
