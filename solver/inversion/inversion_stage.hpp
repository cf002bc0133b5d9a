/// \file
/// A stage of a full-waveform inversion, as its passes over the survey are configured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/text/number_selection.hpp"
#include "kernels/equations/vti/anisotropy.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/model/model.hpp"
#include "solver/ranks/rank_place.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// The model of a file. \param resample whether it is brought to the grid.
ModelConfig model_of_file(const std::filesystem::path& file, bool resample = false);
/// That of a file which holds the values of another one, with everything that runs make of them.
ModelConfig model_of_file(const std::filesystem::path& file, const ModelConfig& like);

/// What a stage needs to know of the model that the run begins with.
struct StartModelFacts {
    bool has_density = false;
    ParameterRange vp{};                                  ///< of all nodes [m/s], of those that are held, too
    std::optional<double> lowest_q = std::nullopt;        ///< none where nothing absorbs
    std::optional<Anisotropy> anisotropy = std::nullopt;  ///< likewise
};
StartModelFacts facts_of(const Model& start);

/// imaging.parameters of the gradients that an inversion takes.
std::string inverted_parameters(const InversionConfig& inversion);

/// What all passes of a stage have in common.
class InversionStage {
public:
    /// \param whole the configuration of the run, its grid complete and inversion.vp_m_s given on both sides.
    /// \param number from 1. \param ranks where this process stands; slabs are chosen anew, for the stage's grid.
    /// \throws Error(config): a spacing by which the grid cannot be divided, shots that are none, and whatever
    /// make_plan() has against the passes, in the slowest as in the fastest model.
    InversionStage(const Config& whole, std::int64_t number, const StartModelFacts& start, RankPlace ranks);

    [[nodiscard]] std::int64_t number() const { return number_; }
    [[nodiscard]] const InversionStageConfig& config() const;
    [[nodiscard]] const Grid& grid() const { return grid_; }
    /// "inversion.stages[0].": what its keys begin with.
    [[nodiscard]] std::string key() const;
    /// Whether shots, or the codes of supershots, are drawn again from time to time.
    [[nodiscard]] bool redraws() const { return config().redraw_every.has_value(); }

    /// The place among the processes, as plans of its passes take it.
    [[nodiscard]] const RankPlace& ranks() const { return ranks_; }
    /// The numbers of the shots that each drawing takes some of, ascending.
    [[nodiscard]] const std::vector<std::int64_t>& all_shots() const { return shots_; }
    /// The numbers of the shots of a drawing, ascending. \param drawing from 0.
    [[nodiscard]] std::vector<std::int64_t> shots(std::int64_t drawing) const;
    /// The configuration of a pass, whose model is a file on the stage's grid.
    [[nodiscard]] Config pass(const std::filesystem::path& model, std::int64_t drawing,
                              const std::vector<std::int64_t>& shots) const;
    /// The same with the model that the run begins with, on the stage's grid.
    [[nodiscard]] const Config& with_start_model() const { return base_; }
    /// What its passes compare, and how.
    [[nodiscard]] const ImagingConfig& imaging() const { return *base_.imaging; }
    /// The upper corner of the band, or the lowest peak frequency of the wavelets without one [Hz].
    [[nodiscard]] double frequency_hz() const { return frequency_hz_; }

private:
    void set_grid(const Config& whole);
    void set_sampling(const StartModelFacts& start);
    void check_signals(const Survey& survey) const;
    [[nodiscard]] std::vector<std::int64_t> shots_of_survey() const;

    std::int64_t number_;
    RankPlace ranks_;
    Config base_;
    Grid grid_;
    std::vector<std::int64_t> shots_;  ///< from which each drawing takes some
    double frequency_hz_ = 0.;
};

/// Every m-th of these, the first among them.
std::vector<std::int64_t> every_mth(const std::vector<std::int64_t>& numbers, std::int64_t m);

}  // namespace onda
