/// \file
/// What a full-waveform inversion leaves after each of its iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/pictures/picture.hpp"
#include "solver/outputs/iterations/compared_gathers.hpp"
#include "solver/outputs/iterations/wells.hpp"
#include "solver/outputs/output.hpp"
#include "solver/plan/experiment.hpp"

namespace onda {

/// Names of files, none of which a single pass over the shots makes.
extern const OutputFormat kInversionFormat;
inline constexpr std::string_view kIterationTableName = "iterations.csv", kIterationPictureName = "iterations.png",
                                  kIterationPageName = "iterations.html", kInvertedModelName = "model.h5",
                                  kInvertedModelPictureName = "model.png", kGatherComparisonName = "gathers.png",
                                  kMisfitByShotName = "misfit_by_shot.png", kSpectraName = "spectra.png",
                                  kWellsName = "wells.png";

/// A line of the table: what an iteration has reached. A stage may begin with a line of the model that it starts from.
struct InversionIteration {
    /// From 0 on, the model that the inversion starts from; counted through all stages, or anew in each.
    std::int64_t stage = 1, iteration = 0;
    double misfit = 0.;
    double relative = 1.;                            ///< the misfit as a part of that which the stage began with
    double penalty = 0.;                             ///< what regularisation adds to the misfit
    double step = 0.;                                ///< along the direction of the iteration
    double change = 0.;                              ///< the largest change of vp at a node, as a part of vp there
    double gradient = 0.;                            ///< norm of the projected gradient
    std::int64_t trials = 0, shots = 0;              ///< of its line search, and computed in each pass
    std::optional<double> model_error_percent = {};  ///< absent: the true model is not known
};

/// iterations.csv: a fixed header, and no number that another run of the same inversion would not have.
std::string iteration_table(std::span<const InversionIteration> iterations);

/// How many iterations lie before each line, in all stages: a stage that counts anew goes on where the one before it
/// ended.
std::vector<double> places_of(std::span<const InversionIteration> iterations);

/// The first line of each stage, and behind them the number of lines.
std::vector<std::size_t> begins_of_stages(std::span<const InversionIteration> iterations);

/// The misfits of a shot at the beginning of the stage and now; those that are not finite are not drawn.
struct ShotMisfits {
    std::int64_t shot = 1;
    double at_begin = 0., now = 0.;
};

/// What a page shows of a model, vp [m/s]: its sections, and its profiles at wells.
struct CutModel {
    std::vector<std::vector<float>> sections, wells;
};
/// By the line of the table.
using CutModels = std::map<std::size_t, CutModel>;

/// What there is after an iteration. Models are vp [m/s] of all nodes of Experiment::domain.grid, [z][y][x].
struct InversionResults {
    std::span<const float> start, current;
    std::span<const InversionIteration> iterations;  ///< one at least; the last tells of `current`
    /// The model of a line of the table. Asked one at a time for those alone that the page shows, neither for the start
    /// model nor for the last line.
    std::function<std::vector<float>(std::size_t line)> model_of{};
    std::span<const ShotMisfits> shots{};      ///< ascending; empty: misfit_by_shot.png is not made
    const ComparedGathers* gathers = nullptr;  ///< null: gathers.png is not made; spectra.png needs its spectra
    std::span<const float> truth{};            ///< the model that the data were made with; empty: not known
    std::span<const Well> wells{};             ///< empty: wells.png is not made
    std::span<const std::optional<BandPassConfig>> bands{};  ///< of the stages, from the first on
    std::filesystem::path model_file{};  ///< of the current model, of which model.h5 is a name; empty: it is not
    /// Of earlier calls for the same inversion, which are not asked for again; null: nothing is kept. It holds a few
    /// hundred kilobytes for each section of the models that the page shows.
    CutModels* known = nullptr;
};

/// Everything of kInversionFormat that there is something for, ready for its name: the table; with output.pictures the
/// pictures; with output.report the page. \throws Error(cannot_create | io_error); Error(internal) for models that are
/// not of the grid; what InversionResults::model_of throws.
std::vector<AtomicFile> stage_inversion(const Experiment& experiment, const std::filesystem::path& folder,
                                        const InversionResults& results);

/// iterations.png: misfit, change of the model and, where it is known, its error.
Picture iteration_picture(const std::string& title, std::span<const InversionIteration> lines);
/// misfit_by_shot.png: at the beginning of a stage and now. \param shots one at least, ascending.
Picture misfit_by_shot_picture(const std::string& title, std::span<const ShotMisfits> shots, std::int64_t stage);

/// What is done with a picture, which refers to values that last until this returns.
using TakePicture = std::function<void(const Picture&)>;

/// model.png: start model, current model and their difference, on all sections through the middle of
/// Experiment::domain.grid, of which both models are. \throws Error(internal) where they are not; what `take` throws.
void draw_inverted_model(const Experiment& experiment, std::span<const float> start_vp,
                         std::span<const float> current_vp, const TakePicture& take);

}  // namespace onda
