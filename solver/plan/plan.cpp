#include "solver/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <omp.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/discretisation/scheme.hpp"
#include "solver/signal/time_dispersion.hpp"

namespace onda {
namespace {

/// Runs stages one after the other and keeps what each has against the configuration.
class Stages {
public:
    /// True if the stage found no fault. Errors that are not about the configuration pass through.
    template <typename Stage>
    bool run(Stage&& stage) {
        try {
            stage();
            return true;
        } catch (const Error& error) {
            if (error.code() != ExitCode::config) throw;
            if (!faults_.empty()) faults_ += '\n';
            faults_ += error.what();
            return false;
        }
    }
    void throw_if_faulty() const {
        if (!faults_.empty()) throw Error(ExitCode::config, faults_);
    }

private:
    std::string faults_;
};

/// The k-th number of a per-axis setting: one for all axes, or pairs (x, z) and triples (x, y, z).
template <typename T>
T on_axis(const std::vector<T>& values, int axis, T otherwise) {
    if (values.empty()) return otherwise;
    if (values.size() == 1) return values.front();
    return values[static_cast<std::size_t>(values.size() == 2 && axis == 2 ? 1 : axis)];
}

Window snapshot_window(const Config& config, const Grid& grid) {
    const SnapshotConfig& wanted = config.output.snapshots;
    Window window = Window::whole(grid);
    for (int axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(axis)) continue;
        const auto a = static_cast<std::size_t>(axis);
        const double h = grid.spacing_m[a], origin = grid.origin_m[a];
        const double last = origin + static_cast<double>(grid.n[a] - 1) * h, slack = 1e-6 * h;
        const double low = on_axis(wanted.window_min_m, axis, origin);
        const double high = on_axis(wanted.window_max_m, axis, last);
        if (low < origin - slack || low > last + slack)
            throw_config_fault(config, "output.snapshots.window_min_m",
                               fmt::format("{:g} m lies outside the grid, {:g} to {:g} m", low, origin, last));
        if (high < low || high > last + slack)
            throw_config_fault(
                config, "output.snapshots.window_max_m",
                fmt::format("{:g} m must lie between window_min_m, {:g} m, and the end of the grid, {:g} m", high, low,
                            last));
        window.first[a] = static_cast<std::int64_t>(std::ceil((low - slack - origin) / h));
        const auto end = static_cast<std::int64_t>(std::floor((high + slack - origin) / h));
        if (end < window.first[a])
            throw_config_fault(config, "output.snapshots.window_max_m",
                               fmt::format("no node lies between {:g} and {:g} m", low, high));
        window.step[a] = on_axis(wanted.decimation, axis, std::int64_t{1});
        window.count[a] = (end - window.first[a]) / window.step[a] + 1;
    }
    return window;
}

FileGeometry geometry_of(const Window& window, const Grid& grid) {
    FileGeometry geometry;
    geometry.dimensions = grid.dimensions;
    geometry.shape = window.count;
    geometry.origin_m = grid.position_m(window.first[0], window.first[1], window.first[2]);
    for (std::size_t a = 0; a < 3; ++a) geometry.spacing_m[a] = grid.spacing_m[a] * static_cast<double>(window.step[a]);
    return geometry;
}

StepSet snapshot_steps(const Config& config, const TimeAxis& time) {
    const SnapshotConfig& wanted = config.output.snapshots;
    std::vector<std::int64_t> steps;
    const std::int64_t last = time.steps - time.extra_steps;
    for (const double t : wanted.times_s) {
        const auto step = static_cast<std::int64_t>(std::llround(t / time.dt_s));
        if (step < 0 || step > last)
            throw_config_fault(config, "output.snapshots.times_s",
                               fmt::format("{:g} s lies outside the run, 0 to {:g} s", t, config.time.duration_s));
        steps.push_back(step);
    }
    return {wanted.every_steps.value_or(0), last, std::move(steps)};
}

/// Where snapshots are taken; when, is known only with dt.
SnapshotPlan plan_snapshots(const Config& config, const Grid& grid) {
    if (!config.output.snapshots.enabled()) return {};
    SnapshotPlan plan;
    plan.window = snapshot_window(config, grid);
    plan.geometry = geometry_of(plan.window, grid);
    return plan;
}

void check_backend(const Config& config, const Device& device, const Setup& setup) {
    try {
        check_setup(device, setup);
    } catch (const SetupFault& fault) {
        throw_config_fault(config, "backend." + fault.key, fault.what());
    }
}

void complete_setup(Plan& plan) {
    const Config& config = plan.config;
    Setup& setup = plan.setup;
    setup.grid = plan.grid;
    setup.precision = config.scheme.precision == "double" ? Precision::float64 : Precision::float32;
    setup.halos = plan.boundary.halos;
    setup.sponge = plan.boundary.sponge;
    setup.cpml = plan.boundary.cpml;
    setup.threads = config.backend.threads > 0 ? static_cast<int>(config.backend.threads) : omp_get_max_threads();
    setup.kernel = config.backend.kernel;
    setup.isa = config.backend.isa;
    setup.tile = printable(config.backend.tile);  // kernels/ quotes them as they are
    setup.copy = printable(config.backend.copy);
}

void judge(Plan& plan) {
    plan.warnings.insert(plan.warnings.end(), plan.survey.warnings.begin(), plan.survey.warnings.end());
    plan.sampling = judge_sampling(plan.config, plan.grid, plan.survey, plan.setup.scheme, plan.velocity.min_m_s);
    if (plan.sampling.level == SamplingVerdict::Level::refuse)
        throw_config_fault(plan.config, "grid.spacing_m", plan.sampling.message);
    if (plan.sampling.level == SamplingVerdict::Level::warn) plan.warnings.push_back(plan.sampling.message);
}

/// A stage runs once those have run whose results it needs, whatever others had against the configuration.
/// \param find_ranges fills in what is known of velocities and densities; a stage, too.
template <typename FindRanges>
Plan make_plan(const Config& config, const Grid& grid, FindRanges&& find_ranges) {
    Plan plan;
    plan.config = config;
    plan.grid = grid;
    Stages stages;
    const bool has_device = stages.run([&] {
        const DeviceChoice choice = choose_device(config);
        plan.device = choice.device;
        plan.notes = choice.notes;
    });
    const bool has_scheme = stages.run([&] { plan.setup.scheme = make_scheme(config); });
    const bool has_medium = stages.run([&] {
        find_ranges(plan);
        plan.model_extra_bytes = model_extra_bytes(config, grid);
    }) && has_scheme;
    const bool has_survey = stages.run([&] { plan.survey = make_survey(config, grid); });
    if (has_medium && has_survey) stages.run([&] { judge(plan); });
    const bool has_time = has_medium && stages.run([&] {
        plan.time = make_time_axis(config, grid, plan.setup.scheme, plan.velocity.max_m_s);
    });
    if (has_time && has_survey && config.time.dispersion_correction)
        correct_dispersion(plan.time, plan.survey.highest_frequency_hz(), plan.most_receivers() > 0);
    stages.run([&] {
        check_boundary(config, grid);
        if (has_time)
            plan.boundary = make_boundary(
                config, grid,
                {plan.setup.scheme, plan.velocity.max_m_s, plan.time.dt_s, plan.survey.lowest_peak_frequency_hz()});
    });
    stages.run([&] { plan.snapshots = plan_snapshots(config, grid); });
    if (has_time) stages.run([&] { plan.snapshots.steps = snapshot_steps(config, plan.time); });
    complete_setup(plan);
    if (has_device && has_scheme) stages.run([&] { check_backend(config, *plan.device, plan.setup); });
    stages.throw_if_faulty();
    plan.device->resolve(plan.setup);
    if (const double contrast = plan.density.contrast(); plan.time.cfl_fraction() > safe_cfl_fraction(contrast))
        plan.warnings.push_back(density_remedy(contrast, plan.time));
    return plan;
}

}  // namespace

Plan make_plan(const Config& config) {
    const Grid grid = make_grid(config);
    return make_plan(config, grid, [&](Plan& plan) {
        plan.velocity = velocity_range(config, grid);
        plan.notes.insert(plan.notes.end(), plan.velocity.notes.begin(), plan.velocity.notes.end());
        if (plan.has_density()) plan.density = density_range(config, plan.velocity);
    });
}

Plan make_plan(const Config& config, const Model& model) {
    Plan plan = make_plan(config, model.grid, [&](Plan& unfinished) {
        unfinished.velocity = {model.vp_min, model.vp_max, true};
        unfinished.density = {model.rho_min, model.rho_max};
    });
    plan.notes.insert(plan.notes.end(), model.notes.begin(), model.notes.end());
    plan.warnings.insert(plan.warnings.begin(), model.warnings.begin(), model.warnings.end());
    return plan;
}

std::size_t Plan::most_receivers() const {
    return static_cast<std::size_t>(survey.size.most_receivers);
}

std::size_t Plan::most_sources() const {
    return static_cast<std::size_t>(survey.size.most_sources);
}

std::array<std::int64_t, 3> nearest_node(const Grid& grid, const Position& position_m) {
    std::array<std::int64_t, 3> node{};
    for (std::size_t a = 0; a < 3; ++a) {
        const double index = (position_m[a] - grid.origin_m[a]) / grid.spacing_m[a];
        node[a] = std::clamp<std::int64_t>(std::llround(index), 0, grid.n[a] - 1);
    }
    return node;
}

namespace {

std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

template <typename T>
std::string axes_text(const Grid& grid, const std::array<T, 3>& values) {
    return grid.dimensions == 2 ? fmt::format("{} x {}", values[0], values[2])
                                : fmt::format("{} x {} x {}", values[0], values[1], values[2]);
}

}  // namespace

std::string shape_text(const Grid& grid) {
    return axes_text(grid, grid.n);
}

std::string describe(const Plan& plan) {
    const Grid& g = plan.grid;
    std::string text;
    text += fmt::format("grid      {} nodes ({:.4g} M), spacing {} m\n", shape_text(g),
                        static_cast<double>(g.points()) * 1e-6, axes_text(g, g.spacing_m));
    text += fmt::format("velocity  {:g} to {:g} m/s{}\n", plan.velocity.min_m_s, plan.velocity.max_m_s,
                        plan.velocity.exact ? "" : " (told without making the model)");
    if (plan.density.max_kg_m3 > 0.)
        text += fmt::format("density   {:g} to {:g} kg/m3\n", plan.density.min_kg_m3, plan.density.max_kg_m3);
    else
        text += fmt::format("density   {}\n", plan.has_density() ? "variable" : "constant");
    text += fmt::format("time      dt = {:.6g} ms, {:.3f} of the stability limit; {} steps to {:g} s{}\n",
                        plan.time.dt_s * 1e3, plan.time.cfl_fraction(), plan.time.steps - plan.time.extra_steps,
                        plan.config.time.duration_s,
                        plan.time.extra_steps > 0 ? fmt::format(", and {} more", plan.time.extra_steps) : "");
    text += fmt::format("          dispersion of the time step {}\n", describe_correction(plan.time));
    text += fmt::format("sampling  {:.2f} points per wavelength at {:.4g} Hz; {} needs {:.2g}\n",
                        plan.sampling.points_per_wavelength, plan.survey.highest_frequency_hz(),
                        plan.setup.scheme.description(), plan.sampling.needed);
    text += fmt::format("survey    {}; at most {} and {} a shot\n", counted(plan.survey.shots.size(), "shot"),
                        counted(plan.most_sources(), "source"), counted(plan.most_receivers(), "receiver"));
    text += plan.snapshots.steps.empty() ? "snapshots none"
                                         : fmt::format("snapshots {} a shot of {} nodes", plan.snapshots.steps.size(),
                                                       plan.snapshots.window.points());
    return text;
}

}  // namespace onda
