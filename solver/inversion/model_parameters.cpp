#include "solver/inversion/model_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "io/models/velocity_limits.hpp"
#include "io/text/number_text.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/model/density.hpp"

namespace onda {
namespace {

/// rho is a variable as it is.
const ParameterisationRow& itself() {
    return parameterisations().front();
}

const ParameterisationRow& parameterisation_named(std::string_view name) {
    const auto row = std::ranges::find(parameterisations(), name, &ParameterisationRow::name);
    if (row == parameterisations().end()) throw std::invalid_argument("an inversion for an unknown parameter");
    return *row;
}

/// Bounds are compared with values of models, which are floats.
std::pair<float, float> float_limits(const BoundsConfig& bounds, double lowest, double highest) {
    return {static_cast<float>(bounds.min.value_or(lowest)), static_cast<float>(bounds.max.value_or(highest))};
}
std::pair<float, float> limits_of_vp(const InversionConfig& config) {
    return float_limits(config.vp_m_s, lowest_vp_m_s, highest_vp_m_s);
}
std::pair<float, float> limits_of_rho(const InversionConfig& config) {
    return float_limits(config.rho_kg_m3, kRho.lowest, kRho.highest);
}

std::pair<float, float> limits_of_epsilon(const InversionConfig& config) {
    return float_limits(config.epsilon, kEpsilon.lowest, kEpsilon.highest);
}
std::pair<float, float> limits_of_delta(const InversionConfig& config) {
    return float_limits(config.delta, kDelta.lowest, kDelta.highest);
}
/// Of epsilon - delta.
std::pair<float, float> limits_of_excess(const InversionConfig& config) {
    return {0.f, limits_of_epsilon(config).second - limits_of_delta(config).first};
}

std::vector<float> differences(std::span<const float> a, std::span<const float> b) {
    std::vector<float> differences(a.size());
    std::ranges::transform(a, b, differences.begin(), std::minus<>());
    return differences;
}

/// d rho / d vp of Gardner's relation.
double gardner_slope(float vp) {
    return 0.25 * static_cast<double>(gardner_density(vp)) / static_cast<double>(vp);
}

using InversionProblems = std::vector<std::pair<std::string, std::string>>;

/// A parameter of the start model, and the bounds that are given for it.
struct BoundedStart {
    std::string key;
    const MediumParameter& parameter;
    const BoundsConfig& bounds;
    std::span<const float> values;
};

/// Adds a problem if nodes of the start model that are not held lie beyond a bound. \param side 1: a highest value, -1:
/// a lowest one.
void check_start_side(const BoundedStart& start, const std::optional<double>& bound, float side, const Grid& grid,
                      const std::vector<bool>& held, InversionProblems& found) {
    if (!bound) return;
    const auto limit = static_cast<float>(*bound);
    std::size_t count = 0, worst = 0;
    for (std::size_t i = 0; i < start.values.size(); ++i) {
        if ((!held.empty() && held[i]) || side * start.values[i] <= side * limit) continue;
        if (count++ == 0 || side * start.values[i] > side * start.values[worst]) worst = i;
    }
    if (count == 0) return;
    const auto node = grid.node(static_cast<std::int64_t>(worst));
    const auto at_m = grid.position_m(node[0], node[1], node[2]);
    const std::string unit = start.parameter.unit.empty() ? "" : fmt::format(" {}", start.parameter.unit);
    found.emplace_back(
        start.key + (side > 0.F ? ".max" : ".min"),
        fmt::format("{}{}: the start model has {} {} of {}{} at x = {} m, {}z = {} m, and is {} the bound at {} of {} "
                    "nodes; change the bound or the model, or hold these nodes",
                    number_text(*bound), unit, start.parameter.quantity.starts_with('e') ? "an" : "a",
                    start.parameter.quantity, start.values[worst], unit, number_text(at_m[0]),
                    grid.has_axis(1) ? fmt::format("y = {} m, ", number_text(at_m[1])) : "", number_text(at_m[2]),
                    side > 0.F ? "above" : "below", count, start.values.size()));
}

/// What is wrong with the bounds of a parameter.
void check_bounds(const BoundedStart& start, const Grid& grid, const std::vector<bool>& held,
                  InversionProblems& found) {
    const auto limits = float_limits(start.bounds, start.parameter.lowest, start.parameter.highest);
    if (limits.first >= limits.second) {
        found.emplace_back(start.key,
                           fmt::format("from {} to {}{}{}: min must be less than max", limits.first, limits.second,
                                       start.parameter.unit.empty() ? "" : " ", start.parameter.unit));
        return;
    }
    check_start_side(start, start.bounds.min, -1.F, grid, held, found);
    check_start_side(start, start.bounds.max, 1.F, grid, held, found);
}

}  // namespace

ModelOf values_of(const Model& model) {
    const auto values_of = [&model](const char* name) {
        const ParameterValues* const found = model.find(name);
        return found == nullptr ? std::vector<float>() : std::vector(found->values.begin(), found->values.end());
    };
    return {values_of("vp"), values_of("rho"), values_of("q"), values_of("epsilon"), values_of("delta")};
}

float ModelParameters::Block::variable_of(float value) const {
    return static_cast<float>(row.of_vp(static_cast<double>(value)) / scale);
}

/// Clamped as m: the rounding errors of the functions of doubles are lost where a bound is rounded to the float that it
/// was, and no value leaves the bounds.
float ModelParameters::Block::value_of(float x, std::size_t node) const {
    if (x == variable_of(start[node])) return start[node];
    return static_cast<float>(row.vp_of(std::clamp(scale * static_cast<double>(x), least, most)));
}

double ModelParameters::Block::slope_at(float value) const {
    return row.vp_slope(static_cast<double>(value)) * scale;
}

ModelParameters::Block ModelParameters::make_block(const ParameterisationRow& row, std::span<const float> start,
                                                   std::pair<float, float> limits) {
    const double of_lowest = row.of_vp(static_cast<double>(limits.first));
    const double of_highest = row.of_vp(static_cast<double>(limits.second));
    Block block{
        row, {start.begin(), start.end()}, std::min(of_lowest, of_highest), std::max(of_lowest, of_highest), 1.};
    double sum = 0.;
    for (const float value : start) sum += std::abs(row.of_vp(static_cast<double>(value)));
    if (sum > 0.) block.scale = sum / static_cast<double>(start.size());
    return block;
}

ModelParameters::Density ModelParameters::density_of(const InversionConfig& config) {
    if (config.density == "fixed") return Density::fixed;
    if (config.density == "gardner") return Density::gardner;
    if (config.density == "inverted") return Density::inverted;
    throw std::invalid_argument("an inversion with a density of no known kind");
}

ModelParameters::ModelParameters(const InversionConfig& config, ModelOf start, std::vector<bool> held,
                                 std::vector<bool> held_anisotropy)
    : start_(std::move(start)),
      density_(density_of(config)),
      vp_(make_block(parameterisation_named(config.parameter), start_.vp, limits_of_vp(config))),
      rho_(make_block(itself(), start_.rho, limits_of_rho(config))),
      epsilon_(make_block(itself(), {}, limits_of_epsilon(config))),
      excess_(make_block(itself(), {}, limits_of_excess(config))),
      limits_of_delta_(limits_of_delta(config)),
      inverted_{&ModelParameters::vp_},
      held_(std::move(held)),
      held_anisotropy_(std::move(held_anisotropy)) {
    for (std::vector<bool>* each : {&held_, &held_anisotropy_})
        if (each->empty()) each->resize(nodes());
    for (const std::vector<float>* values : {&start_.rho, &start_.q, &start_.epsilon, &start_.delta})
        if (!values->empty() && values->size() != nodes())
            throw std::invalid_argument("an inversion from a start model of several sizes");
    if (held_.size() != nodes() || held_anisotropy_.size() != nodes())
        throw std::invalid_argument("an inversion from a start model of several sizes");
    if (density_ != Density::fixed && start_.rho.empty())
        throw std::invalid_argument("an inversion that changes a density that is constant");
    if (density_ == Density::inverted) inverted_.push_back(&ModelParameters::rho_);
    if (!onda::inverts_anisotropy(config)) return;
    if (start_.epsilon.empty() || start_.delta.empty())
        throw std::invalid_argument("an inversion that changes an anisotropy that there is not");
    epsilon_.start = start_.epsilon;
    excess_.start = differences(start_.epsilon, start_.delta);
    inverted_.insert(inverted_.end(), {&ModelParameters::epsilon_, &ModelParameters::excess_});
}

float ModelParameters::value_at(const Vector& x, std::size_t place, std::size_t node) const {
    const Block& block = this->*inverted_[place];
    return is_held(place, node) ? block.start[node] : block.value_of(x[place * nodes() + node], node);
}

/// What epsilon exceeds it by may be a bound of delta more or less than it is.
float ModelParameters::delta_at(const Vector& x, std::size_t node) const {
    const float epsilon = epsilon_at(x, node), excess = value_at(x, blocks() - 1, node);
    if (epsilon == epsilon_.start[node] && excess == excess_.start[node]) return start_.delta[node];
    return std::min(epsilon, std::clamp(epsilon - excess, limits_of_delta_.first, limits_of_delta_.second));
}

ModelParameters::Vector ModelParameters::from_model(const ModelOf& model) const {
    Vector x(blocks() * nodes());
    const std::vector<float> excess =
        inverts_anisotropy() ? differences(model.epsilon, model.delta) : std::vector<float>();
    for (std::size_t place = 0; place < blocks(); ++place) {
        const Block& block = this->*inverted_[place];
        const std::vector<float>& values = &block == &vp_       ? model.vp
                                           : &block == &rho_    ? model.rho
                                           : &block == &excess_ ? excess
                                                                : model.epsilon;
#pragma omp parallel for
        for (std::size_t i = 0; i < nodes(); ++i)
            x[place * nodes() + i] = block.variable_of(is_held(place, i) ? block.start[i] : values[i]);
    }
    return x;
}

ModelOf ModelParameters::to_model(const Vector& x) const {
    ModelOf model = start_;
#pragma omp parallel for
    for (std::size_t i = 0; i < nodes(); ++i) {
        model.vp[i] = value_at(x, 0, i);
        if (density_ == Density::inverted) model.rho[i] = value_at(x, 1, i);
        if (density_ == Density::gardner && !held_[i]) model.rho[i] = gardner_density(model.vp[i]);
        if (!inverts_anisotropy()) continue;
        model.epsilon[i] = epsilon_at(x, i);
        model.delta[i] = delta_at(x, i);
    }
    return model;
}

ModelParameters::Vector ModelParameters::gradient(const Vector& x, const ModelDerivatives& of_model) const {
    Vector result = HostVectors::zeros(x);
#pragma omp parallel for
    for (std::size_t i = 0; i < nodes(); ++i) {
        if (held_[i]) continue;
        const float vp = value_at(x, 0, i);
        double of_vp = static_cast<double>(of_model.vp[i]);
        if (density_ == Density::gardner) of_vp += static_cast<double>(of_model.rho[i]) * gardner_slope(vp);
        result[i] = static_cast<float>(of_vp * vp_.slope_at(vp));
        if (density_ == Density::inverted)
            result[nodes() + i] =
                static_cast<float>(static_cast<double>(of_model.rho[i]) * rho_.slope_at(value_at(x, 1, i)));
        if (!inverts_anisotropy() || held_anisotropy_[i]) continue;
        const float delta = delta_at(x, i), of_delta = of_model.delta[i];
        const bool is_free = of_delta > 0.F ? delta > limits_of_delta_.first : delta < limits_of_delta_.second;
        result[(blocks() - 2) * nodes() + i] = of_model.epsilon[i] + (is_free ? of_delta : 0.F);
        result[(blocks() - 1) * nodes() + i] = is_free ? -of_delta : 0.F;
    }
    return result;
}

void ModelParameters::weigh_illumination(std::span<float> illumination, std::span<const float> vp) const {
#pragma omp parallel for
    for (std::size_t i = 0; i < illumination.size(); ++i) {
        const double v = static_cast<double>(vp[i]), per_variable = -2. / (v * v * v) * vp_.slope_at(vp[i]);
        illumination[i] = static_cast<float>(static_cast<double>(illumination[i]) * per_variable * per_variable);
    }
}

Bounds ModelParameters::box() const {
    Bounds bounds{std::vector<float>(blocks() * nodes()), std::vector<float>(blocks() * nodes())};
    for (std::size_t place = 0; place < blocks(); ++place) {
        const Block& block = this->*inverted_[place];
        const auto lowest = static_cast<float>(block.least / block.scale);
        const auto highest = static_cast<float>(block.most / block.scale);
        for (std::size_t i = 0; i < nodes(); ++i) {
            const float of_start = block.variable_of(block.start[i]);
            bounds.lowest[place * nodes() + i] = is_held(place, i) ? of_start : lowest;
            bounds.highest[place * nodes() + i] = is_held(place, i) ? of_start : highest;
        }
    }
    return bounds;
}

std::int64_t blocks_of(const InversionConfig& config) {
    return 1 + (config.density == "inverted" ? 1 : 0) + (inverts_anisotropy(config) ? 2 : 0);
}

namespace {

void check_density(const InversionConfig& config, const Grid& grid, std::span<const float> rho,
                   const std::vector<bool>& held, InversionProblems& found) {
    if (config.density != "fixed" && rho.empty())
        found.emplace_back("inversion.density", config.density + ": " + kNoDensity);
    else if (config.density == "inverted")
        check_bounds({"inversion.rho_kg_m3", kRho, config.rho_kg_m3, rho}, grid, held, found);
    if (config.density != "inverted" && config.rho_kg_m3 != BoundsConfig{})
        found.emplace_back("inversion.rho_kg_m3",
                           fmt::format("bounds of densities that are not inverted: inversion.density is {}; make it "
                                       "inverted, or remove them",
                                       config.density));
}

void check_anisotropy(const InversionConfig& config, const Grid& grid, const ModelOf& start,
                      const std::vector<bool>& held, InversionProblems& found) {
    if (!inverts_anisotropy(config)) {
        for (const auto& [key, bounds] :
             {std::pair("inversion.epsilon", config.epsilon), std::pair("inversion.delta", config.delta)})
            if (bounds != BoundsConfig{})
                found.emplace_back(key,
                                   "bounds of what is not inverted: make inversion.anisotropy inverted, or remove "
                                   "them");
        return;
    }
    if (start.epsilon.empty()) {
        found.emplace_back("inversion.anisotropy", fmt::format("{}: {}", config.anisotropy, kNoAnisotropy));
        return;
    }
    check_bounds({"inversion.epsilon", kEpsilon, config.epsilon, start.epsilon}, grid, held, found);
    check_bounds({"inversion.delta", kDelta, config.delta, start.delta}, grid, held, found);
    const float lowest = limits_of_delta(config).first, of_epsilon = limits_of_epsilon(config).first;
    if (lowest > of_epsilon)
        found.emplace_back(
            "inversion.delta.min",
            fmt::format("{}: must be at most {}, the lowest epsilon, since delta is never more", lowest, of_epsilon));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> problems(const InversionConfig& config, const Grid& grid,
                                                          const ModelOf& start, const std::vector<bool>& held) {
    InversionProblems found;
    if (!held.empty() && std::ranges::find(held, false) == held.end())
        found.emplace_back(!config.mask.empty() ? "inversion.mask"
                           : config.water_m_s   ? "inversion.water_m_s"
                                                : "inversion.hold_depth_m",
                           "holds every node of the start model: nothing is left to invert for");
    check_bounds({"inversion.vp_m_s", kVp, config.vp_m_s, start.vp}, grid, held, found);
    check_density(config, grid, start.rho, held, found);
    check_anisotropy(config, grid, start, held, found);
    return found;
}

}  // namespace onda
