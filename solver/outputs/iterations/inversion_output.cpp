#include "solver/outputs/iterations/inversion_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "solver/outputs/iterations/inversion_page.hpp"
#include "solver/outputs/iterations/inversion_sections.hpp"
#include "solver/pictures/fold_picture.hpp"
#include "solver/pictures/section_picture.hpp"
#include "solver/report/survey_map.hpp"

namespace onda {
namespace {

constexpr std::int64_t kMostModelSamples = 1200, kMostPageSamples = 700;  ///< along one side of a section
constexpr double kUpdateClip = 0.99;         ///< the share of all |changes| of vp that is not clipped
constexpr std::size_t kMostCurveDots = 100;  ///< that are told apart along a curve
constexpr int kPagePictureWidth = 800;
constexpr double kCurveHeight = 0.6;
constexpr std::array<Rgb, 6> kStageColours{
    {{31, 119, 180}, {214, 39, 40}, {44, 160, 44}, {148, 103, 189}, {255, 127, 14}, {140, 86, 75}}};
constexpr const char* kUpdateLabel = "Change of vp [m/s]";

// Curves over the iterations ---------------------------------------------------------------------------------------

/// A quantity of the table, NaN where a line has none.
struct CurveOfLines {
    std::string title, axis;
    std::vector<double> values;
};

/// From zero, or logarithmic where values differ by a factor of ten.
PictureAxis axis_of_curve(const CurveOfLines& curve) {
    double least = std::numeric_limits<double>::infinity(), largest = 0.;
    for (const double value : curve.values) {
        if (!std::isfinite(value)) continue;
        least = std::min(least, value);
        largest = std::max(largest, value);
    }
    if (least > 0. && largest >= 10. * least) return {1.25 * largest, 0.8 * least, curve.axis, true};
    return {largest > 0. ? 1.05 * largest : 1., 0., curve.axis};
}

void add_stage(Panel& panel, const CurveOfLines& curve, std::span<const double> places, std::size_t first,
               std::size_t end, Rgb colour, std::string label) {
    PictureLine line;
    line.x.assign(places.begin() + static_cast<std::ptrdiff_t>(first),
                  places.begin() + static_cast<std::ptrdiff_t>(end));
    line.y.assign(curve.values.begin() + static_cast<std::ptrdiff_t>(first),
                  curve.values.begin() + static_cast<std::ptrdiff_t>(end));
    line.colour = colour;
    line.label = std::move(label);
    if (curve.values.size() <= kMostCurveDots || end - first == 1) {
        PictureDots dots;
        dots.x = line.x;
        dots.y = line.y;
        dots.colour = colour;
        panel.dots.push_back(std::move(dots));
    }
    panel.lines.push_back(std::move(line));
}

Panel curve_panel(const CurveOfLines& curve, std::span<const InversionIteration> lines,
                  std::span<const double> places) {
    Panel panel;
    panel.title = curve.title;
    panel.height = kCurveHeight;
    panel.horizontal = {0., std::max(1., places.back()), "iteration"};
    panel.vertical = axis_of_curve(curve);
    panel.grid_lines = true;
    const std::vector<std::size_t> begins = begins_of_stages(lines);
    const std::size_t stages = begins.size() - 1;
    for (std::size_t s = 1; s < stages; ++s) {
        const double at = places[begins[s]];
        panel.lines.push_back({{at, at}, {panel.vertical.first, panel.vertical.last}, {150, 150, 150}, "", true});
    }
    const bool has_legend = stages > 1 && stages <= kStageColours.size();
    for (std::size_t s = 0; s < stages; ++s)
        add_stage(panel, curve, places, begins[s], begins[s + 1], kStageColours[s % kStageColours.size()],
                  has_legend ? fmt::format("stage {}", lines[begins[s]].stage) : "");
    return panel;
}

}  // namespace

Picture iteration_picture(const std::string& title, std::span<const InversionIteration> lines) {
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    CurveOfLines misfit{"Misfit", "misfit, of that which the stage began with", {}};
    CurveOfLines change{"Change of the model", "largest relative change of vp", {}};
    CurveOfLines error{"Error of the model", "Error of vp [%]", {}};
    bool knows_error = false;
    for (const InversionIteration& line : lines) {
        misfit.values.push_back(line.relative);
        change.values.push_back(line.change > 0. ? line.change : nothing);
        error.values.push_back(line.model_error_percent.value_or(nothing));
        knows_error = knows_error || line.model_error_percent;
    }
    const std::vector<double> places = places_of(lines);
    Picture picture{title, {curve_panel(misfit, lines, places), curve_panel(change, lines, places)}};
    if (knows_error) picture.panels.push_back(curve_panel(error, lines, places));
    picture.rows = static_cast<int>(picture.panels.size());
    return picture;
}

// Misfits of shots -------------------------------------------------------------------------------------------------

Picture misfit_by_shot_picture(const std::string& title, std::span<const ShotMisfits> shots, std::int64_t stage) {
    PictureLine begin{{}, {}, {150, 150, 150}, fmt::format("at the beginning of stage {}", stage)};
    PictureLine now{{}, {}, kStageColours.front(), "now"};
    double largest = 0.;
    const auto add = [&largest](PictureLine& line, std::int64_t shot, double misfit) {
        if (!std::isfinite(misfit)) return;
        line.x.push_back(static_cast<double>(shot));
        line.y.push_back(misfit);
        largest = std::max(largest, misfit);
    };
    for (const ShotMisfits& shot : shots) {
        add(begin, shot.shot, shot.at_begin);
        add(now, shot.shot, shot.now);
    }
    Panel panel;
    panel.title = "Misfit of each shot";
    panel.horizontal =
        axis_around(static_cast<double>(shots.front().shot), static_cast<double>(shots.back().shot), "shot");
    panel.vertical = {largest > 0. ? 1.15 * largest : 1., 0., "misfit"};
    panel.grid_lines = true;
    for (PictureLine* line : {&begin, &now}) {
        if (shots.size() <= kMostCurveDots) {
            PictureDots dots;
            dots.x = line->x;
            dots.y = line->y;
            dots.colour = line->colour;
            panel.dots.push_back(std::move(dots));
        }
        panel.lines.push_back(std::move(*line));
    }
    return {title, {std::move(panel)}};
}

namespace {

// Models -----------------------------------------------------------------------------------------------------------

std::vector<Section> sections_through_middle(const Grid& grid, std::int64_t most_samples) {
    return sections_through(grid, grid.position_m(grid.nx() / 2, grid.ny() / 2, grid.nz() / 2), most_samples);
}

std::vector<float> velocities_on(const Section& section, const Grid& grid, std::span<const float> vp) {
    const Window& window = section.window;
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(window.points()));
    for (std::int64_t z = 0; z < window.count[2]; ++z)
        for (std::int64_t y = 0; y < window.count[1]; ++y)
            for (std::int64_t x = 0; x < window.count[0]; ++x)
                values.push_back(vp[static_cast<std::size_t>(grid.at(window.first[0] + x * window.step[0],
                                                                     window.first[1] + y * window.step[1],
                                                                     window.first[2] + z * window.step[2]))]);
    return values;
}

void require_on_grid(const Grid& grid, std::span<const float> vp, const char* which) {
    if (std::ssize(vp) != grid.points())
        throw Error(ExitCode::internal, fmt::format("{} of an inversion has {} values, and its grid {} nodes", which,
                                                    vp.size(), grid.points()));
}

using Cuts = std::vector<std::vector<float>>;  ///< of a model or its change, by section

Cuts cut_velocities(std::span<const Section> sections, const Grid& grid, std::span<const float> vp, const char* which) {
    require_on_grid(grid, vp, which);
    Cuts cuts;
    for (const Section& section : sections) cuts.push_back(velocities_on(section, grid, vp));
    return cuts;
}

Cuts difference_of(const Cuts& model, const Cuts& start) {
    Cuts change = model;
    for (std::size_t s = 0; s < change.size(); ++s)
        for (std::size_t i = 0; i < change[s].size(); ++i) change[s][i] -= start[s][i];
    return change;
}

/// The scales that pictures of several models share.
struct InversionScales {
    ValueRange vp{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    double change = 1.;
};

void widen(ValueRange& range, const Cuts& cuts) {
    for (const std::vector<float>& values : cuts) {
        const ValueRange of_section = finite_range(values);
        range = {std::min(range.low, of_section.low), std::max(range.high, of_section.high)};
    }
}

double clip_of_changes(std::span<const Cuts> changes) {
    std::vector<std::span<const float>> frames;
    for (const Cuts& change : changes)
        for (const std::vector<float>& values : change) frames.emplace_back(values);
    return common_clip(frames, kUpdateClip);
}

/// Panels of models on the sections of a run; they refer to the values that they are given.
class ModelPanels {
public:
    ModelPanels(const Experiment& experiment, std::span<const Section> sections, InversionScales scales)
        : experiment_(experiment), sections_(sections), scales_(scales) {}

    [[nodiscard]] Panel velocity(std::size_t section, std::span<const float> vp, const std::string& title) const {
        PictureField field = model_field(sections_[section], vp, kVelocityLabel);
        field.range = scales_.vp;
        return finished(section, std::move(field), title);
    }
    [[nodiscard]] Panel change(std::size_t section, std::span<const float> change, const std::string& title) const {
        return finished(section, signed_field(sections_[section], change, scales_.change, kUpdateLabel, kBlueRed),
                        title);
    }
    /// Whether a section is so wide that panels lie below each other.
    [[nodiscard]] bool is_wide() const {
        const Section& section = sections_.front();
        return std::abs(section.horizontal.last - section.horizontal.first) >
               1.5 * std::abs(section.vertical.last - section.vertical.first);
    }

private:
    [[nodiscard]] Panel finished(std::size_t section, PictureField field, const std::string& title) const {
        Panel panel = empty_panel(sections_[section]);
        panel.title = title + (panel.title.empty() ? "" : ", " + panel.title);
        panel.fields.push_back(std::move(field));
        outline_layers(panel, sections_[section].plane, experiment_.domain.grid, experiment_.domain.faces);
        return panel;
    }

    const Experiment& experiment_;
    std::span<const Section> sections_;
    InversionScales scales_;
};

void mark_all_shots(Panel& panel, const SectionPlane& plane, const Report& survey) {
    for (const Position& at : survey.receivers_m)
        panel.marks.push_back({at[plane.horizontal], at[plane.vertical], PictureMark::Kind::receiver});
    for (const Position& at : survey.sources_m)
        panel.marks.push_back({at[plane.horizontal], at[plane.vertical], PictureMark::Kind::source});
}

}  // namespace

void draw_inverted_model(const Experiment& experiment, std::span<const float> start_vp,
                         std::span<const float> current_vp, const TakePicture& take) {
    const Grid& grid = experiment.domain.grid;
    const std::vector<Section> sections = sections_through_middle(grid, kMostModelSamples);
    const Cuts start = cut_velocities(sections, grid, start_vp, "the start model");
    const Cuts current = cut_velocities(sections, grid, current_vp, "the current model");
    const Cuts change = difference_of(current, start);
    InversionScales scales;
    widen(scales.vp, start);
    widen(scales.vp, current);
    scales.change = clip_of_changes({&change, 1});
    const ModelPanels panels(experiment, sections, scales);
    Report survey;
    map_survey(experiment.survey.shots, survey);
    Picture picture{experiment.config.title, {}};
    for (std::size_t s = 0; s < sections.size(); ++s) {
        Panel first = panels.velocity(s, start[s], "Start model");
        mark_all_shots(first, sections[s].plane, survey);
        picture.panels.push_back(std::move(first));
        picture.panels.push_back(panels.velocity(s, current[s], "Current model"));
        picture.panels.push_back(panels.change(s, change[s], "Current less start model"));
    }
    picture.rows = sections.size() > 1 ? static_cast<int>(sections.size()) : panels.is_wide() ? 3 : 1;
    take(picture);
}

namespace {

// The page ---------------------------------------------------------------------------------------------------------

/// What is shown of models on the grid of a stage.
struct ModelCutter {
    const Grid& grid;
    std::vector<Section> sections;
    std::span<const Well> wells;

    [[nodiscard]] CutModel operator()(std::span<const float> vp, const char* which) const {
        return {cut_velocities(sections, grid, vp, which), profiles_at(wells, grid, vp)};
    }
};

/// The models that the page shows, in its order; `results.known` has those of them alone afterwards.
std::vector<CutModel> shown_models(const ModelCutter& cut, const InversionResults& results,
                                   std::span<const double> places, std::span<const std::size_t> shown) {
    CutModels kept;
    std::vector<CutModel> models;
    for (const std::size_t line : shown) {
        const bool is_last = line + 1 == results.iterations.size(), is_start = places[line] == 0.;
        if (is_last || is_start) {
            models.push_back(is_last ? cut(results.current, "the current model")
                                     : cut(results.start, "the start model"));
            continue;
        }
        const bool is_known = results.known != nullptr && results.known->contains(line);
        models.push_back(is_known ? results.known->at(line) : cut(results.model_of(line), "the model of an iteration"));
        if (results.known != nullptr) kept.emplace(line, models.back());
    }
    if (results.known != nullptr) *results.known = std::move(kept);
    return models;
}

/// The true model at wells; empty where it is not known.
Cuts true_profiles(const Grid& grid, const InversionResults& results) {
    if (results.truth.empty()) return {};
    require_on_grid(grid, results.truth, "the true model");
    return profiles_at(results.wells, grid, results.truth);
}

AtomicFile stage_wells_picture(const Experiment& experiment, const std::filesystem::path& file,
                               const InversionResults& results) {
    const Grid& grid = experiment.domain.grid;
    const WellProfiles profiles{profiles_at(results.wells, grid, results.start), true_profiles(grid, results),
                                profiles_at(results.wells, grid, results.current)};
    return stage_picture(file, wells_picture(experiment.config.title, results.wells, grid, profiles), true);
}

/// \param comparison of the gathers, if there are any.
std::vector<PageSection> sections_of_page(const InversionResults& results,
                                          const std::optional<GatherComparison>& comparison) {
    std::vector<PageSection> sections{stages_section(results)};
    if (!results.shots.empty()) {
        PageSection& section = sections.emplace_back(PageSection{.title = "Misfit by shot"});
        section.alt = "Misfit of each shot, at the beginning of the stage and now";
        section.picture = misfit_by_shot_picture("", results.shots, results.iterations.back().stage);
        section.picture->width_px = kPagePictureWidth;
    }
    if (comparison) sections.push_back(gathers_section(*results.gathers, *comparison));
    if (comparison && results.gathers->spectra)
        sections.push_back(spectra_section(*results.gathers, *results.gathers->spectra, results.bands));
    return sections;
}

AtomicFile stage_page(const Experiment& experiment, const std::filesystem::path& file, const InversionResults& results,
                      const std::optional<GatherComparison>& comparison) {
    const Grid& grid = experiment.domain.grid;
    const std::vector<double> places = places_of(results.iterations);
    const std::vector<std::size_t> shown = shown_on_page(results.iterations.size());
    const ModelCutter cut{grid, sections_through_middle(grid, kMostPageSamples), results.wells};
    const std::vector<Section>& sections = cut.sections;
    const CutModel start = cut(results.start, "the start model");
    const std::vector<CutModel> models = shown_models(cut, results, places, shown);
    std::vector<Cuts> changes;
    InversionScales scales;
    for (const CutModel& model : models) {
        changes.push_back(difference_of(model.sections, start.sections));
        widen(scales.vp, model.sections);
    }
    scales.change = clip_of_changes(changes);
    const ModelPanels panels(experiment, sections, scales);
    const auto picture_of = [&](std::size_t i) {
        const std::string name = name_of(results.iterations[shown[i]]);
        Picture picture;
        for (std::size_t s = 0; s < sections.size(); ++s) {
            picture.panels.push_back(panels.velocity(s, models[i].sections[s], "Model of " + name));
            picture.panels.push_back(panels.change(s, changes[i][s], "Less the start model"));
        }
        picture.rows = sections.size() > 1 ? static_cast<int>(sections.size()) : panels.is_wide() ? 2 : 1;
        picture.width_px = kPagePictureWidth;
        return picture;
    };
    InversionPage page{experiment.config.title, results.iterations, places, shown, picture_of};
    page.sections = sections_of_page(results, comparison);
    const Cuts truth = true_profiles(grid, results);
    for (std::size_t w = 0; w < results.wells.size(); ++w) {
        PageWell& well =
            page.wells.emplace_back(PageWell{results.wells[w].title(grid), start.wells[w], {}, {}, {}, {}});
        if (!truth.empty()) well.truth = truth[w];
        well.log_depth_m = results.wells[w].depth_m;
        well.log_vp_m_s = results.wells[w].vp_m_s;
        for (const CutModel& model : models) well.models.emplace_back(model.wells[w]);
    }
    if (!page.wells.empty()) page.depth_m = profile_depths(grid);
    return stage_text_file(
        file, [&page](const PutText& put) { put_inversion_page(page, put); }, true);
}

}  // namespace

std::string iteration_table(std::span<const InversionIteration> iterations) {
    std::string text =
        "stage,iteration,misfit,relative,penalty,step,change,gradient,trials,shots,model_error_percent\n";
    for (const InversionIteration& line : iterations)
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", line.stage, line.iteration, shortest(line.misfit),
                            shortest(line.relative), shortest(line.penalty), shortest(line.step), shortest(line.change),
                            shortest(line.gradient), line.trials, line.shots,
                            line.model_error_percent ? shortest(*line.model_error_percent) : std::string());
    return text;
}

std::vector<double> places_of(std::span<const InversionIteration> iterations) {
    std::vector<double> places;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < iterations.size(); ++i) {
        const bool counts_anew = i > 0 && iterations[i].iteration < iterations[i - 1].iteration;
        if (counts_anew) before = static_cast<std::int64_t>(places.back());
        places.push_back(static_cast<double>(before + iterations[i].iteration));
    }
    return places;
}

std::vector<std::size_t> begins_of_stages(std::span<const InversionIteration> iterations) {
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < iterations.size(); ++i)
        if (i == 0 || iterations[i].stage != iterations[i - 1].stage) begins.push_back(i);
    begins.push_back(iterations.size());
    return begins;
}

std::vector<AtomicFile> stage_inversion(const Experiment& experiment, const std::filesystem::path& folder,
                                        const InversionResults& results) {
    const std::string& title = experiment.config.title;
    std::vector<AtomicFile> files;
    files.push_back(stage_text_file(folder / kIterationTableName, iteration_table(results.iterations), true));
    if (!results.model_file.empty())
        files.push_back(AtomicFile::of(results.model_file, folder / kInvertedModelName, true));
    std::optional<GatherComparison> comparison;
    if (results.gathers != nullptr && (experiment.config.output.pictures || experiment.config.output.report))
        comparison = compare_gathers(title, *results.gathers);
    if (experiment.config.output.pictures) {
        const auto add = [&](std::string_view name, const Picture& picture) {
            files.push_back(stage_picture(folder / name, picture, true));
        };
        add(kIterationPictureName, iteration_picture(title, results.iterations));
        draw_inverted_model(experiment, results.start, results.current,
                            [&](const Picture& picture) { add(kInvertedModelPictureName, picture); });
        if (!results.shots.empty())
            add(kMisfitByShotName, misfit_by_shot_picture(title, results.shots, results.iterations.back().stage));
        if (comparison) add(kGatherComparisonName, comparison->picture);
        if (comparison && results.gathers->spectra)
            add(kSpectraName, spectra_picture(title, *results.gathers, *results.gathers->spectra));
        if (!results.wells.empty()) files.push_back(stage_wells_picture(experiment, folder / kWellsName, results));
    }
    if (experiment.config.output.report)
        files.push_back(stage_page(experiment, folder / kIterationPageName, results, comparison));
    return files;
}

constinit const OutputFormat kInversionFormat{
    .column = "",
    .shot_file = "",
    .is_result =
        [](std::string_view name) {
            constexpr std::array names{kIterationTableName,
                                       kIterationPictureName,
                                       kIterationPageName,
                                       kInvertedModelName,
                                       kInvertedModelPictureName,
                                       kGatherComparisonName,
                                       kMisfitByShotName,
                                       kSpectraName,
                                       kWellsName};
            return std::ranges::find(names, name) != names.end();
        },
    .is_wanted = [](const Experiment&) { return false; },
    .make = nullptr,
    .predicted_bytes = nullptr,
};

}  // namespace onda
