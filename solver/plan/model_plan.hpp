/// \file
/// What a plan knows of its model: bounds told without making it, then the ranges of the model itself.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/equations/equation.hpp"
#include "solver/model/model.hpp"

namespace onda {

/// The ranges of the medium parameters, and the memory that making the model takes.
struct ModelPlan {
    VelocityRange velocity{};
    /// Ranges of the equation's parameters after vp, where they are known.
    std::vector<std::optional<ParameterRange>> further;
    std::int64_t extra_bytes = 0;  ///< host memory that making the model takes beside the model itself
};

/// A line for each parameter of the equation, and for each that is the same everywhere.
std::string describe_medium(const ModelPlan& model, const Equation& equation);
/// The ranges of the medium that are known, by quantity and unit: {"velocity": {"min_m_s": 1500, "max_m_s": 3000}}.
nlohmann::ordered_json medium_json(const ModelPlan& model, const Equation& equation);

}  // namespace onda
