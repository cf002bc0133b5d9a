#include "solver/performance/device_description.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <variant>

#include "io/config/config_faults.hpp"
#include "io/config/strict_yaml.hpp"
#include "io/files/input_file.hpp"
#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/performance/reference_files.hpp"

namespace onda {
namespace {

using D = DeviceDescription;

/// One key of a description: whole numbers are those of the members that hold one.
struct Field {
    std::string_view key, help;
    std::variant<std::string D::*, double D::*, std::int64_t D::*> member;
    double least = 0., most = 0.;
};

constexpr double kMostBytes = 1e15;
const Field kFields[] = {
    {"name", "the device as its driver names it", &D::name},
    {"kind", "gpu", &D::kind},
    {"source", "where the numbers come from", &D::source},
    {"clock_mhz", "clock of the multiprocessors [MHz]", &D::clock_mhz, 1., 1e5},
    {"memory_bandwidth_gb_s", "peak rate of the memory [GB/s]", &D::memory_bandwidth_gb_s, 1., 1e6},
    {"memory_latency_cycles", "from a load to its value from memory [cycles]", &D::memory_latency_cycles, 1., 1e5},
    {"memory_bytes", "size of the memory [bytes]", &D::memory_bytes, 1e6, kMostBytes},
    {"l2_bytes", "size of the L2 cache [bytes]", &D::l2_bytes, 0., kMostBytes},
    {"multiprocessors", "how many there are", &D::multiprocessors, 1., 1e5},
    {"fp32_lanes_per_multiprocessor", "fused multiply-adds a cycle", &D::fp32_lanes, 1., 1e5},
    {"registers_per_multiprocessor", "of 32 bits", &D::registers, 1024., 1e9},
    {"shared_bytes_per_multiprocessor", "shared memory [bytes]", &D::shared_bytes, 1024., 1e9},
    {"shared_bytes_per_block", "the most of it that one block can have [bytes]", &D::block_shared_bytes, 1024., 1e9},
    {"warps_per_multiprocessor", "resident at a time, of 32 threads", &D::warps, 1., 1e5},
    {"blocks_per_multiprocessor", "resident at a time", &D::blocks, 1., 1e5},
    {"threads_per_block", "the most", &D::block_threads, 32., 1e5},
};

bool within(double value, const Field& field) {
    return value >= field.least && value <= field.most;
}

/// Whether the node is a value of the field; then it is in the description.
bool take(D& device, const Field& field, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::scalar) return false;
    if (const auto* text = std::get_if<std::string D::*>(&field.member)) {
        device.*(*text) = printable(node.scalar);
        return !node.scalar.empty();
    }
    if (node.quoted) return false;
    if (const auto* number = std::get_if<double D::*>(&field.member)) {
        device.*(*number) = parse_number(node.scalar).value_or(NAN);
        return within(device.*(*number), field);
    }
    const std::optional<std::int64_t> whole = parse_integer(node.scalar);
    device.*std::get<std::int64_t D::*>(field.member) = whole.value_or(-1);
    return whole.has_value() && within(static_cast<double>(*whole), field);
}

std::string must_be(const Field& field) {
    if (std::holds_alternative<std::string D::*>(field.member)) return "must be text";
    const bool whole = std::holds_alternative<std::int64_t D::*>(field.member);
    return std::string("must be a ") + (whole ? "whole number" : "number") + ", " + number_text(field.least) + " to " +
           number_text(field.most);
}

std::string unknown_key(const std::string& key) {
    std::vector<std::string> keys;
    for (const Field& field : kFields) keys.emplace_back(field.key);
    const auto nearest = nearest_name(key, keys);
    return "unknown key '" + printable(key) + "'" + (nearest ? "; did you mean '" + *nearest + "'?" : "");
}

std::string shown_value(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null: return "(nothing)";
        case YamlNode::Kind::scalar: return printable(node.scalar);
        case YamlNode::Kind::sequence: return "[...]";
        case YamlNode::Kind::map: return "{...}";
    }
    return "";
}

/// Fills the description from the keys of a map, and records what is wrong.
D read_fields(const YamlNode& root, FaultList& faults) {
    D device;
    for (std::size_t i = 0; i < root.keys.size(); ++i)
        if (std::ranges::find(kFields, root.keys[i].name, &Field::key) == std::end(kFields))
            faults.add({0, root.keys[i].place}, unknown_key(root.keys[i].name));
    for (const Field& field : kFields) {
        const YamlNode* node = root.find(field.key);
        const std::string key(field.key);
        if (node == nullptr)
            faults.add({0, {1, 1}}, "missing key '" + key + "': " + std::string(field.help));
        else if (!take(device, field, *node))
            faults.add({0, node->place}, key + " = " + shown_value(*node) + ": " + must_be(field));
    }
    const YamlNode* kind = root.find("kind");
    if (kind != nullptr && !device.kind.empty() && device.kind != "gpu")
        faults.add({0, kind->place}, "kind = " + printable(device.kind) + ": must be gpu");
    return device;
}

std::string text_of(const std::filesystem::path& file) {
    if (input_file_size(file) > kMaxYamlBytes)
        throw Error(ExitCode::config, shown(file) + ": a description of a device has at most 1 MiB");
    std::ifstream in = open_input_file(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The name of a description that comes with the program: "k40" of "devices/k40.yaml"; empty for other files.
std::string described_name(const EmbeddedFile& file) {
    const std::filesystem::path path(file.name);
    return path.parent_path() == "devices" ? path.stem().string() : std::string();
}

}  // namespace

Residency residency(const D& device, std::int64_t threads, std::int64_t registers, std::int64_t shared_bytes) {
    if (threads > device.block_threads) return {0, "threads of a block"};
    const std::int64_t warps = (threads + kWarpThreads - 1) / kWarpThreads;
    const std::pair<std::int64_t, const char*> limits[] = {{device.blocks, "blocks"},
                                                           {device.warps / warps, "warps"},
                                                           {device.registers / registers, "registers"},
                                                           {device.shared_bytes / shared_bytes, "shared memory"}};
    const auto least = std::ranges::min_element(limits, {}, &std::pair<std::int64_t, const char*>::first);
    if (shared_bytes > device.block_shared_bytes) return {0, "shared memory"};
    return {least->first, least->second};
}

D parse_device_description(std::string_view text, const std::string& name) {
    const YamlDocument document = read_strict_yaml(text);
    FaultList faults(name, text, {});
    for (const TextFault& fault : document.faults) faults.add({0, fault.place}, fault.message);
    D device;
    if (document.complete && document.root.kind != YamlNode::Kind::map)
        faults.add({0, {1, 1}}, "a description of a device is a map of keys");
    else if (document.complete)
        device = read_fields(document.root, faults);
    if (!faults.empty()) faults.raise();
    return device;
}

std::vector<std::string> described_devices() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : reference_files())
        if (std::string name = described_name(file); !name.empty()) names.push_back(std::move(name));
    return names;
}

D device_description(const std::string& name_or_file) {
    for (const EmbeddedFile& file : reference_files())
        if (described_name(file) == name_or_file) return parse_device_description(file.text, std::string(file.name));
    if (name_or_file.ends_with(".yaml") || name_or_file.ends_with(".yml"))
        return parse_device_description(text_of(name_or_file), shown(name_or_file));
    const std::vector<std::string> names = described_devices();
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    const auto nearest = nearest_name(name_or_file, names);
    throw Error(ExitCode::usage, "device '" + printable(name_or_file) + "' is not described" +
                                     (nearest ? "; did you mean '" + *nearest + "'?" : "") + "\n  there are " + list +
                                     "; a description of your own is a file that ends with .yaml");
}

std::optional<D> description_of(std::string_view driver_name) {
    for (const std::string& name : described_devices())
        if (D device = device_description(name); device.name == driver_name) return device;
    return std::nullopt;
}

}  // namespace onda
