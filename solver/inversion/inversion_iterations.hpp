/// \file
/// The iterations of a stage of a full-waveform inversion.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/inversion/descent.hpp"
#include "solver/inversion/gradient_shaping.hpp"
#include "solver/inversion/host_vectors.hpp"
#include "solver/inversion/inversion_records.hpp"
#include "solver/inversion/inversion_stage.hpp"
#include "solver/inversion/model_parameters.hpp"
#include "solver/inversion/stage_check.hpp"
#include "solver/inversion/survey_passes.hpp"
#include "solver/plan/plan.hpp"
#include "solver/program/log.hpp"
#include "solver/ranks/ranks.hpp"

namespace onda {

class StageIterations;

/// What the stages of an inversion share.
struct InversionParts {
    const Config& config;  ///< with its grid and bounds complete
    const Plan& plan;      ///< of the first pass
    StartModelFacts start;
    const Ranks& ranks;
    Log& log;
    const InversionRecords& records;
    SurveyPasses& passes;
    /// Told after each iteration, once it is on disk.
    std::function<void(const StageIterations&)> kept;

    std::span<const Well> wells{};
    std::optional<std::int64_t> shown_shot{};  ///< predicted as the first stage began; none where codes are drawn again
    std::unique_ptr<GathersOfShot>
        gathers{};  ///< of that shot, by the model of the last stage that ended; null: of none
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    std::int64_t passed = 0, made = 0;  ///< iterations: all, and those that were not there

    [[nodiscard]] const InversionConfig& settings() const { return *config.inversion; }
    /// The time that has passed, and what is left if all iterations are made and take as long as those of this process.
    [[nodiscard]] std::string clock() const;
    /// A prediction a stage, and a gradient and about a trial and a half an iteration.
    [[nodiscard]] std::int64_t expected_passes() const;
};

/// The model of a file, or of a configuration, on the grid of that configuration.
ModelOf model_of(const Config& config, const Grid& grid, const Equation& equation);
/// Writes such a model, over another. \param made_by what made it, for its provenance. \throws as store_model().
void store(const ModelOf& model, const std::filesystem::path& file, const Grid& grid, const Equation& equation,
           const std::string& made_by);

/// The iterations of a stage.
class StageIterations {
public:
    /// \param before the number of the stage whose last model this one begins with, and of its iteration; none: the
    /// model of the configuration.
    StageIterations(InversionParts& run, std::int64_t number, std::optional<std::filesystem::path> before);

    /// \returns the file of the model that it ends with.
    std::filesystem::path iterate();
    [[nodiscard]] const std::vector<IterationRecord>& records() const { return records_; }
    /// Predicts the shot that is shown, if any is, in the model that there is now.
    void predict();
    /// The files of what there is now. \param rows of the table, those of earlier stages among them.
    [[nodiscard]] std::vector<AtomicFile> results(const std::filesystem::path& folder,
                                                  const std::vector<InversionIteration>& rows, CutModels& known) const;

private:
    /// What a pass finds in a model.
    struct Evaluation {
        std::vector<MisfitByShot> shots;
        HostVectors::Vector gradient;     ///< of the objective, in x
        std::vector<float> illumination;  ///< by the forward fields, about the diagonal of the Hessian in x
        double penalty = 0.;
        std::int64_t compared = 0;  ///< traces
    };
    /// A model that is better.
    struct Found {
        ModelOf model;
        double step = 0.;
        std::vector<MisfitByShot> shots;  ///< of those that were tried
    };

    void make_start(const std::optional<std::filesystem::path>& before);
    void describe() const;
    void check_data();
    void begin();
    void keep_model(const std::filesystem::path& file, const ModelOf& model) const;
    [[nodiscard]] Config pass(const std::filesystem::path& model) const {
        Config config = stage_.pass(model, drawing_, shots_);
        if (wavelet_.empty()) return config;
        config.wavelet = {};
        config.wavelet.type = "file";
        config.wavelet.file = wavelet_;
        for (SourceConfig& source : config.sources) source.wavelet.reset();
        return config;
    }
    void set_drawing(std::int64_t drawing);
    /// Tells the crosstalk of random codes that are drawn again, by the gradient of the next ones in the same model.
    void tell_crosstalk(const Evaluation& first);
    /// \param folder of the pass, in that of the iteration.
    [[nodiscard]] Evaluation evaluate(const std::string& folder = "gradient");
    [[nodiscard]] Evaluation draw_again();
    [[nodiscard]] Evaluation read_gradient(const std::filesystem::path& folder);
    [[nodiscard]] double add_penalties(const HostVectors::Vector& x, std::span<float> gradient) const;
    [[nodiscard]] double penalty_of(const HostVectors::Vector& x) const;
    void precondition(HostVectors::Vector& v) const;
    [[nodiscard]] HostVectors::Vector direction(const Evaluation& there);
    [[nodiscard]] double first_step(const HostVectors::Vector& p) const;
    /// \param before trials that were made from here already.
    [[nodiscard]] std::optional<Found> search(const Evaluation& from, const HostVectors::Vector& p,
                                              std::int64_t before);
    [[nodiscard]] std::vector<MisfitByShot> try_model(const ModelOf& model, std::int64_t trial);
    [[nodiscard]] ModelOf model_at(double step, const HostVectors::Vector& p) const;
    [[nodiscard]] bool advance(const Evaluation& there);
    [[nodiscard]] HostVectors::Vector direction_anew(const Evaluation& there);
    void take(const IterationRecord& known);
    void move_to(ModelOf model, IterationRecord record);
    void note_misfit(std::vector<MisfitByShot> shots);
    void note(const Evaluation& there);
    /// What is on disk of an iteration.
    [[nodiscard]] std::optional<IterationRecord> known(std::int64_t iteration) const {
        return run_.ranks.all_or_none([&] { return run_.records.find(stage_.number(), iteration); });
    }
    void keep_record() const;
    void keep();
    [[nodiscard]] bool has_ended() const;
    [[nodiscard]] bool is_due_to_redraw(std::int64_t iteration) const {
        return stage_.redraws() && iteration > 0 && iteration < stage_.config().iterations &&
               iteration % *stage_.config().redraw_every == 0;
    }

    InversionParts& run_;
    InversionStage stage_;
    Plan plan_;
    ModelOf first_;               ///< the model of the configuration, on the grid of the stage
    ModelOf start_;               ///< of the stage
    std::vector<float> true_vp_;  ///< empty: not known
    ModelOf current_;
    std::vector<float> mask_;  ///< step_mask() until gradients are shaped by it
    std::vector<bool> held_;
    std::optional<ModelParameters> parameters_;
    Bounds bounds_;
    std::optional<GradientShaping> shaping_;
    DescentDirections directions_;
    std::filesystem::path wavelet_;  ///< that was estimated, or those of shots; empty: that of the configuration
    std::int64_t drawing_ = 0;
    std::vector<std::int64_t> shots_, trial_shots_;

    HostVectors::Vector x_;
    std::int64_t iteration_ = 0, trials_ = 0;  ///< trials from the current model
    std::vector<IterationRecord> records_;
};

}  // namespace onda
