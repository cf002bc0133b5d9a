/// \file
/// What seismograms predicted by a model tell of a stage before it begins: whether they are within half a period of
/// those observed, and what source signal would bring them nearest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/inversion/inversion_stage.hpp"
#include "solver/outputs/iterations/inversion_output.hpp"
#include "solver/plan/plan.hpp"

namespace onda {

struct StageCheck {
    std::string warning;                 ///< of cycle skipping; empty: there is nothing to warn of
    std::string wavelet_told;            ///< of the estimate, in words; empty: not asked
    std::filesystem::path wavelet_file;  ///< of the signals, as StageWavelets::file(), where they are estimated
};

/// \param config of the pass that predicted them, with the inversion. \param plan of the stage. \param folder of that
/// pass. \param into the folder that estimated signals are written to (StageWavelets::write()); empty: nowhere.
/// \throws Error(missing_input | bad_data | cannot_create | io_error).
StageCheck check_stage(const Config& config, const Plan& plan, const std::filesystem::path& folder,
                       const std::filesystem::path& into);

/// A shot as it was observed and as two models predict it, filtered and weighted as the misfit compares it. Owns the
/// traces.
struct GathersOfShot {
    std::vector<float> observed, by_start, by_current;
    ComparedGathers compared;  ///< refers to these
};
/// \param config of the pass that predicted it now, in whose folder it is; `before` is that of the earlier one.
/// \param model that predicted it now, as pictures name it.
std::unique_ptr<GathersOfShot> gathers_of_shot(const Config& config, const Plan& plan, std::int64_t shot,
                                               const std::filesystem::path& before, const std::filesystem::path& now,
                                               const std::string& model);

/// The places of sources and receivers of all shots of a stage, where steps are damped: none where they are not.
/// \param model a file on the grid of the stage. \throws Error(config | missing_input | bad_data) as make_plan().
void collect_positions(const InversionStage& stage, const InversionConfig& config, const std::filesystem::path& model,
                       std::vector<Position>& sources, std::vector<Position>& receivers);

}  // namespace onda
