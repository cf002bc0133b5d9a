/// \file
/// Passes over the shots of a survey, of which iterations are made: each is a run in a folder of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "io/config/config.hpp"
#include "solver/program/log.hpp"
#include "solver/ranks/ranks.hpp"
#include "solver/run/simulation.hpp"

namespace onda {

/// Runs them one after the other, and tells of them as of one run: of its progress, and of what it took and found. A
/// pass whose results are there is not computed again, and one that was killed goes on with the shots that are missing.
class SurveyPasses {
public:
    /// \param options of the whole run; they, log and ranks outlive this.
    SurveyPasses(const RunOptions& options, Log& log, const Ranks& ranks)
        : options_(options), log_(log), ranks_(ranks) {}

    /// What a pass is.
    struct Pass {
        const Config& config;
        const TaskRow& task;
        std::filesystem::path folder;
        std::shared_ptr<const Operand> operand{};
        /// Whether results of another configuration that are in the folder, from another way that the iterations took,
        /// may go.
        bool replaces_others = true;
        std::int64_t expected = 1;  ///< passes of the whole run, as far as one can tell
    };
    /// Returns once the results are there, on all ranks. \throws as run_simulation().
    void run(const Pass& pass);

    /// What all passes took and found.
    RunFacts facts;

private:
    void account_for(const RunFacts& of_pass);

    const RunOptions& options_;
    Log& log_;
    const Ranks& ranks_;
    std::int64_t done_ = 0, shots_done_ = 0;
};

}  // namespace onda
