/// \file
/// Which kernel computes a grid fastest on this machine, with which settings and how many shots at a time: the ways
/// there are, what was measured of them, and what "auto" stands for. No result depends on it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/setup.hpp"
#include "solver/performance/step_model.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {

/// What is to be chosen for.
struct TuningCase {
    const Device* device = nullptr;
    Setup asked;         ///< that passed check_setup: "auto" where there is a name to choose; threads are a number
    int shots = 0;       ///< that shall advance together; 0: to be chosen
    int most_shots = 1;  ///< that may advance together, whatever device and memory say
};

/// One way to compute a case.
struct Candidate {
    KernelChoice choice;                     ///< names alone
    int shots = 1;                           ///< that advance together
    std::optional<double> predicted_s = {};  ///< of a step of one shot

    [[nodiscard]] Setup setup(const TuningCase& of) const;
    [[nodiscard]] bool same_way(const Candidate& other) const;
};

/// Every way that leaves what the case asks for, whatever memory it takes. Ranked by what the model predicts; without a
/// model `rule` is the first, then one of each kernel in turn, in the order of Device::choices.
/// \param model null: there is none.
std::vector<Candidate> candidates(const TuningCase& of, const Candidate& rule, const StepModel* model);

/// The fastest way that was measured.
struct Tuned {
    Candidate candidate;
    double seconds = 0.;       ///< of a step of one shot
    std::string measured_utc;  ///< 2026-01-31T12:00:00Z
};

/// Everything that the fastest way depends on: program, device and its driver, grid, operator, order, precision, faces,
/// strips, what was asked for, and how many shots may advance together (above 64 that is one case).
nlohmann::json tuning_key(const TuningCase& of);
/// What was kept for a case in the folder of solver/performance/cache_folder.hpp, if it can be computed here; none for
/// another program, driver or machine. \param warnings get a line for each file that is damaged.
std::optional<Tuned> kept_tuning(const TuningCase& of, std::vector<std::string>& warnings);
/// Keeps a tuned choice in place of what was kept for the case. \returns the file. \throws what write_cache throws.
std::filesystem::path keep_tuning(const TuningCase& of, const Tuned& tuned);

/// What "auto" stands for.
struct Chosen {
    Candidate candidate;
    std::string by;  ///< "onda tune, …", "the model …", "the rule of …"
};
/// What was kept for the case; else what the model predicts to be faster than the rule's choice by more than models
/// err; else the rule's choice. \param use_kept false: as if nothing had been measured.
Chosen choose(const TuningCase& of, const Candidate& rule, const StepModel* model, bool use_kept,
              std::vector<std::string>& warnings);

/// A candidate in words: "fused 128x8x4r4, 8 shots at a time".
std::string describe(const TuningCase& of, const Candidate& candidate);

}  // namespace onda
