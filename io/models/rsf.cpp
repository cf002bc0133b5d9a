// Madagascar RSF: a text header of key=value words and the numbers in another file or behind the header.

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>

#include "io/files/input_file.hpp"
#include "io/models/foreign_model.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr std::size_t most_header_bytes = std::size_t{1} << 20;
constexpr std::string_view end_of_header{"\x0c\x0c\x04", 3};
constexpr int most_axes = 9;

struct Entry {
    std::string value;
    int line = 0;
};

struct Header {
    std::string file;
    std::map<std::string, Entry> entries;
    std::size_t bytes = 0;  ///< up to where inline data begins

    [[nodiscard]] const Entry* find(const std::string& key) const {
        const auto found = entries.find(key);
        return found == entries.end() ? nullptr : &found->second;
    }
    [[nodiscard]] std::string text(const std::string& key) const {
        const auto* entry = find(key);
        return entry == nullptr ? "" : entry->value;
    }
    [[noreturn]] void fail(const std::string& key, const std::string& message) const {
        const auto* entry = find(key);
        const std::string where = entry == nullptr ? file + ": " + printable(key)
                                                   : file + ":" + std::to_string(entry->line) + ": " + printable(key) +
                                                         " = '" + printable(entry->value) + "'";
        throw Error(ExitCode::bad_data, where + ": " + message);
    }
    template <class Number>
    [[nodiscard]] std::optional<Number> number(const std::string& key, const char* wanted) const {
        const auto* entry = find(key);
        if (entry == nullptr) return std::nullopt;
        Number value{};
        const char* end = entry->value.data() + entry->value.size();
        const auto [rest, error] = std::from_chars(entry->value.data(), end, value);
        if (error != std::errc() || rest != end) fail(key, std::string("must be ") + wanted);
        return value;
    }
};

/// Words without '=' are comments; the last value of a key wins.
Header parse_header(const std::string& file, std::string_view text) {
    Header header{file, {}, 0};
    int line = 1;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\n') ++line;
        if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
            ++at;
            continue;
        }
        auto end = text.find_first_of(" \t\r\n=", at);
        if (end == std::string_view::npos || text[end] != '=') {
            at = std::min(end, text.size());
            continue;
        }
        const std::string key(text.substr(at, end - at));
        at = end + 1;
        const bool quoted = at < text.size() && (text[at] == '"' || text[at] == '\'');
        end = quoted ? text.find_first_of(std::string{text[at], '\n'}, at + 1) : text.find_first_of(" \t\r\n", at);
        end = std::min(end, text.size());
        if (quoted && (end == text.size() || text[end] == '\n'))
            throw Error(ExitCode::bad_data,
                        file + ":" + std::to_string(line) + ": " + printable(key) + ": its quote is not closed");
        header.entries[key] = {std::string(text.substr(at + quoted, end - at - quoted)), line};
        at = end + quoted;
    }
    return header;
}

Header read_header(const std::filesystem::path& file) {
    auto in = open_input_file(file);
    std::string text(most_header_bytes, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    const auto end = text.find(end_of_header);
    if (end == std::string::npos && text.size() == most_header_bytes)
        throw Error(ExitCode::bad_data, shown(file) + ": not an RSF header: longer than 1 MiB");
    auto header = parse_header(shown(file), std::string_view(text).substr(0, end));
    header.bytes = end == std::string::npos ? text.size() : end + end_of_header.size();
    return header;
}

struct AxisName {
    std::string_view label;
    char axis;
};
/// First words of labels, lower case, as Madagascar's programs and books write them.
constexpr std::array axis_names{AxisName{"z", 'z'},        AxisName{"depth", 'z'},   AxisName{"x", 'x'},
                                AxisName{"distance", 'x'}, AxisName{"lateral", 'x'}, AxisName{"position", 'x'},
                                AxisName{"inline", 'x'},   AxisName{"offset", 'x'},  AxisName{"y", 'y'},
                                AxisName{"crossline", 'y'}};

struct LengthUnit {
    std::string_view name;
    double metres;
};
constexpr std::array length_units{LengthUnit{"", 1.},     LengthUnit{"m", 1.},     LengthUnit{"km", 1000.},
                                  LengthUnit{"cm", 0.01}, LengthUnit{"mm", 0.001}, LengthUnit{"ft", 0.3048}};

std::string numbered(const char* key, int n) {
    return std::string(key).append(std::to_string(n));
}

std::string lower(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

/// Fastest first: the number of each axis in the header. Axes of one node beyond the second are left out.
std::vector<int> axes_used(const Header& header) {
    std::vector<int> used;
    for (int n = 1; n <= most_axes; ++n) {
        const auto key = numbered("n", n);
        const auto nodes = header.number<std::int64_t>(key, "a positive whole number");
        if (!nodes) {
            if (n <= 2) header.fail(key, "is missing; a model has two or three axes");
            continue;
        }
        if (*nodes < 1) header.fail(key, "must be a positive whole number");
        if (n > 2 && *nodes == 1) continue;
        used.push_back(n);
        if (used.size() > 3) header.fail(key, "a fourth axis; a model has two or three");
    }
    return used;
}

/// Letters, slowest first: from --axes, else from the labels, else depth fastest as Madagascar has it.
std::string axes_of(const Header& header, const std::vector<int>& used, const std::string& given) {
    const bool flat = used.size() == 2;
    std::string axes = given;
    bool labelled = false;
    for (const int n : used) labelled = labelled || !header.text(numbered("label", n)).empty();
    if (axes.empty() && !labelled) axes = flat ? "xz" : "yxz";
    if (!axes.empty()) {
        check_axes(axes, static_cast<int>(used.size()));
        return axes;
    }
    for (const int n : used) {
        const auto key = numbered("label", n);
        const auto label = lower(header.text(key));
        const auto word = label.substr(0, label.find_first_of(" _([-"));
        const auto found =
            std::find_if(axis_names.begin(), axis_names.end(), [&](const auto& name) { return name.label == word; });
        const bool fits = found != axis_names.end() && axes.find(found->axis) == std::string::npos;
        if (!fits || (flat && found->axis == 'y'))
            header.fail(key, std::string("does not tell which axis it is; give --axes, slowest first, e.g. --axes ") +
                                 (flat ? "xz" : "yxz"));
        axes.insert(axes.begin(), found->axis);
    }
    return axes;
}

double metres_per_unit(const Header& header, int n) {
    const auto key = numbered("unit", n);
    const auto unit = lower(header.text(key));
    const auto found =
        std::find_if(length_units.begin(), length_units.end(), [&](const auto& known) { return known.name == unit; });
    if (found == length_units.end())
        header.fail(key, "must be m, km, cm, mm or ft; or give --spacing-m and --origin-m");
    return found->metres;
}

/// The spacing along an axis [m]. Without a unit it must be one that models have: kilometres without a unit would be
/// millimetres.
double spacing_of(const Header& header, int n) {
    const auto key = numbered("d", n);
    const auto spacing = header.number<double>(key, "a number");
    if (!spacing) header.fail(key, "is missing; give --spacing-m");
    if (!(*spacing > 0.) || !std::isfinite(*spacing)) header.fail(key, "must be positive");
    const double spacing_m = *spacing * metres_per_unit(header, n);
    const auto unit = numbered("unit", n);
    if (header.text(unit).empty() && !is_usual_spacing(spacing_m))
        header.fail(key, "would be " + shortest(spacing_m) + " m, as the header has no " + unit + ": add " + unit +
                             "=km, or " + unit + "=m if it is right, or give --spacing-m of every axis");
    return spacing_m;
}

/// The header's axes in (x, y, z) order, or the user's spacing and origin where given.
FileGeometry geometry_of(const Header& header, const std::vector<int>& used, const std::string& axes,
                         const ForeignOptions& options) {
    std::vector<std::int64_t> shape;
    std::vector<double> spacing_m, origin_m;
    for (const char axis : used.size() == 2 ? std::string("xz") : std::string("xyz")) {
        const int n = used[axes.size() - 1 - axes.find(axis)];
        shape.push_back(*header.number<std::int64_t>(numbered("n", n), "a positive whole number"));
        const std::size_t given = options.spacing_m.size();
        spacing_m.push_back(given > 1 || (given == 1 && axis != 'z') ? 1. : spacing_of(header, n));
        if (options.origin_m.empty()) {
            const double origin = header.number<double>(numbered("o", n), "a number").value_or(0.);
            if (!std::isfinite(origin)) header.fail(numbered("o", n), "must be finite");
            origin_m.push_back(origin == 0. ? 0. : origin * metres_per_unit(header, n));
        }
    }
    count_nodes(shape, header.file, ExitCode::bad_data);
    return make_geometry(shape, with_given(options.spacing_m, spacing_m),
                         options.origin_m.empty() ? origin_m : options.origin_m, header.file);
}

struct DataFormat {
    std::string_view name;
    std::size_t number;  ///< index into kNumberFormats
    bool big_endian, ascii;
};
constexpr std::array data_formats{DataFormat{"native_float", 0, std::endian::native == std::endian::big, false},
                                  DataFormat{"native_double", 1, std::endian::native == std::endian::big, false},
                                  DataFormat{"xdr_float", 0, true, false}, DataFormat{"xdr_double", 1, true, false},
                                  DataFormat{"ascii_float", 0, false, true}};

const DataFormat& data_format(const Header& header) {
    const auto name = header.find("data_format") == nullptr ? "native_float" : header.text("data_format");
    const auto found =
        std::find_if(data_formats.begin(), data_formats.end(), [&](const auto& known) { return known.name == name; });
    if (found == data_formats.end())
        header.fail("data_format", "must be native_float, native_double, xdr_float, xdr_double or ascii_float");
    const auto esize = header.number<std::int64_t>("esize", "a whole number");
    const auto bytes = static_cast<std::int64_t>(kNumberFormats[found->number].bytes);
    if (esize && !found->ascii && *esize != bytes)
        header.fail("esize", "does not fit " + std::string(found->name) + ", which has " + std::to_string(bytes));
    return *found;
}

bool is_inside(const std::filesystem::path& file, const std::filesystem::path& folder) {
    std::error_code error;
    const auto inner = std::filesystem::weakly_canonical(file, error);
    const auto outer = std::filesystem::weakly_canonical(folder, error);
    return !error && std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

struct DataPlace {
    std::filesystem::path file;
    std::uintmax_t offset = 0;
};

/// A header from somebody else may name any file of this machine, and its bytes would end up in the model: only the
/// header's own folder is trusted unless the user names the file.
DataPlace data_place(const Header& header, const std::filesystem::path& file, const std::filesystem::path& given) {
    if (!given.empty()) return {given, 0};
    const auto in = header.text("in");
    if (in.empty()) header.fail("in", "is missing: it must name the data file; or give --data-file");
    if (in == "stdin" || in == "stdout") return {file, header.bytes};
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    const auto data = folder / in;  // an absolute path replaces the folder
    if (!is_inside(data, folder))
        header.fail("in",
                    "lies outside the header's folder; if it is the right file, give --data-file " + printable(in));
    std::error_code error;
    if (!std::filesystem::exists(data, error)) header.fail("in", "no such file; give --data-file");
    return {data, 0};
}

std::vector<float> read_ascii(const DataPlace& place, std::uintmax_t count) {
    const auto size = input_file_size(place.file);
    if (count > size)
        throw Error(ExitCode::bad_data, shown(place.file) + ": too short for " + std::to_string(count) + " numbers");
    auto in = open_input_file(place.file);
    in.seekg(static_cast<std::streamoff>(place.offset));
    std::vector<float> values;
    values.reserve(count);
    for (std::string word; in >> word;) {
        float value = 0.f;
        const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (fault != std::errc() || end != word.data() + word.size())
            throw Error(ExitCode::bad_data, shown(place.file) + ": number " + std::to_string(values.size() + 1) +
                                                " is '" + printable(word.substr(0, 40)) + "'");
        values.push_back(value);
    }
    if (values.size() != count)
        throw Error(ExitCode::bad_data, shown(place.file) + ": has " + std::to_string(values.size()) +
                                            " numbers; the header needs " + std::to_string(count));
    return values;
}

}  // namespace

ForeignModel read_rsf_model(const std::filesystem::path& file, const ForeignOptions& options) {
    const auto header = read_header(file);
    const auto used = axes_used(header);
    ForeignModel model;
    model.axes = axes_of(header, used, options.axes);
    model.geometry = geometry_of(header, used, model.axes, options);
    model.quantity = options.quantity;
    model.unit = stored_unit(options, header.text("unit"), header.file + ": unit");
    const auto& format = data_format(header);
    const auto place = data_place(header, file, options.data_file);
    const auto& shape = model.geometry.shape;
    const auto count = count_nodes({shape.begin(), shape.end()}, shown(file), ExitCode::bad_data);
    model.place = shown(place.file);
    model.numbers = place.file;
    // A header may claim what no file has: read_numbers() compares the size before it takes memory, text is longer.
    if (count <= input_file_size(place.file)) check_room(place.file, count, options);
    model.values =
        format.ascii ? read_ascii(place, count)
                     : read_numbers(place.file, place.offset, count, kNumberFormats[format.number], format.big_endian);
    return model;
}

}  // namespace onda
