// onda data info and plot: what recorded traces are, before anything is computed with them.
#include "solver/commands/data.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/plot.hpp"
#include "solver/program/json_text.hpp"

namespace onda {
namespace data {

void add_input(CLI::App& command, Input& input) {
    command
        .add_option(
            "FILE", input.files,
            "SEG-Y (.sgy, .segy), SU (.su), a NumPy array beside its table of traces (.npy) or seismograms.h5, or "
            "the folder of a run; several: one line")
        ->required();
    add_bytes(command, input.bytes);
}

void add_bytes(CLI::App& command, std::vector<std::string>& bytes) {
    command
        .add_option("--bytes", bytes,
                    "First bytes of header fields that files have elsewhere than the standards, such as "
                    "source_x=201,source_y=205; 0: not there. The fields of imaging.segy_bytes, or SU keywords")
        ->type_name("FIELD=BYTE,...")
        ->delimiter(',')
        ->allow_extra_args(false);
}

TraceBytes bytes_of(const std::vector<std::string>& given, const TraceBytes& standard) {
    TraceBytes bytes = standard;
    for (const std::string& text : given) {
        const std::size_t sign = text.find('=');
        const std::string name = text.substr(0, sign);
        const auto field = std::ranges::find_if(
            kTraceFields, [&](const TraceField& row) { return row.name == name || row.su_name == name; });
        const auto fail = [&](const std::string& fault) {
            throw Error(ExitCode::usage, "--bytes " + printable(text) + ": " + fault);
        };
        if (sign == std::string::npos) fail("give FIELD=BYTE, such as source_x=201");
        if (field == kTraceFields.end()) {
            std::vector<std::string> names;
            for (const TraceField& row : kTraceFields) names.emplace_back(row.name);
            const auto nearest = nearest_name(name, names);
            fail(fmt::format("there is no such field; {}there are {}",
                             nearest ? "did you mean '" + *nearest + "'? " : std::string(), fmt::join(names, ", ")));
        }
        const auto value = finite_number(std::string_view(text).substr(sign + 1));
        const std::int64_t last = kTraceHeaderBytes + 1 - field->width;
        if (!value || *value != std::floor(*value) || *value < 0. || *value > static_cast<double>(last))
            fail(fmt::format("a field of {} bytes begins at byte 1 to {}, or 0 where there is none", field->width,
                             last));
        bytes.*field->byte = static_cast<std::int64_t>(*value);
    }
    return bytes;
}

RecordedData open(const Input& input, const TraceBytes& bytes) {
    std::vector<std::filesystem::path> files = input.files;
    for (std::filesystem::path& file : files)
        if (std::filesystem::is_directory(file)) file = plot::input_of(file, FileKind::seismograms);
    return RecordedData(files, bytes);
}

namespace {

/// Neighbours among ascending numbers, as first and last.
template <typename T>
std::vector<std::pair<T, T>> ranges_of(const std::vector<T>& numbers) {
    std::vector<std::pair<T, T>> ranges;
    for (const T number : numbers) {
        if (ranges.empty() || ranges.back().second + 1 != number)
            ranges.emplace_back(number, number);
        else
            ranges.back().second = number;
    }
    return ranges;
}

/// Joins ranges, each as `name` has its ends.
template <typename T, typename Name>
std::string joined(const std::vector<T>& numbers, std::size_t most, const Name& name) {
    std::string text;
    std::size_t told = 0, count = 0;
    for (const auto& [first, last] : ranges_of(numbers)) {
        if (count++ == most) break;
        text += (text.empty() ? "" : ", ") + name(first);
        if (last != first) text += (last == first + 1 ? ", " : " to ") + name(last);
        told += static_cast<std::size_t>(last - first) + 1;
    }
    return told < numbers.size() ? text + fmt::format(" and {} more", numbers.size() - told) : text;
}

}  // namespace

std::string listed(const RecordedData& data, const std::vector<std::size_t>& traces, std::size_t most) {
    const bool are_numbers = data.files().size() == 1 && is_trace_file(data.files().front().path);
    return joined(traces, most,
                  [&](std::size_t trace) { return are_numbers ? std::to_string(trace + 1) : data.name(trace); });
}

std::string ranges_text(const std::vector<std::int64_t>& numbers, std::size_t most) {
    return joined(numbers, most, [](std::int64_t number) { return std::to_string(number); });
}

nlohmann::ordered_json files_json(const RecordedData& data) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const RecordedData::File& file : data.files())
        files.push_back(
            {{"file", shown(file.path)}, {"format", file.format}, {"traces", file.count}, {"samples", file.samples}});
    return files;
}

nlohmann::ordered_json traces_json(const std::vector<std::size_t>& traces) {
    nlohmann::ordered_json numbers = nlohmann::ordered_json::array();
    for (const std::size_t trace : traces) numbers.push_back(trace + 1);
    return numbers;
}

namespace {

constexpr std::size_t kMostListed = 8;  // ranges, by info

nlohmann::ordered_json box_json(const PositionBox& box) {
    return {{"low_xyz", box.low}, {"high_xyz", box.high}};
}

nlohmann::ordered_json as_json(const RecordedData& data, const RecordedFacts& facts) {
    nlohmann::ordered_json json{{"files", files_json(data)},
                                {"traces", data.traces().size()},
                                {"dt_s", data.dt_s()},
                                {"start_s", facts.starts_s}};
    nlohmann::ordered_json shots = nlohmann::ordered_json::array();
    for (const RecordedShot& shot : facts.shots)
        shots.push_back({{"number", shot.number}, {"source_m", shot.source_m}, {"traces", shot.traces.size()}});
    json["shots"] = std::move(shots);
    json["receiver_places"] = facts.receivers;
    json["sources_m"] = box_json(facts.sources_m);
    json["receivers_m"] = box_json(facts.receivers_m);
    json["offsets_m"] = {
        {"least", facts.offsets_m[0]}, {"median", facts.offsets_m[1]}, {"largest", facts.offsets_m[2]}};
    const Fold& fold = facts.fold;
    if (!fold.traces.empty())
        json["fold"] = {{"bin_m", fold.bin_m},
                        {"along", fold.is_line ? "line" : "map"},
                        {"largest", fold.traces[fold.fullest()]},
                        {"at_xy_m", fold.place_m(fold.fullest())}};
    json["rms"] = {{"least", facts.rms[0]}, {"median", facts.rms[1]}, {"largest", facts.rms[2]}};
    json["spectrum"] = {{"peak_hz", facts.peak_hz}, {"band_20_db_hz", facts.band_hz}};
    json["dead"] = traces_json(facts.dead);
    json["zero"] = traces_json(facts.zero);
    json["not_finite"] = traces_json(facts.not_finite);
    json["duplicates"] = nlohmann::ordered_json::array();
    for (const auto& [trace, earlier] : facts.duplicates)
        json["duplicates"].push_back({{"trace", trace + 1}, {"as", earlier + 1}});
    return json;
}

std::string box_text(const PositionBox& box) {
    std::string text;
    for (const std::size_t axis : {0u, 1u, 2u}) {
        text += fmt::format("{}{} {:.8g}", text.empty() ? "" : ", ", "xyz"[axis], box.low[axis]);
        if (box.high[axis] != box.low[axis]) text += fmt::format(" to {:.8g}", box.high[axis]);
        text += " m";
    }
    return text;
}

void print_line(const char* name, const std::string& text) {
    std::cout << fmt::format("{:<11}{}\n", name, text);
}

void print_traces(const RecordedData& data, const char* name, const std::vector<std::size_t>& traces) {
    print_line(name, traces.empty() ? "none" : fmt::format("{}: {}", traces.size(), listed(data, traces, kMostListed)));
}

std::string fold_text(const Fold& fold) {
    if (fold.traces.empty()) return "none: every trace is marked as dead";
    const auto place = fold.place_m(fold.fullest());
    return fmt::format("{} at most, at x {:.8g}, y {:.8g} m, in bins of {:.6g} m{}", fold.traces[fold.fullest()],
                       place[0], place[1], fold.bin_m, fold.is_line ? " along the line" : " by as much");
}

void print(const RecordedData& data, const RecordedFacts& facts) {
    for (const RecordedData::File& file : data.files())
        print_line("file", fmt::format("{}: {}, {} traces of {} samples", shown(file.path), file.format, file.count,
                                       file.samples));
    const auto seconds = [&](std::int64_t samples) { return static_cast<double>(samples - 1) * data.dt_s(); };
    const std::string starts = facts.starts_s[0] == facts.starts_s[1]
                                   ? fmt::format("{:.6g} s", facts.starts_s[0])
                                   : fmt::format("{:.6g} to {:.6g} s", facts.starts_s[0], facts.starts_s[1]);
    print_line("samples", fmt::format("every {:.9g} s, over {:.6g} s; the first at {}", data.dt_s(),
                                      seconds(data.most_samples()), starts));
    print_line("shots", fmt::format("{} places of sources, {} of receivers", facts.shots.size(), facts.receivers));
    print_line("sources", box_text(facts.sources_m));
    print_line("receivers", box_text(facts.receivers_m));
    print_line("offsets", fmt::format("{:.6g} to {:.6g} m, median {:.6g} m", facts.offsets_m[0], facts.offsets_m[2],
                                      facts.offsets_m[1]));
    print_line("fold", fold_text(facts.fold));
    if (facts.live == 0) {
        print_line("amplitude", "none: no trace has finite samples that are not all 0");
    } else {
        print_line("amplitude", fmt::format("rms of traces {:.3g} to {:.3g}, median {:.3g}", facts.rms[0], facts.rms[2],
                                            facts.rms[1]));
        print_line("spectrum", fmt::format("largest at {:.4g} Hz, within 20 dB of that from {:.4g} to {:.4g} Hz",
                                           facts.peak_hz, facts.band_hz[0], facts.band_hz[1]));
    }
    print_traces(data, "dead", facts.dead);
    print_traces(data, "zero", facts.zero);
    print_traces(data, "not finite", facts.not_finite);
    std::vector<std::size_t> twice;
    for (const auto& [trace, earlier] : facts.duplicates) twice.push_back(trace);
    print_traces(data, "duplicates", twice);
}

void add_bin(CLI::App& command, double& bin_m) {
    command
        .add_option("--bin", bin_m,
                    "Side of the bins of midpoints (default: half of the distance between receivers, the median)")
        ->type_name("M")
        ->check(CLI::PositiveNumber);
}

Command add_info(CLI::App& app) {
    struct Options {
        Input input;
        double bin_m = 0.;
        bool json = false;
    };
    CLI::App* const command =
        add_command(app, "info", "What the traces are: geometry, fold, amplitudes, spectrum, and those with errors",
                    "onda data info line.sgy\nonda data info line_1.sgy line_2.sgy --json");
    const auto options = std::make_shared<Options>();
    add_input(*command, options->input);
    add_bin(*command, options->bin_m);
    command->add_flag("--json", options->json, "Print as JSON, with all numbers of traces");
    return [options] {
        const RecordedData data = open(options->input, bytes_of(options->input.bytes));
        const RecordedFacts facts = facts_of(data, options->bin_m);
        if (options->json)
            std::cout << json_text(as_json(data, facts)) << '\n';
        else
            print(data, facts);
        return 0;
    };
}

Command add_plot_of_data(CLI::App& app) {
    struct Options {
        Input input;
        plot::Options plot;
        double bin_m = 0.;
    };
    CLI::App* const command =
        add_command(app, "plot", "Map, fold, spectrum and a gather in one picture, PNG, PDF or SVG",
                    "onda data plot line.sgy -o line.png\nonda data plot line_1.sgy line_2.sgy -o line.pdf --shot 120");
    const auto options = std::make_shared<Options>();
    add_input(*command, options->input);
    command->add_option("-o,--output", options->plot.output, "File to write (default: beside FILE)");
    command->add_flag("--force", options->plot.force, "Overwrite the file if it exists");
    command->add_option("--title", options->plot.title, "Title (default: the name of FILE)");
    command->add_option("--width", options->plot.width_px, "Width in pixels (default: about 1600)")
        ->check(CLI::Range(200, 20'000));
    command->add_option("--shot", options->plot.shots, "Shot of the gather (default: that in the middle)")
        ->type_name("N")
        ->expected(1);
    add_bin(*command, options->bin_m);
    return [options] {
        const RecordedData data = open(options->input, bytes_of(options->input.bytes));
        options->plot.files = options->input.files;
        const RecordedFacts facts = facts_of(data, options->bin_m);
        const std::vector<std::int64_t>& shots = options->plot.shots;
        Drawn drawn = draw(data, facts, shots.empty() ? std::nullopt : std::optional(shots.front()));
        plot::finish(std::move(drawn.picture), options->plot, data.name(), "_data");
        return 0;
    };
}

}  // namespace
}  // namespace data

Command add_data(CLI::App& app) {
    CLI::App* const command = add_command(
        app, "data", "Look at recorded seismograms, SEG-Y, SU, NumPy or seismograms.h5, before they are used",
        "onda data info line.sgy\n"
        "onda data check line.sgy --config survey.yaml\n"
        "onda data plot line.sgy -o line.png");
    return add_commands(*command, {data::add_info, data::add_check, data::add_plot_of_data});
}

}  // namespace onda
