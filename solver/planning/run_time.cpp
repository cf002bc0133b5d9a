#include "solver/planning/run_time.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <spdlog/fmt/fmt.h>

#include "solver/outputs/pictures.hpp"
#include "solver/outputs/report_output.hpp"
#include "solver/performance/step_model.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/propagation/stability_watch.hpp"
#include "solver/tasks/shot_in_progress.hpp"

namespace onda {
namespace {

/// Start and end of the program, and what CUDA takes for its own: measured, on the machines of docs/performance.md.
constexpr double kProgram_s = 0.03, kCudaStart_s = 0.3;
/// A byte of the model in memory, hashed for the summary.
constexpr double kHash_s = 4e-10;
/// A byte of a wavefield or a gather that the report shows: taken, brought to a byte, deflated and put into the page.
constexpr double kMovie_s = 7e-9, kGather_s = 1.2e-8, kPage_s = 5e-3;

struct ShotCounts {
    double all = 1., batches = 1., batch = 1.;
    double full = 1.;  ///< as many on the computed grid of the plan take as long as all
};

ShotCounts shots_of(const Plan& plan) {
    const auto all = static_cast<double>(plan.survey.shots.size()), batch = static_cast<double>(plan.placement.batch);
    return {all, std::ceil(all / batch), batch,
            static_cast<double>(plan.domain.nodes_of_shots) / static_cast<double>(plan.setup.grid.points())};
}

/// Devices that compute at the same time: on the CPU, workers share the threads.
double side_by_side(const Setup& setup, const Placement& placement) {
    return placement.device->has_own_memory() ? static_cast<double>(devices_of(setup, placement).size()) : 1.;
}

/// The shots of the workers of the device that has most of them: those of a device share its time.
ShotCounts shots_of_worker(const Plan& plan) {
    const auto workers =
        static_cast<double>(own_workers(plan.placement)) / static_cast<double>(workers_on_a_device(plan.placement));
    const ShotCounts of_run = shots_of(plan);
    return {std::ceil(of_run.all / workers), std::ceil(of_run.batches / workers), of_run.batch, of_run.full / workers};
}

/// What the steps of a shot take, and how that was found. Where the grid is too large for a micro-benchmark, a model
/// says how much longer a step of the whole takes; without one, nodes do.
struct Steps {
    double seconds = 0.;
    std::string basis;
};

Steps steps_of(const Plan& plan, const StepRehearsal& r) {
    Steps steps{r.step_s, "parts of the run, tried out on this machine"};
    if (!r.whole)
        if (const auto model = calibrated_model(*plan.placement.device, plan.setup.ordinal)) {
            const double small = model->step(r.setup, plan.placement.batch).seconds,
                         large = model->step(plan.setup, plan.placement.batch).seconds;
            const double nodes =
                static_cast<double>(plan.setup.grid.points()) / static_cast<double>(r.setup.grid.points());
            // The micro-benchmark knows how busy the machine is, the model how grids of different sizes compare.
            steps.seconds *= large / (small * nodes);
            steps.basis += ", and steps of the whole grid by the model " + model->source();
        }
    steps.seconds = (steps.seconds + r.receivers_s) * static_cast<double>(steps_of_shot(plan));
    return steps;
}

double snapshot_bytes(const SnapshotPlan& snapshots) {
    return 4. * static_cast<double>(snapshots.steps.size()) * static_cast<double>(snapshots.window.points());
}

/// Seconds of drawing: for each section the model and three wavefields; with receivers, a gather, which takes less than
/// waves over a model.
double drawing(const Plan& plan, const std::filesystem::path& folder) {
    if (!plan.config.output.pictures) return 0.;
    constexpr double of_model = 0.5, of_gather = 0.7;
    const PictureRehearsal picture = rehearse_pictures(plan, folder);
    const double sections = plan.domain.grid.dimensions == 3 ? 3. : 1.;
    const double frames =
        plan.snapshots.steps.empty() ? 3. : std::min(3., static_cast<double>(plan.snapshots.steps.size()));
    const double gathers = plan.survey.size.most_receivers > 0 ? 1. : 0.;
    return picture.model_s + (sections * frames + (sections - 1.) * of_model + of_gather * gathers) * picture.waves_s;
}

/// What the files of a batch take, if nothing else is done.
struct Finishing {
    double working_s = 0.;  ///< one thread after the other
    double waiting_s = 0.;  ///< for the disk, which threads do at the same time

    /// Seconds until so many threads are done.
    [[nodiscard]] double seconds(int threads) const {
        return std::max(working_s, (working_s + waiting_s) / static_cast<double>(threads));
    }
};

Finishing finishing(const Plan& plan, const TraceRehearsal& traces, const DiskRehearsal& disk) {
    const auto receivers = static_cast<double>(plan.survey.size.most_receivers),
               rows = static_cast<double>(plan.survey.size.most_receiver_rows);
    const double bytes = 4. * receivers * static_cast<double>(plan.survey.motion.written.size() + 1) *
                         static_cast<double>(plan.time.output_samples);
    // A file of seismograms has twice as many datasets and attributes as one of snapshots, which was tried, and
    // is synced to disk as often.
    const double seismogram_files = receivers > 0. ? 1. : 0., snapshot_files = plan.snapshots.steps.empty() ? 0. : 1.;
    const double files = seismogram_files + snapshot_files;
    Finishing of{traces.shot_s / plan.placement.batch + traces.trace_s * rows + bytes * (disk.write_s + disk.hash_s) +
                     (2. * seismogram_files + snapshot_files) * (disk.hdf5_s - disk.hdf5_wait_s),
                 bytes * disk.sync_s + files * disk.hdf5_wait_s};
    of.working_s *= plan.placement.batch;
    of.waiting_s *= plan.placement.batch;
    return of;
}

double report_of(const Plan& plan) {
    if (!plan.config.output.report) return 0.;
    const ReportBytes bytes = report_bytes(plan.experiment(), plan.computation());
    return kPage_s + kMovie_s * static_cast<double>(bytes.movies) + kGather_s * static_cast<double>(bytes.gather);
}

/// A file for each quantity.
double trace_files(const Plan& plan) {
    const SeismogramConfig& wanted = plan.config.output.seismograms;
    return ((wanted.segy != "none" ? 1. : 0.) + (wanted.su ? 1. : 0.)) *
           static_cast<double>(1 + plan.survey.motion.written.size());
}

/// Files of several shots are read again and written into those of the survey, or linked there; SEG-Y and SU are
/// written from them in any case.
double survey_files(const Plan& plan, double output_bytes, const DiskRehearsal& disk) {
    constexpr double link_s = 2e-5;
    const auto shots = static_cast<double>(plan.survey.shots.size());
    const double byte_s = disk.hash_s + disk.write_s + disk.sync_s;
    const double of_traces_s = trace_files(plan) * (disk.file_s + shots * (disk.hdf5_s - disk.hdf5_wait_s));
    const double trace_bytes = trace_files(plan) * 4. * static_cast<double>(plan.survey.size.receivers) *
                               static_cast<double>(plan.time.output_samples);
    if (shots == 1.) return of_traces_s + trace_bytes * byte_s;
    if (keeps_shot_files(plan, plan.placement)) return of_traces_s + trace_bytes * byte_s + link_s * shots;
    return of_traces_s + disk.hdf5_s * shots + output_bytes * byte_s;
}

/// What the files of all batches but the last add to steps beside which they are made: on a device with memory of its
/// own only what is longer than those. On the CPU they take the processor of a thread for which the others wait.
double beside_steps(const Device& device, const Finishing& files, int threads, double steps_s) {
    if (device.has_own_memory()) return std::max(0., files.seconds(threads) - steps_s);
    return std::max(files.working_s, files.seconds(1) - steps_s);
}

/// What was tried out of a run.
struct Tried {
    StepRehearsal rehearsal;
    Steps steps;
    DiskRehearsal disk;
};

std::vector<TimeForecast::Item> items_of(const Plan& plan, const Tried& tried, const std::filesystem::path& folder) {
    const auto& [rehearsal, steps, disk] = tried;
    const auto output_bytes = static_cast<double>(forecast_output_bytes(plan));
    const double hashed_bytes = std::min(output_bytes, 64. * 1048576.);  // of larger files some pieces: record_of()
    const ShotCounts shots = shots_of_worker(plan);
    const double slabs_of_worker =
        side_by_side(plan.setup, plan.placement) / std::max(1., static_cast<double>(plan.placement.workers.size()));
    const bool own_memory = plan.placement.device->has_own_memory();
    const double watch_s =
        rehearsal.watch_s * std::ceil(static_cast<double>(plan.time.steps) / StabilityWatch::kInterval);
    const double batch_s = (steps.seconds + watch_s) * shots.full / shots.batches;
    const double frames_s = snapshot_bytes(plan.snapshots) * disk.write_s * shots.batch;
    const Finishing files = finishing(plan, rehearse_traces(plan.survey, plan.time), disk);
    const int threads = finishing_threads(plan.placement.batch);
    const double pictures_s = drawing(plan, folder), last_s = files.seconds(threads) + disk.file_s;
    // While one thread draws, others finish the shots of the same batch.
    const double beside_pictures_s = threads > 1 ? std::min(pictures_s, last_s * (1. - 1. / shots.batch)) : 0.;
    std::vector<TimeForecast::Item> items{
        {std::string(kProgramItem), kProgram_s + (own_memory ? kCudaStart_s : 0.)},
        {"model", rehearse_model(plan.config, plan.setup.scheme.equation, plan.domain.grid) +
                      kHash_s * 4. * static_cast<double>(plan.domain.grid.points())},
        {"device model and wavefield", rehearsal.medium_s * (plan.domain.aperture ? shots.full : 1.)},
        {"time steps", steps.seconds * shots.full / (own_memory ? slabs_of_worker : 1.)},
        {"sources and receivers of the first batch",
         rehearse_receivers(plan) * static_cast<double>(plan.survey.size.most_receivers) * shots.batch},
        {"first steps of each batch", rehearsal.begin_s * shots.batches},
        {"hashes of the wavefields", rehearsal.hash_s * shots.full},
        {"watch for instability", watch_s * shots.full},
        {"snapshots", (own_memory ? std::max(0., frames_s - batch_s) : frames_s) * shots.batches +
                          snapshot_bytes(plan.snapshots) * shots.all * disk.sync_s},
        {"seismograms of each shot",
         (beside_steps(*plan.placement.device, files, threads, batch_s) + disk.file_s) * (shots.batches - 1.) + last_s -
             beside_pictures_s},
        {"pictures", pictures_s},
        {"report", report_of(plan)},
        {"files of the survey", survey_files(plan, output_bytes, disk)},
        {"hashes of the results, and syncing to disk", hashed_bytes * disk.hash_s + 6. * disk.file_s}};
    std::erase_if(items, [](const TimeForecast::Item& item) { return item.seconds <= 0.; });
    return items;
}

}  // namespace

TimeForecast forecast_time(const Plan& plan, const std::filesystem::path& output_folder) {
    const ConditionsWatch watch(*plan.placement.device, plan.setup.ordinal);
    const StepRehearsal rehearsal = rehearse_steps(plan);
    const Steps steps = steps_of(plan, rehearsal);
    TimeForecast forecast;
    forecast.basis = steps.basis;
    forecast.gpt_per_s = side_by_side(plan.setup, plan.placement) * 1e-9 *
                         static_cast<double>(plan.setup.grid.points()) * static_cast<double>(steps_of_shot(plan)) /
                         steps.seconds;
    forecast.items = items_of(
        plan,
        {rehearsal, steps, rehearse_disk(output_folder, forecast_output_bytes(plan), plan.snapshots.window.points())},
        output_folder);
    forecast.load = load_of(watch.conditions());
    forecast.seconds = std::accumulate(forecast.items.begin(), forecast.items.end(), 0.,
                                       [](double sum, const auto& item) { return sum + item.seconds; });
    return forecast;
}

}  // namespace onda
