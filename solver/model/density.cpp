#include "solver/model/density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "io/models/model_file.hpp"
#include "io/text/error.hpp"
#include "solver/model/model.hpp"

namespace onda {
namespace {

constexpr auto kThinnest = static_cast<float>(lowest_rho_kg_m3);
constexpr float kLightest = 30.f;  // kg/m3: any rock or liquid in g/cm3 lies below

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

void check_density(const ModelConfig& config, Model& model) {
    float low = std::numeric_limits<float>::max(), high = 0.f;
    for (std::size_t i = 0; i < model.rho.size(); ++i) {
        const float rho = model.rho[i];
        if (!(rho >= kThinnest && rho <= static_cast<float>(highest_rho_kg_m3))) {
            const auto [x, y, z] = model.grid.node(static_cast<std::int64_t>(i));
            throw Error(ExitCode::bad_data,
                        fmt::format("{}: rho = {} kg/m3 at node (x {}, y {}, z {}): must be finite "
                                    "and positive, from {:g} to {:g} kg/m3",
                                    config.type, rho, x, y, z, lowest_rho_kg_m3, highest_rho_kg_m3));
        }
        low = std::min(low, rho);
        high = std::max(high, rho);
    }
    model.rho_min = low;
    model.rho_max = high;
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
    return m.type == "file" ? ModelFile(m.file).has_density() : parts_have_density(m);
}

DensityRange density_range(const ModelConfig& m, const VelocityRange& velocity) {
    if (m.rho == "gardner")
        return {gardner_density(static_cast<float>(velocity.min_m_s)),
                gardner_density(static_cast<float>(velocity.max_m_s))};
    if (m.type == "file") return {};
    DensityRange range{std::numeric_limits<double>::infinity(), 0.};
    const auto widen = [&](const std::optional<double>& rho_kg_m3) {
        if (!rho_kg_m3) return;
        range = {std::min(range.min_kg_m3, *rho_kg_m3), std::max(range.max_kg_m3, *rho_kg_m3)};
    };
    for (const LayerConfig& layer : m.layers) widen(layer.rho_kg_m3 ? layer.rho_kg_m3 : m.rho_kg_m3);
    for (const InclusionConfig& body : m.inclusions) widen(body.rho_kg_m3 ? body.rho_kg_m3 : m.rho_kg_m3);
    if (!m.inclusions.empty()) widen(m.rho_kg_m3);
    return range;
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

void complete_density(const ModelConfig& config, Model& model) {
    if (config.rho == "gardner") {
        model.rho.resize(model.vp.size());
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(model.vp.size()); ++i)
            model.rho[static_cast<std::size_t>(i)] = gardner_density(model.vp[static_cast<std::size_t>(i)]);
    }
    if (model.rho.empty()) return;
    check_density(config, model);
    model.description += fmt::format(", density {:.6g} to {:.6g} kg/m3{}", model.rho_min, model.rho_max,
                                     config.rho == "gardner" ? " (Gardner)" : "");
    if (model.rho_max < kLightest)
        model.warnings.push_back(fmt::format("densities of {:.4g} to {:.4g} kg/m3 look like g/cm3: multiply by 1000",
                                             model.rho_min, model.rho_max));
}

}  // namespace onda
