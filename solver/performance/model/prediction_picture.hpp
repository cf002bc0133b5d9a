/// \file
/// Predicted over measured times of steps, each a dot, with both axes logarithmic.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/pictures/colour_map.hpp"

namespace onda {

/// The dots of one model.
struct PredictionSeries {
    std::string label;
    Rgb colour;
    std::vector<double> predicted_s, measured_s;
};

/// The line of equality, the two at 25 % beside it, and the dots. The file's extension says PNG or PDF. \throws
/// Error(usage) for another one; Error(bad_data) if there is no dot; what AtomicFile throws.
void write_prediction_picture(const std::filesystem::path& file, const std::string& title,
                              std::span<const PredictionSeries> series, bool overwrite);

}  // namespace onda
