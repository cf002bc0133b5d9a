#include "io/results/gather_export.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

using Position = std::array<double, 3>;

constexpr std::size_t kMostPressureBytes = std::size_t{64} << 20;  ///< that are in memory at once

/// The equal steps that numbers go in, if they do; a single one makes a step of 1.
std::optional<std::pair<double, double>> first_and_step(std::size_t count, const auto& at) {
    constexpr double equal = 1e-6;  // of a step
    if (count == 1) return std::pair{at(0), 1.};
    const double first = at(0), step = (at(count - 1) - first) / static_cast<double>(count - 1);
    if (step == 0.) return {};
    for (std::size_t i = 0; i < count; ++i)
        if (!(std::abs(at(i) - first - static_cast<double>(i) * step) <= equal * std::abs(step))) return {};
    return std::pair{first, step};
}

/// The axis along which places go in equal steps, if they lie on such a line.
std::optional<GatherAxis> line_axis(const std::vector<Position>& places_m, const std::string& what) {
    constexpr double beside = 1e-6;  // of a step
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto steps = first_and_step(places_m.size(), [&](std::size_t i) { return places_m[i][axis]; });
        if (!steps) continue;
        const auto is_on_line = [&](const Position& place_m) {
            const Position& first_m = places_m.front();
            const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
            const double away_m = std::max(std::abs(place_m[a] - first_m[a]), std::abs(place_m[b] - first_m[b]));
            return away_m <= beside * std::abs(steps->second);
        };
        if (std::ranges::all_of(places_m, is_on_line))
            return GatherAxis{what + " " + "xyz"[axis], "m", steps->first, steps->second};
    }
    return {};
}

/// What the headers of all shots come to.
class Gathered {
public:
    explicit Gathered(const ResultOrigin& origin) {
        contents_.program = origin.version.empty() ? "Onda" : "Onda " + printable(origin.version);
        contents_.title = origin.title;
        if (!origin.grid) return;
        const FileGeometry& grid = *origin.grid;
        for (std::size_t a = 0; a < 3; ++a) {
            if (a == 1 && grid.dimensions == 2) continue;
            take_place(grid.origin_m[a]);
            take_place(grid.origin_m[a] + static_cast<double>(grid.shape[a] - 1) * grid.spacing_m[a]);
        }
        contents_.dimensions = grid.dimensions;
        contents_.grid = grid;
        knows_dimensions_ = true;
    }

    void add(const ShotGather& header) {
        const std::int64_t receivers = std::ssize(header.receivers_m);
        if (contents_.shots == 0) begin(header);
        if (header.samples != contents_.samples || header.dt_s != contents_.dt_s)
            throw Error(ExitCode::bad_data, "shot " + std::to_string(header.shot) + " has " +
                                                sampling(header.samples, header.dt_s) + ", but shot " +
                                                std::to_string(first_.shot) + " has " +
                                                sampling(contents_.samples, contents_.dt_s) +
                                                ": a file has one sampling; export them by themselves with --shots");
        for (const auto* places_m : {&header.sources_m, &header.receivers_m})
            for (const Position& place_m : *places_m)
                for (const double metre : place_m) take_place(metre);
        same_receivers_ = same_receivers_ && header.receivers_m == first_.receivers_m;
        same_offsets_ = same_offsets_ && has_offsets(offsets_m(header));
        sources_m_.push_back(header.sources_m.front());
        shots_.push_back(static_cast<double>(header.shot));
        ++contents_.shots;
        contents_.traces += receivers;
        contents_.most_receivers = std::max(contents_.most_receivers, receivers);
        contents_.last_shot = header.shot;
    }

    /// The contents of all shots, once every one has been added.
    [[nodiscard]] GatherContents contents() && {
        if (contents_.is_even()) set_axes();
        return std::move(contents_);
    }

private:
    static std::string sampling(std::int64_t samples, double dt_s) {
        return std::to_string(samples) + " samples, " + number_text(dt_s) + " s apart";
    }
    /// Whether offsets are those of the first shot, but for the rounding of differences of positions.
    [[nodiscard]] bool has_offsets(const std::vector<double>& offsets) const {
        constexpr double rounding = 1e-12;  // of a place
        return std::ranges::equal(
            offsets, offsets_, [&](double a, double b) { return std::abs(a - b) <= rounding * contents_.farthest_m; });
    }
    void take_place(double metre) { contents_.farthest_m = std::max(contents_.farthest_m, std::abs(metre)); }
    void begin(const ShotGather& header) {
        contents_.samples = header.samples;
        contents_.dt_s = header.dt_s;
        contents_.quantity = header.quantity;
        first_ = header;
        offsets_ = offsets_m(header);
        for (const CarriedColumn& column : header.carried) contents_.columns.push_back(column.name);
        if (!knows_dimensions_) contents_.dimensions = header.wavelets.amplitude_unit == "Pa" ? 2 : 3;
    }
    void set_axes() {
        const auto by_offset = first_and_step(offsets_.size(), [this](std::size_t i) { return offsets_[i]; });
        if (const auto line = line_axis(first_.receivers_m, "Receiver"); same_receivers_ && line)
            contents_.receiver = *line;
        else if (same_offsets_ && by_offset)
            contents_.receiver = {"Offset", "m", by_offset->first, by_offset->second};
        const auto by_number = first_and_step(shots_.size(), [this](std::size_t i) { return shots_[i]; });
        if (const auto line = line_axis(sources_m_, "Source"); line && sources_m_.size() > 1)
            contents_.shot = *line;
        else if (by_number)
            contents_.shot = {"Shot", "", by_number->first, by_number->second};
    }

    GatherContents contents_;
    ShotGather first_;
    std::vector<double> offsets_, shots_;
    std::vector<Position> sources_m_;
    bool same_receivers_ = true, same_offsets_ = true, knows_dimensions_ = false;
};

/// Calls told(), but five times a second at most, and in the end.
class Telling {
public:
    Telling(const GatherExport& wanted, std::int64_t all) : wanted_(wanted), all_(all) {}
    void add(std::int64_t traces) {
        written_ += traces;
        const auto now = std::chrono::steady_clock::now();
        if (!wanted_.told || (now - last_ < std::chrono::milliseconds(200) && written_ < all_)) return;
        wanted_.told(written_, all_);
        last_ = now;
    }

private:
    const GatherExport& wanted_;
    std::int64_t all_, written_ = 0;
    std::chrono::steady_clock::time_point last_{};
};

void check_finite(const ShotGather& header, std::size_t first, std::span<const float> pressure) {
    const auto bad = std::ranges::find_if(pressure, [](float value) { return !std::isfinite(value); });
    if (bad == pressure.end()) return;
    const auto index = static_cast<std::size_t>(bad - pressure.begin());
    throw Error(
        ExitCode::bad_data,
        place_of_sample(header, first * static_cast<std::size_t>(header.samples) + index, header.samples, header.dt_s) +
            ": the " + std::string(header.quantity->long_name) + " is not a finite number: the file is damaged");
}

void write_shot(const OpenGather& gather, GatherFile& file, Telling& telling) {
    const ShotGather& header = gather.header;
    const std::size_t receivers = header.receivers_m.size();
    const std::size_t at_once =
        std::max<std::size_t>(1, kMostPressureBytes / (sizeof(float) * static_cast<std::size_t>(header.samples)));
    file.begin_shot(header);
    for (std::size_t first = 0; first < receivers; first += at_once) {
        throw_if_interrupted();
        const std::size_t count = std::min(at_once, receivers - first);
        const std::vector<float> pressure = gather.read(first, count);
        check_finite(header, first, pressure);
        file.put(pressure);
        telling.add(static_cast<std::int64_t>(count));
    }
}

/// An error early, and not when the disk is full.
void check_space(const GatherExport& wanted, const GatherContents& contents) {
    std::error_code unknown;
    const std::filesystem::path folder = wanted.target.file.has_parent_path() ? wanted.target.file.parent_path() : ".";
    const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
    const std::int64_t bytes = wanted.format.bytes(contents);
    if (unknown || static_cast<std::uintmax_t>(bytes) <= space.available) return;
    throw Error(ExitCode::io_error, shown(wanted.target.file) + " takes " + std::to_string(bytes) +
                                        " bytes, but the disk has " + std::to_string(space.available) + " left");
}

}  // namespace

GatherSurvey survey_of(const SeismogramReader& reader) {
    return {reader.origin(), reader.shots(), [&reader](std::int64_t shot) { return reader.open(shot); }};
}

ExportedGathers export_gathers(const GatherSurvey& survey, const GatherExport& wanted) {
    Gathered gathered(survey.origin);
    std::vector<std::size_t> receivers;
    for (const std::int64_t shot : wanted.shots) {
        throw_if_interrupted();
        const ShotGather header = survey.open(shot).header;
        gathered.add(header);
        receivers.push_back(header.receivers_m.size());
    }
    ExportedGathers made{{}, std::move(gathered).contents()};
    const GatherContents& contents = made.contents;
    if (const std::string unfit = wanted.format.unfit(contents); !unfit.empty())
        throw Error(ExitCode::bad_data, shown(wanted.target.file) + ": " + unfit + "; choose another format");
    check_space(wanted, contents);
    const std::unique_ptr<GatherFile> file = wanted.format.open(wanted.target, contents);
    Telling telling(wanted, contents.traces);
    for (std::size_t i = 0; i < wanted.shots.size(); ++i) {
        const OpenGather gather = survey.open(wanted.shots[i]);
        if (gather.header.receivers_m.size() != receivers[i] || gather.header.samples != contents.samples ||
            gather.header.dt_s != contents.dt_s)
            throw Error(ExitCode::bad_data,
                        "shot " + std::to_string(wanted.shots[i]) + " has changed while it was exported");
        write_shot(gather, *file, telling);
    }
    std::vector<AtomicFile> files = file->finish();
    throw_if_interrupted();
    const Uninterrupted together;
    for (AtomicFile& each : files) {
        made.files.insert(made.files.begin(), each.path());
        if (wanted.commit)
            wanted.commit(std::move(each));
        else
            each.commit();
    }
    return made;
}

}  // namespace onda
