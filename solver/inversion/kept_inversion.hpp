/// \file
/// What a full-waveform inversion has left in its folder, as the pictures of the run itself show it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solver/inversion/inversion_preparation.hpp"
#include "solver/inversion/inversion_records.hpp"
#include "solver/inversion/stage_check.hpp"
#include "solver/plan/plan.hpp"

namespace onda {

/// The folder of `onda fwi`, finished or not. Nothing in it is changed.
class KeptInversion {
public:
    /// \throws Error(missing_input) where no results are there, telling what is; Error(bad_data) for a table that is
    /// damaged.
    explicit KeptInversion(const std::filesystem::path& folder);

    [[nodiscard]] const std::string& title() const { return title_; }
    /// Those of iterations.csv: one at least.
    [[nodiscard]] const std::vector<InversionIteration>& lines() const { return lines_; }
    /// The line of "STAGE-ITERATION", such as "2-3" or "2-003". \throws Error(usage) that names those there are.
    [[nodiscard]] const InversionIteration& line(const std::string& name) const;

    /// The misfit of each shot as the stage began and in an iteration. \throws Error(missing_input | bad_data).
    [[nodiscard]] std::vector<ShotMisfits> misfits_of_shots(const InversionIteration& line) const;

    /// Models of an iteration: vp [m/s] of all nodes of the plan's grid.
    struct Models {
        Plan plan;
        std::vector<float> start, current;
        std::vector<float> truth;  ///< empty: not known
    };
    /// \throws Error(missing_input) for a model that is not there; what `onda fwi` throws before its first stage.
    [[nodiscard]] Models models(const InversionIteration& line) const;

    /// The last line in whose model shots were predicted. \throws Error(missing_input): there is none.
    [[nodiscard]] const InversionIteration& last_predicted() const;
    /// A shot as it was observed, and as the first model and that of an iteration predict it. \param shot none: the one
    /// that the results show. \throws Error(missing_input) where none were predicted in this model, Error(usage) for
    /// another shot, both telling what there is; what `onda fwi` throws before its first stage.
    [[nodiscard]] std::unique_ptr<GathersOfShot> gathers(const InversionIteration& line,
                                                         std::optional<std::int64_t> shot) const;

private:
    [[nodiscard]] PreparedInversion prepared() const;
    [[nodiscard]] IterationRecord record(std::int64_t stage, std::int64_t iteration) const;
    /// The folder of what was predicted in a model; none where nothing was.
    [[nodiscard]] std::optional<std::filesystem::path> prediction(const InversionIteration& line) const;

    std::filesystem::path folder_;
    InversionRecords records_;
    std::string title_;
    std::vector<InversionIteration> lines_;
};

/// "2-003", as the folders of iterations are called.
std::string name_of_folder(const InversionIteration& line);

}  // namespace onda
