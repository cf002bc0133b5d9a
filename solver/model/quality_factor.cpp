#include "solver/model/quality_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "io/text/printable.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/stored_parameter.hpp"

namespace onda {
namespace {

constexpr double kLiFactor = 3.516e-6, kLiPower = 2.2;

bool parts_have_q(const ModelConfig& m) {
    const auto has = [](const auto& part) { return part.q.has_value(); };
    return std::ranges::any_of(m.layers, has) || std::ranges::any_of(m.inclusions, has);
}

}  // namespace

bool has_absorption(const ModelConfig& m) {
    return m.type == "file" && is_stored(m, kAlpha);
}

double q_of_absorption(double alpha, double vp_m_s, const PowerLaw& law) {
    const double db = 20. / std::numbers::ln10;  // of a factor e
    const double per_m = 100. / db * alpha * std::pow(1e-6 * law.frequency_hz, law.power);
    const double loss = per_m * vp_m_s / (2. * std::numbers::pi * law.frequency_hz);
    return (1. - loss * loss) / (2. * loss);
}

bool has_q(const ModelConfig& m, const ConfigOrigin& origin) {
    if (m.q_rule == "none") return false;
    if (m.q_rule == "li") {
        if (m.q || parts_have_q(m))
            origin.fault("model.q_rule", "li makes Q from vp, but the model gives q as well: remove one");
        return true;
    }
    const bool absorbs = has_absorption(m), stored = is_stored(m, kQ) || absorbs;
    if (absorbs && is_stored(m, kQ))
        origin.value_fault("model.file",
                           shown(m.file) + " has both q and alpha, which say the same: remove one of them");
    if (stored && m.q)
        origin.value_fault("model.q", fmt::format("the model has its own {} at every node: leave this out, or take "
                                                  "another model",
                                                  absorbs ? kAlpha.name : kQ.name));
    return stored || m.q || parts_have_q(m);
}

float li_q(float vp_m_s) {
    return static_cast<float>(kLiFactor * std::pow(static_cast<double>(vp_m_s), kLiPower));
}

bool is_q_everywhere_at_least(const ModelConfig& m, double q) {
    if (m.q_rule == "li" || (m.type == "file" && !m.q)) return false;
    const auto range = q_range(m, {});
    return range && range->min >= q;
}

void check_q_rule(const ModelConfig& m, double vp_min_m_s, const ConfigOrigin& origin) {
    if (m.q_rule != "li" || static_cast<double>(li_q(static_cast<float>(vp_min_m_s))) >= kQ.lowest) return;
    const double slowest_m_s = std::pow(kQ.lowest / kLiFactor, 1. / kLiPower);
    origin.value_fault(
        "model.q_rule",
        fmt::format("makes Q {:.3g} of {:.6g} m/s, and Q must be {:g} or more: the rule is for {:.0f} m/s "
                    "and more; give q instead",
                    li_q(static_cast<float>(vp_min_m_s)), vp_min_m_s, kQ.lowest, std::ceil(slowest_m_s)));
}

bool q_follows(const ModelConfig& m) {
    return m.q_rule == "li" || (m.q && !parts_have_q(m));
}

float following_q(const ModelConfig& m, float vp_m_s) {
    return m.q_rule == "li" ? li_q(vp_m_s) : static_cast<float>(*m.q);
}

std::optional<ParameterRange> q_range(const ModelConfig& m, const VelocityRange& velocity) {
    if (q_follows(m))
        return ParameterRange{following_q(m, static_cast<float>(velocity.min_m_s)),
                              following_q(m, static_cast<float>(velocity.max_m_s))};
    if (m.arrays) {
        const auto [low, high] = std::ranges::minmax(m.arrays->values.at(std::string(kQ.name)));
        return ParameterRange{low, high};
    }
    if (m.type == "file") return std::nullopt;
    ParameterRange range{std::numeric_limits<double>::infinity(), 0.};
    const auto widen = [&](const std::optional<double>& q) {
        if (q) range = {std::min(range.min, *q), std::max(range.max, *q)};
    };
    for (const LayerConfig& layer : m.layers) widen(layer.q ? layer.q : m.q);
    for (const InclusionConfig& body : m.inclusions) widen(body.q ? body.q : m.q);
    if (!m.inclusions.empty()) widen(m.q);
    return range;
}

}  // namespace onda
