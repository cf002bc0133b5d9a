#include "solver/plan/forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <spdlog/fmt/fmt.h>

#include "io/hdf5/hdf5.hpp"
#include "io/results/result_file.hpp"
#include "io/text/error.hpp"
#include "io/text/saturating.hpp"
#include "solver/outputs/output.hpp"
#include "solver/outputs/pictures.hpp"
#include "solver/outputs/report_output.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/ranks/team_exchange.hpp"
#include "solver/run/shot_table.hpp"
#include "solver/signal/time_dispersion.hpp"

namespace onda {
namespace {

/// The program itself with its libraries, and what they allocate once: measured on runs of a few nodes.
constexpr std::int64_t kProgramBytes = 24'500'000;
/// What Open MPI 4.1 holds for 2 to 5 processes of one host: 6 to 9 MB.
constexpr std::int64_t kMpiBytes = 7'500'000;
/// The threads that set shots up and finish them beside the steps of others.
constexpr std::int64_t kPipelineBytes = 1'200'000;
/// What HDF5 keeps for each file of snapshots that is open: measured on batches of 1 to 10 shots.
constexpr std::int64_t kSnapshotFileBytes = 900'000;
/// What each thread beyond the two of that measurement touches of its stack and its part of the allocator: 16 threads
/// held 2.6 MB more.
constexpr std::int64_t kThreadBytes = 185'000;
constexpr std::int64_t kFloat = sizeof(float), kDouble = sizeof(double);

/// The nodes of a frame that a shot has, of processes that share its grid in the slabs of this one; where it has a part
/// of them, they are put into one whole frame.
std::int64_t downloaded_points(const Plan& plan) {
    const Window& window = plan.snapshots.window;
    std::array<std::int64_t, 3> n = plan.setup.grid.n;
    if (plan.ranks_per_grid > 1) n[2] = joined(plan, own_slabs(plan)).planes;
    std::int64_t points = plan.snapshots.steps.empty() ? 0 : 1;
    for (std::size_t a = 0; a < 3; ++a) points *= std::min(window.count[a], (n[a] - 1) / window.step[a] + 1);
    return points;
}

/// Whether a source may have nodes in the strips at the cuts of an aperture. Those at the faces of the grid are counted
/// with the survey.
bool may_reach_cuts(const Plan& plan) {
    if (!plan.aperture) return false;
    double widest_m = plan.grid.spacing_m[0];
    if (plan.grid.dimensions == 3) widest_m = std::max(widest_m, plan.grid.spacing_m[1]);
    return plan.aperture->limit_m() < kPointRadius * widest_m;
}

/// What the shots ask of the backend at most.
ShotSize largest_shot(const Plan& plan) {
    const SurveySize& size = plan.survey.size;
    ShotSize most;
    most.source_nodes = size.most_source_nodes;
    most.receiver_nodes = size.most_receiver_nodes;
    most.sources = may_reach_cuts(plan) ? size.most_source_nodes : size.most_source_rows;
    most.receivers = size.most_receivers;
    most.signal_samples = plan.time.steps + 1;
    most.trace_samples = plan.time.recorded_samples();
    most.download_points = downloaded_points(plan);
    return most;
}

/// Receivers and sources as weighted nodes, and the signals, as a shot holds them.
std::int64_t shot_bytes(const ShotSize& shot) {
    constexpr std::int64_t entry = sizeof(std::int64_t) + kDouble, row = sizeof(std::int64_t);
    return saturating_sum(saturating_product(saturating_sum(shot.receiver_nodes, shot.source_nodes), entry),
                          saturating_product(saturating_sum(shot.receivers, shot.sources), row),
                          saturating_product(shot.sources, shot.signal_samples, kDouble));
}

/// What the device allocates for the run.
struct DeviceBytes {
    std::int64_t wavefields = 0;  ///< and model, in its memory
    std::int64_t shots = 0;       ///< sources, receivers and what goes with them, in its memory, but for traces below
    std::int64_t traces = 0;      ///< in the host's memory, of all shots of a batch
};

/// How many compute side by side.
std::int64_t workers_of(const Plan& plan) {
    return std::max<std::int64_t>(1, std::ssize(plan.workers));
}

/// The shots that advance at the same time, of all workers.
std::int64_t together(const Plan& plan) {
    return workers_of(plan) * plan.batch;
}

/// Of the slabs of a worker on the device that has most of them.
std::int64_t most_of_a_device(const Plan& plan, const std::vector<std::int64_t>& slabs) {
    std::map<int, std::int64_t> of_device;
    std::int64_t most = 0;
    const SlabRange own = own_slabs(plan);
    for (std::size_t i = 0; i < own.count; ++i) {
        const int device = plan.workers.empty() ? 0 : plan.workers.front()[i];
        most = std::max(most, of_device[device] += slabs[own.first + i]);
    }
    return most;
}

/// Of the slabs of all workers of this process in the host's memory; of those on the device that has most in its own.
std::int64_t bytes_of_slabs(const Plan& plan) {
    const std::vector<std::int64_t> slabs = slab_bytes(plan);
    if (plan.device->has_own_memory()) return most_of_a_device(plan, slabs);
    const SlabRange own = own_slabs(plan);
    const auto first = slabs.begin() + static_cast<std::ptrdiff_t>(own.first);
    return workers_of(plan) * std::accumulate(first, first + static_cast<std::ptrdiff_t>(own.count), std::int64_t{0});
}

/// Of the planes that go to and come from processes with the same grid.
ExchangeBytes exchange_bytes(const Plan& plan) {
    if (plan.ranks_per_grid == 1) return {};
    const int member = plan.ranks.rank % plan.ranks_per_grid;
    const int cuts = (member > 0 ? 1 : 0) + (member + 1 < plan.ranks_per_grid ? 1 : 0);
    return team_exchange_bytes(plan.setup, plan.batch, cuts);
}

/// The sums of the device's list. What of shots fills a petabyte is not asked for: its numbers would wrap there.
DeviceBytes device_bytes(const Plan& plan, const ShotSize& shot) {
    constexpr std::int64_t most = 1'000'000'000'000'000;
    const bool wraps =
        saturating_sum(shot_bytes(shot), saturating_product(shot.receivers, shot.trace_samples, kDouble)) > most;
    const Allocations list = plan.device->allocations(plan.setup, plan.batch, wraps ? ShotSize{} : shot);
    const Memory memory = plan.device->memory();
    DeviceBytes bytes{bytes_of_slabs(plan), kTooMany, kTooMany};
    if (wraps) return bytes;
    const std::int64_t in_host = memory == Memory::host ? workers_of(plan) : 1;
    const std::int64_t traces = shot.receivers == 0 ? 0 : list.of("traces").total_bytes();
    bytes.traces = traces * workers_of(plan);
    bytes.shots = in_host * (list.bytes(memory, Owner::shots) - (memory == Memory::host ? traces : 0));
    return bytes;
}

/// While `bytes` are written in chunks of at most `largest`, each thread holds a chunk with its checksums; the last
/// one, which is seldom whole, is copied before.
std::int64_t writing_bytes(std::int64_t bytes, std::int64_t largest) {
    const std::int64_t chunks = std::max<std::int64_t>(1, bytes / largest + (bytes % largest > 0 ? 1 : 0));
    const auto threads = static_cast<std::int64_t>(hdf5::writing_threads(static_cast<std::size_t>(chunks)));
    return (threads + 1) * (bytes / chunks);
}

std::int64_t shots_of(const Plan& plan) {
    return static_cast<std::int64_t>(plan.survey.shots.size());
}

/// Whether files of a batch are written while the next one is computed.
bool is_pipelined(const Plan& plan) {
    return shots_of(plan) > together(plan);
}

/// While the traces of a batch are brought to the user's sampling, and then written and drawn.
std::int64_t gather_bytes(const Plan& plan, const PictureBytes& pictures) {
    const std::int64_t receivers = saturating_product(plan.survey.size.most_receivers, together(plan));
    const std::int64_t written = saturating_product(receivers, plan.time.output_samples, kFloat);
    const bool as_recorded = plan.time.output_dt_s == plan.time.recorded_dt_s() && !plan.time.correction;
    const std::int64_t recorded = as_recorded ? 0 : saturating_product(receivers, plan.time.recorded_samples(), kFloat);
    const std::int64_t correcting =
        saturating_sum(recorded, correction_bytes(plan.time, receivers, plan.setup.threads));
    const std::int64_t drawing = saturating_sum(pictures.gather, pictures.drawing, report_bytes(plan).gather);
    return saturating_sum(written, std::max({correcting, writing_bytes(written, 1 << 20), drawing}));
}

std::int64_t frames_alive(const Plan& plan) {
    return std::min(saturating_product(shots_of(plan), plan.snapshots.steps.size()),
                    workers_of(plan) * Wavefield::kDownloads);
}

/// Of a frame as it is written, by this process.
std::int64_t frame_bytes(const Plan& plan) {
    if (plan.snapshots.steps.empty()) return 0;
    return (plan.ranks_per_grid > 1 ? downloaded_points(plan) : plan.snapshots.window.points()) * kFloat;
}

/// The files of snapshots that are open at the same time: those of a batch, and of the one before until it is written.
std::int64_t snapshot_files(const Plan& plan) {
    if (plan.snapshots.steps.empty()) return 0;
    return std::min(shots_of(plan), together(plan) * (is_pipelined(plan) ? 2 : 1));
}

using Items = std::vector<MemoryForecast::Item>;

std::int64_t total(const Items& items) {
    return std::accumulate(
        items.begin(), items.end(), std::int64_t{0},
        [](std::int64_t sum, const MemoryForecast::Item& item) { return saturating_sum(sum, item.bytes); });
}

/// The survey, and what is kept of every shot and snapshot until the end. Measured: 200 bytes a shot for its
/// line of the table, which some 500 shots find among what the program holds anyway; 120 a snapshot in HDF5's cache,
/// and as many again up to 1 MB, of at most 8 MB; and its time when written and read back.
std::int64_t notes_bytes(const Plan& plan) {
    constexpr std::int64_t of_shot = 200, shots_for_nothing = 500, of_source = 56, of_chunk = 120;
    constexpr std::int64_t most_of_first = 1'000'000, most_of_chunks = 8'000'000;
    const std::int64_t frames = plan.snapshots.steps.size(), shots = shots_of(plan);
    const std::int64_t first_chunks = std::min(most_of_first, saturating_product(frames, of_chunk));
    return saturating_sum(saturating_product(std::max<std::int64_t>(0, shots - shots_for_nothing), of_shot),
                          saturating_product(plan.survey.size.sources, of_source),
                          std::min(most_of_chunks, saturating_sum(saturating_product(frames, of_chunk), first_chunks)),
                          saturating_product(shots + 1, frames, kDouble));
}

std::int64_t model_bytes(const Plan& plan) {
    return saturating_product(plan.grid.points(), std::ssize(plan.setup.scheme.equation->parameters), kFloat);
}

/// The host's memory while shots run.
Items while_running(const Plan& plan, const ShotSize& shot, const DeviceBytes& device, const PictureBytes& pictures) {
    const std::int64_t batch = together(plan);
    // Of one batch until the wavefield has them, and of the next while it is computed.
    const std::int64_t points = saturating_product(shot_bytes(shot), batch), next = is_pipelined(plan) ? points : 0;
    Items items;
    if (plan.device->has_own_memory()) {
        items = {{"copy of the traces", device.traces}, {"sources and receivers", next}};
    } else {
        items = {{fmt::format("wavefields and model of the {} backend", plan.device->name), device.wavefields},
                 {"traces in the backend", device.traces},
                 {"sources and receivers", saturating_sum(next, device.shots)}};
    }
    if (plan.aperture) items.push_back({"model, from which the apertures are cut", model_bytes(plan)});
    items.push_back({"snapshots being written to disk",
                     saturating_sum(saturating_product(frames_alive(plan), downloaded_points(plan), kFloat),
                                    plan.aperture ? frame_bytes(plan) : 0)});
    items.push_back({"open files of snapshots", snapshot_files(plan) * kSnapshotFileBytes});
    items.push_back({"records of shots and snapshots", notes_bytes(plan)});
    items.push_back({"slices kept for pictures", pictures.kept});
    items.push_back({"slices kept for the report", report_bytes(plan).kept});
    // Beside the steps of others, the last shots are written and drawn while snapshots of the next are.
    const std::int64_t frame = writing_bytes(frame_bytes(plan), 16 << 20), gather = gather_bytes(plan, pictures);
    items.push_back({"temporary, to set up shots, write snapshots or seismograms, or draw",
                     std::max(points, is_pipelined(plan) ? saturating_sum(frame, gather) : std::max(frame, gather))});
    return items;
}

/// The host's memory while the model is there: until the backend has it.
Items while_loading(const Plan& plan, const PictureBytes& pictures) {
    std::string quantities;
    for (const MediumParameter& parameter : plan.setup.scheme.equation->parameters)
        quantities += (quantities.empty() ? "" : " and ") + std::string(parameter.quantity);
    return {{quantities + " of the model, until copied to the backend", model_bytes(plan)},
            {"temporary, to build the model", plan.model_extra_bytes},
            {"slices kept for pictures", pictures.kept},
            {"slices kept for the report", report_bytes(plan).kept}};
}

}  // namespace

std::int64_t MemoryForecast::peak_bytes() const {
    return total(items);
}
std::int64_t MemoryForecast::device_peak_bytes() const {
    return total(device_items);
}

std::int64_t available_device_bytes(const Plan& plan) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    const std::vector<int> devices = devices_of(plan);
    for (const int device : devices) least = std::min(least, plan.device->available_bytes(device));
    const bool together = plan.device->count() == 1 || plan.config.backend.devices.integers.size() == 1;
    return together ? least / plan.ranks.same_devices : least;
}

std::int64_t available_host_bytes(const Plan& plan) {
    return available_memory_bytes() / plan.ranks.local_size;
}

double share_of_fullest_device(const Plan& plan) {
    const std::vector<std::int64_t> slabs = slab_bytes(plan);
    return static_cast<double>(most_of_a_device(plan, slabs)) /
           static_cast<double>(std::accumulate(slabs.begin(), slabs.end(), std::int64_t{0}));
}

std::vector<std::int64_t> slab_bytes(const Plan& plan) {
    const Memory memory = plan.device->memory();
    std::vector<std::int64_t> bytes;
    for (std::size_t slab = 0; slab < plan.slabs.size(); ++slab) {
        const Allocations list = plan.device->allocations(setup_of_part(plan, slab), plan.batch, {});
        bytes.push_back(list.bytes(memory, Owner::medium) + list.bytes(memory, Owner::wavefield));
    }
    return bytes;
}

MemoryForecast forecast_memory(const Plan& plan) {
    const PictureBytes pictures = picture_bytes(plan);
    const ShotSize shot = largest_shot(plan);
    // On a device with the host's memory the velocity, 4 bytes a node, has gone when the first shot touches the
    // wavefields, 8 bytes a node and more: it is more only where a model takes much to make. On one with memory of its
    // own it is often the largest of all.
    const DeviceBytes device = device_bytes(plan, shot);
    const ExchangeBytes exchange = exchange_bytes(plan);
    const Items running = while_running(plan, shot, device, pictures), loading = while_loading(plan, pictures);
    MemoryForecast forecast;
    forecast.items = total(loading) > total(running) ? loading : running;
    forecast.items.insert(
        forecast.items.begin(),
        {{"program and libraries", kProgramBytes},
         {"threads", kThreadBytes * std::max(0, plan.setup.threads - 2) + (shots_of(plan) > 1 ? kPipelineBytes : 0)},
         {"driver and libraries of the device", plan.device->host_bytes},
         {"MPI", plan.ranks.is_connected ? kMpiBytes : 0},
         {"planes for other processes", links_devices(plan) ? 0 : exchange.host}});
    if (plan.device->has_own_memory())
        forecast.device_items = {{"wavefields, model and boundaries", device.wavefields},
                                 {"sources, traces and downloads", device.shots},
                                 {"planes for other processes", links_devices(plan) ? exchange.device : 0}};
    for (Items* items : {&forecast.items, &forecast.device_items})
        std::erase_if(*items, [](const auto& item) { return item.bytes == 0; });
    return forecast;
}

namespace {

constexpr std::int64_t kMostCopied = 100;            // shots
constexpr std::int64_t kMostCopiedBytes = 64 << 20;  // of all shots together

/// Host, versions and command line are of about this size, whatever they are; a shot's own file does not tell them.
constexpr std::int64_t kCircumstances = 1000, kOtherProvenance = 1000;

std::int64_t config_bytes(const Plan& plan) {
    return static_cast<std::int64_t>(plan.config.origin.text.size() + resolved_yaml(plan.config).size());
}

/// With all shots in the files of the survey themselves.
std::int64_t bytes_of_survey_files(const Plan& plan) {
    const std::int64_t provenance = config_bytes(plan) + kCircumstances + kOtherProvenance;
    std::int64_t bytes = 0;
    for (const OutputFormat* format : output_formats())
        if (format->is_wanted(plan)) bytes = saturating_sum(bytes, format->predicted_bytes(plan, provenance));
    return bytes;
}

/// What files of their own add to that: the heads of the files, their links, and their lines in the table.
std::int64_t bytes_of_own_files(const Plan& plan) {
    std::int64_t bytes = ShotTable::bytes_of_shot();
    for (const OutputFormat* format : output_formats())
        if (format->has_shot_files() && format->is_wanted(plan)) bytes += format->own_file_bytes();
    return saturating_product(shots_of(plan), bytes);
}

}  // namespace

bool keeps_shot_files(const Plan& plan) {
    return shots_of(plan) > kMostCopied || (shots_of(plan) > 1 && bytes_of_survey_files(plan) > kMostCopiedBytes);
}

std::int64_t forecast_output_bytes(const Plan& plan) {
    const std::int64_t bytes = bytes_of_survey_files(plan);
    return keeps_shot_files(plan) ? saturating_sum(bytes, bytes_of_own_files(plan)) : bytes;
}

namespace {

/// Puts a set-up on a grid of other extents.
void resize(Setup& setup, const std::array<std::int64_t, 3>& n) {
    setup.grid.n = n;
    setup.strips.change_each([&n](const Strip& strip) { return strip.resized(n); });
}

/// Puts a plan on a grid of the same proportions with `longest` nodes along its longest axis, as far as its memory
/// depends on it.
void rescale(Plan& scaled, const Plan& plan, std::int64_t longest) {
    const double factor = static_cast<double>(longest) / static_cast<double>(*std::ranges::max_element(plan.grid.n));
    for (std::size_t a = 0; a < 3; ++a) {
        const auto scale = [factor](std::int64_t count, std::int64_t least) {
            return std::max(least, static_cast<std::int64_t>(std::llround(factor * static_cast<double>(count))));
        };
        if (!plan.grid.has_axis(static_cast<int>(a))) continue;
        scaled.grid.n[a] = scale(plan.grid.n[a], 2);
        scaled.snapshots.window.count[a] = scale(plan.snapshots.window.count[a], 1);
    }
    scaled.computed = plan.computed.around(scaled.grid);
    scaled.setup.strips = plan.setup.strips;
    resize(scaled.setup, scaled.computed.grid().n);
    cut_again(scaled);
}

}  // namespace

std::optional<Grid> largest_grid(const Plan& plan, Memory memory, std::int64_t available) {
    constexpr double kLeastBytesPerNode = 4.;
    if (plan.aperture) return std::nullopt;  // its parts are as large as its spreads, not as its grid
    Plan scaled = plan;
    const auto fits = [&](std::int64_t longest) {
        rescale(scaled, plan, longest);
        const MemoryForecast forecast = forecast_memory(scaled);
        return (memory == Memory::host ? forecast.peak_bytes() : forecast.device_peak_bytes()) <= available;
    };
    const double nodes = static_cast<double>(available) / kLeastBytesPerNode;
    const double growth =
        std::pow(nodes / static_cast<double>(plan.grid.points()), 1. / static_cast<double>(plan.grid.dimensions));
    std::int64_t low = 2;
    auto high = low + static_cast<std::int64_t>(
                          growth * static_cast<double>(*std::ranges::max_element(plan.grid.n)));  // does not fit
    if (!fits(low)) return std::nullopt;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    rescale(scaled, plan, low);
    return scaled.grid;
}

}  // namespace onda
