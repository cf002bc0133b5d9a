/// \file
/// Which parameters models bring at every node.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/models/model_file.hpp"
#include "solver/model/model.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/quality_factor.hpp"

namespace onda {

/// Every parameter beside vp that a model file may have, each once: those of all equations, and the absorption.
inline std::vector<const MediumParameter*> storable_parameters() {
    std::vector<const MediumParameter*> found;
    for (const Equation& equation : equations())
        for (const MediumParameter& parameter : equation->parameters.subspan(1))
            if (std::ranges::none_of(found, [&](const auto* one) { return one->name == parameter.name; }))
                found.push_back(&parameter);
    found.push_back(&kAlpha);
    return found;
}

/// Whether the parameter is in the model's arrays, or else in its file. Opens the file.
/// \throws Error(missing_input | bad_data) for a model file.
inline bool is_stored(const ModelConfig& config, const MediumParameter& parameter) {
    if (config.arrays) return config.arrays->values.contains(std::string(parameter.name));
    return config.type == "file" && ModelFile(config.file).has(quantity_of(parameter));
}

}  // namespace onda
