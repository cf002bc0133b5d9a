#include "solver/outputs/report_output.hpp"

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <map>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/files/plain_file.hpp"
#include "io/text/saturating.hpp"
#include "solver/data/imaged_fold.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/outputs/migration_output.hpp"
#include "solver/outputs/migration_picture.hpp"
#include "solver/outputs/shot_sums.hpp"
#include "solver/pictures/image_picture.hpp"
#include "solver/plan/computation.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/report/survey_map.hpp"

namespace onda {
namespace {

constexpr std::string_view kPartBegin = "report_shot_", kPartEnd = ".html";

std::string part_name(std::int64_t shot) {
    return fmt::format("{}{}{}", kPartBegin, shot, kPartEnd);
}

bool is_part_name(std::string_view name) {
    if (!name.starts_with(kPartBegin) || !name.ends_with(kPartEnd)) return false;
    name.remove_prefix(kPartBegin.size());
    name.remove_suffix(kPartEnd.size());
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

ReportChoice choice_of(const Experiment& experiment) {
    const Survey& survey = experiment.survey;
    ReportChoice choice =
        choose_for_report(survey.shots.size(), survey.size.most_receivers, experiment.time.output_samples);
    if (experiment.imaging) choice.movies.clear();  // nobody takes the forward field on its way
    if (gives_sums_alone(experiment)) choice.shots.clear();
    return choice;
}

/// Evenly over the run, from its first frame to its end.
StepSet frame_steps(const TimeAxis& time, std::int64_t frames) {
    const std::int64_t stride = time.stride, last = (time.steps - time.extra_steps) / stride;
    std::vector<std::int64_t> steps;
    for (std::int64_t i = 1; i <= std::min(frames, last); ++i)
        steps.push_back(i * last / std::min(frames, last) * stride);
    return {0, time.steps, std::move(steps)};
}

/// The sections on which a shot's wavefield is shown; their model only where the page's sections cut elsewhere.
std::vector<ReportSection> movie_sections(const Domain& of_shot, const BoundaryConfig& boundary, const Shot& shot,
                                          const Model& model, std::span<const ReportSection> of_page) {
    std::vector<ReportSection> sections = sections_of_shot(of_shot, boundary, shot, Fineness::wavefield, nullptr);
    for (ReportSection& section : sections) {
        const bool known = !of_shot.aperture && std::ranges::any_of(of_page, [&](const ReportSection& page) {
            return page.plane.name == section.plane.name && page.plane.at_m == section.plane.at_m;
        });
        if (!known) section.plane.parameters = parameters_on(section, model, of_shot.part.first);
    }
    return sections;
}

/// What the wavefields of a shot are shown on.
struct Screens {
    ComputedGrid computed;
    std::vector<ReportSection> sections;
    StepSet steps;
};

class ReportOfShot : public ShotOutput {
public:
    /// \param screens null: no wavefield of it is shown.
    ReportOfShot(const Experiment& experiment, const ReportChoice& choice, const ShotPlace& place,
                 const Screens* screens)
        : highest_frequency_hz_(experiment.survey.highest_frequency_hz()),
          is_towed_(are_towed(experiment)),
          choice_(choice),
          screens_(screens),
          file_(place.folder / part_name(place.shot.id)) {
        shot_.shot = place.shot.id;
        for (const SourcePoint& source : place.shot.sources) shot_.sources_m.push_back(source.position_m);
        if (screens == nullptr) return;
        for (const ReportSection& section : screens->sections) {
            ReportMovie& movie = shot_.movies.emplace_back();
            movie.plane = section.plane;
            movie.frames.reserve(section.plane.points() * static_cast<std::size_t>(screens->steps.size()));
        }
    }

    [[nodiscard]] const StepSet& steps() const override {
        return screens_ != nullptr ? screens_->steps : ShotOutput::steps();
    }
    /// Takes p[n] on the sections. What single precision cannot hold ends a run where it is stored, not where it is
    /// shown.
    void take_wavefield(const Propagator& propagator, int slot) override;
    void keep(KeptValues& values) const override {
        for (const ReportMovie& movie : shot_.movies) {
            values.put(movie.times_s);
            values.put(movie.peaks);
            values.put(movie.frames);
        }
    }
    void take_back(KeptValues& values) override {
        for (ReportMovie& movie : shot_.movies) {
            movie.times_s = values.get<double>();
            movie.peaks = values.get<float>();
            movie.frames = values.get<std::int8_t>();
        }
    }
    void take_gather(ShotGather& gather) override {
        shot_.gather = thin_gather(gather, choice_.gather_bytes, highest_frequency_hz_);
        shot_.gather.by_offset = is_towed_;
        shot_.wavelets = wavelets_of(gather);
    }
    std::optional<AtomicFile> finish() override {
        const TextSource text = [this](const auto& put) { put_report_shot(shot_, choice_, put); };
        stage_text_file(file_, text, true).rename();
        return {};
    }

private:
    double highest_frequency_hz_;  ///< of the wavelets
    bool is_towed_;
    const ReportChoice& choice_;
    const Screens* screens_;
    std::filesystem::path file_;
    ReportShot shot_;
};

void ReportOfShot::take_wavefield(const Propagator& propagator, int slot) {
    for (std::size_t s = 0; s < screens_->sections.size(); ++s) {
        const ReportSection& section = screens_->sections[s];
        std::vector<float> p(section.plane.points());
        propagator.wavefield().download(screens_->computed.window(section.window), std::span<float>(p), slot);
        shot_.movies[s].add(propagator.time_s(), p);
    }
}

/// The file, piece by piece.
void put_file(const std::filesystem::path& path, const PutText& put) {
    const Descriptor file = open_plain_file(path, O_RDONLY);
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    constexpr std::int64_t most = 1 << 16;
    for (std::int64_t at = 0; at < bytes; at += most) {
        std::string piece;
        if (const int error = read_some(file, at, static_cast<std::size_t>(std::min(most, bytes - at)), piece))
            throw_system_fault(ExitCode::io_error, path, "cannot read it", error);
        put(piece);
    }
}

/// What lies beyond the ends of the scale as these, so that zero is its middle.
ReportParameter image_parameter(const char* name, const char* quantity, std::span<const float> values, float least,
                                float largest) {
    ReportParameter image{.name = name, .quantity = quantity, .range = {least, largest}, .is_image = true};
    for (const float value : values)
        image.values.push_back(static_cast<std::uint16_t>(
            std::lround((std::clamp(value, least, largest) - least) / (largest - least) * 65535.F)));
    return image;
}

/// What migration has made on a section, before the model that it was made with.
void add_images(const ReportSection& section, const std::filesystem::path& file, ReportPlane& plane) {
    std::vector<ReportParameter> images;
    for (const StoredImageKind* kind : image_contents(file).kinds) {
        if (kind == &kImageStack) continue;  // what the image is made of
        const std::vector<float> values = read_on(file, *kind, section.window);
        const std::span<const float> frame(values);
        const auto clip = static_cast<float>(common_clip({&frame, 1}, kImageClip));
        images.push_back(image_parameter(kind->option, kind->label, values, kind->both_signs ? -clip : 0.F, clip));
    }
    plane.parameters.insert(plane.parameters.begin(), images.begin(), images.end());
}

/// An axis through one in `every` of some places.
ReportAxis axis_through(std::string name, std::span<const double> places_m, std::int64_t every) {
    const double spacing_m = places_m.size() > 1 ? places_m[1] - places_m[0] : 1.;
    return {std::move(name), places_m.front(), static_cast<double>(every) * spacing_m,
            (std::ssize(places_m) + every - 1) / every};
}

void add_offset_gathers(const std::filesystem::path& file, const Experiment& experiment, Report& report) {
    constexpr std::int64_t most_values = 100000;  // of a gather
    const DrawnGathers gathers = drawn_gathers(file, experiment);
    const std::int64_t offsets = std::ssize(gathers.half_offset_m);
    const std::int64_t every = (offsets * std::ssize(gathers.z_m) + most_values - 1) / most_values;
    for (const DrawnGathers::Gather& gather : gathers.some) {
        ReportPlane plane{.name = "gather at " + gather.place,
                          .horizontal = axis_through(gathers.half_offset, gathers.half_offset_m, 1),
                          .vertical = axis_through("z", gathers.z_m, every),
                          .thinning = every};
        std::vector<float> kept;
        for (std::int64_t z = 0; z < plane.vertical.count; ++z)
            kept.insert(kept.end(), gather.values.begin() + z * every * offsets,
                        gather.values.begin() + (z * every + 1) * offsets);
        const auto clip = static_cast<float>(gathers.clip);
        plane.parameters.push_back(image_parameter("gather", "image at subsurface offsets", kept, -clip, clip));
        report.planes.push_back(std::move(plane));
    }
}

void add_fold(const Experiment& experiment, Report& report) {
    constexpr std::int64_t most_along_line = 2000, most_of_area = 1 << 18;
    const Fold fold = fold_of(experiment.imaging->misfit.config, experiment.survey.observed_shots());
    if (fold.traces.empty()) return;
    if (fold.is_line) {
        report.fold = in_wider_bins(fold, most_along_line);
        return;
    }
    const Fold area = in_wider_bins(fold, most_of_area);
    ReportPlane plane{.name = "fold",
                      .horizontal = {"x", area.origin_m[0], area.bin_m, area.columns},
                      .vertical = {"y", area.origin_m[1], area.bin_m, area.rows}};
    plane.parameters.push_back(
        image_parameter("fold", "traces in a bin", area.traces, 0.F, area.traces[area.fullest()]));
    report.planes.push_back(std::move(plane));
}

class RunReport : public RunOutput {
public:
    RunReport(const Experiment& experiment, const Model& model)
        : experiment_(experiment), choice_(choice_of(experiment)) {
        const BoundaryConfig& boundary = experiment.config.boundary;
        sections_ =
            sections_of_shot(experiment.domain, boundary, experiment.survey.shots.front(), Fineness::model, &model);
        for (const std::size_t index : choice_.movies) {
            const Domain of_shot = domain_of_shot(experiment, index);
            Screens screens{of_shot.computed,
                            movie_sections(of_shot, boundary, experiment.survey.shots[index], model, sections_),
                            {}};
            screens.steps = frame_steps(experiment.time, frames_of(screens.sections, choice_));
            screens_.emplace(index, std::move(screens));
        }
    }

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (!choice_.shows(place.index)) return nullptr;
        const auto screens = screens_.find(place.index);
        return std::make_unique<ReportOfShot>(experiment_, choice_, place,
                                              screens == screens_.end() ? nullptr : &screens->second);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& /*survey*/) const override { return {}; }
    [[nodiscard]] std::vector<AtomicFile> tell(const FinishedSurvey& survey, const std::string& summary) const override;

private:
    const Experiment& experiment_;
    ReportChoice choice_;
    std::vector<ReportSection> sections_;  ///< of the page
    std::map<std::size_t, Screens> screens_;
};

std::vector<AtomicFile> RunReport::tell(const FinishedSurvey& survey, const std::string& summary) const {
    Report report{summary, resolved_yaml(experiment_.config), {}, survey.shots.size(), {}, {}, {}};
    const auto image = survey.staged.find(std::string(kImageName));
    const bool is_migration = image != survey.staged.end();
    for (const ReportSection& section : sections_) {
        report.planes.push_back(section.plane);
        if (is_migration) add_images(section, image->second, report.planes.back());
    }
    if (is_migration) {
        add_offset_gathers(image->second, experiment_, report);
        add_fold(experiment_, report);
    }
    map_survey(experiment_.survey.shots, report);
    note_choice(choice_, survey.shots.size(), report);
    std::vector<PutShot> parts;
    for (const std::size_t index : choice_.shots) {
        const std::filesystem::path part = survey.folder / part_name(survey.shots[index].shot);
        if (std::filesystem::exists(part))
            parts.emplace_back([part](const PutText& put) { put_file(part, put); });
        else
            report.notes.push_back(
                fmt::format("what the page would show of shot {} is no longer there; onda report "
                            "makes it again",
                            survey.shots[index].shot));
    }
    throw_if_interrupted();
    const TextSource page = [&](const auto& put) { put_report(report, parts, put); };
    std::vector<AtomicFile> files;
    files.push_back(stage_text_file(survey.results / kReportName, page, survey.overwrite));
    return files;
}

}  // namespace

ReportBytes report_bytes(const Experiment& experiment, const Computation& computation) {
    if (!experiment.config.output.report) return {};
    const ReportChoice choice = choice_of(experiment);
    Grid grid = experiment.domain.grid;
    grid.n = experiment.domain.computed.inner().count;  // of the largest part, where shots are computed on parts
    const std::int64_t points = section_points(grid, Fineness::wavefield), movies = std::ssize(choice.movies);
    const std::int64_t frames = std::min(std::clamp(static_cast<std::int64_t>(choice.movie_bytes) / (points + 1),
                                                    kFewestReportFrames, kMostReportFrames),
                                         experiment.time.steps - experiment.time.extra_steps);
    std::map<std::size_t, std::int64_t> of_batch;
    for (const std::size_t index : choice.movies)
        ++of_batch[index / static_cast<std::size_t>(computation.placement.batch)];
    // While a batch is written and drawn, the next one advances.
    std::int64_t alive = 0;
    for (const auto& [batch, shots] : of_batch) {
        const auto next = of_batch.find(batch + 1);
        alive = std::max(alive, shots + (next == of_batch.end() ? 0 : next->second));
    }
    const bool own_models = experiment.domain.grid.dimensions == 3 || experiment.domain.aperture;
    const std::int64_t of_model =
        section_points(experiment.domain.grid, Fineness::model) + (own_models ? movies * points : 0);
    const std::int64_t bytes_of_gather =
        saturating_product(experiment.time.output_samples, experiment.survey.size.most_receivers, std::int64_t{2});
    constexpr std::int64_t page = 1'000'000;  // measured: the page's own files as they are read, zlib, the facts
    return {of_model * std::ssize(computation.setup.scheme.equation->parameters) * 2 + alive * frames * points,
            page + std::min(static_cast<std::int64_t>(choice.gather_bytes), bytes_of_gather), movies * frames * points};
}

constinit const OutputFormat kReportFormat{
    .column = "",
    .shot_file = "",
    .is_result = [](std::string_view name) { return name == kReportName || is_part_name(name); },
    .is_wanted = [](const Experiment& experiment) { return experiment.config.output.report; },
    .make = [](const Experiment& experiment, const Model& model) -> std::unique_ptr<RunOutput> {
        return std::make_unique<RunReport>(experiment, model);
    },
    // A few megabytes, which forecasts leave out, as those of pictures.
    .predicted_bytes = [](const Experiment&, const Placement&, std::int64_t) { return std::int64_t{0}; },
    .add_memory =
        [](Allocations& list, const Experiment& experiment, const Computation& computation) {
            const ReportBytes bytes = report_bytes(experiment, computation);
            list.add(host_row("slices kept for the report", held::outputs, bytes.kept, 1));
            list.add(host_row("report: the gather", held::drawing, bytes.gather, 1));
        },
};

std::vector<ReportSection> sections_of_shot(const Domain& of_shot, const BoundaryConfig& boundary, const Shot& shot,
                                            Fineness fineness, const Model* model) {
    const Grid& grid = of_shot.grid;
    const Position through = shot.sources.empty() ? grid.position_m(grid.nx() / 2, grid.ny() / 2, grid.nz() / 2)
                                                  : shot.sources.front().position_m;
    std::vector<ReportSection> sections = report_sections(grid, through, fineness);
    for (ReportSection& section : sections) {
        describe_sides(section.plane, boundary, of_shot.faces, grid);
        if (model != nullptr) section.plane.parameters = parameters_on(section, *model, of_shot.part.first);
    }
    return sections;
}

}  // namespace onda
