#include "solver/outputs/pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/pictures/raster.hpp"
#include "io/results/stored_pressure.hpp"

namespace onda {
namespace {

constexpr std::int64_t kMostSamples = 1200;  ///< along one side of a picture
constexpr std::size_t kMostMarks = 500;
constexpr std::size_t kWavefields = 3;
constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};

std::int64_t thinning(std::int64_t count) {
    return (count + kMostSamples - 1) / kMostSamples;
}

std::vector<Section> make_sections(const Grid& grid, const Position& through) {
    const auto node = nearest_node(grid, through);
    std::vector<Section> sections;
    for (const auto& [h, v] : {std::array<std::size_t, 2>{0, 2}, {1, 2}, {0, 1}}) {
        if (!grid.has_axis(static_cast<int>(h)) || !grid.has_axis(static_cast<int>(v))) continue;
        Section section{fmt::format("{}{}", kAxisNames[h], kAxisNames[v]), h, v, {}, {}};
        section.window.first = node;
        for (const std::size_t axis : {h, v}) {
            section.window.first[axis] = 0;
            section.window.step[axis] = thinning(grid.n[axis]);
            section.window.count[axis] = (grid.n[axis] - 1) / section.window.step[axis] + 1;
        }
        sections.push_back(std::move(section));
    }
    return sections;
}

/// \param first node of the volume's grid that the window counts from.
std::vector<float> values_at(const Window& window, const Grid& grid, const std::array<std::int64_t, 3>& first,
                             std::span<const float> volume) {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(window.points()));
    for (std::int64_t z = 0; z < window.count[2]; ++z)
        for (std::int64_t y = 0; y < window.count[1]; ++y)
            for (std::int64_t x = 0; x < window.count[0]; ++x)
                values.push_back(volume[static_cast<std::size_t>(grid.at(
                    first[0] + window.first[0] + x * window.step[0], first[1] + window.first[1] + y * window.step[1],
                    first[2] + window.first[2] + z * window.step[2]))]);
    return values;
}

/// Of value `index` of a window.
Position position_of(const Window& window, const Grid& grid, std::size_t index) {
    std::array<std::int64_t, 3> node{};
    auto left = static_cast<std::int64_t>(index);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        node[axis] = window.first[axis] + left % window.count[axis] * window.step[axis];
        left /= window.count[axis];
    }
    return grid.position_m(node[0], node[1], node[2]);
}

/// The last snapshots; without snapshots, thirds of the run.
std::vector<std::int64_t> wavefield_steps(const Plan& plan) {
    const StepSet& snapshots = plan.snapshots.steps;
    const std::int64_t last = plan.time.steps - plan.time.extra_steps;
    if (snapshots.empty()) return {last / 3, last * 2 / 3, last};
    return snapshots.last(kWavefields);
}

PictureAxis axis_of(const Section& section, std::size_t axis, const Grid& grid) {
    const auto at = [&](std::int64_t i) {
        return grid.origin_m[axis] + static_cast<double>(i * section.window.step[axis]) * grid.spacing_m[axis];
    };
    return {at(0), at(section.window.count[axis] - 1), fmt::format("{} [m]", kAxisNames[axis])};
}

Raster raster_of(const Section& section, std::span<const float> values) {
    return {section.window.count[section.vertical], section.window.count[section.horizontal], values};
}

/// Receivers [first, first + count) of a gather, and the axis that tells them apart.
struct Spread {
    std::size_t first = 0, count = 0;
    PictureAxis axis;
};

/// The longest row of receivers that lie evenly along a coordinate; all of them by number where there is none.
Spread longest_line(const std::vector<Position>& receivers) {
    constexpr std::size_t shortest = 8;
    Spread longest;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t first = 0, last = 0; first + 1 < receivers.size(); first = last) {
            const double step = receivers[first + 1][axis] - receivers[first][axis];
            const auto even = [&](std::size_t i) {
                return std::abs(receivers[i][axis] - receivers[i - 1][axis] - step) <= 0.01 * std::abs(step);
            };
            for (last = first + 1; last + 1 < receivers.size() && even(last + 1);) ++last;
            if (step != 0. && last - first + 1 > longest.count)
                longest = {
                    first,
                    last - first + 1,
                    {receivers[first][axis], receivers[last][axis], fmt::format("receiver {} [m]", kAxisNames[axis])}};
        }
    if (longest.count >= std::min(shortest, receivers.size()) && longest.count > 1) return longest;
    return {0, receivers.size(), {1., static_cast<double>(std::max<std::size_t>(receivers.size(), 2)), "receiver"}};
}

/// Full black below the direct wave, so that reflections can be seen beside it: the 96th percentile of |p|.
double gather_clip(std::vector<float> pressure) {
    for (float& p : pressure) p = std::abs(p);
    const auto rank = pressure.begin() + static_cast<std::ptrdiff_t>(pressure.size() * 96 / 100);
    std::nth_element(pressure.begin(), rank, pressure.end());
    return static_cast<double>(*rank);
}

}  // namespace

RunPictures::RunPictures(const Plan& plan, const Model& model)
    : grid_(plan.grid),
      computed_(plan.computed),
      shot_(plan.survey.shots.front()),
      decimals_(std::max(4, 1 - static_cast<int>(std::floor(std::log10(plan.time.dt_s))))) {
    if (!plan.config.output.pictures) return;
    const Position through = shot_.sources.empty() ? grid_.position_m(grid_.nx() / 2, grid_.ny() / 2, grid_.nz() / 2)
                                                   : shot_.sources.front().position_m;
    sections_ = make_sections(grid_, through);
    for (Section& section : sections_)
        section.vp = values_at(section.window, model.grid, plan.part.first, model.vp().values);
    steps_ = wavefield_steps(plan);
}

void RunPictures::take(const Propagator& propagator) {
    for (std::size_t s = 0; s < sections_.size(); ++s) {
        std::vector<float> p(static_cast<std::size_t>(sections_[s].window.points()));
        propagator.wavefield().download(computed_.window(sections_[s].window), std::span<float>(p));
        require_storable(std::span<const float>(p), [&](std::size_t index) {
            return fmt::format("shot {}, picture of the plane {} at t = {:.6g} s, {}", shot_.id, sections_[s].name,
                               propagator.time_s(), position_text(position_of(sections_[s].window, grid_, index)));
        });
        wavefields_.push_back({s, propagator.time_s(), std::move(p)});
    }
}

void RunPictures::take(const ShotGather& gather) {
    if (sections_.empty() || gather.receivers_m.empty()) return;
    const Spread spread = longest_line(gather.receivers_m);
    const auto traces = static_cast<std::int64_t>(spread.count);
    const auto shown = std::span(gather.pressure).subspan(spread.first * gather.samples, spread.count * gather.samples);
    gather_.title = fmt::format("Pressure of shot {}, receivers {} to {} of {}", gather.shot, spread.first + 1,
                                spread.first + spread.count, gather.receivers_m.size());
    gather_.traces = std::min(traces, kMostSamples);
    gather_.samples = std::min(gather.samples, kMostSamples);
    gather_.receivers = spread.axis;
    gather_.time = {0., static_cast<double>(gather.samples - 1) * gather.dt_s, "time [s]"};
    const auto fitted = fit_raster({traces, gather.samples, shown}, static_cast<int>(gather_.samples),
                                   static_cast<int>(gather_.traces), Shrink::peak);
    for (std::int64_t sample = 0; sample < gather_.samples; ++sample)
        for (std::int64_t trace = 0; trace < gather_.traces; ++trace)
            gather_.pressure.push_back(fitted[static_cast<std::size_t>(trace * gather_.samples + sample)]);
}

Picture RunPictures::picture_of(const Section& section) const {
    Picture picture;
    picture.horizontal = axis_of(section, section.horizontal, grid_);
    picture.vertical = axis_of(section, section.vertical, grid_);
    picture.equal_aspect = true;
    picture.background = raster_of(section, section.vp);
    picture.background_label = "vp [m/s]";
    const auto mark = [&](const Position& position, PictureMark::Kind kind) {
        picture.marks.push_back({position[section.horizontal], position[section.vertical], kind});
    };
    const std::size_t every = (shot_.receivers.size() + kMostMarks - 1) / kMostMarks;
    for (std::size_t i = 0; i < shot_.receivers.size(); i += every)
        mark(shot_.receivers[i], PictureMark::Kind::receiver);
    for (const SourcePoint& source : shot_.sources) mark(source.position_m, PictureMark::Kind::source);
    return picture;
}

std::vector<AtomicFile> RunPictures::prepare(const std::filesystem::path& folder, bool overwrite) const {
    std::vector<AtomicFile> files;
    const auto write = [&](const std::string& name, const Picture& picture) {
        throw_if_interrupted();
        files.push_back(stage_picture(folder / name, picture, overwrite));
    };
    for (const Section& section : sections_) {
        Picture picture = picture_of(section);
        picture.title = fmt::format("Model and survey of shot {}", shot_.id);
        write(fmt::format("model_{}.png", section.name), picture);
    }
    for (const Wavefield& wavefield : wavefields_) {
        const Section& section = sections_[wavefield.section];
        Picture picture = picture_of(section);
        picture.title = fmt::format("Pressure of shot {} at {:.{}f} s", shot_.id, wavefield.time_s, decimals_);
        picture.overlay = raster_of(section, wavefield.p);
        picture.overlay_label = "pressure [Pa]";
        write(fmt::format("snapshot_{}_{:.{}f}s.png", section.name, wavefield.time_s, decimals_), picture);
    }
    if (gather_.traces > 0) {
        Picture picture;
        picture.title = gather_.title;
        picture.horizontal = gather_.receivers;
        picture.vertical = gather_.time;
        picture.background = {gather_.samples, gather_.traces, gather_.pressure};
        picture.background_label = "pressure [Pa]";
        picture.seismic = true;
        picture.overlay_clip = gather_clip(gather_.pressure);
        write("gather.png", picture);
    }
    return files;
}

PictureBytes picture_bytes(const Plan& plan) {
    if (!plan.config.output.pictures) return {};
    std::int64_t nodes = 0;
    Grid grid = plan.grid;
    grid.n = plan.computed.inner().count;  // of the largest part, where shots are computed on parts
    for (const Section& section : make_sections(grid, grid.origin_m)) nodes += section.window.points();
    const std::int64_t receivers = plan.survey.size.most_receivers;
    const std::int64_t gather = std::min(receivers, kMostSamples) * std::min(plan.time.output_samples, kMostSamples);
    constexpr std::int64_t drawing = 7'000'000;  // measured: canvas, rasters and the compressed picture
    constexpr auto element = static_cast<std::int64_t>(sizeof(float));
    return {nodes * static_cast<std::int64_t>(1 + kWavefields) * element, drawing, gather * element};
}

}  // namespace onda
