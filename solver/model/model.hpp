/// \file
/// The medium: the parameters of an equation on a grid, from a file or a named builder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/equations/equation.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/medium.hpp"
#include "kernels/unset_vector.hpp"
#include "solver/discretisation/computed_grid.hpp"

namespace onda {

/// A parameter at every node, and the lowest and highest of its values.
struct ParameterValues {
    UnsetVector<float> values;  ///< [z][y][x], x fastest
    float min = 0.f, max = 0.f;
};

/// Finds the lowest and highest of the values that are numbers.
void find_range(ParameterValues& of);

/// The parameters of an equation on a grid.
struct Model {
    Grid grid;
    Equation equation = Equation::star;
    std::vector<ParameterValues> parameters;  ///< in the order of the equation
    std::string description;                  ///< for the log: where it came from and what was done to it
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< what a reader of the log should know

    [[nodiscard]] const ParameterValues& vp() const { return parameters.front(); }
    /// The parameter of this name; null where the equation has none.
    [[nodiscard]] const ParameterValues* find(std::string_view name) const;
    [[nodiscard]] ParameterValues* find(std::string_view name);
};

/// The lowest and highest value of a parameter.
struct ParameterRange {
    double min = 0., max = 0.;
};

/// The lowest and highest velocity of a model. `exact`: of every node of the grid; otherwise bounds that no node
/// exceeds, or the range of a sample.
struct VelocityRange {
    double min_m_s, max_m_s;
    bool exact;
    std::vector<std::string> notes = {};     ///< those of the model
    std::vector<std::string> warnings = {};  ///< those of the model that can be told without making it
};

/// A named way to make a model: one row of the table in model.cpp.
struct ModelBuilder {
    std::string_view name;
    std::string_view help;
    /// Fills the parameters of the equation, but for those that follow from others (complete_density).
    Model (*build)(const ModelConfig&, const Equation&, const Grid&, const ConfigOrigin&);
    VelocityRange (*range)(const ModelConfig&, const Equation&, const Grid&, const ConfigOrigin&);
    /// Host memory that building takes beside the model itself.
    std::int64_t (*extra_bytes)(const ModelConfig&, const Grid&, const ConfigOrigin&);
    /// What a grid leaves out, where the model has nodes of its own (complete_grid).
    GridConfig (*complete_grid)(GridConfig, const ModelConfig&, const ConfigOrigin&) = nullptr;
    bool of_programs = false;  ///< takes what a program hands over: no file can name it to good purpose
};
std::span<const ModelBuilder> model_builders();

/// The grid of a configuration: where the model is a file or arrays, what the section leaves out is that of the model.
/// A shape left out beside a spacing or an origin reaches as far as a file does; that of arrays is always theirs.
/// \throws Error(config) where the model cannot tell; Error(missing_input | bad_data) for the file.
GridConfig complete_grid(GridConfig grid, const ModelConfig& model, const ConfigOrigin& origin);

/// Whether a model gives a parameter: every one gives vp, a file whatever it has a dataset of, and density.hpp,
/// quality_factor.hpp and thomsen.hpp say which have theirs. \throws as has_density(), has_q(), has_anisotropy() and
/// has_tilt().
bool gives(const ModelConfig& config, const MediumParameter& parameter, const ConfigOrigin& origin);

/// The model of a configuration, built or read; the same bits for any number of threads.
/// \param equation whose parameters the model gives.
/// \throws Error(config | bad_data | missing_input) naming file, dataset, both shapes, or the value.
Model make_model(const ModelConfig& config, const Equation& equation, const Grid& grid, const ConfigOrigin& origin);
/// The velocity range, without making the whole model where it can be told cheaply (`onda check` in under a second):
/// from a file's attributes or a strided sample, from a builder's parameters.
VelocityRange velocity_range(const ModelConfig& config, const Equation& equation, const Grid& grid,
                             const ConfigOrigin& origin);
/// The range of a parameter other than vp, without making the model; nothing where it cannot be told. Q, epsilon and
/// delta of a file are read, at some of its nodes: the time step depends on them. Of Q that follows from an absorption
/// nothing is told without ModelConfig::power_law.
std::optional<ParameterRange> told_range(const ModelConfig& config, const MediumParameter& parameter,
                                         const VelocityRange& velocity);
/// " m/s", for texts after a number; nothing for mere numbers.
std::string unit_after_number(const MediumParameter& parameter);
/// Host memory that make_model() takes beside the model itself.
std::int64_t model_extra_bytes(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);

/// What a device reads of a model on the grid that it computes, in the order of the equation's parameters.
/// \param model must outlive the readers. \param computed around the grid of the model, or around `part` of it.
MediumReaders medium_readers(const Model& model, const ComputedGrid& computed);
MediumReaders medium_readers(const Model& model, const ComputedGrid& computed, const Window& part);

}  // namespace onda
