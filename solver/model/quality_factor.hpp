/// \file
/// The quality factor of a run: whether its waves are absorbed, and where Q comes from.
#pragma once

#include <optional>

#include "io/config/config.hpp"
#include "kernels/equations/equation.hpp"
#include "solver/model/model.hpp"

namespace onda {

/// What model files may have in the place of Q: the attenuation of a wave by length, alpha f^b with b of
/// attenuation.frequency_power. Up to 1e9: with b = 2 that of rock at a few Hz is large.
inline constexpr MediumParameter kAlpha{
    .name = "alpha",
    .quantity = "absorption",
    .unit = "dB/(MHz^b cm)",
    .help = "absorption, from which Q follows",
    .lowest = 0.,
    .highest = 1e9,
    .other_unit = {"dB/cm/MHz^b", 1.},
};

/// Whether the model is a file with an absorption that Q follows from. \throws Error(missing_input | bad_data).
bool has_absorption(const ModelConfig& config);

/// Q at the frequency of the law of a medium that absorbs so much there, as Kjartansson (1979, J. Geophys. Res. 84)
/// and wanted_wavenumber() relate both: tan(atan(1/Q) / 2) = vp a / (2 pi f), a in 1/m. Infinite where nothing is
/// absorbed, and 0 or less where a wave would lose all of itself within a wavelength. \param alpha dB/(MHz^b cm).
double q_of_absorption(double alpha, double vp_m_s, const PowerLaw& law);

/// Whether a model has Q: model.q_rule is li, or it is auto and the model, its layers, bodies, file or arrays have one,
/// or its file an absorption. \throws Error(missing_input | bad_data) for a model file; Error(config) where two of them
/// contradict.
bool has_q(const ModelConfig& config, const ConfigOrigin& origin);

/// Li's rule, Q = 3.516e-6 vp^2.2 with vp in m/s: a mean of sediments (Li 1993). Water lies far off it.
float li_q(float vp_m_s);

/// Whether Q is known, without making the model, to be at least this at every node.
bool is_q_everywhere_at_least(const ModelConfig& config, double q);
/// \throws Error(config) where Li's rule makes a Q below what there is, of this velocity.
void check_q_rule(const ModelConfig& config, double vp_min_m_s, const ConfigOrigin& origin);

/// Whether Q is made once vp is there, by a rule or as one value for all nodes.
bool q_follows(const ModelConfig& config);
/// The Q of a node of a model whose Q follows.
float following_q(const ModelConfig& config, float vp_m_s);

/// The range of Q, told without making the model; nothing for files and arrays.
std::optional<ParameterRange> q_range(const ModelConfig& config, const VelocityRange& velocity);

}  // namespace onda
