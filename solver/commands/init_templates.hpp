/// \file
/// The configurations that `onda init --template` begins with.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "io/config/config.hpp"

namespace onda {

struct InitTemplate {
    std::string_view name, help;
    std::string_view yaml;  ///< empty: the example of the table of parameters
};

/// The first is the default.
std::span<const InitTemplate> init_templates();

/// A first shot over a model file: the file's grid, a source in the middle of its surface with receivers along x, the
/// highest peak frequency that the grid resolves in the slowest rock, and the time that waves take down and up.
/// \throws Error as a run with this model would.
Config config_for_model(const std::filesystem::path& file);

}  // namespace onda
