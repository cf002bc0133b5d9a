// Where the pictures of onda plot have their traces from.
#include <algorithm>
#include <spdlog/fmt/fmt.h>

#include "io/files/input_file.hpp"
#include "io/results/recorded_data.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/data.hpp"
#include "solver/commands/plot.hpp"
#include "solver/data/recorded_facts.hpp"

namespace onda::plot {

struct TraceSource::Impl {
    std::filesystem::path file;
    std::vector<std::int64_t> shots;
    std::optional<SeismogramReader> seismograms;  ///< either these
    std::optional<RecordedData> data;             ///< or those, with their shots
    std::vector<RecordedShot> recorded;

    [[nodiscard]] const RecordedShot& shot_of_data(std::int64_t shot) const {
        return *std::ranges::find(recorded, shot, &RecordedShot::number);
    }
};

TraceSource::TraceSource(const std::filesystem::path& given, const Options& options) : impl_(std::make_unique<Impl>()) {
    const bool is_folder = std::filesystem::is_directory(given);
    if (is_folder || !is_trace_file(given)) {
        if (!is_folder && !is_hdf5_file(given))
            throw Error(ExitCode::bad_data,
                        shown(given) + ": is neither seismograms.h5 nor SEG-Y (.sgy, .segy), SU (.su) or NumPy (.npy)");
        impl_->file = input_of(given, FileKind::seismograms);
        impl_->shots = impl_->seismograms.emplace(impl_->file, gather_quantity(options.quantity)).shots();
        return;
    }
    if (options.quantity != kPressure.name)
        throw Error(ExitCode::usage, fmt::format("--quantity {}: {} holds traces of one kind; it is of seismograms.h5",
                                                 options.quantity, shown(given)));
    impl_->file = given;
    const std::vector<std::filesystem::path> files{given};
    impl_->recorded = recorded_shots(impl_->data.emplace(files, data::bytes_of(options.bytes)).traces());
    for (const RecordedShot& shot : impl_->recorded) impl_->shots.push_back(shot.number);
    std::ranges::sort(impl_->shots);
}
TraceSource::~TraceSource() = default;
TraceSource::TraceSource(TraceSource&&) noexcept = default;

const std::filesystem::path& TraceSource::file() const {
    return impl_->file;
}

const std::vector<std::int64_t>& TraceSource::shots() const {
    return impl_->shots;
}

std::string TraceSource::title() const {
    return impl_->seismograms ? impl_->seismograms->title() : shown(impl_->file.filename());
}

std::string TraceSource::name() const {
    // The folder tells runs apart, the name of the file nearly never does.
    return shown(impl_->seismograms ? std::filesystem::absolute(impl_->file).parent_path().filename()
                                    : impl_->file.filename());
}

std::vector<std::int64_t> TraceSource::chosen(const Options& options) const {
    if (options.shots.empty()) return {impl_->shots.front()};
    for (const std::int64_t shot : options.shots)
        if (!std::ranges::binary_search(impl_->shots, shot)) refuse_shot(shot, impl_->file, impl_->shots);
    return options.shots;
}

ShotGather TraceSource::header(std::int64_t shot) const {
    if (impl_->seismograms) return impl_->seismograms->header(shot);
    const RecordedShot& recorded = impl_->shot_of_data(shot);
    ShotGather header{shot, {recorded.source_m}, {}, impl_->data->dt_s(), impl_->data->most_samples(), {}};
    for (const std::size_t trace : recorded.traces)
        header.receivers_m.push_back(impl_->data->traces()[trace].receiver_m);
    return header;
}

ShotGather TraceSource::read(std::int64_t shot) const {
    return impl_->seismograms ? impl_->seismograms->read(shot) : gather_of(*impl_->data, impl_->shot_of_data(shot));
}

std::vector<float> TraceSource::trace(std::int64_t shot, std::size_t receiver) const {
    if (impl_->seismograms) return impl_->seismograms->read(shot, receiver, 1).pressure;
    RecordedShot single = impl_->shot_of_data(shot);
    single.traces = {single.traces.at(receiver)};
    return gather_of(*impl_->data, single).pressure;
}

void TraceSource::set_scales(TraceDisplay& display) const {
    if (impl_->seismograms) return;
    display.is_pressure = false;
    const auto& traces = impl_->data->traces();
    const auto starts_there = [&](const RecordedTrace& trace) { return trace.start_s == traces.front().start_s; };
    display.start_s = std::ranges::all_of(traces, starts_there) ? std::optional(traces.front().start_s) : std::nullopt;
}

// Every shot has pressure, whatever quantity some of them lack.
bool TraceSource::is_towed() const {
    const std::int64_t first = impl_->shots.front(), last = impl_->shots.back();
    if (!impl_->seismograms) return keep_offsets(header(first), header(last));
    const SeismogramReader positions(impl_->file, kPressure);
    return keep_offsets(positions.header(first), positions.header(last));
}

ReceiverLine choose_line(const ShotGather& gather, const std::string& name, const Options& options) {
    if (!options.line) return line_to_show(gather.receivers_m, gather.sources_m);
    const auto count = gather.receivers_m.size();
    if (*options.line == 0) return all_receivers(count);
    const std::vector<ReceiverLine> lines = receiver_lines(gather.receivers_m);
    if (*options.line < 0 || *options.line > std::ssize(lines))
        throw Error(ExitCode::usage,
                    fmt::format("--line {}: the {} receivers of {} lie on {} line{}; 0 takes all receivers by number",
                                *options.line, count, name, lines.size(), lines.size() == 1 ? "" : "s"));
    return lines[static_cast<std::size_t>(*options.line - 1)];
}

TraceDisplay display_of(const Options& options) {
    TraceDisplay display;
    display.clip_pa = options.clip_pa;
    display.percentile = options.percentile;
    display.gain = options.gain;
    display.agc_s = options.agc_s;
    display.reduction_m_s = options.reduction_m_s;
    display.map = &map_of(options, kGrey);
    display.style = options.style == "wiggles"   ? TraceDisplay::Style::wiggles
                    : options.style == "colours" ? TraceDisplay::Style::colours
                                                 : TraceDisplay::Style::automatic;
    return display;
}

void check_window(const Options& options, const ShotGather& gather) {
    const double record_s = static_cast<double>(gather.samples - 1) * gather.dt_s;
    if (options.agc_s <= record_s) return;
    throw Error(ExitCode::usage, fmt::format("--agc {}: the window exceeds the record of {:.6g} s{}",
                                             number_text(options.agc_s), record_s,
                                             options.agc_s * 1e-3 <= record_s ? "; if it is in milliseconds, write " +
                                                                                    number_text(options.agc_s * 1e-3)
                                                                              : ""));
}

void add_trace_files(CLI::App& command, Options& options, bool several) {
    const std::string what =
        "seismograms.h5, or the folder of a run; SEG-Y, SU, or a NumPy array beside its table of traces";
    add_common(command, options, what + (several ? "; several: side by side" : ""), several);
    data::add_bytes(command, options.bytes);
}

void add_gains(CLI::App& command, Options& options, const std::string& percentile) {
    add_clip(command, options, percentile);
    command
        .add_option("--agc", options.agc_s,
                    "Automatic gain control: divide by the RMS in a window of this many seconds")
        ->type_name("S")
        ->check(CLI::PositiveNumber);
}

void add_style(CLI::App& command, Options& options) {
    add_map(command, options, kGrey);
    command
        .add_option("--style", options.style,
                    "automatic, wiggles or colours (default: wiggles of up to 78 traces, or colours with --map)")
        ->check(CLI::IsMember({"automatic", "wiggles", "colours"}));
}

void settle_style(Options& options) {
    if (!options.map.empty() && options.style == "wiggles")
        throw Error(ExitCode::usage, "--map is of colours, and --style wiggles draws none");
    if (!options.map.empty()) options.style = "colours";
}

}  // namespace onda::plot
