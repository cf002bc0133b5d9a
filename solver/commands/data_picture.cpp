// What `onda data plot` shows.
#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "solver/commands/data.hpp"
#include "solver/commands/plot.hpp"

namespace onda::data {
namespace {

constexpr std::size_t kMostMarks = 1500;
constexpr double kLeastFold = 5.;  // that an axis reaches to, so that its ticks are whole numbers
constexpr double kAir = 0.06;      // of an axis, beyond what lies on it

/// An axis that holds two values, with air around them.
PictureAxis axis_around(double low, double high, std::string title) {
    const double air = high > low ? kAir * (high - low) : 10.;
    return {low - air, high + air, std::move(title)};
}

PictureAxis axis_of(const RecordedFacts& facts, std::size_t axis) {
    return axis_around(std::min(facts.sources_m.low[axis], facts.receivers_m.low[axis]),
                       std::max(facts.sources_m.high[axis], facts.receivers_m.high[axis]),
                       fmt::format("{} [m]", "xyz"[axis]));
}

bool is_flat(const RecordedFacts& facts, std::size_t axis) {
    return std::min(facts.sources_m.low[axis], facts.receivers_m.low[axis]) ==
           std::max(facts.sources_m.high[axis], facts.receivers_m.high[axis]);
}

/// From above; of a line along an axis, whose map would be one, from the side.
Panel map_panel(const RecordedData& data, const RecordedFacts& facts) {
    const std::size_t across = is_flat(facts, 0) && !is_flat(facts, 1) ? 1 : 0;
    const std::size_t down = is_flat(facts, 1) || is_flat(facts, 0) ? 2 : 1;
    Panel panel;
    panel.horizontal = axis_of(facts, across);
    panel.vertical = axis_of(facts, down);
    panel.equal_aspect = down == 1;
    const auto mark = [&](const Position& at, PictureMark::Kind kind) {
        panel.marks.push_back({at[across], at[down], kind});
    };
    const auto every = [](std::size_t count) { return (count + kMostMarks - 1) / kMostMarks; };
    for (std::size_t i = 0; i < data.traces().size(); i += every(data.traces().size()))
        mark(data.traces()[i].receiver_m, PictureMark::Kind::receiver);
    for (std::size_t i = 0; i < facts.shots.size(); i += every(facts.shots.size()))
        mark(facts.shots[i].source_m, PictureMark::Kind::source);
    panel.title = fmt::format("{} places of sources, {} of receivers{}", facts.shots.size(), facts.receivers,
                              down == 1 ? "" : ", from the side");
    return panel;
}

/// Bins of a line as steps.
Panel line_fold_panel(const Fold& fold, double largest) {
    Panel panel;
    const bool along_x = fold.along[1] == 0., along_y = fold.along[0] == 0.;
    const double first = along_x ? fold.origin_m[0] : along_y ? fold.origin_m[1] : 0.;
    PictureLine line{{first - 0.5 * fold.bin_m}, {0.}, {31, 119, 180}};
    for (std::size_t i = 0; i < fold.traces.size(); ++i) {
        const double middle = first + fold.bin_m * static_cast<double>(i), half = 0.5 * fold.bin_m;
        line.x.insert(line.x.end(), {middle - half, middle + half});
        line.y.insert(line.y.end(), {fold.traces[i], fold.traces[i]});
    }
    line.x.push_back(line.x.back());
    line.y.push_back(0.);
    panel.horizontal = axis_around(line.x.front(), line.x.back(),
                                   along_x   ? "midpoint x [m]"
                                   : along_y ? "midpoint y [m]"
                                             : "midpoint, along the line [m]");
    panel.vertical = {1.1 * std::max(largest, kLeastFold), 0., "traces in a bin"};
    panel.grid_lines = true;
    panel.lines.push_back(std::move(line));
    return panel;
}

/// Each bin as a square of equal values, which pictures would otherwise interpolate between.
std::vector<float> squares_of(const Fold& fold, std::int64_t side) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < fold.rows * side; ++row)
        for (std::int64_t column = 0; column < fold.columns * side; ++column)
            values.push_back(fold.traces[static_cast<std::size_t>(row / side * fold.columns + column / side)]);
    return values;
}

Panel fold_map_panel(const Fold& fold, double largest, std::vector<float>& squares) {
    Panel panel;
    const std::int64_t side = std::clamp<std::int64_t>(1600 / std::max(fold.columns, fold.rows), 1, 64);
    squares = squares_of(fold, side);
    const double half = 0.5 * fold.bin_m;
    panel.horizontal = {fold.origin_m[0] - half,
                        fold.origin_m[0] + fold.bin_m * static_cast<double>(fold.columns) - half, "midpoint x [m]"};
    panel.vertical = {fold.origin_m[1] - half, fold.origin_m[1] + fold.bin_m * static_cast<double>(fold.rows) - half,
                      "midpoint y [m]"};
    panel.equal_aspect = true;
    PictureField field{{fold.rows * side, fold.columns * side, squares}};
    const double within = half / static_cast<double>(side);  // from the edge to the first value
    field.extent = Extent{panel.horizontal.first + within, panel.horizontal.last - within,
                          panel.vertical.first + within, panel.vertical.last - within};
    field.range = ValueRange{0., std::max(largest, kLeastFold)};
    field.label = "traces in a bin";
    panel.fields.push_back(std::move(field));
    return panel;
}

/// The panel refers to the squares of a map.
Panel fold_panel(const Fold& fold, std::vector<float>& squares) {
    if (fold.traces.empty()) return Panel{.title = "No fold: every trace is marked as dead"};
    const double largest = fold.traces[fold.fullest()];
    Panel panel = fold.is_line ? line_fold_panel(fold, largest) : fold_map_panel(fold, largest, squares);
    panel.title = fmt::format("Fold, {} at most, in bins of {:.6g} m", largest, fold.bin_m);
    return panel;
}

Panel mean_spectrum_panel(const RecordedFacts& facts) {
    if (facts.live == 0) return Panel{.title = "No spectrum: no trace has finite samples that are not all 0"};
    Panel panel = spectrum_panel({facts.spectrum}, {""});
    panel.title = fmt::format("Amplitude spectrum, rms of {} traces; largest at {:.3g} Hz", facts.live, facts.peak_hz);
    return panel;
}

const RecordedShot& choose_shot(const RecordedData& data, const RecordedFacts& facts,
                                std::optional<std::int64_t> number) {
    if (!number) return facts.shots[facts.shots.size() / 2];
    const auto found = std::ranges::find(facts.shots, *number, &RecordedShot::number);
    if (found != facts.shots.end()) return *found;
    std::vector<std::int64_t> there;
    for (const RecordedShot& shot : facts.shots) there.push_back(shot.number);
    plot::refuse_shot(*number, data.files().front().path, there);
}

/// Moves the times of a panel, which begin with 0, to where its samples lie.
void begin_at(Panel& panel, double start_s) {
    panel.vertical.first += start_s;
    panel.vertical.last += start_s;
    if (panel.traces && panel.traces->last) *panel.traces->last += start_s;
    for (PictureField& field : panel.fields)
        if (field.extent) field.extent->top += start_s, field.extent->bottom += start_s;
}

GatherPanel shot_panel(const RecordedData& data, const RecordedShot& shot) {
    const ShotGather gather = gather_of(data, shot);
    const std::vector<ReceiverLine> lines = receiver_lines(gather.receivers_m);
    const ReceiverLine& line = lines[longest_line(lines)];
    GatherPanel panel = gather_panel(gather, line, {.percentile = 98.});
    const bool is_pressure = !is_trace_file(data.file_of(shot.traces.front()).path);
    if (!is_pressure) {  // other programs do not say of what
        panel.quantity = "amplitude";
        for (PictureField& field : panel.panel.fields) field.label = panel.quantity;
    }
    set_title(panel, fmt::format("Shot {}, {} of {} traces", shot.number, line.count, shot.traces.size()));
    const double start_s = data.traces()[shot.traces.front()].start_s;
    const auto starts_there = [&](std::size_t trace) { return data.traces()[trace].start_s == start_s; };
    if (std::ranges::all_of(shot.traces, starts_there))
        begin_at(panel.panel, start_s);
    else
        panel.panel.vertical.title = "time after the first sample [s]";
    return panel;
}

}  // namespace

Drawn draw(const RecordedData& data, const RecordedFacts& facts, std::optional<std::int64_t> shot) {
    Drawn drawn{{}, shot_panel(data, choose_shot(data, facts, shot)), {}};
    drawn.picture.panels = {map_panel(data, facts), fold_panel(facts.fold, drawn.fold), mean_spectrum_panel(facts),
                            drawn.gather.panel};
    drawn.picture.rows = 2;
    return drawn;
}

}  // namespace onda::data
