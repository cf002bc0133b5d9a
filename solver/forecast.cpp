#include "solver/forecast.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <spdlog/fmt/fmt.h>

#include "io/error.hpp"
#include "io/seismograms.hpp"
#include "io/snapshots.hpp"
#include "solver/build.hpp"
#include "solver/pictures.hpp"

namespace onda {
namespace {

/// The program itself with its libraries, and what they allocate once: measured on runs of a few nodes.
constexpr std::int64_t kProgramBytes = 20'000'000;
constexpr std::int64_t kFloat = sizeof(float), kDouble = sizeof(double);

std::int64_t element_bytes(const Plan& plan) {
    return plan.setup.precision == Precision::float64 ? kDouble : kFloat;
}

/// Receivers and sources are held as weighted nodes: by the shot, and by the backend.
std::int64_t point_bytes(const Plan& plan) {
    std::int64_t most = 0;
    const auto entries = [&plan](const Position& position) {
        std::int64_t count = 1;
        for (std::size_t a = 0; a < 3; ++a) {
            const double index = (position[a] - plan.grid.origin_m[a]) / plan.grid.spacing_m[a];
            if (plan.grid.has_axis(static_cast<int>(a)) && std::abs(index - std::round(index)) > 1e-9) count *= 8;
        }
        return count;
    };
    for (const Shot& shot : plan.survey.shots) {
        std::int64_t count = 0;
        for (const Position& position : shot.receivers) count += entries(position);
        for (const SourcePoint& source : shot.sources) count += entries(source.position_m);
        most = std::max(most, count);
    }
    const std::int64_t in_shot = sizeof(std::int64_t) + kDouble,
                       in_backend = sizeof(std::int64_t) + element_bytes(plan);
    return most * (in_shot + in_backend);
}

std::int64_t signal_bytes(const Plan& plan) {
    return static_cast<std::int64_t>(plan.most_sources()) * (plan.time.steps + 1) * (kDouble + element_bytes(plan));
}

/// While `bytes` are written in chunks of at most `largest`, HDF5 holds a chunk and a copy with its checksums.
std::int64_t writing_bytes(std::int64_t bytes, std::int64_t largest) {
    const std::int64_t chunks = std::max<std::int64_t>(1, (bytes + largest - 1) / largest);
    return 2 * bytes / chunks;
}

/// While the traces of a shot are brought to the user's sampling and written.
std::int64_t gather_bytes(const Plan& plan) {
    const auto receivers = static_cast<std::int64_t>(plan.most_receivers());
    const std::int64_t recorded = plan.time.steps + 1, block = std::min<std::int64_t>(receivers, 512);
    const std::int64_t written = receivers * plan.time.output_samples * kFloat;
    if (plan.time.output_dt_s == plan.time.dt_s) return written + writing_bytes(written, 1 << 20);
    return receivers * recorded * kFloat + written + block * recorded * kDouble;
}

std::int64_t frames_alive(const Plan& plan) {
    return std::min(static_cast<std::int64_t>(plan.survey.shots.size() * plan.snapshots.steps.size()),
                    std::int64_t{Backend::kDownloads});
}

std::int64_t frame_bytes(const Plan& plan) {
    return plan.snapshots.steps.empty() ? 0 : plan.snapshots.window.points() * kFloat;
}

}  // namespace

std::int64_t MemoryForecast::peak_bytes() const {
    return std::accumulate(items.begin(), items.end(), std::int64_t{0},
                           [](std::int64_t sum, const Item& item) { return sum + item.bytes; });
}

MemoryForecast forecast_memory(const Plan& plan) {
    const auto traces = static_cast<std::int64_t>(plan.most_receivers()) * (plan.time.steps + 1) * element_bytes(plan);
    const PictureBytes pictures = picture_bytes(plan);
    // The velocity, 4 bytes a node, has gone when the first shot touches the wavefields, 8 bytes a node and more.
    MemoryForecast forecast{
        {{"program and libraries", kProgramBytes},
         {fmt::format("wavefields and model of the {} backend", plan.device->name),
          plan.device->predicted_bytes(plan.setup)},
         {"traces in the backend", traces},
         {"sources and receivers", point_bytes(plan) + signal_bytes(plan)},
         {"snapshots on their way to disk", frames_alive(plan) * frame_bytes(plan)},
         {"slices kept for pictures", pictures.kept},
         {"for a moment, to write snapshots or seismograms, or to draw",
          std::max({writing_bytes(frame_bytes(plan), 16 << 20), gather_bytes(plan), pictures.drawing})}}};
    std::erase_if(forecast.items, [](const auto& item) { return item.bytes == 0; });
    return forecast;
}

std::int64_t forecast_output_bytes(const Plan& plan) {
    // Host, versions and command line are of about this size, whatever they are.
    constexpr std::int64_t other_provenance = 2000;
    const auto provenance =
        static_cast<std::int64_t>(plan.config.text.size() + resolved_yaml(plan.config).size()) + other_provenance;
    std::vector<std::int64_t> receivers;
    for (const Shot& shot : plan.survey.shots)
        if (!shot.receivers.empty()) receivers.push_back(static_cast<std::int64_t>(shot.receivers.size()));
    std::int64_t bytes = 0;
    if (!receivers.empty()) bytes += predicted_seismogram_bytes(receivers, plan.time.output_samples, provenance);
    if (!plan.snapshots.steps.empty())
        bytes += predicted_snapshot_bytes(plan.snapshots.geometry, static_cast<std::int64_t>(plan.survey.shots.size()),
                                          static_cast<std::int64_t>(plan.snapshots.steps.size()), provenance);
    return bytes;
}

namespace {

/// The grid of the run, shortened to about 6 M nodes: beyond most caches, and quick to fill.
Grid rehearsal_grid(const Grid& grid) {
    Grid small = grid;
    const double most = 6e6;
    const auto shorten = [&small](std::size_t axis, double nodes) {
        small.n[axis] = std::clamp<std::int64_t>(std::llround(nodes), 1, small.n[axis]);
    };
    shorten(0, grid.dimensions == 3 ? 512. : 4096.);
    const double rest = most / static_cast<double>(small.n[0]);
    if (grid.dimensions == 3) shorten(1, std::max(std::sqrt(rest), rest / static_cast<double>(grid.n[2])));
    shorten(2, rest / static_cast<double>(small.n[1]));
    return small;
}

BackendSetup rehearsal_setup(const Plan& plan) {
    BackendSetup setup = plan.setup;
    setup.grid = rehearsal_grid(plan.grid);
    for (std::size_t a = 0; a < 3; ++a) {
        auto& taper = setup.sponge.taper[a];
        const auto cut = static_cast<std::int64_t>(taper.size()) - setup.grid.n[a];
        // What is cut out comes from the middle, where the taper is 1.
        if (!taper.empty() && cut > 0)
            taper.erase(taper.begin() + setup.grid.n[a] / 2, taper.begin() + setup.grid.n[a] / 2 + cut);
    }
    return setup;
}

/// Nodes that the sponge visits.
double damped_nodes(const BackendSetup& setup) {
    double untouched = 1.;
    for (std::size_t a = 0; a < 3; ++a) {
        const auto& taper = setup.sponge.taper[a];
        untouched *= static_cast<double>(taper.empty() ? setup.grid.n[a] : std::ranges::count(taper, 1.));
    }
    return static_cast<double>(setup.grid.points()) - untouched;
}

/// Once to touch what is cold, then for a tenth of a second.
template <typename Work>
double seconds_per_call(Work&& work) {
    using Clock = std::chrono::steady_clock;
    work();
    const Clock::time_point start = Clock::now();
    std::int64_t calls = 0;
    double elapsed = 0.;
    do {
        work();
        ++calls;
        elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < 0.1);
    return elapsed / static_cast<double>(calls);
}

}  // namespace

TimeForecast forecast_time(const Plan& plan) {
    const BackendSetup setup = rehearsal_setup(plan);
    const auto backend = plan.device->make(setup);
    const auto velocity = static_cast<float>(plan.velocity.min_m_s);
    backend->upload_model(
        [velocity](std::int64_t, std::int64_t, std::span<float> row) { std::ranges::fill(row, velocity); },
        plan.time.dt_s);
    backend->reset();
    const double step = seconds_per_call([&backend] {
        backend->fill_halos();
        backend->step();
        backend->swap();
    });
    const double absorb = seconds_per_call([&backend] { backend->absorb(); });
    const double nodes = static_cast<double>(plan.grid.points()), steps = static_cast<double>(plan.time.steps);
    const double per_step = step * nodes / static_cast<double>(setup.grid.points()) +
                            absorb * damped_nodes(plan.setup) / std::max(1., damped_nodes(setup));
    return {nodes / per_step * 1e-9, static_cast<double>(plan.survey.shots.size()) * steps * per_step};
}

void refuse_if_too_large(const Plan& plan, const std::filesystem::path& output_folder) {
    const std::int64_t needed = forecast_memory(plan).peak_bytes(), available = available_memory_bytes();
    if (needed > available) {
        const double share = static_cast<double>(available) / static_cast<double>(needed);
        throw Error(ExitCode::out_of_memory,
                    fmt::format("the run needs {} of memory and {} are available\n  about {:.3g} M nodes would fit "
                                "(this grid has {:.4g} M): increase grid.spacing_m or take a machine with more memory",
                                bytes_text(needed), bytes_text(available),
                                static_cast<double>(plan.grid.points()) * share * 1e-6,
                                static_cast<double>(plan.grid.points()) * 1e-6));
    }
    std::filesystem::path existing = std::filesystem::absolute(output_folder);
    while (!std::filesystem::exists(existing)) existing = existing.parent_path();
    const auto disk = static_cast<double>(std::filesystem::space(existing).available);
    if (const std::int64_t output = forecast_output_bytes(plan); static_cast<double>(output) > disk)
        throw Error(
            ExitCode::io_error,
            fmt::format("the results need {} on disk and {} has {} left\n  choose another folder with --output, "
                        "or fewer snapshots (output.snapshots)",
                        bytes_text(output), existing.string(), bytes_text(static_cast<std::int64_t>(disk))));
}

std::string bytes_text(std::int64_t bytes) {
    const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < std::size(units); ++unit) value /= 1000.;
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace onda
