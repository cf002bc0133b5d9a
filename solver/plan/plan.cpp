#include "solver/plan/plan.hpp"

#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/text/printable.hpp"
#include "solver/plan/anisotropy.hpp"
#include "solver/plan/attenuation.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/plan/stepping.hpp"
#include "solver/plan/storage.hpp"
#include "solver/signal/time_dispersion.hpp"

namespace onda {

void set_boundary(Plan& plan) {
    const Waves waves{plan.setup.scheme, plan.model.velocity.max_m_s, plan.time.dt_s,
                      plan.survey.lowest_peak_frequency_hz()};
    plan.boundary = make_boundary(plan.config.boundary, plan.domain.computed.grid(), waves, plan.config.origin);
    plan.setup.halos = plan.boundary.halos;
    plan.setup.strips = plan.boundary.strips;
}

Plan plan_of_shot(const Plan& plan, std::size_t shot) {
    return plan_of_part(plan, part_of_shot(plan, shot));
}

Plan plan_of_part(const Plan& plan, const Window& part) {
    if (!plan.domain.aperture) return plan;
    Plan of_part = plan;
    of_part.domain = domain_of_part(plan.domain, part);
    of_part.setup.grid = of_part.domain.computed.grid();
    set_boundary(of_part);
    return of_part;
}

namespace {

std::string counted(std::int64_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// "10 x 10", or "10 x 10 x 5".
std::string spacing_text(const Grid& grid) {
    const auto& h = grid.spacing_m;
    return grid.dimensions == 2 ? fmt::format("{} x {}", h[0], h[2]) : fmt::format("{} x {} x {}", h[0], h[1], h[2]);
}

/// "301 x 201 nodes (0.0605 M)".
std::string nodes_text(const Grid& grid) {
    return fmt::format("{} nodes ({:.4g} M)", shape_text(grid), static_cast<double>(grid.points()) * 1e-6);
}

/// The sampling of the seismograms, why it is what it is, in which files they are, and what is in them.
std::string describe_seismograms(const SeismogramConfig& config, const Survey& survey, const TimeAxis& time) {
    if (survey.size.most_receivers == 0) return "traces    none\n";
    const bool changed = config.dt_s && std::abs(time.output_dt_s - *config.dt_s) > 1e-9 * *config.dt_s;
    std::string text = fmt::format(
        "traces    {} samples, sample interval {:.6g} ms{}; seismograms.h5", time.output_samples,
        time.output_dt_s * 1e3,
        changed ? " (the nearest whole microsecond)" : (config.dt_s ? "" : " (a round number, by the wavelets)"));
    if (config.segy != "none") text += fmt::format(", SEG-Y ({} floats)", config.segy == "ibm" ? "IBM" : "IEEE");
    if (config.su) text += ", SU";
    text += "\n";
    if (survey.motion.empty()) return text;
    text += "          pressure";
    for (const GatherQuantity* const quantity : survey.motion.written) text += fmt::format(", {}", quantity->name);
    if (survey.motion.rho_kg_m3) text += fmt::format("; density {:.6g} kg/m3", *survey.motion.rho_kg_m3);
    return text + "\n";
}

/// Which shots and receivers count, where not all do.
std::string describe_selection(const Plan& plan) {
    if (!plan.imaging || plan.operand) return {};
    const ImagingConfig& section = plan.imaging->misfit.config;
    std::string text;
    if (!section.shots.is_all())
        text += fmt::format("          imaging.shots: {} of the survey\n", section.shots.text());
    if (!section.receivers.is_all())
        text += fmt::format("          imaging.receivers: {} of each shot\n", section.receivers.text());
    return text;
}

}  // namespace

std::string describe(const Plan& plan) {
    const Grid &g = plan.domain.grid, &computed = plan.domain.computed.grid();
    std::string text;
    text += fmt::format("grid      {}, spacing {} m\n", nodes_text(g), spacing_text(g));
    if (!plan.domain.keys_of_file.empty())
        text += fmt::format("          {} of {}\n", fmt::join(plan.domain.keys_of_file, ", "),
                            plan.config.model.arrays ? "the arrays" : shown(plan.config.model.file.filename()));
    if (plan.domain.aperture)
        text += fmt::format(
            "aperture  each shot within {:.6g} m of its sources and receivers: {:.4g} M nodes at most, with the "
            "absorbing zones\n",
            plan.domain.aperture->limit_m(), static_cast<double>(computed.points()) * 1e-6);
    else if (plan.domain.computed.is_extended())
        text += fmt::format("          computed with the absorbing zones outside it: {}\n", nodes_text(computed));
    text += describe_slabs(plan.setup, plan.placement);
    text += describe_medium(plan.model, plan.setup.scheme.equation);
    text += describe_attenuation(plan) + describe_anisotropy(plan);
    text += describe_storage(plan.experiment(), plan.computation());
    text += describe_history(plan.experiment(), plan.computation());
    text += fmt::format(
        "time      dt = {:.6g} ms, {:.3f} of the stability limit; {} time steps to {:g} s{}\n", plan.time.dt_s * 1e3,
        plan.time.cfl_fraction(), plan.time.steps - plan.time.extra_steps, plan.config.time.duration_s,
        plan.time.extra_steps > 0 ? fmt::format(", plus {} to remove time dispersion", plan.time.extra_steps) : "");
    text += describe_stepping(plan.setup);
    text += fmt::format("          numerical time dispersion {}\n", describe_correction(plan.time));
    text += describe_seismograms(plan.config.output.seismograms, plan.survey, plan.time);
    text += fmt::format("sampling  {:.2f} points per wavelength at {:.4g} Hz; {} needs {:.2g}\n",
                        plan.sampling.points_per_wavelength, plan.survey.highest_frequency_hz(),
                        plan.setup.scheme.description(), plan.sampling.needed);
    text += fmt::format("survey    {}; at most {} and {} per shot\n", counted(std::ssize(plan.survey.shots), "shot"),
                        counted(plan.survey.size.most_sources, "source"),
                        counted(plan.survey.size.most_receivers, "receiver"));
    text += describe_selection(plan);
    if (!plan.survey.firing.empty()) text += fmt::format("          {}\n", plan.survey.firing);
    if (const auto& kinds = plan.survey.shots.carried_kinds(); !kinds.empty()) {
        text += "          with the receiver columns ";
        for (const CarriedKind& kind : kinds) text += (&kind == kinds.data() ? "" : ", ") + kind.name;
        text += '\n';
    }
    if (plan.survey.shots.size() > 1)
        text += plan.placement.batch > 1
                    ? fmt::format("batches   of {} shots computed together\n", plan.placement.batch)
                    : std::string("batches   none: one shot at a time\n");
    text +=
        fmt::format("kernel    {}{}: {}\n", plan.setup.kernel,
                    plan.placement.device->understands("tile") ? " " + plan.setup.tile : std::string(), plan.chosen_by);
    text += plan.snapshots.steps.empty() ? "snapshots none"
                                         : fmt::format("snapshots {} per shot, {} nodes each",
                                                       plan.snapshots.steps.size(), plan.snapshots.window.points());
    return text;
}

}  // namespace onda
