#include "solver/inversion/model_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
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
    found.emplace_back(
        start.key + (side > 0.F ? ".max" : ".min"),
        fmt::format("{} {}: the start model has a {} of {} {} at x = {} m, {}z = {} m, and is {} the bound at {} of {} "
                    "nodes; change the bound or the model, or hold these nodes",
                    number_text(*bound), start.parameter.unit, start.parameter.quantity, start.values[worst],
                    start.parameter.unit, number_text(at_m[0]),
                    grid.has_axis(1) ? fmt::format("y = {} m, ", number_text(at_m[1])) : "", number_text(at_m[2]),
                    side > 0.F ? "above" : "below", count, start.values.size()));
}

/// What is wrong with the bounds of a parameter.
void check_bounds(const BoundedStart& start, const Grid& grid, const std::vector<bool>& held,
                  InversionProblems& found) {
    const auto limits = float_limits(start.bounds, start.parameter.lowest, start.parameter.highest);
    if (limits.first >= limits.second) {
        found.emplace_back(start.key, fmt::format("from {} to {} {}: min must be less than max", limits.first,
                                                  limits.second, start.parameter.unit));
        return;
    }
    check_start_side(start, start.bounds.min, -1.F, grid, held, found);
    check_start_side(start, start.bounds.max, 1.F, grid, held, found);
}

}  // namespace

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

ModelParameters::ModelParameters(const InversionConfig& config, std::span<const float> vp_start,
                                 std::span<const float> rho_start, std::vector<bool> held)
    : density_(density_of(config)),
      vp_(make_block(parameterisation_named(config.parameter), vp_start, limits_of_vp(config))),
      rho_(make_block(itself(), rho_start, limits_of_rho(config))),
      held_(std::move(held)) {
    if (held_.empty()) held_.resize(vp_start.size());
    if (held_.size() != vp_start.size() || (!rho_start.empty() && rho_start.size() != vp_start.size()))
        throw std::invalid_argument("an inversion from a start model of several sizes");
    if (density_ != Density::fixed && rho_start.empty())
        throw std::invalid_argument("an inversion that changes a density that is constant");
}

float ModelParameters::vp_at(const Vector& x, std::size_t node) const {
    return held_[node] ? vp_.start[node] : vp_.value_of(x[node], node);
}

void ModelParameters::set_variables(const Block& block, std::span<const float> values, std::span<float> x) const {
#pragma omp parallel for
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = block.variable_of(held_[i] ? block.start[i] : values[i]);
}

ModelParameters::Vector ModelParameters::from_model(std::span<const float> vp, std::span<const float> rho) const {
    Vector x(blocks() * nodes());
    set_variables(vp_, vp, std::span(x).first(nodes()));
    if (density_ == Density::inverted) set_variables(rho_, rho, std::span(x).last(nodes()));
    return x;
}

ModelOf ModelParameters::to_model(const Vector& x) const {
    ModelOf model{std::vector<float>(nodes()), rho_.start};
#pragma omp parallel for
    for (std::size_t i = 0; i < nodes(); ++i) {
        model.vp[i] = vp_at(x, i);
        if (held_[i]) continue;
        if (density_ == Density::gardner) model.rho[i] = gardner_density(model.vp[i]);
        if (density_ == Density::inverted) model.rho[i] = rho_.value_of(x[nodes() + i], i);
    }
    return model;
}

ModelParameters::Vector ModelParameters::gradient(const Vector& x, std::span<const float> dJ_dvp,
                                                  std::span<const float> dJ_drho) const {
    Vector result = HostVectors::zeros(x);
#pragma omp parallel for
    for (std::size_t i = 0; i < nodes(); ++i) {
        if (held_[i]) continue;
        const float vp = vp_at(x, i);
        double of_vp = static_cast<double>(dJ_dvp[i]);
        if (density_ == Density::gardner) of_vp += static_cast<double>(dJ_drho[i]) * gardner_slope(vp);
        result[i] = static_cast<float>(of_vp * vp_.slope_at(vp));
        if (density_ == Density::inverted)
            result[nodes() + i] =
                static_cast<float>(static_cast<double>(dJ_drho[i]) * rho_.slope_at(rho_.value_of(x[nodes() + i], i)));
    }
    return result;
}

void ModelParameters::set_bounds(const Block& block, std::size_t first, Bounds& bounds) const {
    const auto lowest = static_cast<float>(block.least / block.scale);
    const auto highest = static_cast<float>(block.most / block.scale);
    for (std::size_t i = 0; i < nodes(); ++i) {
        const float of_start = block.variable_of(block.start[i]);
        bounds.lowest[first + i] = held_[i] ? of_start : lowest;
        bounds.highest[first + i] = held_[i] ? of_start : highest;
    }
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
    set_bounds(vp_, 0, bounds);
    if (density_ == Density::inverted) set_bounds(rho_, nodes(), bounds);
    return bounds;
}

std::vector<std::pair<std::string, std::string>> problems(const InversionConfig& config, const Grid& grid,
                                                          std::span<const float> vp_start,
                                                          std::span<const float> rho_start,
                                                          const std::vector<bool>& held) {
    InversionProblems found;
    if (!held.empty() && std::ranges::find(held, false) == held.end())
        found.emplace_back(!config.mask.empty() ? "inversion.mask"
                           : config.water_m_s   ? "inversion.water_m_s"
                                                : "inversion.hold_depth_m",
                           "holds every node of the start model: nothing is left to invert for");
    check_bounds({"inversion.vp_m_s", kVp, config.vp_m_s, vp_start}, grid, held, found);
    if (config.density != "fixed" && rho_start.empty())
        found.emplace_back("inversion.density", config.density + ": " + kNoDensity);
    else if (config.density == "inverted")
        check_bounds({"inversion.rho_kg_m3", kRho, config.rho_kg_m3, rho_start}, grid, held, found);
    if (config.density != "inverted" && config.rho_kg_m3 != BoundsConfig{})
        found.emplace_back("inversion.rho_kg_m3",
                           fmt::format("bounds of densities that are not inverted: inversion.density is {}; make it "
                                       "inverted, or remove them",
                                       config.density));
    return found;
}

}  // namespace onda
