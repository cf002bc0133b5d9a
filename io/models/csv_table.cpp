#include "io/models/csv_table.hpp"

#include <algorithm>
#include <cmath>

#include "io/files/input_file.hpp"
#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr std::size_t kIgnored = static_cast<std::size_t>(-1);

struct Field {
    std::string_view text;
    std::size_t column;  ///< in the line, from 1
};

std::vector<Field> split(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    std::vector<Field> fields;
    for (std::size_t begin = 0; begin <= line.size();) {
        const auto comma = std::min(line.find(',', begin), line.size());
        auto text = line.substr(begin, comma - begin);
        const auto skipped = std::min(text.find_first_not_of(blanks), text.size());
        text = text.substr(skipped);
        text = text.substr(0, text.find_last_not_of(blanks) + 1);
        fields.push_back({text, begin + skipped + 1});
        begin = comma + 1;
    }
    return fields;
}

/// What other programs call columns.
struct Heading {
    std::string_view word, column, meaning;
};
constexpr std::string_view kNegative = " (the depth: minus the elevation)";
constexpr Heading kHeadings[] = {
    {"easting", "x", ""},     {"northing", "y", ""},         {"depth", "z", ""},
    {"depth_m", "z", ""},     {"elevation", "z", kNegative}, {"elevation_m", "z", kNegative},
    {"elev", "z", kNegative}, {"altitude", "z", kNegative}};

std::string in_lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

bool names_column(const TableColumn& column, std::string_view text) {
    return column.name == text || column.other_name == text;
}

/// "x for 'X'": what a field is to be called so that it is the column; empty if it means another.
std::string better_name(const Field& field, const TableColumn& column) {
    const std::string lower = in_lower_case(field.text);
    const auto heading = std::ranges::find_if(
        kHeadings, [&](const Heading& row) { return row.column == column.name && row.word == lower; });
    if (heading == std::end(kHeadings) && !names_column(column, lower)) return "";
    return std::string(column.name) + " for '" + printable(field.text) + "'" +
           (heading == std::end(kHeadings) ? "" : std::string(heading->meaning));
}

/// Refuses a header without a column that must be there, where one seems to be it under another name.
void check_names(const std::vector<Field>& fields, const TableKind& kind, const TableLine& line) {
    std::string missing, names;
    std::size_t first = 0;
    for (const TableColumn& column : kind.columns) {
        if (std::ranges::any_of(fields, [&](const Field& field) { return names_column(column, field.text); })) continue;
        const auto meant =
            std::ranges::find_if(fields, [&](const Field& field) { return !better_name(field, column).empty(); });
        if (meant == fields.end()) continue;
        if (column.required && missing.empty()) missing = column.name, first = meant->column;
        names += (names.empty() ? "" : ", ") + better_name(*meant, column);
    }
    if (!missing.empty()) line.fail(first, "no column " + missing + "; write " + names);
}

/// A name that becomes that of a dataset of the results.
bool is_plain_name(std::string_view name) {
    constexpr std::size_t most = 64;
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return !name.empty() && name.size() <= most && name.find_first_not_of(allowed) == std::string_view::npos;
}

/// Refuses the column of a name that is none of the table's own unless it is one to carry along, or nobody looks at it.
/// \param carried how many columns are carried along already.
void check_other(const Field& field, const TableKind& kind, std::size_t carried, const TableLine& line) {
    std::vector<std::string> known;
    for (const auto& column : kind.columns) known.emplace_back(column.name);
    const auto shown_name = "column '" + printable(field.text) + "'";
    if (const auto near = nearest_name(field.text, known))
        line.fail(field.column, "unknown " + shown_name + "; did you mean " + *near + "?");
    if (kind.others == OtherColumns::ignored) return;
    if (kind.others == OtherColumns::refused)
        line.fail(field.column, "unknown " + shown_name + "; there are " + kind.names());
    if (std::ranges::find(kind.of_sources, field.text, &TableColumn::name) != kind.of_sources.end())
        line.fail(field.column, shown_name + " belongs to sources; receivers have " + kind.names());
    if (!is_plain_name(field.text))
        line.fail(field.column, shown_name + ": a name has at most 64 letters, digits and underscores");
    constexpr std::size_t most_columns = 64;
    if (carried >= most_columns) line.fail(field.column, "more than 64 columns are carried along");
}

/// Which column of the table each field of the header is, or kIgnored; those carried along are numbered after the
/// kind's own.
std::vector<std::size_t> parse_header(const std::vector<Field>& fields, const TableKind& kind, const TableLine& line,
                                      CsvTable& table) {
    const auto columns = kind.columns;
    std::vector<std::size_t> order;
    const auto add = [&](const Field& field, std::size_t index, std::string_view name) {
        if (std::ranges::find(order, index) != order.end())
            line.fail(field.column, "column " + std::string(name) + " is there twice");
        order.push_back(index);
    };
    check_names(fields, kind, line);
    for (const Field& field : fields) {
        const auto text = field.text;
        if (finite_number(text)) line.fail(field.column, "the first line must name the columns: " + kind.names());
        if (text.find_first_of(";\t ") != std::string_view::npos)
            line.fail(field.column, "'" + printable(text) + "': columns must be separated by commas");
        const auto own =
            std::ranges::find_if(columns, [&](const TableColumn& column) { return names_column(column, text); });
        if (own != columns.end()) {
            add(field, static_cast<std::size_t>(own - columns.begin()), own->name);
            continue;
        }
        check_other(field, kind, table.carried.size(), line);
        if (kind.others == OtherColumns::ignored) {
            order.push_back(kIgnored);
            continue;
        }
        const auto same = std::ranges::find(table.carried, text, &CarriedColumn::name);
        add(field, columns.size() + static_cast<std::size_t>(same - table.carried.begin()), text);
        table.carried.push_back({std::string(text), false, {}});
    }
    for (std::size_t n = 0; n < columns.size(); ++n)
        if (columns[n].required && std::ranges::find(order, n) == order.end())
            line.fail(1, "no column " + std::string(columns[n].name));
    return order;
}

bool is_whole(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The hint for a row with too many values where commas may be decimal signs, with or without quotes: 12,5 or "12,5".
std::string comma_hint(const std::vector<Field>& fields, std::size_t wanted) {
    if (fields.size() <= wanted) return "";
    std::vector<std::string> texts;
    for (const Field& field : fields) std::erase(texts.emplace_back(field.text), '"');
    const auto may_be_one_number = [&](std::size_t n) {  // with the text before
        return is_whole(texts[n]) &&
               is_whole(std::string_view(texts[n - 1]).substr(texts[n - 1].starts_with('-') ? 1 : 0));
    };
    bool some = false, all = fields.size() == 2 * wanted;
    std::string meant;
    for (std::size_t n = 1; n < texts.size(); ++n) {
        some = some || may_be_one_number(n);
        if (n % 2 == 0) continue;
        all = all && may_be_one_number(n);
        meant += (n > 1 ? "," : "") + texts[n - 1] + "." + texts[n];
    }
    return some ? "; the decimal sign is a point" + (all ? ": write " + meant : "") : "";
}

void parse_row(const std::vector<Field>& fields, const std::vector<std::size_t>& order,
               std::span<const TableColumn> columns, const TableLine& line, CsvTable& table) {
    if (fields.size() != order.size())
        line.fail(fields.back().column, std::to_string(fields.size()) + (fields.size() == 1 ? " value" : " values") +
                                            " for " + std::to_string(order.size()) + " columns" +
                                            comma_hint(fields, order.size()));
    for (std::size_t n = 0; n < fields.size(); ++n) {
        if (order[n] == kIgnored) continue;
        if (order[n] >= columns.size()) {
            table.carried[order[n] - columns.size()].text.push_back(valid_utf8(fields[n].text));
            continue;
        }
        const auto& column = columns[order[n]];
        const auto parsed = finite_number(fields[n].text);
        if (!parsed || (column.whole && !is_ordinal(*parsed)))
            line.fail(fields[n].column, std::string(column.name) + " = '" + printable(fields[n].text) +
                                            "': must be a " + (column.whole ? "whole number from 1" : "finite number"));
        table.columns[order[n]].push_back(*parsed);
    }
    table.lines.push_back(line.number);
}

/// Names may look like numbers and are none.
bool holds_numbers(const CarriedColumn& column) {
    const auto empty = [](const std::string& text) { return text.empty(); };
    return column.name != "name" && !std::ranges::all_of(column.text, empty) &&
           std::ranges::all_of(column.text,
                               [&](const std::string& text) { return empty(text) || finite_number(text); });
}

}  // namespace

std::string TableKind::names() const {
    if (!told.empty()) return std::string(told);
    std::string text;
    for (const auto& column : columns)
        text += (text.empty() ? "" : ", ") + std::string(column.name) + (column.required ? "" : " (may be absent)");
    return text;
}

void TableLine::fail(std::size_t column, const std::string& message) const {
    throw Error(ExitCode::bad_data,
                shown(file) + ":" + std::to_string(number) + ":" + std::to_string(column) + ": " + message);
}

bool is_ordinal(double value) {
    return value >= 1. && value <= 0x1p53 && value == std::floor(value);
}

CsvTable read_csv(const std::filesystem::path& file, const TableKind& kind) {
    auto in = open_input_file(file);
    CsvTable table(kind);
    std::vector<std::size_t> order;
    TableLine line{file, 0};
    for (std::string text; std::getline(in, text);) {
        ++line.number;
        if (line.number == 1 && text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // byte order mark
        const auto content = text.find_first_not_of(" \t\r");
        if (content == std::string::npos || text[content] == '#') continue;
        const auto fields = split(text);
        if (order.empty())
            order = parse_header(fields, kind, line, table);
        else
            parse_row(fields, order, kind.columns, line, table);
    }
    if (in.bad()) throw Error(ExitCode::io_error, shown(file) + ": cannot read it");
    if (table.lines.empty()) throw Error(ExitCode::bad_data, shown(file) + ": has no rows of " + kind.names());
    for (CarriedColumn& column : table.carried) column.numbers = holds_numbers(column);
    return table;
}

}  // namespace onda
