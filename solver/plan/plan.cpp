#include "solver/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/text/printable.hpp"
#include "solver/model/density.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/plan/stepping.hpp"
#include "solver/plan/storage.hpp"
#include "solver/signal/time_dispersion.hpp"

namespace onda {

KernelChoice kernel_choice(const BackendConfig& wanted) {
    KernelChoice choice;
    choice.fewer_threads = wanted.threads == 0;
    choice.threads = wanted.threads > 0 ? static_cast<int>(wanted.threads) : omp_get_max_threads();
    choice.kernel = wanted.kernel;
    choice.isa = wanted.isa;
    choice.ordinal = static_cast<int>(wanted.device);
    choice.tile = printable(wanted.tile);  // kernels/ quotes them as they are
    choice.copy = printable(wanted.copy);
    return choice;
}

Faces Plan::faces() const {
    return make_faces(config.boundary, grid, config.origin);
}

double Plan::density_contrast() const {
    return onda::density_contrast(setup.scheme.equation, further);
}

void set_grid_of_part(Plan& plan, const Grid& part) {
    plan.computed = plan.computed.around(part);
    plan.setup.grid = plan.computed.grid();
}

void set_boundary(Plan& plan) {
    const Waves waves{plan.setup.scheme, plan.velocity.max_m_s, plan.time.dt_s, plan.survey.lowest_peak_frequency_hz()};
    plan.boundary = make_boundary(plan.config.boundary, plan.computed.grid(), waves, plan.config.origin);
    plan.setup.halos = plan.boundary.halos;
    plan.setup.strips = plan.boundary.strips;
}

Plan plan_of_shot(const Plan& plan, std::size_t shot) {
    return plan_of_part(plan, plan.aperture ? plan.aperture->part(plan.survey.shots.spread(shot)) : plan.part);
}

Plan plan_of_part(const Plan& plan, const Window& part) {
    if (!plan.aperture) return plan;
    Plan of_part = plan;
    of_part.part = part;
    of_part.grid = grid_of_part(plan.grid, part);
    set_grid_of_part(of_part, of_part.grid);
    set_boundary(of_part);
    return of_part;
}

namespace {

std::string counted(std::int64_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

template <typename T>
std::string axes_text(const Grid& grid, const std::array<T, 3>& values) {
    return grid.dimensions == 2 ? fmt::format("{} x {}", values[0], values[2])
                                : fmt::format("{} x {} x {}", values[0], values[1], values[2]);
}

/// "301 x 201 nodes (0.0605 M)".
std::string nodes_text(const Grid& grid) {
    return fmt::format("{} nodes ({:.4g} M)", axes_text(grid, grid.n), static_cast<double>(grid.points()) * 1e-6);
}

/// A line for each parameter of the equation, and for each that is the same everywhere.
std::string describe_medium(const Plan& plan) {
    const EquationRow& equation = *plan.setup.scheme.equation;
    const MediumParameter& vp = equation.parameters.front();
    std::string text =
        fmt::format("{:<9} {:g} to {:g} {}{}\n", vp.quantity, plan.velocity.min_m_s, plan.velocity.max_m_s, vp.unit,
                    plan.velocity.exact ? "" : " (estimated without building the model)");
    for (std::size_t i = 0; i < plan.further.size(); ++i) {
        const MediumParameter& parameter = equation.parameters[i + 1];
        text += plan.further[i] ? fmt::format("{:<9} {:g} to {:g} {}\n", parameter.quantity, plan.further[i]->min,
                                              plan.further[i]->max, parameter.unit)
                                : fmt::format("{:<9} variable\n", parameter.quantity);
    }
    for (const MediumParameter& parameter : equation.constants)
        text += fmt::format("{:<9} constant\n", parameter.quantity);
    return text;
}

/// The sampling of the seismograms, why it is what it is, and in which files they are.
std::string describe_seismograms(const Plan& plan) {
    const SeismogramConfig& config = plan.config.output.seismograms;
    if (plan.survey.size.most_receivers == 0) return "traces    none\n";
    const bool changed = config.dt_s && std::abs(plan.time.output_dt_s - *config.dt_s) > 1e-9 * *config.dt_s;
    std::string text = fmt::format(
        "traces    {} samples, sample interval {:.6g} ms{}; seismograms.h5", plan.time.output_samples,
        plan.time.output_dt_s * 1e3,
        changed ? " (the nearest whole microsecond)" : (config.dt_s ? "" : " (a round number, by the wavelets)"));
    if (config.segy != "none") text += fmt::format(", SEG-Y ({} floats)", config.segy == "ibm" ? "IBM" : "IEEE");
    if (config.su) text += ", SU";
    return text + "\n";
}

}  // namespace

std::string shape_text(const Grid& grid) {
    return axes_text(grid, grid.n);
}

std::string describe(const Plan& plan) {
    const Grid &g = plan.grid, &computed = plan.computed.grid();
    std::string text;
    text += fmt::format("grid      {}, spacing {} m\n", nodes_text(g), axes_text(g, g.spacing_m));
    if (!plan.grid_of_file.empty())
        text += fmt::format("          {} of {}\n", fmt::join(plan.grid_of_file, ", "),
                            plan.config.model.arrays ? "the arrays" : shown(plan.config.model.file.filename()));
    if (plan.aperture)
        text += fmt::format(
            "aperture  each shot within {:.6g} m of its sources and receivers: {:.4g} M nodes at most, with the "
            "absorbing zones\n",
            plan.aperture->limit_m(), static_cast<double>(computed.points()) * 1e-6);
    else if (plan.computed.is_extended())
        text += fmt::format("          computed with the absorbing zones outside it: {}\n", nodes_text(computed));
    text += describe_slabs(plan);
    text += describe_medium(plan);
    text += describe_storage(plan);
    text += fmt::format(
        "time      dt = {:.6g} ms, {:.3f} of the stability limit; {} time steps to {:g} s{}\n", plan.time.dt_s * 1e3,
        plan.time.cfl_fraction(), plan.time.steps - plan.time.extra_steps, plan.config.time.duration_s,
        plan.time.extra_steps > 0 ? fmt::format(", plus {} to remove time dispersion", plan.time.extra_steps) : "");
    text += describe_stepping(plan);
    text += fmt::format("          numerical time dispersion {}\n", describe_correction(plan.time));
    text += describe_seismograms(plan);
    text += fmt::format("sampling  {:.2f} points per wavelength at {:.4g} Hz; {} needs {:.2g}\n",
                        plan.sampling.points_per_wavelength, plan.survey.highest_frequency_hz(),
                        plan.setup.scheme.description(), plan.sampling.needed);
    text += fmt::format("survey    {}; at most {} and {} per shot\n", counted(std::ssize(plan.survey.shots), "shot"),
                        counted(plan.survey.size.most_sources, "source"),
                        counted(plan.survey.size.most_receivers, "receiver"));
    if (!plan.survey.firing.empty()) text += fmt::format("          {}\n", plan.survey.firing);
    if (const auto& kinds = plan.survey.shots.carried_kinds(); !kinds.empty()) {
        text += "          with the receiver columns ";
        for (const CarriedKind& kind : kinds) text += (&kind == kinds.data() ? "" : ", ") + kind.name;
        text += '\n';
    }
    if (plan.survey.shots.size() > 1)
        text += plan.batch > 1 ? fmt::format("batches   of {} shots computed together\n", plan.batch)
                               : std::string("batches   none: one shot at a time\n");
    text += fmt::format("kernel    {}{}: {}\n", plan.setup.kernel,
                        plan.device->understands("tile") ? " " + plan.setup.tile : std::string(), plan.chosen_by);
    text += plan.snapshots.steps.empty() ? "snapshots none"
                                         : fmt::format("snapshots {} per shot, {} nodes each",
                                                       plan.snapshots.steps.size(), plan.snapshots.window.points());
    return text;
}

nlohmann::ordered_json medium_json(const Plan& plan) {
    const EquationRow& equation = *plan.setup.scheme.equation;
    nlohmann::ordered_json json;
    const auto add = [&json](const MediumParameter& parameter, double min, double max) {
        std::string unit(parameter.unit);
        std::ranges::replace(unit, '/', '_');
        json[std::string(parameter.quantity)] = {{"min_" + unit, min}, {"max_" + unit, max}};
    };
    add(equation.parameters.front(), plan.velocity.min_m_s, plan.velocity.max_m_s);
    for (std::size_t i = 0; i < plan.further.size(); ++i)
        if (const auto& range = plan.further[i]) add(equation.parameters[i + 1], range->min, range->max);
    return json;
}

}  // namespace onda
