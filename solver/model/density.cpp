#include "solver/model/density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "kernels/equations/parameters.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/quality_factor.hpp"
#include "solver/model/stored_parameter.hpp"
#include "solver/model/thomsen.hpp"

namespace onda {
namespace {

constexpr double kLightest = 30.f;  // kg/m3: any rock or liquid in g/cm3 lies below

/// The largest dt that was stable in every pattern of two densities of this ratio, as a fraction of the limit of
/// constant density, rounded down: docs/theory.md, section 3.
struct SafeFraction {
    double contrast, cfl_fraction;
};
constexpr std::array<SafeFraction, 4> kSafeFractions{{{1., 1.}, {2., 0.995}, {10., 0.955}, {20., 0.91}}};
constexpr double kStrongFraction = 0.7;  ///< beyond

bool parts_have_density(const ModelConfig& m) {
    const auto has_rho = [](const auto& part) { return part.rho_kg_m3.has_value(); };
    return std::ranges::any_of(m.layers, has_rho) || std::ranges::any_of(m.inclusions, has_rho);
}

}  // namespace

bool has_density(const ModelConfig& m, const ConfigOrigin& origin) {
    if (m.rho == "none") return false;
    if (m.rho == "gardner") {
        if (m.rho_kg_m3 || parts_have_density(m))
            origin.fault("model.rho",
                         "gardner makes the density from vp, but the model gives rho_kg_m3 as well: remove one");
        return true;
    }
    return m.arrays || m.type == "file" ? is_stored(m, kRho) : parts_have_density(m);
}

bool follows_from_vp(const ModelConfig& config, const MediumParameter& parameter) {
    if (is_thomsen(parameter)) return config.anisotropy == "shales" || uniform_thomsen(config, parameter);
    if (is_tilt(parameter)) return uniform_tilt(config, parameter).has_value();
    return parameter.name == kRho.name ? config.rho == "gardner" : parameter.name == kQ.name && q_follows(config);
}

std::optional<ParameterRange> density_range(const ModelConfig& m, const VelocityRange& velocity) {
    if (m.rho == "gardner")
        return ParameterRange{gardner_density(static_cast<float>(velocity.min_m_s)),
                              gardner_density(static_cast<float>(velocity.max_m_s))};
    if (m.arrays) {
        const auto [low, high] = std::ranges::minmax(m.arrays->values.at(std::string(kRho.name)));
        return ParameterRange{low, high};
    }
    if (m.type == "file") return std::nullopt;
    ParameterRange range{std::numeric_limits<double>::infinity(), 0.};
    const auto widen = [&](const std::optional<double>& rho_kg_m3) {
        if (rho_kg_m3) range = {std::min(range.min, *rho_kg_m3), std::max(range.max, *rho_kg_m3)};
    };
    for (const LayerConfig& layer : m.layers) widen(layer.rho_kg_m3 ? layer.rho_kg_m3 : m.rho_kg_m3);
    for (const InclusionConfig& body : m.inclusions) widen(body.rho_kg_m3 ? body.rho_kg_m3 : m.rho_kg_m3);
    if (!m.inclusions.empty()) widen(m.rho_kg_m3);
    return range;
}

double density_contrast(const Equation& equation, std::span<const std::optional<ParameterRange>> further) {
    const auto parameters = equation->parameters.subspan(1);
    const auto rho = std::ranges::find(parameters, kRho.name, &MediumParameter::name);
    if (rho == parameters.end()) return 1.;
    const std::optional<ParameterRange>& range = further[static_cast<std::size_t>(rho - parameters.begin())];
    return range && range->min > 0. ? range->max / range->min : 1.;
}

double safe_cfl_fraction(double contrast) {
    for (const SafeFraction& row : kSafeFractions)
        if (contrast <= row.contrast) return row.cfl_fraction;
    return kStrongFraction;
}

std::string density_remedy(double contrast, const TimeAxis& time) {
    const bool strong = contrast > kSafeFractions.back().contrast;
    const double fraction = time.cfl_fraction(), usual = strong ? kStrongFraction : 0.9;
    const double advised = fraction > usual ? usual : kStrongFraction * fraction;
    return fmt::format(
        "the density changes by a factor of {:.4g}, which lowers the stability limit, and dt is {:.3g} of the limit of "
        "constant density: take time.cfl_fraction: {:.2g} (a dt of {:.4g} s){}",
        contrast, fraction, advised, advised * time.stability_limit_s,
        strong ? ", or a free surface in place of air" : "");
}

bool density_may_destabilise(double contrast, const TimeAxis& time) {
    return contrast > kSafeFractions.back().contrast || time.cfl_fraction() > safe_cfl_fraction(contrast);
}

float gardner_density(float vp_m_s) {
    return static_cast<float>(310. * std::pow(static_cast<double>(vp_m_s), 0.25));
}

void complete_parameters(const ModelConfig& config, Model& model) {
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
        const MediumParameter& parameter = model.equation->parameters[i];
        if (!follows_from_vp(config, parameter)) continue;
        const bool is_rho = parameter.name == kRho.name;
        const UnsetVector<float>& vp = model.vp().values;
        UnsetVector<float>& values = model.parameters[i].values;
        values.resize(vp.size());
        if (const auto uniform = is_thomsen(parameter) ? uniform_thomsen(config, parameter)
                                 : is_tilt(parameter)  ? uniform_tilt(config, parameter)
                                                       : std::nullopt) {
            std::ranges::fill(values, *uniform);
            continue;
        }
        const auto following = [&](float vp_m_s) {
            return is_rho                  ? gardner_density(vp_m_s)
                   : is_thomsen(parameter) ? shales(vp_m_s).of(parameter)
                                           : following_q(config, vp_m_s);
        };
#pragma omp parallel for schedule(static)
        for (std::size_t node = 0; node < vp.size(); ++node) values[node] = following(vp[node]);
    }
}

std::string density_doubt(const ParameterRange& range) {
    if (!(range.max < kLightest)) return "";
    return fmt::format("densities of {:.4g} to {:.4g} kg/m3 look like g/cm3: multiply by 1000", range.min, range.max);
}

void warn_of_density(Model& model) {
    const ParameterValues* const rho = model.find(kRho.name);
    if (rho == nullptr) return;
    if (const std::string doubt = density_doubt({rho->min, rho->max}); !doubt.empty()) model.warnings.push_back(doubt);
}

}  // namespace onda
