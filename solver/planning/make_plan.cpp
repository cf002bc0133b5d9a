#include "solver/planning/make_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <spdlog/fmt/fmt.h>
#include <string_view>

#include "io/text/error.hpp"
#include "io/text/saturating.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/data/data_weights.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/discretisation/scheme.hpp"
#include "solver/imaging/imaging_condition.hpp"
#include "solver/imaging/offset_gathers.hpp"
#include "solver/imaging/shot_misfit.hpp"
#include "solver/model/density.hpp"
#include "solver/model/quality_factor.hpp"
#include "solver/model/thomsen.hpp"
#include "solver/outputs/trace_output.hpp"
#include "solver/plan/anisotropy.hpp"
#include "solver/plan/attenuation.hpp"
#include "solver/plan/doubts.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/plan/stepping.hpp"
#include "solver/plan/storage.hpp"
#include "solver/planning/anisotropic_model.hpp"
#include "solver/planning/choice.hpp"
#include "solver/planning/history.hpp"
#include "solver/program/find_row.hpp"
#include "solver/signal/time_dispersion.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

/// Runs stages one after the other and keeps what each has against the configuration.
class Stages {
public:
    /// True if the stage found no error in the configuration. Other errors pass through.
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

/// Whether a device has for floats what it lacks for codes.
bool has_with_floats(const Device& device, Setup setup) {
    if (setup.medium.storage == Storage::full) return false;
    setup.medium = {};
    return has_kernel_for(device, setup);
}

void check_backend(const Device& device, const Setup& setup, const ConfigOrigin& origin) {
    try {
        check_setup(device, setup);
    } catch (const SetupFault& fault) {
        const char* const advice = "\n  model.storage: float has this kernel";
        origin.fault("backend." + fault.key, fault.what() + std::string(has_with_floats(device, setup) ? advice : ""));
    }
}

Precision precision_of(const SchemeConfig& config) {
    return config.precision == "double" ? Precision::float64 : Precision::float32;
}

void set_grids(Config& c, Domain& domain) {
    const GridConfig given = c.grid;
    c.grid = complete_grid(given, c.model, c.origin);
    if (given.shape != c.grid.shape) domain.keys_of_file.emplace_back("shape");
    if (given.spacing_m != c.grid.spacing_m) domain.keys_of_file.emplace_back("spacing_m");
    if (given.origin_m != c.grid.origin_m) domain.keys_of_file.emplace_back("origin_m");
    domain.grid = make_grid(c.grid, c.origin);
    domain.part = Window::whole(domain.grid);
    domain.faces = make_faces(c.boundary, domain.grid, c.origin);
    domain.computed = ComputedGrid(domain.grid, domain.faces.nodes_beyond);
    check_stencil_fits(c.scheme, domain.computed.grid(), c.origin);
}

void begin_setup(Plan& plan) {
    plan.setup.grid = plan.domain.computed.grid();
    plan.setup.precision = precision_of(plan.config.scheme);
    static_cast<KernelChoice&>(plan.setup) = kernel_choice(plan.config.backend);
}

void set_device(Placement& placement, const BackendConfig& backend) {
    const DeviceChoice choice = choose_device(backend);
    placement.device = choice.device;
    placement.notes = choice.notes;
}

/// Whether it is known before the model is made that no node absorbs: the equation without loss does then. A Q that
/// depends on the frequency decides this in the band, which is not known yet.
bool has_no_loss(const Config& config) {
    const bool is_constant = config.attenuation.frequency_power == 1. || config.attenuation.method == "drag";
    return is_q_everywhere_at_least(config.model, is_constant ? kLossless : std::numeric_limits<double>::infinity());
}

/// Whether a task makes something of what levels differ by, which in VTI takes the strain: conditions may not.
bool takes_differences(const TaskRow& task, const Config& config) {
    if (!task.makes_images || !config.imaging) return task.computes_gradients;
    const auto named = [&](const ImagingCondition& row) { return row.name == config.imaging->image.condition; };
    return std::ranges::any_of(imaging_conditions(),
                               [&](const ImagingCondition& row) { return named(row) && row.sums.differences; });
}

void set_scheme(Plan& plan) {
    const Config& c = plan.config;
    // By parameter, or by the key that several share: each opens the model's file, and is of several equations.
    std::map<std::string_view, bool> known;
    const auto given = [&](const MediumParameter& parameter) {
        const std::string_view key = is_tilt(parameter)      ? kTheta.name
                                     : parameter.key.empty() ? parameter.name
                                                             : parameter.key;
        const auto found = known.find(key);
        if (found != known.end()) return found->second;
        return known[key] = gives(c.model, parameter, c.origin) && !(parameter.name == kQ.name && has_no_loss(c));
    };
    plan.setup.scheme = make_scheme(c.scheme, c.time.order, plan.domain.grid, given, c.origin);
    set_memory(plan);
    if (const EquationRow* const with_strain = plan.setup.scheme.equation->of_gradients;
        with_strain != nullptr && takes_differences(*plan.task, c))
        plan.setup.scheme.equation = *with_strain;
    plan.setup.keeps_applied = plan.task->takes_applied && plan.setup.scheme.time_order == 4;
}

/// A device that was not asked for gives way to one that has kernels for the equation.
void set_able_device(Plan& plan) {
    const Device*& device = plan.placement.device;
    if (plan.config.backend.name != "auto" || plan.setup.kernel != "auto" || has_kernel_for(*device, plan.setup))
        return;
    for (const Device& other : devices())
        if (&other != device && other.problem(plan.setup.ordinal).empty() && has_kernel_for(other, plan.setup)) {
            plan.placement.notes.push_back(fmt::format("backend {} is not taken: it has no kernel for the equation {}",
                                                       device->name, name(plan.setup.scheme.equation)));
            device = &other;
            return;
        }
}

/// Before the model is made, of which warn_of_density() speaks.
void warn_of_told_density(const Equation& equation, ModelPlan& model) {
    for (std::size_t i = 0; i < model.further.size(); ++i)
        if (equation->parameters[i + 1].name == kRho.name && model.further[i])
            if (const std::string doubt = density_doubt(*model.further[i]); !doubt.empty())
                model.velocity.warnings.push_back(doubt);
}

void set_ranges(Plan& plan) {
    const ModelConfig& model = plan.config.model;
    const Equation& equation = plan.setup.scheme.equation;
    plan.model.velocity = velocity_range(model, equation, plan.domain.grid, plan.config.origin);
    for (const MediumParameter& parameter : equation->parameters.subspan(1))
        plan.model.further.push_back(told_range(model, parameter, plan.model.velocity));
    if (plan.model.velocity.exact) check_q_rule(model, plan.model.velocity.min_m_s, plan.config.origin);
    warn_of_told_density(plan.setup.scheme.equation, plan.model);
    plan.model.extra_bytes = model_extra_bytes(model, plan.domain.grid, plan.config.origin);
}

/// Of a file with an absorption Q is known once the survey says at which frequency.
void set_power_law(Plan& plan) {
    ModelConfig& model = plan.config.model;
    const auto further = plan.setup.scheme.equation->parameters.subspan(1);
    const auto q = std::ranges::find(further, kQ.name, &MediumParameter::name);
    if (q == further.end() || !has_absorption(model)) return;
    model.power_law = {reference_frequency_hz(plan), plan.config.attenuation.frequency_power};
    plan.model.further[static_cast<std::size_t>(q - further.begin())] = told_range(model, *q, plan.model.velocity);
}

/// Receivers are selected by their places in shots.
void check_are_receivers(const NumberSelection& selection, const Survey& survey, const ConfigOrigin& origin) {
    if (selection.is_all()) return;
    if (selection.contains(0)) origin.value_fault("imaging.receivers", "receivers of a shot are counted from 1");
    if (selection.largest() > survey.size.most_receivers)
        origin.value_fault("imaging.receivers", fmt::format("there is no receiver {}: no shot has more than {}",
                                                            selection.largest(), survey.size.most_receivers));
}

/// Sources all over the survey fire in a supershot: its traces have no offset.
void check_supershots(const Plan& plan) {
    const ImagingConfig& imaging = plan.imaging->misfit.config;
    const auto refuse = [&](bool given, const char* key) {
        if (plan.survey.encoding && given)
            plan.config.origin.fault(key,
                                     "traces of supershots (survey.encoding) have no offset, by which they could be "
                                     "selected or muted");
    };
    refuse(imaging.offset_m.min || imaging.offset_m.max, "imaging.offset_m");
    refuse(imaging.top_mute.has_value(), "imaging.top_mute");
    refuse(imaging.bottom_mute.has_value(), "imaging.bottom_mute");
}

/// The section `imaging` is checked whatever the task; it is for those that compare data to have some shots alone.
void set_survey(Plan& plan) {
    const Config& c = plan.config;
    const ImagingConfig section = c.imaging.value_or(ImagingConfig{});
    const TraceBytes bytes = section.segy_bytes.value_or(TraceBytes{});
    const NumberSelection selected = plan.task->compares_data ? section.shots : NumberSelection();
    plan.survey = make_survey({c.sources, c.receivers, c.wavelet, c.time, c.output, bytes, selected, c.survey},
                              plan.domain.grid, plan.domain.faces, c.origin);
    if (!plan.task->compares_data) check_are_shots(section.shots, plan.survey.shots, c.origin);
    check_are_receivers(section.receivers, plan.survey, c.origin);
}

/// Others compare pressure, or leave no seismograms at all.
void set_motion(Plan& plan) {
    const Config& c = plan.config;
    const SeismogramConfig& seismograms = c.output.seismograms;
    if (c.receivers.empty() || seismograms.particle_motion.empty()) return;
    if (!plan.task->records_motion)
        c.origin.fault("output.seismograms.particle_motion",
                       "`onda run` records particle motion; gradients, images, inversions and linear operators are "
                       "those of pressure: leave it out");
    record_motion(
        plan.survey,
        particle_motion({seismograms, c.model}, plan.setup.scheme.equation, plan.domain.grid.dimensions, c.origin),
        plan.domain.grid);
}

/// What is cut off becomes absorbing strips: the faces that may be cut must have them.
void check_can_be_cut(const Domain& domain, const ConfigOrigin& origin) {
    const Faces& faces = domain.faces;
    for (int face = 0; face < 4; ++face)
        if (domain.grid.has_axis(face / 2) && faces.nodes_beyond[face] == 0)
            origin.value_fault(
                "survey.limit_m",
                fmt::format("a shot's part of the grid absorbs at its sides, but {} {}", face_name(face),
                            faces.nodes_inside[face] > 0 ? "absorbs inside the grid: use boundary.placement: outside"
                                                         : "does not absorb: give it a sponge or cpml"));
}

/// The parts of the shots, and the largest of them in the place of the whole grid.
void set_aperture(Plan& plan) {
    const auto& limit_m = plan.config.survey.limit_m;
    const Shots& shots = plan.survey.shots;
    plan.domain.nodes_of_shots = saturating_product(plan.setup.grid.points(), std::ssize(shots));
    plan.domain.inner_nodes_of_shots = saturating_product(plan.domain.grid.points(), std::ssize(shots));
    if (!limit_m) return;
    check_can_be_cut(plan.domain, plan.config.origin);
    plan.domain.aperture.emplace(plan.domain.grid, *limit_m, plan.config.scheme.space_order / 2 + 1);
    Window largest{{}, {1, 1, plan.domain.grid.n[2]}, {1, 1, 1}};
    plan.domain.nodes_of_shots = plan.domain.inner_nodes_of_shots = 0;
    for (std::size_t i = 0; i < shots.size(); ++i) {
        const Window part = plan.domain.aperture->part(shots.spread(i));
        for (std::size_t a = 0; a < 3; ++a) largest.count[a] = std::max(largest.count[a], part.count[a]);
        plan.domain.inner_nodes_of_shots += part.points();
        plan.domain.nodes_of_shots += plan.domain.computed.around(grid_of_part(plan.domain.grid, part)).grid().points();
    }
    plan.domain.computed = plan.domain.computed.around(grid_of_part(plan.domain.grid, largest));
    plan.setup.grid = plan.domain.computed.grid();
}

/// What seismograms have above the band may disperse where nothing of it counts.
HighestFrequency highest_frequency_compared(const Plan& plan) {
    HighestFrequency highest = plan.survey.highest_frequency();
    if (!plan.task->filters_all || !plan.config.imaging || !plan.config.imaging->band_pass) return highest;
    const BandPassConfig& band = *plan.config.imaging->band_pass;
    if (!band.high_hz) return highest;
    const double damped_hz = *band.high_hz * std::pow(100., 1. / static_cast<double>(band.order));  // to 1 %
    if (damped_hz >= highest.hz) return highest;
    highest.hz = damped_hz;
    highest.given_peak_hz = 0.;
    highest.filtered = true;
    return highest;
}

void judge(Plan& plan) {
    plan.sampling = judge_sampling(plan.config.scheme, plan.domain.grid, highest_frequency_compared(plan),
                                   plan.setup.scheme, slowest_m_s(plan));
    if (plan.sampling.level != SamplingVerdict::Level::refuse) return;
    const ConfigOrigin& origin = plan.config.origin;
    if (std::ranges::find(plan.domain.keys_of_file, "spacing_m") != plan.domain.keys_of_file.end())
        origin.value_fault("model.file", plan.sampling.message + "; the spacing is that of this file");
    origin.fault("grid.spacing_m", plan.sampling.message);
}

void set_time(Plan& plan) {
    const Config& c = plan.config;
    const Scheme& scheme = plan.setup.scheme;
    const std::vector<double> spacing_m = plan.domain.grid.derivative_spacings_m();
    const bool in_layers = plan.domain.faces.in_operator;
    const auto limit_s = [&](double fastest_m_s) {
        return in_layers ? scheme.stability_limit_in_layers_s(spacing_m, fastest_m_s)
                         : scheme.stability_limit_s(spacing_m, fastest_m_s);
    };
    const double fastest_m_s = stiffest_m_s(plan, limit_s);
    plan.time =
        make_time_axis(c.time, {c.output.seismograms, plan.survey.highest_frequency_hz()}, scheme, plan.setup.precision,
                       {limit_s(fastest_m_s), fastest_m_s, plan.model.velocity.max_m_s}, c.origin);
}

/// Where images are asked for at an offset.
void set_offset_lines(Plan& plan) {
    if (!plan.imaging || plan.imaging->condition == nullptr) return;
    const auto& gathers = plan.imaging->misfit.config.image.offset_gathers;
    if (gathers) plan.imaging->offsets = offset_lines(*gathers, plan.domain.grid, plan.config.origin);
}

/// The stages that follow from the velocities of the model. A stage runs once those have run whose results it needs,
/// regardless of other stages' errors. \param model null before it is made.
void run_stages_of_velocity(Plan& plan, Stages& stages, bool has_medium, bool has_survey, const Model* model) {
    if (has_medium) set_anisotropy(plan);
    if (has_medium && has_survey) stages.run([&] { judge(plan); });
    const bool has_relaxation = has_medium && has_survey && stages.run([&] { set_relaxation(plan); });
    const bool needs_relaxation = plan.setup.absorbs();
    const bool has_time = has_medium && (has_relaxation || !needs_relaxation) && stages.run([&] { set_time(plan); });
    const bool has_boundary = stages.run([&] {
        if (has_time)
            set_boundary(plan);
        else
            check_boundary(plan.config.boundary, plan.domain.computed.grid(), plan.config.origin);
    });
    const bool has_slabs = has_time && has_boundary && stages.run([&] { set_slabs(plan); });
    if (has_slabs && has_survey)
        stages.run([&] {
            set_stepping(plan);
            if (plan.task->transposes) plan.setup.stepping = Stepping::single;
        });
    if (has_time)
        stages.run([&] { check_snapshot_interval(plan.config.output.snapshots, plan.time, plan.config.origin); });
    if (has_time && plan.config.imaging)
        stages.run([&] { check_band_pass(*plan.config.imaging, plan.time.output_dt_s, plan.config.origin); });
    if (has_time) stages.run([&] { set_offset_lines(plan); });
    if (has_time) stages.run([&] { set_storage(plan, model); });
    if (has_time && has_survey && plan.config.time.dispersion_correction)
        correct_dispersion(plan.time, plan.survey.highest_frequency_hz(), plan.survey.size.most_receivers > 0);
}

void set_condition(ImagingPlan& imaging, const ImageConfig& image, const ConfigOrigin& origin) {
    imaging.condition = &find_row(origin, "imaging.image.condition", imaging_conditions(), image.condition);
    imaging.sums = imaging.condition->sums;
    imaging.sums.illuminates = true;
    imaging.misfit.misfit = &misfits().front();  // whose derivative is the residual
    imaging.sums.offsets = image.offset_gathers.has_value();
}

/// Least squares are linear in the velocity, and their own misfit.
void check_fits_linearly(const ImagingConfig& section, const ConfigOrigin& origin) {
    if (section.misfit != "l2")
        origin.value_fault("imaging.misfit", "least-squares migration fits seismograms by l2; use that");
    if (section.parameters != "vp")
        origin.value_fault("imaging.parameters", "least-squares migration changes the velocity alone: use vp");
}

/// The section is checked, whatever the task.
void set_imaging(Plan& plan) {
    const Config& c = plan.config;
    const ImagingConfig section = c.imaging.value_or(ImagingConfig{});
    MisfitSettings settings = make_misfit_settings(section, c.time.duration_s, c.origin);
    if (!plan.task->computes_gradients && !plan.task->scatters && !plan.task->compares_data) return;
    plan.imaging.emplace().misfit = std::move(settings);
    plan.imaging->scatters = plan.task->scatters;
    plan.imaging->reverses = plan.task->computes_gradients;
    plan.imaging->fits_linearly = plan.task->fits_linearly;
    plan.imaging->leaves_sums = plan.task->leaves_sums;
    if (plan.task->fits_linearly) check_fits_linearly(section, c.origin);
    // Of least squares the data are divided by it; products are not.
    const bool illuminates = plan.task->fits_linearly ? !plan.task->scatters : section.illumination;
    const bool compares_gradients = plan.task->compares_data && plan.task->computes_gradients;
    plan.imaging->sums = {.illuminates = compares_gradients && illuminates,
                          .density = section.parameters == "vp_and_rho"};
    plan.imaging->sums.anisotropy = section.parameters == "vp_epsilon_and_delta";
    plan.imaging->of_q = section.parameters == "vp_and_q" && !plan.task->makes_images;
    if (plan.task->makes_images) set_condition(*plan.imaging, section.image, c.origin);
    plan.imaging->adjoint_sources = compares_gradients && section.adjoint_sources;
}

void warn_of_lost_band(const Survey& survey, const TimeAxis& time, std::vector<std::string>& warnings) {
    const double nyquist_hz = 0.5 / time.output_dt_s, highest_hz = survey.highest_frequency_hz();
    if (survey.size.most_receivers == 0 || nyquist_hz >= highest_hz) return;
    warnings.push_back(
        fmt::format("a sample interval of {:.6g} s limits the seismograms to {:.4g} Hz, but the wavelet extends to "
                    "{:.4g} Hz: higher frequencies are removed",
                    time.output_dt_s, nyquist_hz, highest_hz));
}

/// Of tasks that step singly leaps are a wish, never a choice.
std::string asked_stepping(const TimeConfig& time, const TaskRow& task) {
    if (!task.steps_singly) return time.stepping;
    return task.may_leap && time.stepping == "leap" ? "leap" : "single";
}

/// Gradients and linear operators take none.
void set_snapshot_steps(Plan& plan) {
    const Config& c = plan.config;
    plan.snapshots.steps =
        plan.task->steps_singly ? StepSet() : snapshot_steps(c.output.snapshots, c.time.duration_s, plan.time);
}

/// What is left once no stage has found an error. \param of_model warnings of the model, if it has been made.
void conclude(Plan& plan, const std::vector<std::string>& of_model) {
    set_snapshot_steps(plan);
    if (plan.imaging) settle_history(plan);
    plan.notes = plan.placement.notes;
    if (!plan.survey.motion.empty() && !plan.survey.motion.rho_kg_m3)
        plan.notes.emplace_back("particle motion within six nodes of a jump of the density is less accurate");
    if (plan.task->compares_data && plan.config.output.snapshots.enabled())
        plan.notes.emplace_back("snapshots are taken by `onda run`, not while gradients are computed");
    plan.notes.insert(plan.notes.end(), plan.model.velocity.notes.begin(), plan.model.velocity.notes.end());
    const std::vector<std::string> on_exchange = notes_on_exchange(plan.config.backend, plan.placement);
    plan.notes.insert(plan.notes.end(), on_exchange.begin(), on_exchange.end());
    plan.warnings = of_model;
    plan.warnings.insert(plan.warnings.end(), plan.survey.warnings.begin(), plan.survey.warnings.end());
    warn_of_lost_band(plan.survey, plan.time, plan.warnings);
    if (plan.sampling.level == SamplingVerdict::Level::warn) plan.warnings.push_back(plan.sampling.message);
    if (const double contrast = density_contrast(plan.setup.scheme.equation, plan.model.further);
        plan.time.cfl_fraction() > safe_cfl_fraction(contrast))
        plan.warnings.push_back(density_remedy(contrast, plan.time));
    for (const std::vector<std::string>& doubts :
         {doubts_of(plan, plan.setup.precision), doubts_of_attenuation(plan), doubts_of_anisotropy(plan)})
        plan.warnings.insert(plan.warnings.end(), doubts.begin(), doubts.end());
}

}  // namespace

Plan make_plan(const Config& config, const RankPlace& ranks, const TaskRow* task) {
    const ConfigOrigin& origin = config.origin;
    Plan plan;
    plan.config = config;
    plan.placement.ranks = ranks;
    plan.task = task != nullptr ? task : tasks().front();
    plan.placement.busy_host = plan.task->compares_data;
    set_grids(plan.config, plan.domain);  // every stage builds on them: what is wrong with them would be told by all
    begin_setup(plan);

    Stages stages;
    const bool has_device = stages.run([&] { set_device(plan.placement, config.backend); });
    const bool has_scheme = stages.run([&] { set_scheme(plan); });
    if (has_device && has_scheme) set_able_device(plan);
    const bool has_medium = stages.run([&] { set_ranges(plan); }) && has_scheme;
    const bool has_survey = stages.run([&] { set_survey(plan); }) && stages.run([&] { set_aperture(plan); });
    if (has_medium && has_survey) stages.run([&] { set_power_law(plan); });
    if (has_scheme && has_survey) stages.run([&] { set_motion(plan); });
    plan.asked_stepping = asked_stepping(config.time, *plan.task);
    run_stages_of_velocity(plan, stages, has_medium, has_survey, nullptr);
    stages.run([&] {
        plan.snapshots = plan_snapshots(config.output.snapshots, config.time.duration_s, plan.domain.grid, origin);
    });
    if (config.imaging || plan.task->steps_singly) stages.run([&] { set_imaging(plan); });
    if (plan.task->compares_data && has_survey && plan.imaging)
        stages.run([&] {
            check_supershots(plan);
            check_picks(plan.imaging->misfit.config, plan.survey.shots);
        });
    if (plan.task->steps_singly && has_survey && has_device) stages.run([&] { check_gradients(plan); });
    if (has_survey) stages.run([&] { check_trace_files(plan); });
    if (has_device && has_scheme) stages.run([&] { check_backend(*plan.placement.device, plan.setup, origin); });
    stages.throw_if_faulty();
    set_snapshot_steps(plan);
    choose_kernel_and_batch(plan, config.backend.tuning == "cache");
    conclude(plan, plan.model.velocity.warnings);
    return plan;
}

Plan refine(Plan plan, const Model& model) {
    plan.model.velocity = {model.vp().min, model.vp().max, true, model.notes};
    plan.model.further.clear();
    for (const ParameterValues& parameter : std::span(model.parameters).subspan(1))
        plan.model.further.emplace_back(ParameterRange{parameter.min, parameter.max});
    plan.asked_stepping = plan.time.stride == 2 ? "leap" : "single";  // kernel and batch are chosen for it
    Stages stages;
    stages.run([&] { check_faces_of_anisotropy(plan, model); });
    run_stages_of_velocity(plan, stages, true, true, &model);
    stages.throw_if_faulty();
    conclude(plan, model.warnings);
    return plan;
}

}  // namespace onda
