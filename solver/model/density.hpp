/// \file
/// The density of a run: whether there is one, and where it comes from.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "io/config/config.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/model/model.hpp"

namespace onda {

/// Whether waves feel the density: model.rho is gardner, or it is auto and layers, bodies or the model's file have one.
/// Otherwise it is constant, whatever its value, which costs neither memory nor time.
/// \throws Error(missing_input | bad_data) for a model file; Error(config) where two densities contradict.
bool has_density(const ModelConfig& config, const ConfigOrigin& origin);

/// Gardner's relation, rho = 310 vp^0.25 in kg/m3 and m/s: the mean of sedimentary rocks (Gardner, Gardner & Gregory
/// 1974, Geophysics 39, 770-780). Water and salt lie off it.
float gardner_density(float vp_m_s);

/// Whether a parameter is made once vp is there: rho by Gardner's relation, q by a rule or as one value, epsilon and
/// delta and the angles of their axis likewise.
bool follows_from_vp(const ModelConfig& config, const MediumParameter& parameter);

/// The density range of a model whose waves feel the density, told without making it: bounds from layers and bodies, or
/// by Gardner's relation from vp. Those of a file are not known.
std::optional<ParameterRange> density_range(const ModelConfig& config, const VelocityRange& velocity);

/// By how much the density changes at most; 1 where it is constant or its range is not known.
/// \param further ranges of the equation's parameters after vp.
double density_contrast(const Equation& equation, std::span<const std::optional<ParameterRange>> further);

/// The largest dt, as a fraction of the stability limit of constant density, that is known to be stable where the
/// density changes by this factor: docs/theory.md, section 3. Above a factor of 100 it holds at plane interfaces, not
/// in every medium.
double safe_cfl_fraction(double contrast);

/// The advice where dt may be too long for this contrast: why, and what to set.
std::string density_remedy(double contrast, const TimeAxis& time);

/// Whether jumps of the density may be why a run grows.
bool density_may_destabilise(double contrast, const TimeAxis& time);

/// Fills the parameters of a model that follow from vp.
void complete_parameters(const ModelConfig& config, Model& model);

/// A warning of densities that look like another unit; empty if they do not.
std::string density_doubt(const ParameterRange& range);

/// Warns of densities that look like another unit. \param model whose ranges are known.
void warn_of_density(Model& model);

}  // namespace onda
