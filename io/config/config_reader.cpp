#include "io/config/config_reader.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "io/config/config_hints.hpp"
#include "io/files/file_by_shot.hpp"
#include "io/files/file_uri.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

std::string clipped(const std::string& shown_text) {
    constexpr std::size_t most = 60;
    const std::string text = printable(shown_text);
    if (text.size() <= most) return text;
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) >> 6) == 2) --end;
    return text.substr(0, end) + "...";
}

std::string joined(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
}

SourcePlace place(const YamlNode& node) {
    return {node.source, node.place};
}
SourcePlace place(const YamlKey& key) {
    return {key.source, key.place};
}

/// As YAML writes it, and as Python writes it in JSON.
constexpr std::string_view kInfinity = ".inf .Inf .INF Infinity";

bool within(double value, const Range& range) {
    return (range.open_min ? value > range.min : value >= range.min) &&
           (range.open_max ? value < range.max : value <= range.max);
}

bool is_section(const Slot& slot) {
    const auto* group = std::get_if<Group>(&slot);
    return group != nullptr && group->kind == Group::Kind::section;
}

/// Reads the rows of one struct after another, depth first, in the order of the table.
class Reader {
public:
    Reader(Config& config, const Vocabulary* vocabulary, int of_file, Reading& reading)
        : config_(config), of_file_(of_file), vocabulary_(vocabulary), reading_(reading) {}

    /// The whole configuration.
    void root(const YamlNode& node) {
        const YamlNode* const model = node.kind == YamlNode::Kind::map ? node.find("model") : nullptr;
        if (model != nullptr && model->kind == YamlNode::Kind::map) {
            const YamlNode* const type = model->find("type");
            const bool tells_grid = type != nullptr && (type->scalar == "file" || type->scalar == "array");
            has_model_grid_ = model->find("file") != nullptr || tells_grid;
        }
        section(&config_, config_rows(), node, "", {0, {1, 1}});
    }
    void section(void* owner, std::span<const Parameter> rows, const YamlNode& node, const std::string& path,
                 const SourcePlace& at) {
        // A key with nothing below it is a section left at its defaults, as the template leaves them.
        if (node.kind != YamlNode::Kind::map && node.kind != YamlNode::Kind::null)
            return not_a_section(node, rows, path);
        const auto given = match(rows, node, path);
        for (std::size_t i = 0; i < rows.size(); ++i) read_row(owner, rows, rows[i], node, given[i], path, at);
    }

private:
    static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

    void not_a_section(const YamlNode& node, std::span<const Parameter> rows, const std::string& path) {
        std::string keys;
        for (const Parameter& row : rows) keys += (keys.empty() ? "" : ", ") + std::string(row.name);
        std::string hint = "; its keys are " + keys;
        if (node.kind == YamlNode::Kind::scalar && node.scalar.find(':') != std::string::npos)
            hint = "; a space must follow the ':'";
        else if (node.kind == YamlNode::Kind::scalar)
            if (const std::string missing = colon_hint(node.scalar, rows); !missing.empty()) hint = missing;
        reading_.faulty.insert(path);
        const std::string what = path.empty() ? "a configuration is a map of keys" : "must be a section of keys";
        reading_.faults.add(place(node), (path.empty() ? "" : path + " = ") + show(node) + ": " + what + hint);
    }

    /// Whether a key of brackets is a key and its value without the colon between: then that is the error.
    bool has_missing_colon(const YamlKey& key, std::span<const Parameter> rows, const std::string& path) {
        const std::string hint = colon_hint(key.name, rows);
        if (hint.empty()) return false;
        const std::string_view meant = std::string_view(key.name).substr(0, key.name.find_first_of(" \t="));
        for (const Parameter& row : rows)
            if (row.name == meant || has_word(row.aliases, meant)) reading_.faulty.insert(joined(path, row.name));
        reading_.faults.add_instead(place(key), (path.empty() ? "" : path + ": ") + hint.substr(2));
        return true;
    }

    /// Index of each row's key in the map, or kAbsent. Keys of no row and keys given under two names are errors.
    std::vector<std::size_t> match(std::span<const Parameter> rows, const YamlNode& node, const std::string& path) {
        std::vector<std::size_t> given(rows.size(), kAbsent);
        for (std::size_t k = 0; k < node.keys.size(); ++k) {
            const YamlKey& key = node.keys[k];
            const auto row = std::find_if(rows.begin(), rows.end(), [&](const Parameter& candidate) {
                return candidate.name == key.name || has_word(candidate.aliases, key.name);
            });
            if (row == rows.end() && has_missing_colon(key, rows, path)) continue;
            if (row == rows.end()) {
                const KeyHint hint = unknown_key_hint(key.name, rows);
                if (!hint.meant.empty()) reading_.faulty.insert(joined(path, hint.meant));
                reading_.faults.add(place(key), (path.empty() ? "" : path + ": ") + "unknown key '" +
                                                    clipped(key.name) + "'" + hint.text);
                continue;
            }
            std::size_t& index = given[static_cast<std::size_t>(row - rows.begin())];
            const bool override_wins = index != kAbsent && key.source > 0 && node.keys[index].source == 0;
            if (index != kAbsent && !override_wins && node.keys[index].name != key.name)
                reading_.faults.add(place(key), joined(path, key.name) + " is another name of " +
                                                    joined(path, node.keys[index].name) + ", which is given too");
            if (index == kAbsent || override_wins) index = k;
        }
        return given;
    }

    void read_row(void* owner, std::span<const Parameter> rows, const Parameter& row, const YamlNode& node,
                  std::size_t index, const std::string& path, const SourcePlace& at) {
        const std::string here = joined(path, row.name);
        const bool condition_known = row.when.key.empty() || reading_.sound(joined(path, row.when.key));
        const bool used = !condition_known || applies(row, rows, owner);
        if (index == kAbsent) {
            const bool needed = row.required && used && condition_known && !(row.of_model_file && has_model_grid_);
            if (needed && reading_.sound(here) && !has_substitute(row, node, path)) missing(row, path, at);
            return;
        }
        const YamlKey& key = node.keys[index];
        const YamlNode& value = node.items[index];
        reading_.keys[here] = place(key);
        reading_.values[here] = place(value);
        reading_.written[here] = show(value);
        if (key.name != row.name) reading_.alias[here] = joined(path, key.name);
        if (row.needs != nullptr) config_.origin.conditional[here] = show(value);
        if (const auto reason = contradiction(owner, rows, row, path, used); !reason.empty()) {
            reading_.faulty.insert(here);
            reading_.faults.add(place(key), reading_.named(here) + ": " + reason);
        } else if (value.kind == YamlNode::Kind::null && !is_section(row.slot(owner))) {
            reading_.faulty.insert(here);
            reading_.faults.add(place(key), reading_.named(here) + " has no value" +
                                                (row.required ? "" : "; delete the line to have the default"));
        } else {
            std::visit([&](const auto& target) { read(target, row, value, here); }, row.slot(owner));
        }
    }

    /// Whether the parameter that may stand for this one is given, or was meant by a key that is an error already.
    bool has_substitute(const Parameter& row, const YamlNode& node, const std::string& path) const {
        const auto is_it = [&row](const YamlKey& key) { return key.name == row.or_else; };
        return !row.or_else.empty() &&
               (std::any_of(node.keys.begin(), node.keys.end(), is_it) || !reading_.sound(joined(path, row.or_else)));
    }

    void missing(const Parameter& row, const std::string& path, const SourcePlace& at) {
        reading_.faulty.insert(joined(path, row.name));
        const std::string unit = row.unit.empty() ? "" : " [" + std::string(row.unit) + "]";
        const std::string substitute = row.or_else.empty() ? "" : " or '" + std::string(row.or_else) + "'";
        reading_.faults.add(at, (path.empty() ? "" : path + ": ") + "missing key '" + std::string(row.name) + "'" +
                                    substitute + ": " + std::string(row.help) + unit);
    }

    /// Why a parameter may not be given here, or empty.
    std::string contradiction(void* owner, std::span<const Parameter> rows, const Parameter& row,
                              const std::string& path, bool used) {
        if (!used) {
            std::string types;
            for (const auto word : split_words(row.when.values))
                types += (types.empty() ? "" : " or ") + std::string(word);
            const std::string condition = joined(path, row.when.key);
            return "goes with " + std::string(row.when.key) + " " + types + ", but " + condition + " is " +
                   condition_value(row, rows, owner) + (reading_.given(condition) ? "" : " (the default)");
        }
        for (const auto word : split_words(row.excludes))
            if (const auto rival = joined(path, word); reading_.given(rival))
                return "contradicts " + rival + ": give one of them";
        if (row.only_3d && dimensions() == 2) return "there is no y axis: " + what_makes_dimensions();
        return "";
    }

    void fault(const std::string& path, const YamlNode& node, const std::string& message) {
        reading_.faulty.insert(path);
        reading_.faults.add(place(node), reading_.named(path) + " = " + show(node) + ": " + message);
    }

    template <typename T>
    void wrong_type(T* target, const Parameter& row, const YamlNode& node, const std::string& path,
                    const std::string& hint = "") {
        fault(path, node, "must be " + describe_type(row, target) + hint);
    }

    /// Whether the node is an unquoted scalar; an error has been recorded if not.
    template <typename T>
    bool is_plain(T* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        if (node.kind == YamlNode::Kind::scalar && !node.quoted) return true;
        wrong_type(target, row, node, path, node.quoted ? "; remove the quotes" : "");
        return false;
    }

    bool number(double& target, const Parameter& row, const YamlNode& node, const std::string& path) {
        const bool is_infinite = row.range.infinite && has_word(kInfinity, node.scalar);
        const auto value = is_infinite ? std::numeric_limits<double>::infinity() : parse_number(node.scalar);
        if (!value) return false;
        if (within(*value, row.range))
            target = *value;
        else
            out_of_range(row, node, path);
        return true;
    }
    bool number(std::int64_t& target, const Parameter& row, const YamlNode& node, const std::string& path) {
        const auto value = parse_integer(node.scalar);
        if (!value) return false;
        if (within(static_cast<double>(*value), row.range) && *value % row.range.multiple_of == 0)
            target = *value;
        else
            out_of_range(row, node, path);
        return true;
    }
    void out_of_range(const Parameter& row, const YamlNode& node, const std::string& path) {
        const auto value = parse_number(node.scalar);
        const bool like_km_s = row.unit == "m/s" && value && *value > 0. && *value < 20. && row.range.min >= 20.;
        fault(path, node,
              "must be " + describe_range(row.range) + (row.unit.empty() ? "" : " " + std::string(row.unit)) +
                  (like_km_s ? "; it looks like km/s: write " + number_text(std::round(*value * 1e6) / 1e3) : ""));
    }
    static std::string whole_number_hint(const double*, const std::string&) { return ""; }
    static std::string whole_number_hint(const std::int64_t*, const std::string& text) {
        const auto value = parse_number(text);
        return value && std::floor(*value) == *value && std::fabs(*value) < 1e15
                   ? "; write " + std::to_string(static_cast<std::int64_t>(*value))
                   : "";
    }

    void read(bool* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        if (!is_plain(target, row, node, path)) return;
        if (const auto value = parse_boolean(node.scalar))
            *target = *value;
        else
            wrong_type(target, row, node, path, boolean_hint(node.scalar));
    }
    template <typename Number>
    requires std::is_arithmetic_v<Number>
    void read(Number* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        if (!is_plain(target, row, node, path) || number(*target, row, node, path)) return;
        std::string hint = number_hint(node.scalar, row.unit);
        if (hint.empty()) hint = whole_number_hint(target, node.scalar);
        wrong_type(target, row, node, path, hint);
    }
    template <typename Number>
    void read(std::optional<Number>* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        Number value{};
        read(&value, row, node, path);
        if (reading_.sound(path)) *target = value;
    }
    void read(std::string* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        if (node.kind != YamlNode::Kind::scalar) return wrong_type(target, row, node, path);
        if (!row.values.empty() && vocabulary_ != nullptr) {
            if (!is_allowed(*vocabulary_, row.values, node.scalar)) {
                const auto allowed = allowed_values(*vocabulary_, row.values);
                std::string names;
                for (const AllowedValue& value : allowed) names += (names.empty() ? "" : ", ") + value.name;
                return fault(path, node,
                             "must be one of " + names + unknown_value_hint(node.scalar, row.values, allowed));
            }
        }
        *target = node.scalar;
    }
    /// A list of names.
    void read(std::vector<std::string>* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        if (node.kind != YamlNode::Kind::sequence || node.items.empty())
            return wrong_type(target, row, node, path,
                              node.kind == YamlNode::Kind::scalar ? "; write [" + clipped(node.scalar) + "]" : "");
        std::vector<std::string> names(node.items.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string item = path + "[" + std::to_string(i) + "]";
            reading_.values[item] = place(node.items[i]);
            read(&names[i], row, node.items[i], item);
            if (!reading_.sound(item)) reading_.faulty.insert(path);
        }
        if (reading_.sound(path)) *target = std::move(names);
    }
    void read(std::filesystem::path* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        if (node.kind != YamlNode::Kind::scalar || node.scalar.empty()) return wrong_type(target, row, node, path);
        const auto written = read_path(node.scalar);
        if (!written)
            return fault(path, node,
                         "a path that begins with file: is a URI of this machine: file:/folder/name, with %25 for a "
                         "percent sign");
        if (written->native().find('\0') != std::string::npos) return fault(path, node, "a path cannot hold a NUL");
        *target = *written;
        const std::string hint = shell_hint(node.scalar);
        if (!row.input_file) return hint.empty() ? void() : fault(path, node, "is not a path" + hint);
        *target = (reading_.folder / *target).lexically_normal();
        std::error_code error;
        const auto status = std::filesystem::status(*target, error);
        if (std::filesystem::is_directory(status)) return fault(path, node, "is a folder; a file is needed");
        const bool by_shot = row.by_shot && is_by_shot(*target);
        if (by_shot ? !files_by_shot(*target).empty() : std::filesystem::exists(status)) return;
        reading_.faulty.insert(path);
        reading_.faults.add_missing_file(place(node), path + " = " + show(node) + ": no such file" +
                                                          (by_shot ? " of any shot" : "") +
                                                          (hint.empty() ? "; looked for " + shown(*target) : hint));
    }
    /// One path, or a list of them.
    void read(std::vector<std::filesystem::path>* target, const Parameter& row, const YamlNode& node,
              const std::string& path) {
        std::vector<std::filesystem::path> paths;
        if (node.kind == YamlNode::Kind::sequence && !node.items.empty()) {
            paths.resize(node.items.size());
            for (std::size_t i = 0; i < paths.size(); ++i) {
                const std::string item = path + "[" + std::to_string(i) + "]";
                read(&paths[i], row, node.items[i], item);
                if (!reading_.sound(item)) reading_.faulty.insert(path);
            }
        } else if (node.kind == YamlNode::Kind::scalar && !node.scalar.empty()) {
            read(&paths.emplace_back(), row, node, path);
        } else {
            return wrong_type(target, row, node, path);
        }
        if (reading_.sound(path)) *target = std::move(paths);
    }
    void read(NameOrIntegers* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        const bool is_word = node.kind == YamlNode::Kind::scalar && !parse_number(node.scalar);
        const bool is_list = node.kind == YamlNode::Kind::sequence;
        if (!is_word && (is_list || row.count.single)) {
            target->integers.clear();
            return read(&target->integers, row, node, path);
        }
        const auto allowed = allowed_values({}, row.values);
        if (!is_word) return wrong_type(target, row, node, path);
        if (std::ranges::find(allowed, node.scalar, &AllowedValue::name) == allowed.end())
            return wrong_type(target, row, node, path, unknown_value_hint(node.scalar, row.values, allowed));
        *target = {node.scalar, {}};
    }
    /// One text, or a list whose items are put together.
    void read(NumberSelection* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        const bool is_list = node.kind == YamlNode::Kind::sequence && !node.items.empty();
        std::string text;
        for (const YamlNode& item : is_list ? std::span(node.items) : std::span(&node, 1)) {
            if (item.kind != YamlNode::Kind::scalar) return wrong_type(target, row, node, path);
            text += (text.empty() ? "" : ",") + item.scalar;
        }
        auto parsed = NumberSelection::parse(text);
        if (const auto* const wrong = std::get_if<std::string>(&parsed))
            return wrong_type(target, row, node, path, "; '" + clipped(*wrong) + "' is neither a number nor a range");
        *target = std::get<NumberSelection>(std::move(parsed));
    }
    template <typename Number>
    void read(std::vector<Number>* target, const Parameter& row, const YamlNode& node, const std::string& path) {
        std::vector<Number> values;
        if (node.kind == YamlNode::Kind::scalar && row.count.single) {
            values.resize(1);
            read_item(values[0], target, row, node, path);
        } else if (node.kind == YamlNode::Kind::sequence) {
            values.resize(node.items.size());
            // Halves of numbers, as in [1,05, 2], are no values of their own: their count is the error.
            const bool has_halves = !decimal_comma(target, row, node).empty();
            for (std::size_t i = 0; i < values.size() && !has_halves; ++i)
                read_item(values[i], target, row, node.items[i], path + "[" + std::to_string(i) + "]");
        } else {
            return wrong_type(target, row, node, path);
        }
        if (reading_.sound(path)) check_count(values.size(), target, row, node, path);
        if (reading_.sound(path)) *target = std::move(values);
    }
    template <typename Number>
    void read_item(Number& value, std::vector<Number>* list, const Parameter& row, const YamlNode& node,
                   const std::string& path) {
        const bool plain = node.kind == YamlNode::Kind::scalar && !node.quoted;
        if (!plain || !number(value, row, node, path)) {
            std::string hint = node.kind == YamlNode::Kind::scalar ? number_hint(node.scalar, row.unit) : "";
            if (node.quoted && hint.empty()) hint = "; remove the quotes";
            if (plain && hint.empty()) hint = whole_number_hint(&value, node.scalar);
            const bool item = path.ends_with(']');
            const std::string one = std::is_floating_point_v<Number> ? "a number" : "an integer";
            fault(path, node, "must be " + (item ? one : describe_type(row, list)) + hint);
        }
        if (!reading_.sound(path)) reading_.faulty.insert(path.substr(0, path.rfind('[')));
    }
    /// The hint that a list has too many numbers since a comma in it is a decimal sign, or empty.
    template <typename Number>
    std::string decimal_comma(const std::vector<Number>*, const Parameter& row, const YamlNode& node) const {
        if (std::is_integral_v<Number>) return "";
        return comma_hint(node, row.count.axes ? static_cast<std::size_t>(dimensions()) : row.count.max);
    }
    template <typename List>
    void check_count(std::size_t size, List* target, const Parameter& row, const YamlNode& node,
                     const std::string& path) {
        const Count& count = row.count;
        if (count.single && size == 1) return;
        if (!count.axes) {
            if (size >= count.min && size <= count.max) return;
            return fault(path, node,
                         "must be " + describe_type(row, target) + ", not " + std::to_string(size) +
                             decimal_comma(target, row, node));
        }
        const auto axes = static_cast<std::size_t>(dimensions());
        if (axes == 0 || size == axes) return;
        fault(path, node,
              "must have " + std::to_string(axes) + " numbers (" + (axes == 2 ? "x, z" : "x, y, z") + ") as " +
                  what_makes_dimensions() + ", not " + std::to_string(size) + decimal_comma(target, row, node));
    }
    void read(const Group& group, const Parameter& row, const YamlNode& node, const std::string& path) {
        if (group.kind != Group::Kind::list)
            return section(group.append(group.owner), row.rows, node, path, reading_.keys[path]);
        if (node.kind != YamlNode::Kind::sequence)
            return fault(path, node, "must be a list of sections, each beginning with '- '");
        if (node.items.empty()) return fault(path, node, "must not be empty");
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            const std::string here = path + "[" + std::to_string(i) + "]";
            const SourcePlace at = place(node.items[i]);
            reading_.keys[here] = reading_.values[here] = at;
            section(group.append(group.owner), row.rows, node.items[i], here, at);
        }
    }

    /// Number of dimensions of the run: 2, 3, or 0 where it is not known yet.
    [[nodiscard]] int dimensions() const {
        if (!reading_.sound("grid.shape")) return 0;
        return config_.grid.shape.empty() ? of_file_ : config_.grid.dimensions();
    }
    /// "grid.shape makes a 2-D run".
    [[nodiscard]] std::string what_makes_dimensions() const {
        return (config_.grid.shape.empty() ? "the model's file makes a " : "grid.shape makes a ") +
               std::to_string(dimensions()) + "-D run";
    }

    Config& config_;
    int of_file_;                   ///< dimensions of the model's file, 0 where they are not known
    bool has_model_grid_ = false;   ///< the model is a file or arrays, which give what the grid leaves out
    const Vocabulary* vocabulary_;  ///< absent: names are not looked at
    Reading& reading_;
};

}  // namespace

std::string Reading::named(const std::string& path) const {
    const auto other = alias.find(path);
    return other == alias.end() ? path : other->second;
}

SourcePlace Reading::place_of(std::string path) const {
    if (const auto value = values.find(path); value != values.end()) return value->second;
    while (!path.empty()) {
        const auto end = path.find_last_of(".[");
        path = end == std::string::npos ? "" : path.substr(0, end);
        if (const auto key = keys.find(path); key != keys.end()) return key->second;
    }
    return {0, {1, 1}};
}

std::string show(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null: return "null";
        case YamlNode::Kind::scalar: return clipped(node.quoted ? "'" + node.scalar + "'" : node.scalar);
        case YamlNode::Kind::map: return "{...}";
        case YamlNode::Kind::sequence: break;
    }
    std::string text = "[";
    for (const YamlNode& item : node.items) {
        if (text.size() > 80) break;
        text += (text.size() > 1 ? ", " : "") + show(item);
    }
    return clipped(text + "]");
}

void read_rows(Config& config, const YamlNode& root, const Vocabulary* vocabulary, int dimensions, Reading& reading) {
    Reader(config, vocabulary, dimensions, reading).root(root);
}

}  // namespace onda
