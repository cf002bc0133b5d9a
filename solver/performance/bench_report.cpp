#include "solver/performance/bench_report.hpp"

#include <algorithm>
#include <cmath>
#include <omp.h>
#include <spdlog/fmt/fmt.h>

#include "io/files/input_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/program/build.hpp"
#include "solver/program/json_text.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "onda-bench";

Json machine_json(const Device* device, int ordinal) {
    const Host machine = host();
    Json json{{"host", machine.name},
              {"system", machine.system},
              {"cpu", machine.cpu},
              {"processors", machine.processors},
              {"numa_nodes", machine.numa_nodes},
              {"memory_bytes", machine.memory_bytes}};
    if (device == nullptr || !device->has_own_memory()) return json;
    const cuda::Platform& platform = cuda::platform();
    const cuda::Gpu& gpu = platform.gpus.at(static_cast<std::size_t>(ordinal));
    json["gpu"] = {{"name", gpu.name},
                   {"architecture", gpu.architecture},
                   {"multiprocessors", gpu.multiprocessors},
                   {"memory_bytes", gpu.memory_bytes},
                   {"driver", platform.driver_version},
                   {"runtime", platform.runtime_version}};
    return json;
}

int threads_of(const Setup& setup) {
    return setup.threads > 0 ? setup.threads : omp_get_max_threads();
}

Json quartiles_json(const Sample& sample) {
    return {{"min", sample.min()},
            {"lower_quartile", sample.quantile(0.25)},
            {"median", sample.median()},
            {"upper_quartile", sample.quantile(0.75)},
            {"max", sample.max()}};
}

Json row_json(const BenchRow& row) {
    Json json{{"problem", row.problem},
              {"kernel", row.kernel},
              {"unit", row.unit},
              {"better", row.larger_is_better ? "larger" : "smaller"},
              {"summary", quartiles_json(row.rounds)},
              {"rounds", row.rounds.rounds()}};
    if (!row.rival.empty()) {
        json["rival"] = row.rival;
        json["rival_summary"] = quartiles_json(row.rival_rounds);
        json["rival_rounds"] = row.rival_rounds.rounds();
    }
    if (!row.facts.empty()) json["facts"] = row.facts;
    return json;
}

/// Reads the values of one report, and says of what is wrong where it stands.
class Reader {
public:
    explicit Reader(const std::filesystem::path& file) : name_(shown(file)) {}

    [[noreturn]] void refuse(const std::string& where, const std::string& why) const {
        throw Error(ExitCode::bad_data, fmt::format("{}: {}: {}\n  it should be what `onda bench … --json FILE` writes",
                                                    name_, where, why));
    }
    /// A member. \param kind what it must be, in words. \throws if it is absent or is_right says no.
    const Json& member(const Json& object, const std::string& path, const char* key, const char* kind,
                       bool (Json::*is_right)() const noexcept) const {
        const std::string where = path + key;
        if (!object.is_object() || !object.contains(key)) refuse(where, fmt::format("is missing: it is {}", kind));
        const Json& value = object.at(key);
        if (!(value.*is_right)())
            refuse(where, fmt::format("{}: must be {}",
                                      printable(value.dump(-1, ' ', true, Json::error_handler_t::replace)), kind));
        return value;
    }
    std::string text(const Json& object, const std::string& path, const char* key) const {
        return printable(member(object, path, key, "a text", &Json::is_string).get<std::string>());
    }
    Json object(const Json& parent, const std::string& path, const char* key) const {
        return member(parent, path, key, "an object", &Json::is_object);
    }
    /// Numbers above zero, one at least.
    Sample sample(const Json& parent, const std::string& path, const char* key) const {
        std::vector<double> values;
        for (const Json& value : member(parent, path, key, "a list of numbers", &Json::is_array)) {
            const double number = value.is_number() ? value.get<double>() : 0.;
            if (!(number > 0.) || !std::isfinite(number))
                refuse(fmt::format("{}{}[{}]", path, key, values.size()),
                       printable(value.dump(-1, ' ', true, Json::error_handler_t::replace)) +
                           ": must be a number above zero");
            values.push_back(number);
        }
        if (values.empty()) refuse(path + key, "is empty: it has a number for each round");
        return Sample(std::move(values));
    }

private:
    std::string name_;
};

BenchRow read_row(const Reader& reader, const Json& json, const std::string& path) {
    BenchRow row;
    row.problem = reader.object(json, path, "problem");
    row.kernel = reader.object(json, path, "kernel");
    row.unit = reader.text(json, path, "unit");
    const std::string better = reader.text(json, path, "better");
    if (better != "larger" && better != "smaller")
        reader.refuse(path + "better", "'" + printable(better) + "': must be larger or smaller");
    row.larger_is_better = better == "larger";
    row.rounds = reader.sample(json, path, "rounds");
    if (json.contains("rival")) {
        row.rival = reader.text(json, path, "rival");
        row.rival_rounds = reader.sample(json, path, "rival_rounds");
        if (row.rival_rounds.rounds().size() != row.rounds.rounds().size())
            reader.refuse(path + "rival_rounds",
                          fmt::format("has {} numbers: `rounds` has {}", row.rival_rounds.rounds().size(),
                                      row.rounds.rounds().size()));
    }
    if (json.contains("facts")) row.facts = reader.object(json, path, "facts");
    return row;
}

/// \throws Error(missing_input | bad_data).
std::string text_of(const std::filesystem::path& file) {
    constexpr std::uintmax_t most = 256 << 20;
    const std::uintmax_t bytes = input_file_size(file);
    if (bytes > most)
        throw Error(ExitCode::bad_data, fmt::format("{}: {} bytes are too many for a benchmark's JSON: {} at most",
                                                    shown(file), bytes, most));
    std::ifstream in = open_input_file(file);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    in.read(text.data(), static_cast<std::streamsize>(bytes));
    if (in.gcount() != static_cast<std::streamsize>(bytes))
        throw Error(ExitCode::io_error, "cannot read " + shown(file));
    return text;
}

Json parse(const Reader& reader, const std::string& text) {
    JsonFault fault;
    Json json = parse_json(text, fault);
    if (!fault.what.empty()) reader.refuse(fmt::format("line {}, column {}", fault.line, fault.column), fault.what);
    return json;
}

}  // namespace

BenchReport begin_bench_report(std::string bench, const Device* device, int ordinal) {
    const Build& b = build();
    BenchReport report;
    report.bench = std::move(bench);
    report.program = {{"name", "onda"},         {"version", b.version},       {"git_commit", b.git_commit},
                      {"compiler", b.compiler}, {"build_type", b.build_type}, {"flags", b.flags}};
    report.command_line = command_line();
    report.created_utc = utc_now();
    report.machine = machine_json(device, ordinal);
    return report;
}

void add_peak(BenchReport& report, const Device& device, const Setup& setup, const Conditions& conditions) {
    if (!device.has_own_memory()) {
        report.peak_flops = cpu::peak_flops(setup);
        const int threads = threads_of(setup);
        report.peak_source = fmt::format("fused multiply-adds in registers, {}, {} thread{}, measured", setup.isa,
                                         threads, threads == 1 ? "" : "s");
        return;
    }
    const cuda::Gpu& gpu = cuda::platform().gpus.at(static_cast<std::size_t>(setup.ordinal));
    const int lanes = setup.precision == Precision::float32 ? gpu.lanes : gpu.double_lanes;
    const double mhz = conditions.sm_mhz ? conditions.sm_mhz->median : gpu.most_clock_mhz;
    report.peak_flops = 2e6 * gpu.multiprocessors * lanes * mhz;
    report.peak_source = fmt::format("{} multiprocessors x {} lanes x 2 x {:.0f} MHz, {}", gpu.multiprocessors, lanes,
                                     mhz, conditions.sm_mhz ? "the clock seen meanwhile" : "the highest clock");
}

Json problem_json(const Setup& setup, const std::string& boundary, const Load& load) {
    const auto& n = setup.grid.n;
    const Json shape = setup.grid.dimensions == 3 ? Json{n[0], n[1], n[2]} : Json{n[0], n[2]};
    return {{"operator", name(setup.scheme.equation)},
            {"space_order", setup.scheme.space_order},
            {"precision", setup.precision == Precision::float32 ? "float" : "double"},
            {"shape", shape},
            {"boundary", boundary.empty() ? "none" : boundary},
            {"shots", load.shots},
            {"receivers", load.receivers}};
}

Json kernel_json(const Device& device, const Setup& setup) {
    Json json{{"program", "onda"}, {"kernel", setup.kernel}};
    if (device.understands("isa")) json["isa"] = setup.isa;
    if (!device.has_own_memory()) json["threads"] = threads_of(setup);
    if (device.understands("tile")) json["tile"] = setup.tile;
    if (device.understands("copy") && !setup.copy.empty()) json["copy"] = setup.copy;
    if (setup.medium.storage != Storage::full) json["storage"] = name(setup.medium.storage);
    return json;
}

Json work_json(const Setup& setup) {
    Json json{{"bytes_per_point", bytes_per_point(setup)}};
    if (const auto operations = setup.scheme.equation->operations)
        json["operations_per_point"] = operations(setup.scheme.radius(), setup.grid.dimensions);
    return json;
}

double bytes_per_point(const Setup& setup) {
    const EquationRow& equation = *setup.scheme.equation;
    // Both levels of a field are read and one written, memory is read and written, and k, the first array, may be
    // coded.
    const std::int64_t elements =
        3 * std::ssize(equation.fields) + 2 * std::ssize(equation.memory) + std::ssize(equation.arrays) - 1;
    return static_cast<double>(elements * setup.element_bytes() + setup.medium.element_bytes(setup.element_bytes()));
}

std::string bench_report_text(const BenchReport& report) {
    Json json{{"format", kFormat},         {"schema_version", kBenchSchemaVersion}, {"bench", report.bench},
              {"program", report.program}, {"command_line", report.command_line},   {"created_utc", report.created_utc},
              {"machine", report.machine}, {"conditions", report.conditions}};
    if (report.peak_flops) json["peak"] = {{"flops", *report.peak_flops}, {"source", report.peak_source}};
    json["rows"] = Json::array();
    for (const BenchRow& row : report.rows) json["rows"].push_back(row_json(row));
    return json_text(json) + "\n";
}

BenchReport read_bench_report(const std::filesystem::path& file) {
    const Reader reader(file);
    const Json json = parse(reader, text_of(file));
    if (reader.text(json, "", "format") != kFormat)
        reader.refuse("format", fmt::format("'{}': must be {}", printable(json["format"].get<std::string>()), kFormat));
    const Json& version = reader.member(json, "", "schema_version", "an integer", &Json::is_number_integer);
    if (version != kBenchSchemaVersion)
        reader.refuse("schema_version", fmt::format("{}: this Onda reads {}", version.dump(), kBenchSchemaVersion));
    BenchReport report;
    report.bench = reader.text(json, "", "bench");
    report.program = reader.object(json, "", "program");
    report.command_line = reader.text(json, "", "command_line");
    report.created_utc = reader.text(json, "", "created_utc");
    report.machine = reader.object(json, "", "machine");
    report.conditions = reader.object(json, "", "conditions");
    if (json.contains("peak")) {
        const Json peak = reader.object(json, "", "peak");
        report.peak_flops = reader.member(peak, "peak.", "flops", "a number", &Json::is_number).get<double>();
        report.peak_source = reader.text(peak, "peak.", "source");
    }
    for (const Json& row : reader.member(json, "", "rows", "a list", &Json::is_array))
        report.rows.push_back(read_row(reader, row, fmt::format("rows[{}].", report.rows.size())));
    return report;
}

std::string values_text(const Json& object) {
    std::string text;
    for (const auto& [key, value] : object.items()) {
        std::string word =
            value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', true, Json::error_handler_t::replace);
        if (key == "shape" && value.is_array()) {
            word.clear();
            for (const Json& n : value) word += (word.empty() ? "" : " x ") + n.dump();
        }
        if (key == "space_order") word = "order " + word;
        if (key == "threads") word += value == 1 ? " thread" : " threads";
        text += (text.empty() ? "" : ", ") + printable(word);
    }
    return text;
}

}  // namespace onda
