/// \file
/// Whether a model brings a parameter's value at every node.
#pragma once

#include <string>

#include "io/config/config.hpp"
#include "io/models/model_file.hpp"
#include "solver/model/model.hpp"
#include "solver/model/model_builders.hpp"

namespace onda {

/// Whether the parameter is in the model's arrays, or else in its file. Opens the file.
/// \throws Error(missing_input | bad_data) for a model file.
inline bool is_stored(const ModelConfig& config, const MediumParameter& parameter) {
    if (config.arrays) return config.arrays->values.contains(std::string(parameter.name));
    return config.type == "file" && ModelFile(config.file).has(quantity_of(parameter));
}

}  // namespace onda
