#include "solver/outputs/pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/pictures/picture.hpp"
#include "io/pictures/raster.hpp"
#include "io/results/stored_pressure.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/pictures/gather_picture.hpp"
#include "solver/pictures/section_picture.hpp"
#include "solver/plan/computation.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

constexpr std::int64_t kMostSamples = 1200;  ///< along one side of a picture
constexpr std::size_t kWavefields = 3;
constexpr std::string_view kGatherName = "gather.png";

/// The position of value `index` of a window.
Position position_of(const Window& window, const Grid& grid, std::size_t index) {
    std::array<std::int64_t, 3> node{};
    auto left = static_cast<std::int64_t>(index);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        node[axis] = window.first[axis] + left % window.count[axis] * window.step[axis];
        left /= window.count[axis];
    }
    return grid.position_m(node[0], node[1], node[2]);
}

/// Snapshots after each third of them; without snapshots, thirds of the run.
StepSet wavefield_steps(const SnapshotPlan& taken, const TimeAxis& time) {
    const StepSet& snapshots = taken.steps;
    const std::int64_t last = time.steps - time.extra_steps;
    const auto known = [&](std::int64_t step) { return step - step % time.stride; };
    if (snapshots.empty()) return {0, last, {known(last / 3), known(last * 2 / 3), last}};
    return {0, time.steps, snapshots.spread(kWavefields)};
}

/// What all pictures of a run share.
struct PicturedRun {
    std::string title;
    Domain domain;  ///< of the first shot
    Shot shot;
    StepSet steps;
    int decimals;  ///< of times in seconds: as many as tell two steps apart
    std::vector<ModelSection> sections;
    bool is_towed;  ///< receivers keep their offsets from shot to shot
};

/// Through the first source of a shot, or the middle of the grid.
std::vector<Section> sections_of(const Grid& grid, const Shot& shot) {
    const Position through = shot.sources.empty() ? grid.position_m(grid.nx() / 2, grid.ny() / 2, grid.nz() / 2)
                                                  : shot.sources.front().position_m;
    return sections_through(grid, through, kMostSamples);
}

/// A section of the model of a shot, with its survey.
Picture model_picture(const std::string& run_title, const Domain& domain, const ModelSection& model, const Shot& shot) {
    std::vector<Panel> panels = survey_panels(domain.grid, domain.faces, model, shot);
    std::string& title = panels.front().title;
    title = fmt::format("Model and survey of shot {}{}{}", shot.id, title.empty() ? "" : ", ", title);
    return {run_title, std::move(panels)};
}

PicturedRun pictured_run(const Experiment& experiment, const Model& model) {
    PicturedRun run{experiment.config.title,
                    domain_of_shot(experiment, 0),
                    experiment.survey.shots.front(),
                    wavefield_steps(experiment.snapshots, experiment.time),
                    std::max(4, 1 - static_cast<int>(std::floor(std::log10(experiment.time.dt_s)))),
                    {},
                    are_towed(experiment)};
    for (Section& section : sections_of(run.domain.grid, run.shot))
        run.sections.push_back(cut_model(std::move(section), model, run.domain.part.first));
    return run;
}

/// Half of the traces have a peak below this: what a wave at the receivers amounts to. Of many receivers some are
/// asked.
double typical_peak(const ShotGather& gather) {
    constexpr std::size_t most = 1000;
    const auto samples = static_cast<std::size_t>(gather.samples);
    std::vector<float> peaks;
    for (std::size_t r = 0; r < gather.receivers_m.size(); r += gather.receivers_m.size() / most + 1) {
        float peak = 0.f;
        for (const float p : std::span(gather.pressure).subspan(r * samples, samples))
            peak = std::max(peak, std::abs(p));
        peaks.push_back(peak);
    }
    return magnitude_quantile(peaks, 0.5);
}

/// The pictures of the first shot, drawn at its end.
class PicturesOfShot : public ShotOutput {
public:
    PicturesOfShot(const PicturedRun& run, std::filesystem::path folder) : run_(run), folder_(std::move(folder)) {}

    [[nodiscard]] const StepSet& steps() const override { return run_.steps; }
    /// Takes p[n] on the sections. \throws Error(unstable) if the pressure at a node that is shown is not finite in
    /// single precision.
    void take_wavefield(const Propagator& propagator, int slot) override;
    void keep(KeptValues& values) const override {
        for (std::size_t s = 0; s < run_.sections.size(); ++s) {
            std::vector<double> times_s;
            std::vector<float> p;
            for (const Wavefield& wavefield : wavefields_) {
                if (wavefield.section != s) continue;
                times_s.push_back(wavefield.time_s);
                p.insert(p.end(), wavefield.p.begin(), wavefield.p.end());
            }
            values.put(times_s);
            values.put(p);
        }
    }
    void take_back(KeptValues& values) override;
    void take_gather(ShotGather& gather) override;
    /// Draws the pictures and gives them their names. \throws Error(cannot_create | io_error); Interrupted.
    std::optional<AtomicFile> finish() override;

private:
    struct Wavefield {
        std::size_t section;
        double time_s;
        std::vector<float> p;
    };
    void add(std::vector<AtomicFile>& files, const std::string& name, const Picture& picture) const;
    [[nodiscard]] std::vector<Panel> wavefield_panel(const Wavefield& wavefield, double clip) const;
    /// The pressure at which colours are full, one for all frames of a plane: once waves have left the model, noise is
    /// to look like noise.
    [[nodiscard]] double clip_of_plane(std::size_t section) const;

    const PicturedRun& run_;
    std::filesystem::path folder_;
    std::vector<Wavefield> wavefields_;
    std::optional<GatherPanel> gather_;
    double typical_peak_ = 0.;
};

class RunPictures : public RunOutput {
public:
    RunPictures(const Experiment& experiment, const Model& model) : run_(pictured_run(experiment, model)) {}

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
        const Section& section = run_.sections[s].section;
        std::vector<float> p(static_cast<std::size_t>(section.window.points()));
        propagator.wavefield().download(run_.domain.computed.window(section.window), std::span<float>(p), slot);
        require_storable(std::span<const float>(p), [&](std::size_t index) {
            return fmt::format("shot {}, picture of the plane {} at t = {:.6g} s, {}", run_.shot.id, section.plane.name,
                               propagator.time_s(),
                               position_text(position_of(section.window, run_.domain.grid, index)));
        });
        wavefields_.push_back({s, propagator.time_s(), std::move(p)});
    }
}

/// As take_wavefield() leaves them: all sections of a time, then those of the next.
void PicturesOfShot::take_back(KeptValues& values) {
    wavefields_.clear();
    for (std::size_t s = 0; s < run_.sections.size(); ++s) {
        const auto times_s = values.get<double>();
        const auto p = values.get<float>();
        const std::size_t points = p.size() / std::max<std::size_t>(1, times_s.size());
        for (std::size_t i = 0; i < times_s.size(); ++i) {
            const auto first = p.begin() + static_cast<std::ptrdiff_t>(i * points);
            wavefields_.push_back({s, times_s[i], {first, first + static_cast<std::ptrdiff_t>(points)}});
        }
    }
    std::ranges::stable_sort(wavefields_, {}, &Wavefield::time_s);
}

void PicturesOfShot::take_gather(ShotGather& gather) {
    if (run_.sections.empty() || gather.receivers_m.empty()) return;
    const ReceiverLine line = line_to_show(gather.receivers_m, gather.sources_m);
    TraceDisplay display;
    display.by_offset = run_.is_towed;
    gather_ = gather_panel(gather, line, display, kMostSamples);
    set_title(*gather_, fmt::format("Shot {}{}", gather.shot, title_of(line, gather.receivers_m.size())));
    typical_peak_ = typical_peak(gather);
}

double PicturesOfShot::clip_of_plane(std::size_t section) const {
    std::vector<std::span<const float>> frames;
    for (const Wavefield& wavefield : wavefields_)
        if (wavefield.section == section) frames.emplace_back(wavefield.p);
    return common_clip(frames, 0.99, 0.01 * typical_peak_);
}

std::vector<Panel> PicturesOfShot::wavefield_panel(const Wavefield& wavefield, double clip) const {
    const ModelSection& model = run_.sections[wavefield.section];
    Panel panel = empty_panel(model.section);
    panel.title = fmt::format("Pressure of shot {} at {:.{}f} s{}{}", run_.shot.id, wavefield.time_s, run_.decimals,
                              panel.title.empty() ? "" : ", ", panel.title);
    panel.fields = {backdrop_field(model), pressure_field(model.section, wavefield.p, clip, true, kBlueRed)};
    outline_layers(panel, model.section.plane, run_.domain.grid, run_.domain.faces);
    mark_survey(panel, model.section.plane, run_.shot);
    return {std::move(panel)};
}

void PicturesOfShot::add(std::vector<AtomicFile>& files, const std::string& name, const Picture& picture) const {
    throw_if_interrupted();
    files.push_back(stage_picture(folder_ / name, picture, true));
}

std::optional<AtomicFile> PicturesOfShot::finish() {
    std::vector<AtomicFile> files;
    const std::string& title = run_.title;
    for (const ModelSection& model : run_.sections)
        add(files, fmt::format("model_{}.png", model.section.plane.name),
            model_picture(title, run_.domain, model, run_.shot));
    for (const Wavefield& wavefield : wavefields_)
        add(files,
            fmt::format("snapshot_{}_{:.{}f}s.png", run_.sections[wavefield.section].section.plane.name,
                        wavefield.time_s, run_.decimals),
            {title, wavefield_panel(wavefield, clip_of_plane(wavefield.section))});
    if (gather_) add(files, std::string(kGatherName), {title, {gather_->panel}});
    for (AtomicFile& file : files) file.rename();
    return {};
}

}  // namespace

std::vector<AtomicFile> stage_model_pictures(const Experiment& experiment, const Model& model,
                                             const std::filesystem::path& stem, bool overwrite) {
    std::vector<AtomicFile> files;
    const Shot shot = experiment.survey.shots.front();
    for (Section& section : sections_of(model.grid, shot)) {
        const ModelSection cut = cut_model(std::move(section), model);
        files.push_back(stage_picture(fmt::format("{}_{}.png", stem.native(), cut.section.plane.name),
                                      model_picture(experiment.config.title, experiment.domain, cut, shot), overwrite));
    }
    return files;
}

namespace {

/// Whether a section of the grid is wider than high, so that it is drawn as wide as a sheet allows.
bool fills_sheet(const Grid& grid) {
    const auto extent_m = [&grid](std::size_t axis) {
        return static_cast<double>(grid.n[axis]) * grid.spacing_m[axis];
    };
    return grid.dimensions == 3 || extent_m(0) > 1.2 * extent_m(2);
}

/// What pictures keep during the run, and what they need for a moment to be drawn.
void add_picture_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    std::int64_t nodes = 0;
    Grid grid = experiment.domain.grid;
    grid.n = experiment.domain.computed.inner().count;  // of the largest part, where shots are computed on parts
    for (const Section& section : sections_through(grid, grid.origin_m, kMostSamples)) nodes += section.window.points();
    const std::int64_t parameters = std::ssize(computation.setup.scheme.equation->parameters);
    list.add(host_row("slices kept for pictures", held::outputs, nodes, sizeof(float),
                      parameters + static_cast<std::int64_t>(kWavefields)));
    // Kept, too, once the gather has been written.
    const std::int64_t receivers = experiment.survey.size.most_receivers;
    const std::int64_t gather =
        std::min(receivers, kMostSamples) * std::min(experiment.time.output_samples, kMostSamples);
    list.add(host_row("pictures: the gather", held::drawing, gather, sizeof(float)));
    // Measured: fonts, the sheet, rasters and the compressed picture.
    const bool small_sheets = has_room_for_wiggles(receivers) && !fills_sheet(experiment.domain.grid);
    list.add(host_row("pictures: the sheet", held::drawing, small_sheets ? 9'000'000 : 11'900'000, 1));
}

}  // namespace

constinit const OutputFormat kPictureFormat{
    .column = "",
    .shot_file = "",
    .is_result = is_picture_name,
    .is_wanted = [](const Experiment& experiment) { return experiment.config.output.pictures; },
    .make = [](const Experiment& experiment, const Model& model) -> std::unique_ptr<RunOutput> {
        return std::make_unique<RunPictures>(experiment, model);
    },
    // About a megabyte, which forecasts leave out.
    .predicted_bytes = [](const Experiment&, const Placement&, std::int64_t) { return std::int64_t{0}; },
    .add_memory = add_picture_memory,
};

}  // namespace onda
