/// \file
/// Thomsen's epsilon and delta of a run, and the axis that velocities depend on the angle from: whether there are any,
/// and where they come from.
#pragma once

#include <optional>
#include <string>

#include "io/config/config.hpp"
#include "solver/model/model.hpp"

namespace onda {

/// Both parameters of a place.
struct Thomsen {
    float epsilon = 0.f, delta = 0.f;

    [[nodiscard]] float of(const MediumParameter& parameter) const;
};

/// Whether the parameter is one of the two.
bool is_thomsen(const MediumParameter& parameter);

/// Whether the parameter is one of the angles of a tilted axis.
bool is_tilt(const MediumParameter& parameter);

/// Whether a model has a tilted axis: model.anisotropy is not none, and its file or arrays have theta or phi, of which
/// a missing one is 0, or model.theta_deg is not 0. \throws Error(missing_input | bad_data) for the file; Error(config
/// | bad_data) where an angle is given twice, an azimuth without a tilt, or a tilt without epsilon and delta.
bool has_tilt(const ModelConfig& config, const ConfigOrigin& origin);

/// Whether the file or the arrays of a model with a tilted axis have one of its angles at every node.
bool has_stored_tilt(const ModelConfig& config);

/// An angle of the axis [rad] that all nodes have at which velocities depend on the direction; nothing where the file
/// or the arrays have it, or may have it: a file has to be asked.
std::optional<float> uniform_tilt(const ModelConfig& config, const MediumParameter& parameter);

/// Whether a model has either, and so both: model.anisotropy is shales, or it is auto and the model, its layers,
/// bodies, file or arrays have one. What has none beside others has 0. \throws Error(missing_input | bad_data) for a
/// model file; Error(config) where two values contradict, or the model's one delta is more than its one epsilon.
bool has_anisotropy(const ModelConfig& config, const ConfigOrigin& origin);

/// Both of an earth whose sediments are shales, for experiments: 0.2 and 0.1, about the mean of those that Thomsen
/// (1986, Geophysics 51, table 1) lists, for velocities of 2200 to 3200 m/s; 0 in water and mud below 1600 m/s, and in
/// carbonates, salt and basement above 4000 m/s; linear in between.
Thomsen shales(float vp_m_s);

/// The one value that all nodes have; nothing where layers and bodies, a file or arrays may have more of them, or both
/// follow from vp. A file has to be asked.
std::optional<float> uniform_thomsen(const ModelConfig& config, const MediumParameter& parameter);

/// Both of a layer or a body, or of what surrounds bodies: its own, or those of the model, or 0. All are 0 where none
/// has any, or none is wanted.
/// \param key of the part. \throws Error(config) where delta is more than epsilon, and model.clip_delta is not set.
Thomsen thomsen_of(const ModelConfig& config, const std::string& key, const std::optional<double>& epsilon,
                   const std::optional<double>& delta, const ConfigOrigin& origin);

/// The range of one of them, told without making the model; nothing for files.
std::optional<ParameterRange> thomsen_range(const ModelConfig& config, const MediumParameter& parameter,
                                            const VelocityRange& velocity);

/// Sees to it that delta is at most epsilon at every node of a model that has both: the equation is unstable otherwise.
/// What rounding leaves is lowered, and all with model.clip_delta, of which a note is made.
/// \throws Error(config) at model.file, or Error(bad_data), with how many nodes there are, and the worst of them.
void settle_delta(const ModelConfig& config, Model& model, const ConfigOrigin& origin);

/// Sets a uniform tilt upright at the nodes without epsilon and delta, whose velocity is the same from any axis: those
/// of water at a free surface must be upright. \param model whose delta is settled.
void settle_tilt(const ModelConfig& config, Model& model);

}  // namespace onda
