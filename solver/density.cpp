#include "solver/density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "io/error.hpp"
#include "io/model_file.hpp"
#include "solver/model.hpp"

namespace onda {
namespace {

constexpr float kLightest = 30.f;  // kg/m3: any rock or liquid in g/cm3 lies below
/// Ratio of densities from which random media lower the stability limit by 5 %: docs/theory.md.
constexpr float kStrongContrast = 20.f;

bool parts_have_density(const ModelConfig& m) {
    const auto has_rho = [](const auto& part) { return part.rho_kg_m3.has_value(); };
    return std::ranges::any_of(m.layers, has_rho) || std::ranges::any_of(m.inclusions, has_rho);
}

void check_density(const Config& config, Model& model) {
    float low = std::numeric_limits<float>::max(), high = 0.f;
    for (std::size_t i = 0; i < model.rho.size(); ++i) {
        const float rho = model.rho[i];
        if (!(rho > 0.f && std::isfinite(rho))) {
            const auto [x, y, z] = model.grid.node(static_cast<std::int64_t>(i));
            throw Error(ExitCode::bad_data, fmt::format("{}: rho = {} kg/m3 at node (x {}, y {}, z {}): must be finite "
                                                        "and positive",
                                                        config.model.type, rho, x, y, z));
        }
        low = std::min(low, rho);
        high = std::max(high, rho);
    }
    model.rho_min = low;
    model.rho_max = high;
}

}  // namespace

bool has_density(const Config& config) {
    const ModelConfig& m = config.model;
    if (m.rho == "none") return false;
    if (m.rho == "gardner") {
        if (m.rho_kg_m3 || parts_have_density(m))
            throw_config_fault(config, "model.rho",
                               "gardner makes the density from vp, but the model gives rho_kg_m3 as well: remove one");
        return true;
    }
    return m.type == "file" ? ModelFile(m.file).has_density() : parts_have_density(m);
}

float gardner_density(float vp_m_s) {
    return static_cast<float>(310. * std::pow(static_cast<double>(vp_m_s), 0.25));
}

void complete_density(const Config& config, Model& model) {
    if (config.model.rho == "gardner") {
        model.rho.resize(model.vp.size());
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(model.vp.size()); ++i)
            model.rho[static_cast<std::size_t>(i)] = gardner_density(model.vp[static_cast<std::size_t>(i)]);
    }
    if (model.rho.empty()) return;
    check_density(config, model);
    model.description += fmt::format(", density {:.6g} to {:.6g} kg/m3{}", model.rho_min, model.rho_max,
                                     config.model.rho == "gardner" ? " (Gardner)" : "");
    if (model.rho_max < kLightest)
        model.warnings.push_back(fmt::format("densities of {:.4g} to {:.4g} kg/m3 look like g/cm3: multiply by 1000",
                                             model.rho_min, model.rho_max));
    if (model.rho_max > kStrongContrast * model.rho_min)
        model.warnings.push_back(
            fmt::format("the density changes by a factor of {:.3g}: beyond {:.3g} it can lower the stability limit by "
                        "more than 5 %; take time.cfl_fraction: 0.7, or a free surface in place of air",
                        model.rho_max / model.rho_min, kStrongContrast));
}

}  // namespace onda
