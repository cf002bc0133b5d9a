/// \file
/// The media that need no file, as rules that fill one row of the grid at a time; and those of files and arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "io/models/model_file.hpp"
#include "solver/model/model.hpp"

namespace onda {

/// A medium as rules, one for each parameter that builders know: checked, with the same values for any order of the
/// rows.
struct MediumRules {
    using Row = std::function<void(std::int64_t y, std::int64_t z, std::span<float> values)>;
    /// A rule prepares what the rows share, which may be large. Each thread fills rows with a copy of what it returns.
    using Rule = std::function<Row()>;
    Rule vp;
    VelocityRange bounds{};
    std::string description;
    Rule rho = {};                       ///< empty: not given
    std::int64_t preparation_bytes = 0;  ///< about what the rows of vp share
    double cost = 1.;                    ///< of a node, where a lookup among layers costs 1
    Rule q = {};                         ///< empty: not given
    Rule epsilon = {}, delta = {};       ///< likewise

    [[nodiscard]] const Rule& rule_of(const MediumParameter& parameter) const;
};

MediumRules constant_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
/// A medium of layers whose interfaces are planes: z = top + tan(dip) (distance along the dip's azimuth from the grid's
/// first node).
MediumRules layered_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
MediumRules gradient_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
MediumRules inclusions_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
/// Random velocities with the correlation function of von Karman (1948), as a sum of kVonKarmanModes plane waves of
/// random phase whose wavenumbers are drawn from its spectrum (Shinozuka & Jan 1972, J. Sound Vib. 25). A wave is a
/// function of seed and position alone: no state, no order. Clipped at kVonKarmanClip standard deviations.
MediumRules von_karman_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
inline constexpr int kVonKarmanModes = 1000;
inline constexpr double kVonKarmanClip = 3.;
/// A geology of water, young layers above an unconformity, folded and faulted older layers below it, and a salt dome;
/// everything scales with the extents of the grid.
MediumRules geology_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
/// Sediments in three thrust sheets, which repeat their layers, under a young cover and over a basement of blocks, as
/// in the foothills of a mountain range.
MediumRules thrust_belt_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
/// Water, compacting sediments, and a salt body with steep flanks, an overhang and a stem.
MediumRules salt_basin_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);

Model build_from_file(const ModelConfig& config, const Equation& equation, const Grid& grid,
                      const ConfigOrigin& origin);
VelocityRange range_of_file(const ModelConfig& config, const Equation& equation, const Grid& grid,
                            const ConfigOrigin& origin);
/// The range of a parameter of a file beside vp, from some of its planes.
ParameterRange sampled_range_of_file(const ModelConfig& config, const MediumParameter& parameter);
/// Memory that a file takes beside the model while it is resampled.
std::int64_t extra_bytes_of_file(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin);
/// What a grid leaves out, of a file and of arrays (complete_grid).
GridConfig complete_grid_by_file(GridConfig grid, const ModelConfig& model, const ConfigOrigin& origin);
GridConfig complete_grid_by_arrays(GridConfig grid, const ModelConfig& model, const ConfigOrigin& origin);
/// The model of ModelArrays. \throws Error(config) where there are none, or of another shape than the grid, or with
/// coordinates elsewhere than its nodes; Error(bad_data).
Model build_from_arrays(const ModelConfig& config, const Equation& equation, const Grid& grid,
                        const ConfigOrigin& origin);
VelocityRange range_of_arrays(const ModelConfig& config, const Equation& equation, const Grid& grid,
                              const ConfigOrigin& origin);
/// "shape [41, 31], spacing [10, 10] m, origin [0, 0] m", in the order (x, z) or (x, y, z).
std::string places_of_nodes(const FileGeometry& file);
std::string places_of_nodes(const Grid& grid);
/// What files say of a parameter other than vp.
Quantity quantity_of(const MediumParameter& parameter);

}  // namespace onda
