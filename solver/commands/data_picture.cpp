// What `onda data plot` shows.
#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "solver/commands/data.hpp"
#include "solver/commands/plot.hpp"
#include "solver/pictures/fold_picture.hpp"

namespace onda::data {
namespace {

constexpr std::size_t kMostMarks = 1500;

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
    if (down == 1) std::swap(panel.vertical.first, panel.vertical.last);  // north is on top
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

GatherPanel shot_panel(const RecordedData& data, const RecordedShot& shot) {
    const ShotGather gather = gather_of(data, shot);
    const ReceiverLine line = line_to_show(gather.receivers_m, gather.sources_m);
    TraceDisplay display{.percentile = 98.};
    display.is_pressure = !is_trace_file(data.file_of(shot.traces.front()).path);
    const double start_s = data.traces()[shot.traces.front()].start_s;
    const auto starts_there = [&](std::size_t trace) { return data.traces()[trace].start_s == start_s; };
    display.start_s = std::ranges::all_of(shot.traces, starts_there) ? std::optional(start_s) : std::nullopt;
    GatherPanel panel = gather_panel(gather, line, display);
    set_title(panel,
              fmt::format("Shot {}{}, {} of {} traces", shot.number, place_of(line), line.count, shot.traces.size()));
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
