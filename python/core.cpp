// The module onda._core: what Python needs of the library, in NumPy arrays and plain values. Everything that users see
// is in python/onda/.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <omp.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "io/config/strict_yaml.hpp"
#include "io/files/interruption.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/results/carried_columns.hpp"
#include "io/results/gather_export.hpp"
#include "io/text/printable.hpp"
#include "solver/imaging/imaging_condition.hpp"
#include "solver/inversion/full_waveform_inversion.hpp"
#include "solver/inversion/least_squares_migration.hpp"
#include "solver/outputs/iterations/inversion_output.hpp"
#include "solver/outputs/seismogram_output.hpp"
#include "solver/outputs/snapshot_output.hpp"
#include "solver/plan/names.hpp"
#include "solver/plan/plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/failure.hpp"
#include "solver/program/threads.hpp"
#include "solver/run/in_memory.hpp"
#include "solver/run/run_files.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "solver/tasks/linear_tasks.hpp"

namespace py = pybind11;
using namespace onda;

namespace {

/// Values that become NumPy's without a copy.
template <typename T>
py::array_t<T> as_array(std::vector<T>&& values, const std::vector<py::ssize_t>& shape) {
    auto* const kept = new std::vector<T>(std::move(values));
    const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); });
    return py::array_t<T>(shape, kept->data(), owner);
}

template <typename T>
py::array_t<T> as_array(std::vector<T>&& values) {
    const auto size = static_cast<py::ssize_t>(values.size());
    return as_array(std::move(values), {size});
}

py::array_t<double> as_array(const std::vector<std::array<double, 3>>& positions) {
    std::vector<double> values;
    for (const auto& position : positions) values.insert(values.end(), position.begin(), position.end());
    return as_array(std::move(values), {std::ssize(positions), 3});
}

/// A table of a receiver's further columns, as text and whether all of them are numbers.
py::dict as_dict(const std::vector<CarriedColumn>& columns) {
    py::dict dict;
    for (const CarriedColumn& column : columns)
        dict[py::str(column.name)] = py::make_tuple(column.numbers, column.text);
    return dict;
}

py::dict as_dict(SourceWavelets&& wavelets) {
    py::dict dict;
    const std::size_t count = wavelets.type.size();
    const std::size_t samples = count > 0 ? wavelets.signal.size() / count : 0;
    dict["dt_s"] = wavelets.dt_s;
    dict["type"] = wavelets.type;
    dict["t0_s"] = wavelets.t0_s;
    dict["peak_frequency_hz"] = wavelets.peak_frequency_hz;
    dict["amplitude_unit"] = wavelets.amplitude_unit;
    dict["signal"] =
        as_array(std::move(wavelets.signal), {static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(samples)});
    return dict;
}

/// With the names of the summary.
py::dict as_dict(const FileGeometry& geometry) {
    py::dict dict;
    dict["dimensions"] = geometry.dimensions;
    dict["shape_xyz"] = geometry.shape;
    dict["spacing_m_xyz"] = geometry.spacing_m;
    dict["origin_m_xyz"] = geometry.origin_m;
    return dict;
}

FileGeometry as_geometry(const py::dict& grid) {
    const auto triple = [&grid](const char* name) { return py::cast<std::array<double, 3>>(grid[name]); };
    return {py::cast<int>(grid["dimensions"]), py::cast<std::array<std::int64_t, 3>>(grid["shape_xyz"]),
            triple("spacing_m_xyz"), triple("origin_m_xyz")};
}

py::dict as_dict(ShotGather&& gather) {
    py::dict dict;
    dict["part"] = gather.part ? py::object(as_dict(*gather.part)) : py::none();
    dict["offset_m"] = as_array(offsets_m(gather));
    dict["receivers_m"] = as_array(gather.receivers_m);
    dict["sources_m"] = as_array(gather.sources_m);
    dict["dt_s"] = gather.dt_s;
    dict["pressure"] = as_array(std::move(gather.pressure), {std::ssize(gather.receivers_m), gather.samples});
    py::dict motion;
    for (GatherComponent& component : gather.motion)
        motion[py::str(std::string(component.quantity->name))] =
            as_array(std::move(component.values), {std::ssize(gather.receivers_m), gather.samples});
    dict["motion"] = motion;
    dict["columns"] = as_dict(gather.carried);
    dict["wavelets"] = as_dict(std::move(gather.wavelets));
    dict["source_wavelet"] = as_array(std::move(gather.source_wavelet));
    dict["source_amplitude"] = as_array(std::move(gather.source_amplitude));
    return dict;
}

std::vector<double> coordinates(const FileGeometry& geometry, std::size_t axis) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < geometry.shape[axis]; ++i)
        values.push_back(geometry.origin_m[axis] + static_cast<double>(i) * geometry.spacing_m[axis]);
    return values;
}

py::dict as_dict(ShotFrames&& frames, const FileGeometry& geometry) {
    py::dict dict;
    const auto& n = geometry.shape;
    const auto count = std::ssize(frames.times_s);
    dict["pressure"] = as_array(std::move(frames.values), {count, n[2], n[1], n[0]});
    dict["time_s"] = as_array(std::move(frames.times_s));
    for (const auto& [axis, name] : {std::pair{0u, "x_m"}, std::pair{1u, "y_m"}, std::pair{2u, "z_m"}})
        dict[name] = as_array(coordinates(geometry, axis));
    return dict;
}

py::dict as_dict(SurveyInMemory&& survey) {
    py::dict result, gathers, snapshots;
    result["summary"] = summary_json(*survey.plan, survey.facts, {});
    result["config_yaml"] = resolved_yaml(survey.plan->config);
    result["provenance"] = make_provenance(*survey.plan, *survey.plan, survey.facts).entries;
    result["window"] = as_dict(survey.plan->snapshots.geometry);
    py::list shots;
    for (std::size_t i = 0; i < survey.shots.size(); ++i) {
        const py::int_ shot(survey.facts.shots[i].shot);
        shots.append(shot);
        ShotInMemory& kept = survey.shots[i];
        if (kept.gather.samples > 0) gathers[shot] = as_dict(std::move(kept.gather));
        if (!kept.frames.times_s.empty())
            snapshots[shot] = as_dict(std::move(kept.frames), survey.plan->snapshots.geometry);
    }
    result["shots"] = shots;
    result["gathers"] = gathers;
    result["snapshots"] = snapshots;
    return result;
}

/// Misfits of shots, as read_image() of the package has them of /misfit, and those of the traces of each.
py::dict as_dict(std::vector<ShotMisfit>&& misfits) {
    std::vector<std::int64_t> shots, traces, dead, excluded;
    std::vector<double> energy;
    py::dict of_traces;
    for (ShotMisfit& misfit : misfits) {
        shots.push_back(misfit.shot);
        energy.push_back(misfit.value);
        traces.push_back(std::ssize(misfit.of_trace));
        dead.push_back(misfit.dead);
        excluded.push_back(misfit.excluded);
        of_traces[py::int_(misfit.shot)] = as_array(std::move(misfit.of_trace));
    }
    py::dict dict;
    dict["shots"] = as_array(std::move(shots));
    dict["energy"] = as_array(std::move(energy));
    dict["traces"] = as_array(std::move(traces));
    dict["dead"] = as_array(std::move(dead));
    dict["excluded"] = as_array(std::move(excluded));
    dict["of_traces"] = of_traces;
    return dict;
}

/// None where there are none.
py::object as_dict(OffsetGathers&& gathers) {
    if (gathers.values.empty()) return py::none();
    const auto lines = std::ssize(gathers.x_m), offsets = std::ssize(gathers.half_offset_m),
               planes = std::ssize(gathers.z_m);
    py::dict dict;
    dict["along"] = std::string(1, gathers.axis);
    dict["x_m"] = as_array(std::move(gathers.x_m));
    dict["y_m"] = as_array(std::move(gathers.y_m));
    dict["half_offset_m"] = as_array(std::move(gathers.half_offset_m));
    dict["z_m"] = as_array(std::move(gathers.z_m));
    dict["values"] = as_array(std::move(gathers.values), {lines, offsets, planes});
    return dict;
}

py::dict as_dict(ImageInMemory&& image) {
    const Plan& plan = *image.survey.plan;
    const Grid& grid = plan.domain.grid;
    const FileGeometry geometry{grid.dimensions, grid.n, grid.spacing_m, grid.origin_m};
    py::dict dict = as_dict(std::move(image.misfit));
    const auto put = [&](const char* name, std::vector<float>& values) {
        dict[name] = as_array(std::move(values), {grid.nz(), grid.ny(), grid.nx()});
    };
    put("migrated", image.of_all.image);
    put("stack", image.of_all.stack);
    put("illumination_source", image.of_all.source);
    put("illumination_receiver", image.of_all.receiver);
    for (const auto& [axis, name] : {std::pair{0u, "x_m"}, std::pair{1u, "y_m"}, std::pair{2u, "z_m"}})
        dict[name] = as_array(coordinates(geometry, axis));
    dict["spacing_m"] = py::make_tuple(grid.spacing_m[0], grid.spacing_m[1], grid.spacing_m[2]);
    dict["condition"] = plan.imaging->condition->name;
    dict["offset_gathers"] = as_dict(std::move(image.offset_gathers));
    dict["summary"] = summary_json(plan, image.survey.facts, {});
    return dict;
}

/// Tells Python how far a run is. Python's signals are looked at here: Ctrl-C ends the run as any exception does.
class PythonProgress : public Progress {
public:
    explicit PythonProgress(py::function callback) : callback_(std::move(callback)) {}

    void begin(std::int64_t shots, std::int64_t steps) override {
        shots_ = shots;
        steps_ = steps;
    }
    void update(std::int64_t done, std::int64_t together, std::int64_t step, double time_s, double max_abs) override {
        const py::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        callback_(done, together, shots_, step, steps_, time_s, max_abs);
    }
    void clear() override {}

private:
    py::function callback_;
    std::int64_t shots_ = 0, steps_ = 0;
};

/// The threads of parallel loops of this thread: those that a configuration asks for, until the end of the scope.
class ThreadsOfRun {
public:
    explicit ThreadsOfRun(std::int64_t wanted) : before_(omp_get_max_threads()) {
        if (wanted > 0) omp_set_num_threads(static_cast<int>(wanted));
    }
    ~ThreadsOfRun() { omp_set_num_threads(before_); }
    ThreadsOfRun(const ThreadsOfRun&) = delete;
    ThreadsOfRun& operator=(const ThreadsOfRun&) = delete;

private:
    int before_;
};

using Array = py::array_t<float, py::array::c_style>;

/// The coordinates of the first and the last node, by the name of the axis, of those axes that have them.
using Ends = std::map<std::string, std::pair<double, double>>;

/// \param arrays [z][y][x] by name of the parameter, all of one shape.
std::shared_ptr<const ModelArrays> as_model(const std::map<std::string, Array>& arrays, const Ends& ends) {
    if (arrays.empty()) return nullptr;
    const auto model = std::make_shared<ModelArrays>();
    for (const auto& [axis, of_axis] : ends)
        model->ends.at(std::string("xyz").find(axis)) = ModelArrays::Ends{of_axis.first, of_axis.second};
    for (const auto& [name, array] : arrays) {
        model->shape = {array.shape(2), array.shape(1), array.shape(0)};
        model->values[name].assign(array.data(), array.data() + array.size());
    }
    return model;
}

/// The class of onda._errors for an exit code, with the message: raised as if Python had.
[[noreturn]] void raise(const Failure& failure) {
    const py::object error =
        py::module_::import("onda._errors").attr("error_of")(static_cast<int>(failure.code), failure.message);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    throw py::error_already_set();
}

/// What `work` returns; what it throws becomes an exception of Python with the message of the command line.
template <typename Work>
auto translated(const Work& work) {
    try {
        return work();
    } catch (const py::error_already_set&) {
        throw;
    } catch (...) {
        raise(describe_failure(std::current_exception()));
    }
}

/// What run(), misfit(), rtm(), lsrtm(), fwi() and apply() are asked for, as Python has it.
struct RunRequest {
    std::string text, name;  ///< the path of a configuration, or, where it has a name, a configuration
    std::vector<std::string> overrides;
    std::map<std::string, Array> arrays;  ///< [z][y][x] by name of the parameter
    Ends ends;
    std::string shots;
};

/// The model of a configuration, or null; what is wrong with it is told where it is read.
const YamlNode* model_of(const YamlDocument& document) {
    const YamlNode* const model = document.root.kind == YamlNode::Kind::map ? document.root.find("model") : nullptr;
    return model != nullptr && model->kind == YamlNode::Kind::map ? model : nullptr;
}

/// The overrides of a request, and behind them, where arrays take the place of the configuration's model, what that and
/// they say of Q by a number or a rule: it holds for arrays of velocities without an array of Q beside them, too.
std::vector<std::string> overrides_with_q(const RunRequest& request) {
    std::vector<std::string> overrides = request.overrides;
    if (request.arrays.empty() || request.arrays.contains("q")) return overrides;
    std::string text = request.text;
    if (request.name.empty()) {
        std::ifstream file(request.text, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(file), {});
    }
    const YamlDocument document = read_strict_yaml(text);
    for (const std::string key : {"q", "q_rule"}) {
        const std::string assignment = "model." + key + "=";
        const auto given = std::find_if(request.overrides.rbegin(), request.overrides.rend(),
                                        [&](const std::string& one) { return one.starts_with(assignment); });
        const YamlNode* const model = model_of(document);
        const YamlNode* const node = model != nullptr ? model->find(key) : nullptr;
        if (given != request.overrides.rend()) {
            if (*given != assignment + "null") overrides.push_back(*given);
        } else if (node != nullptr && node->kind == YamlNode::Kind::scalar) {
            overrides.push_back(assignment + node->scalar);
        }
    }
    return overrides;
}

Config read(const RunRequest& request) {
    const std::vector<std::string> overrides = overrides_with_q(request);
    Config config = request.name.empty() ? read_config(std::filesystem::path(request.text), vocabulary(), overrides)
                                         : read_config_text(request.text, request.name, vocabulary(), overrides);
    config.model.arrays = as_model(request.arrays, request.ends);
    return config;
}

ShotSelection selection_of(const RunRequest& request) {
    return request.shots.empty() ? ShotSelection() : ShotSelection(request.shots);
}

/// What work(configuration, selection, progress, log) computes, without Python's lock.
template <typename Work>
auto computed(const RunRequest& request, const py::function& progress, const py::function& log, const Work& work) {
    return translated([&] {
        const Config config = read(request);
        check_threads(config.backend, config.origin);
        const ThreadsOfRun threads(config.backend.threads);
        const ShotSelection selection = selection_of(request);
        PythonProgress told(progress);
        Log messages([&log](Log::Level level, const std::string& message) {
            const py::gil_scoped_acquire gil;
            log(level == Log::Level::warning, message);
        });
        const py::gil_scoped_release no_gil;
        return work(config, selection, told, messages);
    });
}

/// The same of a task. \param task null: the first of tasks().
SurveyInMemory compute(const RunRequest& request, const TaskRow* task, const py::function& progress,
                       const py::function& log) {
    return computed(request, progress, log, [task](const auto& config, const auto& selection, auto& told, auto& said) {
        return run_in_memory(config, selection, told, said, task);
    });
}

py::dict run(const RunRequest& request, const py::function& progress, const py::function& log) {
    return as_dict(compute(request, nullptr, progress, log));
}

/// The misfit of all shots, that of each by its number, dJ/dvp [z][y][x], and dJ/drho, dJ/dQ, dJ/depsilon and dJ/ddelta
/// or None.
py::tuple misfit(const RunRequest& request, const py::function& progress, const py::function& log) {
    const SurveyInMemory survey = compute(request, &kGradientTask, progress, log);
    MisfitInMemory sum = misfit_of(survey);
    py::dict of_shots;
    for (const ShotInMemory& shot : survey.shots) of_shots[py::int_(shot.images.shot)] = shot.images.misfit;
    const auto& n = survey.plan->domain.grid.n;
    const auto on_nodes = [&n](std::vector<double>& values) -> py::object {
        if (values.empty()) return py::none();
        return as_array(std::move(values), {n[2], n[1], n[0]});
    };
    return py::make_tuple(sum.value, of_shots, on_nodes(sum.gradient_vp), on_nodes(sum.gradient_rho),
                          on_nodes(sum.gradient_q), on_nodes(sum.gradient_epsilon), on_nodes(sum.gradient_delta));
}

/// An image by reverse-time migration, with all that the Image of the package has.
py::dict rtm(const RunRequest& request, const py::function& progress, const py::function& log) {
    return as_dict(
        computed(request, progress, log, [](const auto& config, const auto& selection, auto& told, auto& said) {
            return migrate_in_memory(config, selection, told, said);
        }));
}

/// Least-squares migration in a folder that is not there yet; its files are the results.
void lsrtm(const RunRequest& request, const std::string& folder, const py::function& progress,
           const py::function& log) {
    computed(request, progress, log, [&folder](Config config, const auto&, auto& told, auto& said) {
        config.output.pictures = config.output.report = false;
        RunOptions options{.folder = folder, .command_line = command_line()};
        options.progress = &told;
        return migrate_by_least_squares(config, options, said);
    });
}

/// Full-waveform inversion in a folder, whose files are the results. \param after_iteration gets the columns of
/// iterations.csv, with None for what is not known; what it raises ends the run.
void fwi(const RunRequest& request, const std::string& folder, bool overwrite, const py::function& after_iteration,
         const py::function& progress, const py::function& log) {
    computed(request, progress, log, [&](const auto& config, const auto&, auto& told, auto& said) {
        RunOptions options{.folder = folder, .overwrite = overwrite, .command_line = command_line()};
        options.progress = &told;
        options.after_iteration = [&after_iteration](const InversionIteration& row) {
            const py::gil_scoped_acquire gil;
            after_iteration(row.stage, row.iteration, row.misfit, row.relative, row.penalty, row.step, row.change,
                            row.gradient, row.trials, row.shots, row.model_error_percent);
        };
        return invert_waveforms(config, options, said);
    });
}

/// The numbers of nodes along z, y, x that a configuration names; nothing where its model's file has them.
std::vector<std::int64_t> grid_shape(const RunRequest& request) {
    return translated([&] {
        const Config config = read(request);
        std::vector<std::int64_t> shape(config.grid.shape.rbegin(), config.grid.shape.rend());
        if (shape.size() == 2) shape.insert(shape.begin() + 1, 1);
        return shape;
    });
}

/// The linear operators by name.
const TaskRow& operator_named(const std::string& name) {
    static const std::map<std::string, const TaskRow*> rows{{"forward", &kForwardOperator},
                                                            {"adjoint", &kAdjointOperator},
                                                            {"born", &kBornOperator},
                                                            {"born_transpose", &kBornTranspose}};
    return *rows.at(name);
}

using Doubles = py::array_t<double, py::array::c_style>;

std::vector<double> as_vector(const Doubles& values) {
    return {values.data(), values.data() + values.size()};
}

/// Values in the precision of a run.
py::array in_precision(std::vector<double>&& values, const std::vector<py::ssize_t>& shape, Precision precision) {
    if (precision == Precision::float64) return as_array(std::move(values), shape);
    return as_array(std::vector<float>(values.begin(), values.end()), shape);
}

/// An operator applied to a change of vp, or of vp and rho [z][y][x], or to rows of each shot, or, both empty, to what
/// the configuration has: values of each parameter [z][y][x], or rows of each shot [row][sample].
py::list apply(const RunRequest& request, const std::string& name, const std::vector<Doubles>& change,
               const std::vector<Doubles>& rows, const py::function& progress, const py::function& log) {
    const TaskRow& task = operator_named(name);
    GivenOperand operand;
    if (!change.empty()) operand.change.vp = as_vector(change.front());
    if (change.size() > 1) operand.change.rho = as_vector(change.back());
    for (const Doubles& of_shot : rows) {
        if (of_shot.ndim() != 2) throw py::value_error("rows must have the shape [row][sample]");
        operand.shots.push_back({of_shot.shape(0), of_shot.shape(1), as_vector(of_shot)});
    }
    SurveyInMemory survey =
        computed(request, progress, log, [&](const auto& config, const auto& selection, auto& told, auto& said) {
            return apply_in_memory(config, selection, told, said, task, std::move(operand));
        });
    const Precision precision = survey.plan->setup.precision;
    py::list list;
    if (task.computes_gradients) {
        const auto& n = survey.plan->domain.grid.n;
        for (std::vector<double>* values : {&survey.product.vp, &survey.product.rho})
            if (!values->empty()) list.append(in_precision(std::move(*values), {n[2], n[1], n[0]}, precision));
        return list;
    }
    for (ShotInMemory& shot : survey.shots)
        list.append(in_precision(std::move(shot.rows.values), {shot.rows.rows, shot.rows.samples}, precision));
    return list;
}

/// The plan of an operator of a survey.
std::shared_ptr<const Plan> plan_of(const RunRequest& request, const ShotSelection& selection, const TaskRow& task) {
    const Config config = read(request);
    check_threads(config.backend, config.origin);
    const py::gil_scoped_release no_gil;
    return plan_in_memory(config, selection, task);
}

/// What the Born operator of a survey is between: numbers of parameters, nodes, rows and samples.
py::dict outline(const RunRequest& request) {
    return translated([&] {
        const ShotSelection selection = selection_of(request);
        const auto plan = plan_of(request, selection, kBornOperator);
        py::list shots, sources, receivers;
        for (const Shot& shot : plan->survey.shots) {
            if (!selection.contains(shot.id)) continue;
            shots.append(shot.id);
            sources.append(shot.sources.size());
            receivers.append(shot.receivers.size());
        }
        py::dict dict;
        const auto& n = plan->domain.grid.n;
        dict["parameters"] = plan->imaging->sums.density ? 2 : 1;
        dict["shape"] = py::make_tuple(n[2], n[1], n[0]);
        dict["shots"] = shots;
        dict["sources"] = sources;
        dict["receivers"] = receivers;
        dict["samples"] = plan->time.output_samples;
        dict["sample_interval_s"] = plan->time.output_dt_s;
        dict["signal_samples"] = plan->time.signal_samples();
        dict["dt_s"] = plan->time.dt_s;
        dict["double"] = plan->setup.precision == Precision::float64;
        return dict;
    });
}

/// The signals that sources inject, of each shot [source][step], and the time step.
py::tuple signals(const RunRequest& request) {
    return translated([&] {
        const ShotSelection selection = selection_of(request);
        const auto plan = plan_of(request, selection, kForwardOperator);
        py::list list;
        for (std::size_t i = 0; i < plan->survey.shots.size(); ++i) {
            if (!selection.contains(plan->survey.shots.id(i))) continue;
            ShotInProgress shot;
            shot.index = i;
            set_up(shot, *plan);
            std::vector<double> values;
            const auto& rows = shot.points.sources.signal;
            for (const auto& signal : rows) values.insert(values.end(), signal.begin(), signal.end());
            list.append(as_array(std::move(values), {std::ssize(rows), plan->time.signal_samples()}));
        }
        return py::make_tuple(list, plan->time.dt_s);
    });
}

/// What is asked of an export, as Python has it.
struct ExportRequest {
    std::string file, format, samples, shots, quantity;
    bool overwrite;
};

const GatherFormat& format_of(const ExportRequest& request) {
    if (request.format.empty()) {
        if (const GatherFormat* const format = gather_format_of(request.file)) return *format;
        throw Error(ExitCode::usage, request.file + ": its extension does not identify the format; give one of " +
                                         names_of_gather_formats());
    }
    for (const GatherFormat& format : gather_formats())
        if (format.name == request.format) return format;
    throw Error(ExitCode::usage, "format '" + request.format + "': must be one of " + names_of_gather_formats());
}

/// Writes gathers without Python's lock; Ctrl-C ends it.
std::vector<std::string> export_survey(const GatherSurvey& survey, const ExportRequest& request) {
    const GatherFormat& format = format_of(request);
    const ShotSelection selection = request.shots.empty() ? ShotSelection() : ShotSelection(request.shots);
    const ExportedGathers made =
        export_gathers(survey, {format,
                                {request.file, samples_of(format, request.samples), request.overwrite},
                                selection.among(survey.shots),
                                [](std::int64_t, std::int64_t) {
                                    const py::gil_scoped_acquire gil;
                                    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
                                }});
    std::vector<std::string> files;
    for (const std::filesystem::path& file : made.files) files.push_back(file.string());
    return files;
}

std::vector<std::string> export_file(const std::string& input, const ExportRequest& request) {
    return translated([&] {
        const py::gil_scoped_release no_gil;
        const SeismogramReader reader(input, gather_quantity(request.quantity));
        return export_survey(survey_of(reader), request);
    });
}

std::vector<std::array<double, 3>> as_positions(const py::handle& values) {
    const auto array = py::cast<py::array_t<double, py::array::c_style | py::array::forcecast>>(values);
    if (array.ndim() != 2 || array.shape(1) != 3) throw py::value_error("positions must have the shape [n][3]");
    std::vector<std::array<double, 3>> positions(static_cast<std::size_t>(array.shape(0)));
    for (py::ssize_t i = 0; i < array.shape(0); ++i)
        positions[static_cast<std::size_t>(i)] = {array.at(i, 0), array.at(i, 1), array.at(i, 2)};
    return positions;
}

/// The traces of a gather that as_dict() made. \throws Error(usage) where they were not recorded.
Array traces_of(const py::dict& kept, const GatherQuantity& quantity) {
    if (&quantity == &kPressure) return py::cast<Array>(kept["pressure"]);
    const auto motion = py::cast<py::dict>(kept["motion"]);
    const py::str name{std::string(quantity.name)};
    if (!motion.contains(name))
        throw Error(ExitCode::usage, "the run has no " + std::string(quantity.name) +
                                         ": runs record it where output.seismograms.particle_motion asks for it");
    return py::cast<Array>(motion[name]);
}

/// A gather that as_dict() made, as a file of it would be read, so that an export has the same bytes; with the signals
/// of its wavelets, too. \param alive gets its traces, which the result refers to.
OpenGather as_gather(std::int64_t shot, const py::dict& kept, const GatherQuantity& quantity,
                     std::vector<Array>& alive) {
    const Array& pressure = alive.emplace_back(traces_of(kept, quantity));
    if (pressure.ndim() != 2) throw py::value_error("traces must have the shape [receiver][time]");
    OpenGather gather;
    ShotGather& header = gather.header;
    header.quantity = &quantity;
    header.shot = shot;
    header.sources_m = as_positions(kept["sources_m"]);
    header.receivers_m = as_positions(kept["receivers_m"]);
    header.dt_s = py::cast<double>(kept["dt_s"]);
    header.samples = pressure.shape(1);
    for (const auto& [name, column] : py::cast<py::dict>(kept["columns"])) {
        const auto values = py::cast<py::tuple>(column);
        header.carried.push_back(as_read_back(
            {py::cast<std::string>(name), py::cast<bool>(values[0]), py::cast<std::vector<std::string>>(values[1])}));
    }
    if (!kept["part"].is_none()) header.part = as_geometry(py::cast<py::dict>(kept["part"]));
    const auto wavelets = py::cast<py::dict>(kept["wavelets"]);
    const auto signal = py::cast<py::array_t<double, py::array::c_style>>(wavelets["signal"]);
    header.wavelets = {.dt_s = py::cast<double>(wavelets["dt_s"]),
                       .type = py::cast<std::vector<std::string>>(wavelets["type"]),
                       .t0_s = py::cast<std::vector<double>>(wavelets["t0_s"]),
                       .peak_frequency_hz = py::cast<std::vector<double>>(wavelets["peak_frequency_hz"]),
                       .signal = {signal.data(), signal.data() + signal.size()},
                       .amplitude_unit = py::cast<std::string>(wavelets["amplitude_unit"])};
    header.source_wavelet = py::cast<std::vector<std::int64_t>>(kept["source_wavelet"]);
    header.source_amplitude = py::cast<std::vector<double>>(kept["source_amplitude"]);
    const auto samples = static_cast<std::size_t>(header.samples);
    gather.read = [values = pressure.data(), samples](std::size_t first, std::size_t count) {
        return std::vector<float>(values + first * samples, values + (first + count) * samples);
    };
    return gather;
}

std::map<std::int64_t, OpenGather> as_gathers(const py::dict& gathers, const GatherQuantity& quantity,
                                              std::vector<Array>& alive) {
    std::map<std::int64_t, OpenGather> kept;
    for (const auto& [shot, gather] : gathers) {
        const auto number = py::cast<std::int64_t>(shot);
        kept.emplace(number,
                     translated([&] { return as_gather(number, py::cast<py::dict>(gather), quantity, alive); }));
    }
    return kept;
}

/// \param grid of the summary. \param gathers as run() gave them, by shot.
std::vector<std::string> export_gathers_of(const std::string& version, const std::string& title, const py::dict& grid,
                                           const py::dict& gathers, const ExportRequest& request) {
    std::vector<Array> alive;
    const GatherQuantity* const quantity = translated([&] { return &gather_quantity(request.quantity); });
    const std::map<std::int64_t, OpenGather> kept = as_gathers(gathers, *quantity, alive);
    GatherSurvey survey{{version, title, as_geometry(grid)}, {}, [&kept](std::int64_t shot) { return kept.at(shot); }};
    for (const auto& each : kept) survey.shots.push_back(each.first);
    return translated([&] {
        if (survey.shots.empty()) throw Error(ExitCode::usage, "the run has no receivers: there is nothing to export");
        const py::gil_scoped_release no_gil;
        return export_survey(survey, request);
    });
}

/// What run() gave of a shot's snapshots.
struct KeptFrames {
    std::int64_t shot;
    std::vector<double> times_s;
    Array values;  ///< [time][z][y][x]
};

/// The particle motion that gathers of as_dict() have, by shot. \param alive gets the traces, which these refer to.
using MotionOfShots = std::map<std::int64_t, std::map<const GatherQuantity*, std::span<const float>>>;
MotionOfShots motion_of(const py::dict& gathers, std::vector<Array>& alive) {
    MotionOfShots all;
    for (const auto& [shot, gather] : gathers)
        for (const auto& [name, values] : py::cast<py::dict>(py::cast<py::dict>(gather)["motion"])) {
            const Array& traces = alive.emplace_back(py::cast<Array>(values));
            all[py::cast<std::int64_t>(shot)][&gather_quantity(py::cast<std::string>(name))] = {
                traces.data(), static_cast<std::size_t>(traces.size())};
        }
    return all;
}

AtomicFile stage_seismograms(const std::filesystem::path& file, const Provenance& provenance,
                             const std::map<std::int64_t, OpenGather>& gathers, const MotionOfShots& motion) {
    SeismogramWriter writer(file, provenance, false);
    for (const auto& [shot, kept] : gathers) {
        ShotGather gather = kept.header;
        gather.pressure = kept.read(0, gather.receivers_m.size());
        for (const GatherQuantity& quantity : particle_motions())
            if (const auto of_shot = motion.find(shot); of_shot != motion.end())
                if (const auto traces = of_shot->second.find(&quantity); traces != of_shot->second.end())
                    gather.motion.push_back({&quantity, {traces->second.begin(), traces->second.end()}});
        writer.write(gather);
    }
    return writer.finish();
}

std::vector<AtomicFile> stage_snapshots(const std::filesystem::path& file, const FileGeometry& window,
                                        const Provenance& provenance, const std::vector<KeptFrames>& shots) {
    SnapshotWriter writer(file, window, provenance, false);
    for (const KeptFrames& frames : shots) {
        writer.begin_shot(frames.shot, std::ssize(frames.times_s));
        const auto size = static_cast<std::size_t>(frames.values.size()) / frames.times_s.size();
        for (std::size_t i = 0; i < frames.times_s.size(); ++i)
            writer.write(frames.times_s[i], {frames.values.data() + i * size, size});
    }
    return writer.finish();
}

void make_empty_folder(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed || !std::filesystem::is_directory(folder))
        throw Error(ExitCode::cannot_create, shown(folder) + ": cannot create the folder");
    if (!std::filesystem::is_empty(folder))
        throw Error(ExitCode::cannot_create,
                    shown(folder) + ": is not empty; results are saved in a folder of their own");
}

/// Writes what run() gave as the files that `onda run` leaves in a folder; they get their names when all are there.
void save(const py::dict& left, const std::string& folder) {
    std::vector<Array> alive;
    const auto all = py::cast<py::dict>(left["gathers"]);
    const auto gathers = as_gathers(all, kPressure, alive);
    const MotionOfShots motion = translated([&] { return motion_of(all, alive); });
    std::vector<KeptFrames> frames;
    for (const auto& [shot, kept] : py::cast<py::dict>(left["snapshots"])) {
        const auto of_shot = py::cast<py::dict>(kept);
        frames.push_back({py::cast<std::int64_t>(shot), py::cast<std::vector<double>>(of_shot["time_s"]),
                          py::cast<Array>(of_shot["pressure"])});
    }
    const FileGeometry window = as_geometry(py::cast<py::dict>(left["window"]));
    const Provenance provenance{py::cast<std::vector<std::pair<std::string, std::string>>>(left["provenance"])};
    const auto config = py::cast<std::string>(left["config_yaml"]), summary = py::cast<std::string>(left["summary"]);
    translated([&] {
        const py::gil_scoped_release no_gil;
        const std::filesystem::path place(folder);
        make_empty_folder(place);
        std::vector<AtomicFile> files;
        if (!gathers.empty()) files.push_back(stage_seismograms(place / kSeismogramsName, provenance, gathers, motion));
        if (!frames.empty())
            std::ranges::move(stage_snapshots(place / kSnapshotsName, window, provenance, frames),
                              std::back_inserter(files));
        files.push_back(stage_text_file(place / "config.yaml", config, false));
        files.push_back(stage_text_file(place / kSummaryName, summary, false));
        for (AtomicFile& file : files) file.commit();
    });
}

}  // namespace

PYBIND11_MODULE(_core, module) {
    module.doc() = "The compiled part of the package onda. Use onda.run() and onda.open().";
    hdf5::share_library();  // h5py uses the same one
    module.attr("version") = build().version;
    module.attr("version_line") = version_line();
    py::class_<RunRequest>(module, "RunRequest")
        .def(py::init([](std::string text, std::string name, std::vector<std::string> overrides,
                         std::map<std::string, Array> arrays, Ends ends, std::string shots) {
                 return RunRequest{std::move(text),   std::move(name), std::move(overrides),
                                   std::move(arrays), std::move(ends), std::move(shots)};
             }),
             py::arg("text"), py::arg("name"), py::arg("overrides"), py::arg("arrays"), py::arg("ends"),
             py::arg("shots"));
    module.def("run", &run, py::arg("request"), py::arg("progress"), py::arg("log"),
               "Runs the configuration at the path `text`, or, where it has a `name`, in `text`.");
    module.def("misfit", &misfit, py::arg("request"), py::arg("progress"), py::arg("log"),
               "The misfit of a configuration, that of each shot, dJ/dvp, and dJ/drho, dJ/dQ, dJ/depsilon, dJ/ddelta "
               "or None.");
    module.def("rtm", &rtm, py::arg("request"), py::arg("progress"), py::arg("log"),
               "An image by reverse-time migration: its arrays [z][y][x], coordinates and energies of shots.");
    module.def("lsrtm", &lsrtm, py::arg("request"), py::arg("folder"), py::arg("progress"), py::arg("log"),
               "Least-squares migration, whose results are files in a folder.");
    module.def("fwi", &fwi, py::arg("request"), py::arg("folder"), py::arg("overwrite"), py::arg("after_iteration"),
               py::arg("progress"), py::arg("log"), "Full-waveform inversion, whose results are files in a folder.");
    module.def("grid_shape", &grid_shape, py::arg("request"), "Nodes along z, y, x; empty where a file has them.");
    module.def("apply", &apply, py::arg("request"), py::arg("name"), py::arg("vp"), py::arg("rows"),
               py::arg("progress"), py::arg("log"),
               "A linear operator applied to a change of vp, or to rows of each shot.");
    module.def("outline", &outline, py::arg("request"), "What the Born operator of a survey is between.");
    module.def("signals", &signals, py::arg("request"), "What sources inject, of each shot, and the time step.");
    py::class_<ExportRequest>(module, "ExportRequest")
        .def(py::init([](std::string file, std::string format, std::string samples, std::string shots,
                         std::string quantity, bool overwrite) {
                 return ExportRequest{std::move(file),  std::move(format),   std::move(samples),
                                      std::move(shots), std::move(quantity), overwrite};
             }),
             py::arg("file"), py::arg("format"), py::arg("samples"), py::arg("shots"), py::arg("quantity"),
             py::arg("overwrite"));
    module.def("export_file", &export_file, py::arg("input"), py::arg("request"),
               "Writes the gathers of a seismograms.h5 as a file of another format; returns the paths written.");
    module.def("export_gathers", &export_gathers_of, py::arg("version"), py::arg("title"), py::arg("grid"),
               py::arg("gathers"), py::arg("request"), "The same of what run() gave.");
    module.def("save", &save, py::arg("left"), py::arg("folder"), "Writes what run() gave into a folder.");
}
