#include "solver/model/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/text/error.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/discretisation/line_filter.hpp"
#include "solver/model/density.hpp"
#include "solver/model/helmholtz_smoothing.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/quality_factor.hpp"
#include "solver/model/stored_parameter.hpp"
#include "solver/model/thomsen.hpp"
#include "solver/program/find_row.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

// Evaluated in a fraction of a second, in little memory.
constexpr double kQuickPoints = 1e6;
constexpr std::int64_t kQuickBytes = 48'000'000;

using MakeMedium = MediumRules (*)(const ModelConfig&, const Grid&, const ConfigOrigin&);

/// Calls fill(fill_row, y, z) for every row of the grid, in several threads. Each has a copy of the filler of its own,
/// which may remember what the next of its rows needs again.
template <typename Fill>
void for_each_row(const Grid& grid, const MediumRules::Row& fill_row, const Fill& fill) {
    const std::int64_t rows = grid.ny() * grid.nz();
    LoopFailure failure;
#pragma omp parallel
    {
        MediumRules::Row mine;
        failure.guard([&] { mine = fill_row; });
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < rows; ++i) failure.guard([&] { fill(mine, i % grid.ny(), i / grid.ny()); });
    }
    failure.rethrow();
}

UnsetVector<float> filled(const Grid& grid, const MediumRules::Row& fill_row) {
    UnsetVector<float> values(static_cast<std::size_t>(grid.points()));
    for_each_row(grid, fill_row, [&](const MediumRules::Row& fill, std::int64_t y, std::int64_t z) {
        fill(y, z, std::span(values).subspan(grid.at(0, y, z), grid.nx()));
    });
    return values;
}

template <MakeMedium make>
Model build(const ModelConfig& config, const Equation& equation, const Grid& grid, const ConfigOrigin& origin) {
    const MediumRules medium = make(config, grid, origin);
    Model model;
    model.grid = grid;
    model.description = medium.description;
    model.warnings = medium.bounds.warnings;
    for (const MediumParameter& parameter : equation->parameters) {
        ParameterValues& given = model.parameters.emplace_back();
        if (!follows_from_vp(config, parameter)) given.values = filled(grid, medium.rule_of(parameter)());
    }
    return model;
}

template <MakeMedium make>
VelocityRange range(const ModelConfig& config, const Equation&, const Grid& grid, const ConfigOrigin& origin) {
    const MediumRules medium = make(config, grid, origin);
    const bool quick = static_cast<double>(grid.points()) * medium.cost <= kQuickPoints;
    if (medium.bounds.exact || !quick || medium.preparation_bytes > kQuickBytes) return medium.bounds;
    const MediumRules::Row fill_row = medium.vp();
    float low = std::numeric_limits<float>::max(), high = 0.f;
    for_each_row(grid, fill_row, [&](const MediumRules::Row& fill, std::int64_t y, std::int64_t z) {
        std::vector<float> vp(grid.nx());
        fill(y, z, vp);
        const auto [lowest, highest] = std::ranges::minmax(vp);
#pragma omp critical(onda_range_of_rows)
        {
            low = std::min(low, lowest);
            high = std::max(high, highest);
        }
    });
    return {low, high, true, medium.bounds.notes, medium.bounds.warnings};
}

template <MakeMedium make>
std::int64_t extra_bytes(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    return make(config, grid, origin).preparation_bytes;
}

template <MakeMedium make>
constexpr ModelBuilder row(std::string_view name, std::string_view help) {
    return {name, help, build<make>, range<make>, extra_bytes<make>};
}

constexpr std::array<ModelBuilder, 10> kBuilders{{
    {"file", "HDF5 model file, see `onda convert`; cropped, resampled or extruded where the config says so",
     build_from_file, range_of_file, extra_bytes_of_file, complete_grid_by_file},
    row<constant_medium>("constant", "one velocity everywhere"),
    row<layered_medium>("layered", "plane layers, dipping where dip_deg is given"),
    row<gradient_medium>("gradient", "velocity that grows linearly with depth"),
    row<inclusions_medium>("inclusions", "spheres and boxes in a constant background"),
    row<von_karman_medium>("von_karman", "random medium with the correlation function of von Karman"),
    row<geology_medium>("geology", "folded, faulted layers under water, with an unconformity and a salt dome"),
    row<thrust_belt_medium>("thrust_belt", "thrust sheets that repeat their layers, a young cover, a faulted basement"),
    row<salt_basin_medium>("salt_basin", "water, compacting sediments, a salt body with steep flanks and an overhang"),
    {"array", "arrays that a program hands over: onda.run(config, vp=...) of Python", build_from_arrays,
     range_of_arrays, [](const ModelConfig&, const Grid&, const ConfigOrigin&) -> std::int64_t { return 0; },
     complete_grid_by_arrays, true},
}};

const ModelBuilder& builder_of(const ModelConfig& config, const ConfigOrigin& origin) {
    return find_row(origin, "model.type", model_builders(), config.type);
}

/// \throws Error(bad_data) for a value beyond the limits of the parameter, with its node.
void check_values(const ModelConfig& config, const MediumParameter& parameter, const Grid& grid,
                  std::span<const float> values) {
    const auto low = static_cast<float>(parameter.lowest), high = static_cast<float>(parameter.highest);
    const auto beyond = std::ranges::find_if(values, [&](float value) { return !(value >= low && value <= high); });
    if (beyond == values.end()) return;
    const auto [x, y, z] = grid.node(beyond - values.begin());
    throw Error(ExitCode::bad_data,
                fmt::format("{}: {} = {}{} at node (x {}, y {}, z {}): must be {}", config.type, parameter.name,
                            *beyond, unit_after_number(parameter), x, y, z, describe_limits(quantity_of(parameter))));
}

/// Smooths what builders have given: of vp the slowness, since waves keep their traveltimes on average where that is
/// smoothed, not the velocity; of Q likewise what is lost.
void smooth_with(Model& model, const std::function<void(UnsetVector<float>&)>& smooth) {
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
        UnsetVector<float>& values = model.parameters[i].values;
        if (values.empty()) continue;  // it follows from vp
        const bool inverse = i == 0 || model.equation->parameters[i].name == kQ.name;
        const auto invert = [&] {
        // An iterative smoothing of what is 0 at lossless nodes leaves them a rounding error of either sign.
#pragma omp parallel for
            for (std::size_t at = 0; at < values.size(); ++at) values[at] = 1.F / std::max(values[at], 0.F);
        };
        if (inverse) invert();
        smooth(values);
        if (inverse) invert();
    }
}

void smooth_by_gaussian(Model& model, double sigma_m) {
    smooth_with(model, [&](UnsetVector<float>& values) { smooth_values(std::span(values), model.grid, sigma_m); });
    model.description += fmt::format(", smoothed by a Gaussian of {:.6g} m", sigma_m);
}

void smooth_by_wavelengths(Model& model, double part, double frequency_hz) {
    const UnsetVector<float>& vp = model.parameters.front().values;
    const std::vector<double> lengths_m =
        parts_of_wavelengths(std::vector<double>(vp.begin(), vp.end()), frequency_hz, part);
    smooth_with(model, [&](UnsetVector<float>& values) {
        const Smoothed smoothed =
            smooth_by_lengths(model.grid, std::vector<double>(values.begin(), values.end()), lengths_m);
        std::ranges::transform(smoothed.values, values.begin(), [](double value) { return static_cast<float>(value); });
    });
    model.description += fmt::format(", smoothed by {:.6g} wavelengths of {:.6g} Hz", part, frequency_hz);
}

bool is_smoothed(const ModelConfig& config) {
    return config.smooth_m > 0. || config.smooth_wavelengths > 0.;
}

/// By which rule a parameter is made from vp, for the log; empty where it is given.
const char* rule_of(const ModelConfig& config, const MediumParameter& parameter) {
    if (parameter.name == kRho.name && config.rho == "gardner") return " (Gardner)";
    if (is_thomsen(parameter) && config.anisotropy == "shales") return " (shales)";
    return parameter.name == kQ.name && config.q_rule == "li" ? " (Li)" : "";
}

}  // namespace

std::span<const ModelBuilder> model_builders() {
    return kBuilders;
}

void find_range(ParameterValues& of) {
    float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
    const auto points = static_cast<std::int64_t>(of.values.size());
    const float* const values = of.values.data();
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (std::int64_t i = 0; i < points; ++i) {
        low = std::min(low, values[i]);
        high = std::max(high, values[i]);
    }
    of.min = low;
    of.max = high;
}

const ParameterValues* Model::find(std::string_view name) const {
    const auto row = std::ranges::find(equation->parameters, name, &MediumParameter::name);
    return row == equation->parameters.end() ? nullptr : &parameters[row - equation->parameters.begin()];
}

ParameterValues* Model::find(std::string_view name) {
    return const_cast<ParameterValues*>(std::as_const(*this).find(name));
}

GridConfig complete_grid(GridConfig grid, const ModelConfig& model, const ConfigOrigin& origin) {
    const bool has_all = !grid.shape.empty() && !grid.spacing_m.empty() && !grid.origin_m.empty();
    const auto complete = builder_of(model, origin).complete_grid;
    return has_all || complete == nullptr ? grid : complete(grid, model, origin);
}

bool gives(const ModelConfig& config, const MediumParameter& parameter, const ConfigOrigin& origin) {
    if (parameter.name == kVp.name) return true;
    if (parameter.name == kRho.name) return has_density(config, origin);
    if (parameter.name == kQ.name) return has_q(config, origin);
    if (is_thomsen(parameter)) return has_anisotropy(config, origin);
    if (is_tilt(parameter)) return has_tilt(config, origin);
    return is_stored(config, parameter);
}

Model make_model(const ModelConfig& config, const Equation& equation, const Grid& grid, const ConfigOrigin& origin) {
    Model model = builder_of(config, origin).build(config, equation, grid, origin);
    model.equation = equation;
    if (config.smooth_m > 0.) smooth_by_gaussian(model, config.smooth_m);
    if (config.smooth_wavelengths > 0.)
        smooth_by_wavelengths(model, config.smooth_wavelengths, *config.smooth_frequency_hz);
    complete_parameters(config, model);
    find_range(model.parameters.front());
    if (model.find(kQ.name) != nullptr) check_q_rule(config, model.vp().min, origin);
    for (std::size_t i = 1; i < model.parameters.size(); ++i)  // builders see to vp
        check_values(config, equation->parameters[i], grid, model.parameters[i].values);
    settle_delta(config, model, origin);
    settle_tilt(config, model);
    for (ParameterValues& given : model.parameters) find_range(given);
    for (std::size_t i = 1; i < model.parameters.size(); ++i) {
        const MediumParameter& parameter = equation->parameters[i];
        const ParameterValues& given = model.parameters[i];
        model.description += fmt::format(", {} {:.6g} to {:.6g}{}{}", parameter.quantity, given.min, given.max,
                                         unit_after_number(parameter), rule_of(config, parameter));
    }
    warn_of_density(model);
    return model;
}

VelocityRange velocity_range(const ModelConfig& config, const Equation& equation, const Grid& grid,
                             const ConfigOrigin& origin) {
    VelocityRange range = builder_of(config, origin).range(config, equation, grid, origin);
    if (config.smooth_wavelengths > 0. && !config.smooth_frequency_hz)
        origin.fault("model.smooth_wavelengths", "model.smooth_frequency_hz must say of which frequency they are");
    if (is_smoothed(config) && range.min_m_s < range.max_m_s) range.exact = false;
    return range;
}

std::optional<ParameterRange> told_range(const ModelConfig& config, const MediumParameter& parameter,
                                         const VelocityRange& velocity) {
    if (parameter.name == kRho.name) return density_range(config, velocity);
    if (parameter.name != kQ.name && !is_thomsen(parameter)) return std::nullopt;
    if (parameter.name == kQ.name && !config.power_law && has_absorption(config)) return std::nullopt;
    const auto range = is_thomsen(parameter) ? thomsen_range(config, parameter, velocity) : q_range(config, velocity);
    return range ? range : sampled_range_of_file(config, parameter);
}

std::string unit_after_number(const MediumParameter& parameter) {
    return parameter.unit.empty() ? std::string() : " " + std::string(parameter.unit);
}

MediumReaders medium_readers(const Model& model, const ComputedGrid& computed) {
    return medium_readers(model, computed, Window::whole(model.grid));
}

MediumReaders medium_readers(const Model& model, const ComputedGrid& computed, const Window& part) {
    MediumReaders readers;
    for (const ParameterValues& parameter : model.parameters)
        readers.push_back(computed.extended([&grid = model.grid, &values = parameter.values, first = part.first](
                                                std::int64_t y, std::int64_t z, std::span<float> row) {
            const std::int64_t at = grid.at(first[0], first[1] + y, first[2] + z);
            std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), row.size(), row.begin());
        }));
    return readers;
}

std::int64_t model_extra_bytes(const ModelConfig& config, const Grid& grid, const ConfigOrigin& origin) {
    constexpr std::int64_t doubles_of_smoothing = 9;  // of each node: values, lengths, and vectors of the iterations
    const std::int64_t smoothing =
        config.smooth_wavelengths > 0. ? doubles_of_smoothing * std::int64_t{sizeof(double)} * grid.points() : 0;
    return std::max(builder_of(config, origin).extra_bytes(config, grid, origin), smoothing);
}

}  // namespace onda
