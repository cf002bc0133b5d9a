#include "solver/outputs/pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/pictures/picture.hpp"
#include "io/pictures/raster.hpp"
#include "io/results/stored_pressure.hpp"

namespace onda {
namespace {

constexpr std::int64_t kMostSamples = 1200;  ///< along one side of a picture
constexpr std::size_t kMostMarks = 500;
constexpr std::size_t kWavefields = 3;
constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};
constexpr std::string_view kGatherName = "gather.png";

/// A plane of the run's grid through the first source, thinned to what a picture can show.
struct Section {
    std::string name;  ///< "xz"
    std::size_t horizontal = 0, vertical = 2;
    Window window;
    std::vector<float> vp;
};

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
StepSet wavefield_steps(const Plan& plan) {
    const StepSet& snapshots = plan.snapshots.steps;
    const std::int64_t last = plan.time.steps - plan.time.extra_steps;
    if (snapshots.empty()) return {0, last, {last / 3, last * 2 / 3, last}};
    return {0, plan.time.steps, snapshots.last(kWavefields)};
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

/// What all pictures of a run share.
struct PicturedRun {
    Grid grid;
    ComputedGrid computed;
    Shot shot;  ///< the first
    StepSet steps;
    int decimals;  ///< of times in seconds: as many as tell two steps apart
    std::vector<Section> sections;
};

/// The sections of a grid through the first source of a shot, or the middle.
std::vector<Section> sections_through(const Grid& grid, const Shot& shot) {
    return make_sections(grid, shot.sources.empty() ? grid.position_m(grid.nx() / 2, grid.ny() / 2, grid.nz() / 2)
                                                    : shot.sources.front().position_m);
}

PicturedRun pictured_run(const Plan& plan, const Model& model) {
    const Plan of_first = plan_of_shot(plan, 0);
    PicturedRun run{of_first.grid,
                    of_first.computed,
                    plan.survey.shots.front(),
                    wavefield_steps(plan),
                    std::max(4, 1 - static_cast<int>(std::floor(std::log10(plan.time.dt_s)))),
                    {}};
    run.sections = sections_through(run.grid, run.shot);
    for (Section& section : run.sections)
        section.vp = values_at(section.window, model.grid, of_first.part.first, model.vp().values);
    return run;
}

/// A section of a model with the survey over it.
Picture picture_of(const Section& section, const Grid& grid, const Shot& shot) {
    Picture picture;
    picture.horizontal = axis_of(section, section.horizontal, grid);
    picture.vertical = axis_of(section, section.vertical, grid);
    picture.equal_aspect = true;
    picture.background = raster_of(section, section.vp);
    picture.background_label = "vp [m/s]";
    const auto mark = [&](const Position& position, PictureMark::Kind kind) {
        picture.marks.push_back({position[section.horizontal], position[section.vertical], kind});
    };
    const std::size_t every = (shot.receivers.size() + kMostMarks - 1) / kMostMarks;
    for (std::size_t i = 0; i < shot.receivers.size(); i += every) mark(shot.receivers[i], PictureMark::Kind::receiver);
    for (const SourcePoint& source : shot.sources) mark(source.position_m, PictureMark::Kind::source);
    return picture;
}

/// The pictures of the first shot, drawn at its end.
class PicturesOfShot : public ShotOutput {
public:
    PicturesOfShot(const PicturedRun& run, std::filesystem::path folder) : run_(run), folder_(std::move(folder)) {}

    [[nodiscard]] const StepSet& steps() const override { return run_.steps; }
    /// Takes p[n] on the sections. \throws Error(unstable) if the pressure at a node that is shown is not finite in
    /// single precision.
    void take_wavefield(const Propagator& propagator, int slot) override;
    void take_gather(const ShotGather& gather) override;
    /// Draws the pictures and gives them their names. \throws Error(cannot_create | io_error); Interrupted.
    std::optional<AtomicFile> finish() override;

private:
    struct Wavefield {
        std::size_t section;
        double time_s;
        std::vector<float> p;
    };
    struct Gather {
        std::string title;
        PictureAxis receivers, time;
        std::int64_t samples = 0, traces = 0;
        std::vector<float> pressure;  ///< [sample][receiver]
    };
    const PicturedRun& run_;
    std::filesystem::path folder_;
    std::vector<Wavefield> wavefields_;
    Gather gather_;
};

class RunPictures : public RunOutput {
public:
    RunPictures(const Plan& plan, const Model& model) : run_(pictured_run(plan, model)) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (place.index != 0) return nullptr;
        return std::make_unique<PicturesOfShot>(run_, place.folder);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override;

private:
    PicturedRun run_;
};

bool is_picture_name(std::string_view name) {
    constexpr std::string_view end = "s.png";
    if (name == kGatherName) return true;
    for (const std::string plane : {"xz", "yz", "xy"}) {
        if (name == "model_" + plane + ".png") return true;
        const std::string begin = "snapshot_" + plane + "_";
        if (!name.starts_with(begin) || !name.ends_with(end)) continue;
        name.remove_prefix(begin.size());
        name.remove_suffix(end.size());
        return !name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos;
    }
    return false;
}

/// What was drawn, perhaps by another process, by name.
std::vector<AtomicFile> RunPictures::assemble(const FinishedSurvey& survey) const {
    std::vector<std::filesystem::path> pictures;
    for (const auto& entry : std::filesystem::directory_iterator(survey.folder))
        if (is_picture_name(entry.path().filename().string())) pictures.push_back(entry.path());
    std::ranges::sort(pictures);
    std::vector<AtomicFile> files;
    for (const auto& picture : pictures)
        files.push_back(AtomicFile::of(picture, survey.results / picture.filename(), survey.overwrite));
    return files;
}

void PicturesOfShot::take_wavefield(const Propagator& propagator, int slot) {
    for (std::size_t s = 0; s < run_.sections.size(); ++s) {
        std::vector<float> p(static_cast<std::size_t>(run_.sections[s].window.points()));
        propagator.wavefield().download(run_.computed.window(run_.sections[s].window), std::span<float>(p), slot);
        require_storable(std::span<const float>(p), [&](std::size_t index) {
            return fmt::format("shot {}, picture of the plane {} at t = {:.6g} s, {}", run_.shot.id,
                               run_.sections[s].name, propagator.time_s(),
                               position_text(position_of(run_.sections[s].window, run_.grid, index)));
        });
        wavefields_.push_back({s, propagator.time_s(), std::move(p)});
    }
}

void PicturesOfShot::take_gather(const ShotGather& gather) {
    if (run_.sections.empty() || gather.receivers_m.empty()) return;
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

std::optional<AtomicFile> PicturesOfShot::finish() {
    std::vector<AtomicFile> files;
    const auto write = [&](const std::string& name, const Picture& picture) {
        throw_if_interrupted();
        files.push_back(stage_picture(folder_ / name, picture, true));
    };
    for (const Section& section : run_.sections) {
        Picture picture = picture_of(section, run_.grid, run_.shot);
        picture.title = fmt::format("Model and survey of shot {}", run_.shot.id);
        write(fmt::format("model_{}.png", section.name), picture);
    }
    for (const Wavefield& wavefield : wavefields_) {
        const Section& section = run_.sections[wavefield.section];
        Picture picture = picture_of(section, run_.grid, run_.shot);
        picture.title = fmt::format("Pressure of shot {} at {:.{}f} s", run_.shot.id, wavefield.time_s, run_.decimals);
        picture.overlay = raster_of(section, wavefield.p);
        picture.overlay_label = "pressure [Pa]";
        write(fmt::format("snapshot_{}_{:.{}f}s.png", section.name, wavefield.time_s, run_.decimals), picture);
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
        write(std::string(kGatherName), picture);
    }
    for (AtomicFile& file : files) file.rename();
    return {};
}

}  // namespace

std::vector<AtomicFile> stage_model_pictures(const Model& model, const Shot& shot, const std::filesystem::path& stem,
                                             bool overwrite) {
    std::vector<AtomicFile> files;
    for (Section& section : sections_through(model.grid, shot)) {
        section.vp = values_at(section.window, model.grid, {0, 0, 0}, model.vp().values);
        Picture picture = picture_of(section, model.grid, shot);
        picture.title = fmt::format("Model and survey of shot {}", shot.id);
        files.push_back(stage_picture(fmt::format("{}_{}.png", stem.native(), section.name), picture, overwrite));
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

constinit const OutputFormat kPictureFormat{
    .column = "",
    .shot_file = "",
    .is_result = is_picture_name,
    .is_wanted = [](const Plan& plan) { return plan.config.output.pictures; },
    .make = [](const Plan& plan, const Model& model) -> std::unique_ptr<RunOutput> {
        return std::make_unique<RunPictures>(plan, model);
    },
    // About a megabyte, which forecasts leave out.
    .predicted_bytes = [](const Plan&, std::int64_t) { return std::int64_t{0}; },
};

}  // namespace onda
