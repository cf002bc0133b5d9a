// onda plot offset, cmp and fk: traces of a survey in other orders, and their spectra over wavenumber.
#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/pictures/ticks.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/plot.hpp"
#include "solver/pictures/sorted_traces.hpp"
#include "solver/pictures/wavenumber_picture.hpp"

namespace onda::plot {
namespace {

/// The shots of a file without their samples.
std::vector<ShotGather> headers_of(const TraceSource& source) {
    std::vector<ShotGather> headers;
    for (const std::int64_t shot : source.shots()) {
        throw_if_interrupted();
        headers.push_back(source.header(shot));
    }
    return headers;
}

/// The traces as one gather, whose receivers are theirs.
ShotGather read_traces(const TraceSource& source, std::span<const ShotGather> headers,
                       std::span<const SortedTrace> traces) {
    ShotGather gather;
    for (const SortedTrace& trace : traces) {
        throw_if_interrupted();
        const ShotGather& header = *std::ranges::find(headers, trace.shot, &ShotGather::shot);
        if (gather.samples == 0) {
            gather.sources_m = {header.sources_m.front()};
            gather.dt_s = header.dt_s;
            gather.samples = header.samples;
            gather.quantity = header.quantity;
        }
        if (header.samples != gather.samples || header.dt_s != gather.dt_s)
            throw Error(ExitCode::bad_data, fmt::format("{}: shot {} is sampled otherwise than shot {}",
                                                        shown(source.file()), trace.shot, traces.front().shot));
        gather.receivers_m.push_back(header.receivers_m[trace.receiver]);
        const std::vector<float> values = source.trace(trace.shot, trace.receiver);
        gather.pressure.insert(gather.pressure.end(), values.begin(), values.end());
    }
    return gather;
}

int draw_sorted(const Options& options, const TraceSource& source, std::span<const ShotGather> headers,
                const SortedTraces& sorted, const std::string& name, const std::string& suffix) {
    const ShotGather gather = read_traces(source, headers, sorted.traces);
    check_window(options, gather);
    TraceDisplay display = display_of(options);
    source.set_scales(display);
    GatherPanel panel = gather_panel(gather, line_of(sorted), display);
    set_title(panel, name);
    Picture picture;
    picture.panels.push_back(panel.panel);
    finish(std::move(picture), options, source.title(), suffix);
    return 0;
}

int plot_offset(const Options& options) {
    const TraceSource source(options.files.front(), options);
    const std::vector<ShotGather> headers = headers_of(source);
    const double within_m = options.within_m > 0. ? options.within_m : 0.5 * usual_distance_m(headers);
    const SortedTraces sorted = common_offset(headers, options.offset_m, within_m);
    const std::vector<SortedTrace>& traces = sorted.traces;
    if (traces.empty()) {
        std::vector<double> offsets;
        for (const ShotGather& header : headers)
            for (const double offset : offsets_m(header)) offsets.push_back(offset);
        const auto [least, largest] = std::ranges::minmax(offsets);
        throw Error(
            ExitCode::usage,
            fmt::format("--offset {}: no trace of {} is within {} m of it; offsets go from {:.6g} to {:.6g} m",
                        number_text(options.offset_m), shown(source.file()), number_text(within_m), least, largest));
    }
    const double off_m = std::ranges::max(traces, {}, &SortedTrace::off_m).off_m;
    return draw_sorted(
        options, source, headers, sorted,
        fmt::format("Offset {} m{}, {} of {} shots", printed_number(options.offset_m),
                    off_m > 0. ? fmt::format(" \xc2\xb1 {:.3g} m", off_m) : "", traces.size(), headers.size()),
        "_offset");
}

int plot_midpoint(const Options& options) {
    const TraceSource source(options.files.front(), options);
    const std::vector<ShotGather> headers = headers_of(source);
    const double within_m = options.within_m > 0. ? options.within_m : 0.25 * usual_distance_m(headers);
    const Midpoint at_m{options.midpoint_m[0], options.midpoint_m.size() > 1 ? options.midpoint_m[1] : 0.};
    const SortedTraces sorted = common_midpoint(headers, at_m, within_m);
    const std::vector<SortedTrace>& traces = sorted.traces;
    const auto place = [&](const auto& text_of) {
        return text_of(at_m[0]) + (options.midpoint_m.size() > 1 ? "," + text_of(at_m[1]) : "");
    };
    if (traces.empty())
        throw Error(ExitCode::usage,
                    fmt::format("--at {}: no trace of {} has its midpoint within {} m; onda data plot shows where "
                                "midpoints are",
                                place(number_text), shown(source.file()), number_text(within_m)));
    return draw_sorted(options, source, headers, sorted,
                       fmt::format("Midpoint {} m, {} traces within {} m", place(printed_number), traces.size(),
                                   number_text(within_m)),
                       "_cmp");
}

int plot_wavenumber(const Options& options) {
    const TraceSource source(options.files.front(), options);
    const std::int64_t shot = source.chosen(options).front();
    const ShotGather gather = source.read(shot);
    const ReceiverLine line = choose_line(gather, fmt::format("shot {}", shot), options);
    if (line.count < 2 || line.axis.title == all_receivers(line.count).axis.title)
        throw Error(ExitCode::usage,
                    fmt::format("the {} receivers of shot {} are not evenly spaced on a line: they have "
                                "no wavenumbers",
                                gather.receivers_m.size(), shot));
    GatherPanel panel = wavenumber_panel(gather, line, options.velocities_m_s, map_of(options, kViridis));
    panel.panel.title = fmt::format("Shot {}{}", shot, title_of(line, gather.receivers_m.size()));
    if (gather.quantity != &kPressure) panel.panel.title += fmt::format(", {}", gather.quantity->long_name);
    Picture picture;
    picture.panels.push_back(panel.panel);
    finish(std::move(picture), options, source.title(), "_fk");
    return 0;
}

void add_within(CLI::App& command, Options& options, const char* help) {
    command.add_option("--within", options.within_m, help)->type_name("M")->check(CLI::PositiveNumber);
}

}  // namespace

Command add_offset(CLI::App& plot) {
    CLI::App* const command = add_command(plot, "offset", "Common-offset gathers: of each shot the trace at an offset",
                                          "onda plot offset results/line --offset 500\n"
                                          "onda plot offset line.sgy --offset -100 --within 20 -o near.png");
    const auto options = std::make_shared<Options>();
    add_trace_files(*command, *options, false);
    add_quantity(*command, options->quantity);
    command->add_option("--offset", options->offset_m, "The offset, with its sign")->type_name("M")->required();
    add_within(*command, *options,
               "How far offsets may be off (default: half of the usual distance between receivers)");
    add_gains(*command, *options, "96, of wiggles 99");
    add_style(*command, *options);
    return [options] {
        settle_style(*options);
        return plot_offset(*options);
    };
}

Command add_midpoint(CLI::App& plot) {
    CLI::App* const command = add_command(plot, "cmp", "Common-midpoint gathers: the traces of a midpoint, by offset",
                                          "onda plot cmp results/line --at 1500\n"
                                          "onda plot cmp line.sgy --at 1500,250 --within 12.5 --agc 0.3");
    const auto options = std::make_shared<Options>();
    add_trace_files(*command, *options, false);
    add_quantity(*command, options->quantity);
    command->add_option("--at", options->midpoint_m, "The midpoint, in 3-D its x and y")
        ->type_name("X[,Y]")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->expected(1, 2)
        ->required();
    add_within(*command, *options,
               "How far midpoints may be off (default: a quarter of the usual distance between receivers)");
    add_gains(*command, *options, "96, of wiggles 99");
    add_style(*command, *options);
    return [options] {
        settle_style(*options);
        return plot_midpoint(*options);
    };
}

Command add_wavenumber(CLI::App& plot) {
    CLI::App* const command =
        add_command(plot, "fk", "Amplitude spectra of gathers over wavenumber and frequency, in dB",
                    "onda plot fk results/line --shot 3\n"
                    "onda plot fk line.sgy --velocity 1500,3000 -o fk.pdf");
    const auto options = std::make_shared<Options>();
    add_trace_files(*command, *options, false);
    add_quantity(*command, options->quantity);
    add_shot(*command, *options);
    command->add_option("--line", options->line, "Line of a grid of receivers, from 1 (default: nearest to the source)")
        ->type_name("N");
    command->add_option("--velocity", options->velocities_m_s, "Apparent velocities to be marked by dashed lines")
        ->type_name("M_S,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::PositiveNumber);
    add_map(*command, *options, kViridis);
    return [options] { return plot_wavenumber(*options); };
}

}  // namespace onda::plot
