/// \file
/// The workers of a run: each computes shots on a device of its own, or on the devices that share a grid.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "solver/model/model.hpp"
#include "solver/ranks/team.hpp"
#include "solver/shots/survey_run.hpp"
#include "solver/tasks/shot_media.hpp"

namespace onda {

struct Plan;

/// What the workers of a run share.
struct SharedRunParts {
    const ShotFiles& files;
    ShotLedger& ledger;
    PhaseTimes& times;
    Progress& progress;
    const CheckpointSettings* checkpoints = nullptr;  ///< null where none are kept
};

/// The workers of a plan, each with its medium. They draw shots from one queue, so that the slow ones compute fewer;
/// which of them computes a shot changes no bit of it.
class Workers {
public:
    /// \param plan must outlive the workers. \param model goes when all have their media. \param team the processes
    /// that share a grid with the one worker of this one, which leads them.
    Workers(const Plan& plan, const std::shared_ptr<const Model>& model, Team* team = nullptr);

    /// Medium::description() of the first worker, and how many workers there are.
    [[nodiscard]] const std::string& description() const { return description_; }
    /// Computes shots until none is left. \returns whether it stopped because the time is over. \throws Error;
    /// Interrupted: the first worker's error; the others stop.
    bool run(const SharedRunParts& shared, const ShotSelection& selection, SurveyRun::Clock::time_point end_by);

    /// The nodes that were advanced, strips included, added over the shots.
    [[nodiscard]] std::int64_t nodes_computed() const { return nodes_; }
    /// The bytes of medium and wavefield on the device with most of them, if slabs share them as predicted.
    [[nodiscard]] std::int64_t device_bytes() const { return device_bytes_; }

private:
    struct Worker {
        std::shared_ptr<const Plan> plan;
        std::unique_ptr<ShotMedia> media;
    };
    bool run_side_by_side(const SharedRunParts& shared, const ShotSelection& selection,
                          SurveyRun::Clock::time_point end_by);
    void account_for(const Worker& worker, const SurveyRun& run);

    Team* team_;
    std::vector<Worker> workers_;
    std::string description_;
    std::int64_t on_a_device_;  ///< of the workers
    std::atomic<std::int64_t> nodes_{0}, device_bytes_{0};
};

}  // namespace onda
