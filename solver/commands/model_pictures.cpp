#include "solver/commands/model_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/pictures/picture.hpp"
#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/outputs/pictures.hpp"
#include "solver/plan/plan.hpp"
#include "solver/program/build.hpp"
#include "solver/report/survey_map.hpp"

namespace onda {
namespace {

constexpr std::int64_t kMostDrawnNodes = 30'000'000;  // of a model that is made for its sections alone

/// A grid of the same extents with fewer nodes: every `by`-th along each axis.
Grid coarser(const Grid& grid, std::int64_t by) {
    Grid coarse = grid;
    for (int axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(axis)) continue;
        const double extent_m = static_cast<double>(grid.n[axis] - 1) * grid.spacing_m[axis];
        coarse.n[axis] = std::max<std::int64_t>((grid.n[axis] - 1) / by + 1, 2);
        coarse.spacing_m[axis] = extent_m / static_cast<double>(coarse.n[axis] - 1);
    }
    return coarse;
}

/// All sources and receivers over the model, in 3-D from above, then from the side.
AtomicFile stage_survey_map(const std::string& title, const Shots& shots, const Model& model,
                            const std::filesystem::path& file, bool overwrite) {
    constexpr std::int64_t most_samples = 1200;  // along a side of a picture
    Report survey;
    map_survey(shots, survey);
    Picture picture;
    picture.title = title;
    const Position through = shots.front().sources.front().position_m;
    std::vector<Section> sections = sections_through(model.grid, through, most_samples);
    std::ranges::reverse(sections);  // xy comes first
    std::vector<ModelSection> cuts;  // which panels refer to
    for (Section& section : sections)
        if (section.plane.name != "yz") cuts.push_back(cut_model(std::move(section), model));
    for (const ModelSection& cut : cuts) {
        Panel panel = empty_panel(cut.section);
        panel.fields.push_back(model_field(cut.section, cut.vp, kVelocityLabel));
        const SectionPlane& plane = cut.section.plane;
        for (const auto& at : survey.receivers_m)
            panel.marks.push_back({at[plane.horizontal], at[plane.vertical], PictureMark::Kind::receiver});
        for (const auto& at : survey.sources_m)
            panel.marks.push_back({at[plane.horizontal], at[plane.vertical], PictureMark::Kind::source});
        panel.title = fmt::format("Sources and receivers of {} shots{}{}", shots.size(),
                                  panel.title.empty() ? "" : ", over the model at ", panel.title);
        picture.panels.push_back(std::move(panel));
    }
    return stage_picture(file, picture, overwrite);
}

}  // namespace

void refuse_large_model(const Config& config, const Equation& equation, const Grid& grid) {
    const auto parameters = static_cast<std::int64_t>(equation->parameters.size());
    const auto needed = static_cast<double>(grid.points()) * static_cast<double>(parameters * sizeof(float)) +
                        static_cast<double>(model_extra_bytes(config.model, grid, config.origin));
    const std::int64_t available = available_memory_bytes();
    if (needed <= static_cast<double>(available)) return;
    throw Error(ExitCode::out_of_memory,
                fmt::format("the model of {} nodes needs {} of memory and {} are available: increase grid.spacing_m",
                            shape_text(grid), bytes_text(static_cast<std::int64_t>(needed)), bytes_text(available)));
}

Model model_to_draw(const Experiment& experiment, const Computation& computation) {
    ModelConfig config = experiment.config.model;
    Grid grid = experiment.domain.grid;
    for (std::int64_t by = 2; grid.points() > kMostDrawnNodes; ++by) grid = coarser(experiment.domain.grid, by);
    if (grid.points() != experiment.domain.grid.points()) config.resample = config.type == "file";
    refuse_large_model(experiment.config, computation.setup.scheme.equation, grid);
    return make_model(config, computation.setup.scheme.equation, grid, experiment.config.origin);
}

std::vector<std::filesystem::path> write_model_pictures(const Experiment& experiment, const Model& model,
                                                        const std::filesystem::path& stem, bool overwrite) {
    std::vector<AtomicFile> files = stage_model_pictures(experiment, model, stem, overwrite);
    if (experiment.survey.shots.size() > 1)
        files.push_back(stage_survey_map(experiment.config.title, experiment.survey.shots, model,
                                         stem.native() + "_survey.png", overwrite));
    std::vector<std::filesystem::path> names;
    for (AtomicFile& file : files) {
        file.commit();
        names.push_back(file.path());
    }
    return names;
}

namespace {

std::filesystem::path picture_of(const std::filesystem::path& model_file, const ModelSection& section) {
    return model_file.parent_path() / fmt::format("{}_{}.png", model_file.stem().native(), section.section.plane.name);
}

/// The values of a plane that lie in the window of a section.
void take_values(const Grid& grid, const Window& window, std::int64_t z, std::span<const float> plane,
                 std::vector<float>& values) {
    const std::int64_t from_first = z - window.first[2];
    if (from_first < 0 || from_first % window.step[2] != 0 || from_first / window.step[2] >= window.count[2]) return;
    for (std::int64_t y = 0; y < window.count[1]; ++y)
        for (std::int64_t x = 0; x < window.count[0]; ++x)
            values.push_back(plane[static_cast<std::size_t>((window.first[1] + y * window.step[1]) * grid.nx() +
                                                            window.first[0] + x * window.step[0])]);
}

/// Where a section keeps the values of a parameter.
std::vector<float>& values_of(ModelSection& section, const MediumParameter& parameter) {
    if (parameter.name == kVp.name) return section.vp;
    if (parameter.name == kRho.name) return section.rho;
    const std::string label = label_of(parameter);
    for (ModelSection::Further& further : section.further)
        if (further.label == label) return further.values;
    return section.further.emplace_back(ModelSection::Further{label, {}}).values;
}

}  // namespace

DrawnFile::DrawnFile(const FileGeometry& geometry) {
    constexpr std::int64_t most_samples = 1200;  // along a side of a picture
    grid_.dimensions = geometry.dimensions;
    grid_.n = geometry.shape;
    grid_.spacing_m = geometry.spacing_m;
    grid_.origin_m = geometry.origin_m;
    // Without two nodes along an axis there is nothing to be seen along it.
    for (Section& section :
         sections_through(grid_, grid_.position_m(grid_.nx() / 2, grid_.ny() / 2, grid_.nz() / 2), most_samples))
        if (grid_.n[section.plane.horizontal] > 1 && grid_.n[section.plane.vertical] > 1)
            sections_.push_back({std::move(section), {}, {}});
}

void DrawnFile::refuse_existing(const std::filesystem::path& model_file, bool overwrite) const {
    std::error_code unreadable;  // then writing says what is wrong
    for (const ModelSection& section : sections_)
        if (const auto file = picture_of(model_file, section); !overwrite && std::filesystem::exists(file, unreadable))
            throw Error(ExitCode::cannot_create,
                        shown(file) + " exists; use --force to overwrite it, or --no-pictures");
}

void DrawnFile::take(const MediumParameter& parameter, std::int64_t z, std::span<const float> plane) {
    for (ModelSection& section : sections_)
        take_values(grid_, section.section.window, z, plane, values_of(section, parameter));
}

std::vector<std::filesystem::path> DrawnFile::write(const std::filesystem::path& model_file, bool overwrite) const {
    std::vector<AtomicFile> files;
    for (const ModelSection& section : sections_) {
        Picture picture;
        for_each_parameter(section, [&](const std::vector<float>& values, const std::string& label) {
            picture.panels.push_back(empty_panel(section.section));
            picture.panels.back().fields.push_back(model_field(section.section, values, label));
        });
        files.push_back(stage_picture(picture_of(model_file, section), picture, overwrite));
    }
    std::vector<std::filesystem::path> names;
    for (AtomicFile& file : files) {
        file.commit();
        names.push_back(file.path());
    }
    return names;
}

}  // namespace onda
