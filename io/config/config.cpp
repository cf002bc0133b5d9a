#include "io/config/config.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

#include "io/config/config_reader.hpp"
#include "io/files/input_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

/// At most one byte more than a configuration may have.
std::string read_text(std::istream& stream, const std::string& name) {
    std::string text(kMaxYamlBytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad())
        throw Error(ExitCode::io_error, name + ": cannot read the configuration: " + std::strerror(errno));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

std::string read_text(const std::filesystem::path& file) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        throw Error(ExitCode::missing_input, shown(file) + ": is a folder; a configuration file is needed");
    if (::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0)
        throw Error(ExitCode::missing_input, shown(file) + ": cannot read the configuration: " + std::strerror(errno) +
                                                 "; `onda init -o FILE` writes one to start from");
    return read_input_stream(file, kMaxYamlBytes + 1);
}

/// One step of a dotted path: a key, or an index into a list.
struct Step {
    std::string key;
    std::size_t index = 0;
};

/// sources[0].position_m[2] -> sources, 0, position_m, 2; nothing if it is not such a path.
std::optional<std::vector<Step>> split_path(std::string_view path) {
    std::vector<Step> steps;
    bool key_follows = true;
    while (!path.empty() || key_follows) {
        if (key_follows) {
            const auto end = std::min(path.find_first_of(".["), path.size());
            if (end == 0) return std::nullopt;
            steps.push_back({std::string(path.substr(0, end)), 0});
            path.remove_prefix(end);
        } else {
            const auto end = path.find(']');
            const auto index = end == std::string_view::npos ? std::nullopt : parse_integer(path.substr(1, end - 1));
            if (path.front() != '[' || !index || *index < 0) return std::nullopt;
            steps.push_back({"", static_cast<std::size_t>(*index)});
            path.remove_prefix(end + 1);
        }
        key_follows = path.starts_with('.');
        if (key_follows) path.remove_prefix(1);
    }
    return steps;
}

void set_source(YamlNode& node, int source) {
    node.source = source;
    for (YamlKey& key : node.keys) key.source = source;
    for (YamlNode& item : node.items) set_source(item, source);
}

/// Moves `node` to the child a step leads to, made if it is a new key. \return what is wrong, or empty.
std::string follow(YamlNode*& node, const Step& step, const std::string& walked, int source) {
    if (step.key.empty()) {
        if (node->kind != YamlNode::Kind::sequence) return walked + " is not a list";
        if (step.index >= node->items.size())
            return walked + " has " + std::to_string(node->items.size()) +
                   (node->items.size() == 1 ? " item" : " items") + ", counted from 0";
        node = &node->items[step.index];
        return "";
    }
    if (node->kind == YamlNode::Kind::null) node->kind = YamlNode::Kind::map;
    if (node->kind != YamlNode::Kind::map) return walked + " is not a section of keys";
    YamlNode* child = node->find(step.key);
    if (child == nullptr) {
        node->keys.push_back({step.key, {}, source});
        child = &node->items.emplace_back();
        child->source = source;
    }
    node = child;
    return "";
}

void remove_key(YamlNode& parent, const std::string& key) {
    for (std::size_t i = parent.keys.size(); i-- > 0;) {
        if (parent.keys[i].name != key) continue;
        parent.keys.erase(parent.keys.begin() + static_cast<std::ptrdiff_t>(i));
        parent.items.erase(parent.items.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

/// Errors in the characters of `key=value`, at their place in it; empty if there are none.
std::string character_fault(std::string_view text) {
    std::size_t number = 1;
    for (std::size_t length = 0; !text.empty(); text.remove_prefix(length), ++number) {
        length = utf8_length(text);
        const std::string at = "character " + std::to_string(number) + " ";
        if (length == 0)
            return at + "is not valid UTF-8: the byte " + printable(text.substr(0, 1)) + "; write text in UTF-8";
        if (length == 1 && text[0] != '\t' && is_hidden(text.substr(0, 1)))
            return at + "is the control character " + printable(text.substr(0, 1)) +
                   "; an override is plain text on one line";
    }
    return "";
}

/// Puts the value of `key=value` into the tree. \return what is wrong, or empty.
std::string apply_override(YamlNode& root, const std::string& text, int source) {
    if (auto fault = character_fault(text); !fault.empty()) return fault;
    const auto equals = text.find('=');
    const std::string path = text.substr(0, equals);
    const auto steps = split_path(path);
    if (equals == std::string::npos || !steps) return "must be key=value, such as time.duration_s=2";
    if (steps->size() > static_cast<std::size_t>(kMaxYamlDepth))
        return "the key is nested more than " + std::to_string(kMaxYamlDepth) + " levels deep";
    YamlDocument value = read_strict_yaml(std::string_view(text).substr(equals + 1));
    if (!value.faults.empty()) {
        const TextFault& fault = value.faults.front();
        return "character " + std::to_string(fault.place.column) + " of the value: " + fault.message;
    }
    if (equals + 1 == text.size()) return "has no value; null removes a key";
    YamlNode* node = &root;
    YamlNode* parent = nullptr;
    std::string walked;
    for (const Step& step : *steps) {
        parent = node;
        if (const auto fault = follow(node, step, walked.empty() ? "the configuration" : walked, source);
            !fault.empty())
            return fault;
        walked += step.key.empty() ? "[" + std::to_string(step.index) + "]" : (walked.empty() ? "" : ".") + step.key;
    }
    const std::string& last = steps->back().key;
    if (value.root.kind == YamlNode::Kind::null && !last.empty()) {
        remove_key(*parent, last);
        return "";
    }
    set_source(value.root, source);
    *node = std::move(value.root);
    for (YamlKey& key : parent->keys)
        if (key.name == last) key.source = source;
    return "";
}

/// Everything that is known from the text and the overrides; errors are in the result.
/// \param vocabulary absent: names are not looked at. \param dimensions of the model's file; 0: not known.
Reading read_all(Config& config, const Vocabulary* vocabulary, int dimensions = 0) {
    const ConfigOrigin& from = config.origin;
    Reading reading{FaultList(shown(from.file), from.text, from.overrides), {}, {}, {}, {}, {}, {}};
    reading.folder = std::filesystem::absolute(from.file).parent_path();
    YamlDocument document = read_strict_yaml(from.text);
    for (const TextFault& fault : document.faults) reading.faults.add({0, fault.place}, fault.message);
    for (std::size_t i = 0; i < from.overrides.size(); ++i) {
        const int source = static_cast<int>(i) + 1;
        const auto fault = apply_override(document.root, from.overrides[i], source);
        if (!fault.empty()) reading.faults.add({source, {}}, fault);
    }
    if (!document.complete) return reading;
    read_rows(config, document.root, vocabulary, dimensions, reading);
    if (config.scheme.stencil == "compact27" && !reading.given("scheme.space_order")) config.scheme.space_order = 2;
    check_given_together(config, reading);
    return reading;
}

/// \throws Error(config) for the file of a model, or of results, in the place of a configuration.
void refuse_hdf5(const std::string& text, const std::filesystem::path& file) {
    if (!begins_as_hdf5(text)) return;
    const auto config = std::filesystem::path(file).replace_extension(".yaml").filename();
    throw Error(ExitCode::config, shown(file) +
                                      ": is an HDF5 file, not a configuration; if it holds a model, `onda init " +
                                      "--like " + shown(file) + " -o " + shown(config) + "` writes one for it");
}

}  // namespace

Config read_config_text(const std::string& text, const std::filesystem::path& name, const Vocabulary& vocabulary,
                        const std::vector<std::string>& overrides) {
    Config config;
    config.origin = {name, text, overrides};
    const Reading reading = read_all(config, &vocabulary);
    if (!reading.faults.empty()) reading.faults.raise();
    return config;
}

Config read_config(const std::filesystem::path& file, const Vocabulary& vocabulary,
                   const std::vector<std::string>& overrides) {
    constexpr const char* standard_input = "stdin";
    if (file == "-")
        return read_config_text(read_text(std::cin, standard_input), standard_input, vocabulary, overrides);
    const std::string text = read_text(file);
    refuse_hdf5(text, file);
    return read_config_text(text, file, vocabulary, overrides);
}

void check_given_dimensions(const ConfigOrigin& origin, int dimensions) {
    if (origin.text.empty()) return;
    Config again;
    again.origin = origin;
    const Reading reading = read_all(again, nullptr, dimensions);
    if (!reading.faults.empty()) reading.faults.raise();
}

void ConfigOrigin::fault(const std::string& key, const std::string& message) const {
    StageFaults faults(*this);
    faults.add(key, message);
    faults.raise();
}

void ConfigOrigin::value_fault(const std::string& key, const std::string& message) const {
    StageFaults faults(*this);
    faults.add_of_value(key, message);
    faults.raise();
}

void StageFaults::add(std::string key, std::string message) {
    faults_.push_back({given_key(key), std::move(message), false});
}

void StageFaults::add_of_value(std::string key, std::string message) {
    faults_.push_back({given_key(key), std::move(message), true});
}

std::string StageFaults::given_key(const std::string& key) const {
    for (const auto& [section, from] : origin_.taken_from)
        if (key == section || key.starts_with(section + ".")) return from + key.substr(section.size());
    return key;
}

/// The text is read again: only an error needs to know where every value stands.
void StageFaults::raise() const {
    Config again;
    again.origin = origin_;
    if (origin_.file.empty()) again.origin.file = "configuration";
    const Reading reading = read_all(again, nullptr);
    FaultList list(shown(again.origin.file), origin_.text, origin_.overrides);
    for (const Fault& fault : faults_) {
        const auto value = fault.with_value ? reading.written.find(fault.key) : reading.written.end();
        const std::string key = reading.named(fault.key);
        const std::string named = value == reading.written.end() ? key : key + " = " + value->second;
        list.add(origin_.text.empty() ? SourcePlace{} : reading.place_of(fault.key),
                 named + (named.empty() ? "" : ": ") + fault.message);
    }
    list.raise();
}

}  // namespace onda
