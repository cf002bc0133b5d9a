/// \file
/// `onda predict`: models of the time of a step, a row each.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "solver/commands/commands.hpp"

namespace onda {

/// What every model is asked.
struct PredictOptions {
    std::string model = "tang", device;  ///< empty device: the model's own choice
    std::string grid = "512x256x512";
    bool grid_given = false, order_given = false;
    int order = 8;
    bool list = false, json = false;
    std::string csv;  ///< a file that the table goes to as well; empty: none
    bool force = false;
};
/// The nodes along x, y, z of `--grid`. \throws Error(usage).
std::array<std::int64_t, 3> grid_of(const PredictOptions& options);

/// Prints what a model predicts. \returns the exit code.
using Predict = std::function<int(const PredictOptions&)>;

/// A row of the table of models.
struct PredictionModel {
    std::string_view name, help;
    /// Adds the options that this model alone has.
    Predict (*add)(CLI::App& command);
};

/// `--model tang`: solver/performance/thesis/tang_model.hpp.
Predict add_predict_tang(CLI::App& command);
/// `--model calibrated`: solver/performance/step_model.hpp.
Predict add_predict_calibrated(CLI::App& command);

}  // namespace onda
