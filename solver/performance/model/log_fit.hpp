/// \file
/// Fits positive constants of a model to positive measurements: both as logarithms, so that the same percentage counts
/// alike everywhere.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace onda {

/// What is known of a constant before: its value, and how far its logarithm may be from it.
struct LogPrior {
    double value, spread;
};

/// Predicts all measurements from the constants. \param predicted to be filled.
using LogModel = std::function<void(std::span<const double> constants, std::span<double> predicted)>;

/// The constants that minimise the sum of rho(((ln predicted - ln measured) / tolerance)^2) and of ((ln constant - ln
/// prior) / (2 spread))^2, where rho(z) = 2 (sqrt(1 + z) - 1) keeps a few measurements that no constants explain from
/// ruling all others. Levenberg and Marquardt's method with numerical derivatives.
std::vector<double> fit_logs(std::span<const LogPrior> priors, std::span<const double> measured, const LogModel& model,
                             double tolerance = 0.05);

}  // namespace onda
