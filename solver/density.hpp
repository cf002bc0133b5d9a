/// \file
/// Whether a run has a density, and where it comes from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/config.hpp"

namespace onda {

struct Model;

/// Whether waves feel the density: model.rho is gardner, or it is auto and layers, bodies or the model's file have one.
/// Otherwise it is constant, whatever its value, which costs neither memory nor time.
/// \throws Error(missing_input | bad_data) for a model file; Error(config) where two densities contradict.
bool has_density(const Config& config);

/// rho = 310 vp^0.25, in kg/m3 and m/s: the mean of sedimentary rocks (Gardner, Gardner & Gregory 1974, Geophysics 39,
/// 770-780). Water and salt lie off it.
float gardner_density(float vp_m_s);

/// Fills model.rho by Gardner's relation where that is asked for, and finds its range and what is odd about it.
/// \throws Error(bad_data) for a density that is not positive and finite, with the node.
void complete_density(const Config& config, Model& model);

}  // namespace onda
