#include "solver/model/thomsen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "io/results/stored_pressure.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/stored_parameter.hpp"

namespace onda {
namespace {

// What single precision, and the iterations of smoothing by wavelengths, may leave of two values that are the same.
constexpr float kRounded = 1e-5f, kSmoothed = 1e-3f;

// Between which velocities [m/s] sediments are shales.
constexpr float kMud = 1600.f, kFirstShale = 2200.f, kLastShale = 3200.f, kHardRock = 4000.f;

constexpr const char* kClipAdvice = "lower it, or set model.clip_delta: true, which lowers it to epsilon";

template <typename Part>
bool has_either(const Part& part) {
    return part.epsilon || part.delta;
}

bool parts_have_either(const ModelConfig& m) {
    return std::ranges::any_of(m.layers, has_either<LayerConfig>) ||
           std::ranges::any_of(m.inclusions, has_either<InclusionConfig>);
}

const std::optional<double>& value_of_model(const ModelConfig& m, const MediumParameter& parameter) {
    return parameter.name == kEpsilon.name ? m.epsilon : m.delta;
}

/// What a part has, whether or not it may; with model.clip_delta delta is at most epsilon.
Thomsen given_to_part(const ModelConfig& m, const std::optional<double>& epsilon, const std::optional<double>& delta) {
    const double e = epsilon.value_or(m.epsilon.value_or(0.)), d = delta.value_or(m.delta.value_or(0.));
    return {static_cast<float>(e), static_cast<float>(m.clip_delta ? std::min(e, d) : d)};
}

/// Which of epsilon and delta the model's file or arrays have.
struct Stored {
    bool epsilon = false, delta = false;
};
Stored stored_of(const ModelConfig& m) {
    return {is_stored(m, kEpsilon), is_stored(m, kDelta)};
}

/// The nodes at which delta is more than epsilon by more than rounding, and the one where it is the most.
struct Excess {
    std::int64_t nodes = 0;
    std::size_t worst = 0;
};
Excess excess_of(std::span<const float> epsilon, std::span<const float> delta, float rounding) {
    Excess excess;
    float most = rounding;
    for (std::size_t i = 0; i < delta.size(); ++i) {
        const float more = delta[i] - epsilon[i];
        if (more <= rounding) continue;
        ++excess.nodes;
        if (more <= most) continue;
        most = more;
        excess.worst = i;
    }
    return excess;
}

/// \param unit that the name ends with in a configuration.
void check_given_once(bool at_nodes, const std::string& name, const char* unit, const ConfigOrigin& origin) {
    if (at_nodes)
        origin.value_fault("model." + name + unit,
                           "the model has its own " + name + " at every node: leave this out, or take another model");
}

const std::optional<double>& angle_of_model(const ModelConfig& m, const MediumParameter& parameter) {
    return parameter.name == kTheta.name ? m.theta_deg : m.phi_deg;
}

[[noreturn]] void refuse_tilt_alone(const ModelConfig& m, bool at_nodes, const ConfigOrigin& origin) {
    const std::string fault =
        "an axis is tilted (theta), but velocities are the same in all directions: the model has neither epsilon nor "
        "delta";
    if (!at_nodes) origin.value_fault("model.theta_deg", fault);
    if (m.type == "file") origin.fault("model.file", shown(m.file) + ": " + fault);
    throw Error(ExitCode::bad_data, m.type + ": " + fault);
}

[[noreturn]] void refuse(const ModelConfig& config, const Model& model, const Excess& excess,
                         const ConfigOrigin& origin) {
    const Grid& grid = model.grid;
    const auto [x, y, z] = grid.node(static_cast<std::int64_t>(excess.worst));
    const std::string fault = fmt::format(
        "delta is more than epsilon at {} of {} nodes, by most at {}, where epsilon is {:g} and delta {:g}: the "
        "equation would be unstable; {}",
        excess.nodes, grid.points(), position_text(grid.position_m(x, y, z)),
        model.find(kEpsilon.name)->values[excess.worst], model.find(kDelta.name)->values[excess.worst], kClipAdvice);
    if (config.type == "file") origin.fault("model.file", shown(config.file) + ": " + fault);
    throw Error(ExitCode::bad_data, config.type + ": " + fault);
}

}  // namespace

bool is_thomsen(const MediumParameter& parameter) {
    return parameter.name == kEpsilon.name || parameter.name == kDelta.name;
}

bool is_tilt(const MediumParameter& parameter) {
    return parameter.name == kTheta.name || parameter.name == kPhi.name;
}

bool has_stored_tilt(const ModelConfig& m) {
    return is_stored(m, kTheta) || is_stored(m, kPhi);
}

bool has_tilt(const ModelConfig& m, const ConfigOrigin& origin) {
    if (m.anisotropy == "none") return false;
    for (const MediumParameter* const angle : {&kTheta, &kPhi})
        if (angle_of_model(m, *angle)) check_given_once(is_stored(m, *angle), std::string(angle->name), "_deg", origin);
    const bool at_nodes = has_stored_tilt(m);
    if (!at_nodes && m.theta_deg.value_or(0.) == 0.) {
        if (m.phi_deg.value_or(0.) != 0.)
            origin.value_fault("model.phi_deg", "an upright axis has no azimuth: give theta_deg, or leave this out");
        return false;
    }
    if (!has_anisotropy(m, origin)) refuse_tilt_alone(m, at_nodes, origin);
    return true;
}

std::optional<float> uniform_tilt(const ModelConfig& m, const MediumParameter& parameter) {
    if (const auto& given_deg = angle_of_model(m, parameter))
        return static_cast<float>(*given_deg * std::numbers::pi / 180.);
    if (m.arrays ? is_stored(m, parameter) : m.type == "file") return std::nullopt;
    return 0.f;
}

float Thomsen::of(const MediumParameter& parameter) const {
    return parameter.name == kEpsilon.name ? epsilon : delta;
}

Thomsen shales(float vp_m_s) {
    const float share = std::min(std::clamp((vp_m_s - kMud) / (kFirstShale - kMud), 0.f, 1.f),
                                 std::clamp((kHardRock - vp_m_s) / (kHardRock - kLastShale), 0.f, 1.f));
    return {0.2f * share, 0.1f * share};
}

bool has_anisotropy(const ModelConfig& m, const ConfigOrigin& origin) {
    if (m.anisotropy == "none") return false;
    if (m.anisotropy == "shales") {
        if (has_either(m) || parts_have_either(m))
            origin.fault("model.anisotropy",
                         "shales makes epsilon and delta from vp, but the model gives them as well: remove one");
        return true;
    }
    const Stored stored = stored_of(m);
    if (m.epsilon) check_given_once(stored.epsilon, "epsilon", "", origin);
    if (m.delta) check_given_once(stored.delta, "delta", "", origin);
    const bool has = stored.epsilon || stored.delta || has_either(m) || parts_have_either(m);
    if (has && !stored.epsilon && !stored.delta && !parts_have_either(m))
        static_cast<void>(thomsen_of(m, "model", m.epsilon, m.delta, origin));
    return has;
}

std::optional<float> uniform_thomsen(const ModelConfig& m, const MediumParameter& parameter) {
    if (m.anisotropy == "shales" || parts_have_either(m)) return std::nullopt;
    if (m.arrays && m.arrays->values.contains(std::string(parameter.name))) return std::nullopt;
    const std::optional<double>& value = value_of_model(m, parameter);
    if (m.type == "file" && !value) return std::nullopt;
    if (m.type == "file" || m.arrays) return static_cast<float>(value.value_or(0.));
    return given_to_part(m, m.epsilon, m.delta).of(parameter);
}

Thomsen thomsen_of(const ModelConfig& m, const std::string& key, const std::optional<double>& epsilon,
                   const std::optional<double>& delta, const ConfigOrigin& origin) {
    if (m.anisotropy != "auto") return {};
    const Thomsen given = given_to_part(m, epsilon, delta);
    if (given.delta > given.epsilon)
        origin.fault(key + (delta     ? ".delta"
                            : epsilon ? ".epsilon"
                                      : ""),
                     fmt::format("delta = {:g} is more than epsilon = {:g}: the equation would be unstable; {}",
                                 given.delta, given.epsilon, kClipAdvice));
    return given;
}

std::optional<ParameterRange> thomsen_range(const ModelConfig& m, const MediumParameter& parameter,
                                            const VelocityRange& velocity) {
    if (m.anisotropy == "shales") {
        const auto slowest = static_cast<float>(velocity.min_m_s), fastest = static_cast<float>(velocity.max_m_s);
        const float strongest = std::clamp(kFirstShale, slowest, fastest);
        const auto of = [&](float vp_m_s) { return shales(vp_m_s).of(parameter); };
        return ParameterRange{std::min(of(slowest), of(fastest)), std::max(of(strongest), of(fastest))};
    }
    if (const auto uniform = uniform_thomsen(m, parameter)) return ParameterRange{*uniform, *uniform};
    if (m.arrays) {
        const auto [low, high] = std::ranges::minmax(m.arrays->values.at(std::string(parameter.name)));
        return ParameterRange{low, high};
    }
    if (m.type == "file") return std::nullopt;
    ParameterRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    const auto widen = [&](const auto& part) {
        const double value = given_to_part(m, part.epsilon, part.delta).of(parameter);
        range = {std::min(range.min, value), std::max(range.max, value)};
    };
    for (const LayerConfig& layer : m.layers) widen(layer);
    for (const InclusionConfig& body : m.inclusions) widen(body);
    if (!m.inclusions.empty()) widen(m);
    return range;
}

void settle_delta(const ModelConfig& config, Model& model, const ConfigOrigin& origin) {
    const ParameterValues* const given = model.find(kEpsilon.name);
    ParameterValues* const settled = model.find(kDelta.name);
    if (given == nullptr || settled == nullptr) return;
    const UnsetVector<float>& epsilon = given->values;
    UnsetVector<float>& delta = settled->values;
    const bool smoothed = config.smooth_wavelengths > 0.;
    const Excess excess = excess_of(epsilon, delta, smoothed ? kSmoothed : kRounded);
    if (excess.nodes > 0) {
        if (!config.clip_delta) refuse(config, model, excess, origin);
        model.notes.push_back(
            fmt::format("delta was lowered to epsilon at {} of {} nodes", excess.nodes, model.grid.points()));
    }
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = std::min(delta[i], epsilon[i]);
}

void settle_tilt(const ModelConfig& config, Model& model) {
    ParameterValues* const theta = model.find(kTheta.name);
    if (theta == nullptr || !uniform_tilt(config, kTheta)) return;
    const UnsetVector<float>& epsilon = model.find(kEpsilon.name)->values;
    const UnsetVector<float>& delta = model.find(kDelta.name)->values;
    UnsetVector<float>& values = theta->values;
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < values.size(); ++i)
        if (epsilon[i] == 0.f && delta[i] == 0.f) values[i] = 0.f;
}

}  // namespace onda
