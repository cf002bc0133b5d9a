/// \file
/// The medium: vp and perhaps a density on a grid, from a file or a named builder.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/medium.hpp"
#include "solver/discretisation/computed_grid.hpp"

namespace onda {

/// A model: vp [m/s] and rho [kg/m3] at every node, [z][y][x], x fastest.
struct Model {
    Grid grid;
    std::vector<float> vp;
    float vp_min = 0.f, vp_max = 0.f;
    std::vector<float> rho;  ///< empty: constant density
    float rho_min = 0.f, rho_max = 0.f;
    std::string description;  ///< for the log: where it came from and what was done to it
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< what a reader of the log should know
};

/// The lowest and highest velocity of a model. `exact`: of every node of the grid; otherwise bounds that no node
/// exceeds, or the range of a sample.
struct VelocityRange {
    double min_m_s, max_m_s;
    bool exact;
    std::vector<std::string> notes = {};  ///< those of the model
};

/// A named way to make a model: one row of the table in model.cpp.
struct ModelBuilder {
    std::string_view name;
    std::string_view help;
    Model (*build)(const ModelConfig&, const Grid&, const ConfigOrigin&);
    VelocityRange (*range)(const ModelConfig&, const Grid&, const ConfigOrigin&);
    /// Host memory that building takes beside the model itself.
    std::int64_t (*extra_bytes)(const ModelConfig&, const Grid&, const ConfigOrigin&);
};
std::span<const ModelBuilder> model_builders();

/// The model of a configuration, built or read; the same bits for any number of threads.
/// \throws Error(config | bad_data | missing_input) naming file, dataset, both shapes, or the value.
Model make_model(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
/// The velocity range, without making the whole model where it can be told cheaply (`onda check` in under a second):
/// from a file's attributes or a strided sample, from a builder's parameters.
VelocityRange velocity_range(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
/// Host memory that make_model() takes beside the model itself.
std::int64_t model_extra_bytes(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);

/// What a device reads of a model on the grid that it computes, in the order of the equation's parameters.
/// \param model must outlive the readers. \param computed around the grid of the model.
MediumReaders medium_readers(const Model& model, const ComputedGrid& computed);

}  // namespace onda
