#include "solver/planning/rehearsal.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <numbers>
#include <omp.h>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/files/atomic_file.hpp"
#include "io/files/plain_file.hpp"
#include "io/pictures/picture.hpp"
#include "io/results/snapshots.hpp"
#include "io/text/error.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/outputs/wavefield_hash.hpp"
#include "solver/pictures/section_picture.hpp"
#include "solver/plan/plan.hpp"
#include "solver/program/file_record.hpp"
#include "solver/propagation/stability_watch.hpp"

namespace onda {
namespace {

using Clock = std::chrono::steady_clock;

double rehearsed_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The seconds that this thread has worked.
double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <typename Work>
double seconds_of(Work&& work) {
    const Clock::time_point start = Clock::now();
    work();
    return rehearsed_since(start);
}

/// Seconds of what is done more than once in a run, the shorter of two measurements: the first takes longer.
template <typename Work>
double warm_seconds_of(Work&& work) {
    const double cold = seconds_of(work);
    return std::min(cold, seconds_of(work));
}

constexpr double kMostRehearsed = 72e6;  // bytes of the host: 6 M nodes in single precision

/// A grid, shortened to `most` nodes.
Grid shortened(const Grid& grid, double most) {
    Grid small = grid;
    const auto shorten = [&small](std::size_t axis, double nodes) {
        small.n[axis] = std::clamp<std::int64_t>(std::llround(nodes), 1, small.n[axis]);
    };
    shorten(0, grid.dimensions == 3 ? 512. : 4096.);
    const double rest = most / static_cast<double>(small.n[0]);
    if (grid.dimensions == 3) shorten(1, std::max(std::sqrt(rest), rest / static_cast<double>(grid.n[2])));
    shorten(2, rest / static_cast<double>(small.n[1]));
    return small;
}

/// Large enough for the caches of the device to be too small, and quick to fill.
Setup rehearsal_setup(const Setup& of_run, const Placement& placement) {
    const bool own_memory = placement.device->has_own_memory();
    // In the memory of the host so little that `onda check` needs little itself; in that of a device a tenth of what is
    // free.
    const double room =
        own_memory ? 0.1 * static_cast<double>(placement.device->available_bytes(of_run.ordinal)) : kMostRehearsed;
    Setup setup;
    for (double most = own_memory ? 5e7 : 6e6; most > 1.; most *= 0.7) {
        setup = of_run;
        setup.threads = std::min(setup.threads, omp_get_num_procs());  // more are no faster, and slow to start
        setup.grid.n = shortened(of_run.grid, most).n;
        setup.strips.change_each([&](const Strip& strip) { return strip.resized(setup.grid.n); });
        if (static_cast<double>(placement.device->predicted_bytes(setup, placement.batch)) <= room) break;
    }
    return setup;
}

/// What absorb() moves, in nodes of the sponge.
double absorbing_work(const Setup& setup) {
    double work = 0.;
    for (const auto& strip : setup.strips) work += strip->work(setup.grid);
    return work;
}

/// As many receivers as the largest shot of a survey has, up to a few thousand of a batch, each with as many nodes, all
/// over a grid.
NodeWeights receivers_like(const SurveySize& size, int batch, const Grid& grid) {
    constexpr std::int64_t most = 5000;
    const std::int64_t rows = std::min<std::int64_t>(size.most_receiver_rows, std::max<std::int64_t>(1, most / batch));
    const std::int64_t nodes =
        rows == 0 ? 0 : std::clamp<std::int64_t>(size.most_receiver_nodes / size.most_receiver_rows, 1, 768);
    NodeWeights list;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t x = row * grid.nx() / rows, y = grid.ny() / 2, z = grid.nz() / 2;
        for (std::int64_t i = 0; i < nodes; ++i) {
            list.node.push_back(
                grid.at((x + i % 8) % grid.nx(), (y + i / 8 % 8) % grid.ny(), (z + i / 64) % grid.nz()));
            list.weight.push_back(1.);
        }
        list.first.push_back(std::ssize(list.node));
    }
    return list;
}

MediumReaders uniform_medium(const Equation& equation, double vp_m_s) {
    const auto filled = [](double value) -> RowReader {
        return [value](std::int64_t, std::int64_t, std::span<float> row) {
            std::ranges::fill(row, static_cast<float>(value));
        };
    };
    MediumReaders readers{filled(vp_m_s)};
    for (const MediumParameter& parameter : equation->parameters.subspan(1))
        readers.push_back(filled(parameter.highest));  // the lowest Q is the stiffest
    return readers;
}

/// Steps of a run from one look at its wavefield to the next, for the watch or a snapshot. Devices take such a row of
/// steps at a time.
std::int64_t steps_at_a_time(const TimeAxis& time, const StepSet& snapshots) {
    return std::clamp<std::int64_t>(time.steps / (snapshots.size() + 1), 1, StabilityWatch::kInterval);
}

/// The wavefield of a micro-benchmark: at rest but for a source, warm, with its threads found. While others use the
/// machine all is tried for longer: threads wait for processors now and then, for tenths of a second, and find out how
/// many they can have.
class Rehearsed {
public:
    Rehearsed(const Plan& plan, const Setup& setup)
        : most_(steps_at_a_time(plan.time, plan.snapshots.steps)), steps_(std::min(most_, kFirst)) {
        const ConditionsWatch watch(*plan.placement.device, setup.ordinal);
        made_s_ = seconds_of([&] {
            const auto medium = plan.placement.device->make_medium(
                setup, uniform_medium(plan.setup.scheme.equation, plan.model.velocity.min_m_s), plan.time.dt_s);
            wavefield_ = medium->make_wavefield(plan.placement.batch);
        });
        set_shots({});
        advance_for(0.03);
        patience_ = load_of(watch.conditions()).is_busy() ? 4. : 1.;
        if (patience_ > 1.) advance_for(0.1);
    }
    [[nodiscard]] Wavefield& wavefield() const { return *wavefield_; }
    [[nodiscard]] double made_s() const { return made_s_; }
    /// Seconds of a step. \param least_s to be stepped for, on an idle machine.
    [[nodiscard]] double step_s(double least_s) { return advance_for(least_s * patience_); }
    /// Seconds that the first steps of a batch take beyond what steps take. \param receivers of each shot.
    [[nodiscard]] double begin_s(const NodeWeights& receivers) {
        const auto first_steps = [this] { wavefield_->advance(0, steps_); };
        const double with = seconds_of([&] {
            wavefield_->reset();
            set_shots(receivers);
            wavefield_->record(0);
            first_steps();
        });
        return std::max(0., with - seconds_of(first_steps));
    }

private:
    static constexpr std::int64_t kFirst = 4;

    void set_shots(const NodeWeights& receivers) {
        const Grid& grid = wavefield_->medium().setup().grid;
        const Sources source{{{0, 1}, {grid.at(grid.nx() / 2, grid.ny() / 2, grid.nz() / 2)}, {1.}},
                             {std::vector<double>(static_cast<std::size_t>(most_ + 1), 1e-3)}};
        for (int shot = 0; shot < wavefield_->shots(); ++shot) {
            wavefield_->set_sources(shot, source);
            if (receivers.rows() > 0) wavefield_->set_receivers(shot, receivers, most_ + 1);
        }
    }
    /// Advances again and again, by as many steps at a time as a run while they are short. \returns seconds of a step.
    double advance_for(double least_s) {
        constexpr double short_s = 0.02;
        const Clock::time_point start = Clock::now();
        std::int64_t done = 0;
        double elapsed = 0.;
        while (elapsed < least_s) {
            wavefield_->advance(0, steps_);
            done += steps_;
            const double before = std::exchange(elapsed, rehearsed_since(start));
            if (elapsed - before < short_s) steps_ = std::min(2 * steps_, most_);
        }
        return elapsed / static_cast<double>(done);
    }

    std::int64_t most_, steps_;  ///< at a time: of a run, and here
    std::unique_ptr<Wavefield> wavefield_;
    double made_s_ = 0., patience_ = 1.;
};

}  // namespace

std::string MachineLoad::text() const {
    return fmt::format("other programs are using {:.1f} of {} cores", others, processors);
}

MachineLoad load_of(const Conditions& seen) {
    return {seen.others.value_or(0.), seen.processors};
}

StepRehearsal rehearse_steps(const Plan& plan) {
    StepRehearsal r{rehearsal_setup(plan.setup, plan.placement)};
    const auto nodes_of = [](const Setup& setup) { return static_cast<double>(setup.grid.points()); };
    const double larger = nodes_of(plan.setup) / nodes_of(r.setup), batch = plan.placement.batch;
    r.whole = plan.setup.grid.n == r.setup.grid.n;
    Rehearsed rehearsed(plan, r.setup);
    const double step = rehearsed.step_s(0.1) / batch;
    r.step_s = step * larger;
    r.medium_s = rehearsed.made_s() * larger;
    const auto watch = [&] { static_cast<void>(rehearsed.wavefield().extrema()); };
    r.watch_s = warm_seconds_of(watch) * larger / batch;
    const auto hash = [&] {
        static_cast<void>(fingerprint_wavefield(rehearsed.wavefield(), Window::whole(r.setup.grid)));
    };
    r.hash_s = warm_seconds_of(hash) * larger;
    if (!r.whole && absorbing_work(r.setup) > 0.) {
        Setup bare = r.setup;
        bare.strips = {};
        const double inner = std::min(step, Rehearsed(plan, bare).step_s(0.1) / batch);
        r.step_s = inner * larger + (step - inner) * absorbing_work(plan.setup) / absorbing_work(r.setup);
    }
    const NodeWeights receivers = receivers_like(plan.survey.size, plan.placement.batch, r.setup.grid);
    r.begin_s = rehearsed.begin_s(receivers);
    if (receivers.rows() > 0)
        r.receivers_s = std::max(0., rehearsed.step_s(0.05) / batch - step) *
                        static_cast<double>(plan.survey.size.most_receiver_rows) /
                        static_cast<double>(receivers.rows());
    return r;
}

double rehearse_model(const Config& config, const Equation& equation, const Grid& grid) {
    const ModelConfig& model = config.model;
    const double nodes = static_cast<double>(grid.points());
    const double parameters = static_cast<double>(equation->parameters.size());
    // Read by a process of its own, checked and, where the grid differs, interpolated: seconds a node of a laptop.
    constexpr double of_file = 6e-9, process_s = 0.03;
    if (model.type == "file") return process_s + of_file * nodes * parameters;
    // Small parts keep few threads busy; where they take no time, larger ones are tried.
    constexpr double enough_s = 0.05;
    double seconds = 0., part = 0.;
    for (const double most : {2e5, 8e5, 3.2e6}) {
        const Grid small = shortened(grid, most);
        seconds = warm_seconds_of([&] { static_cast<void>(make_model(model, equation, small, config.origin)); });
        part = static_cast<double>(small.points());
        if (seconds > enough_s || part == nodes) break;
    }
    return seconds * nodes / part;
}

TraceRehearsal rehearse_traces(const Survey& survey, const TimeAxis& time) {
    const std::int64_t receivers = survey.size.most_receivers;
    constexpr double most_samples = 4e5;
    if (receivers == 0 || static_cast<double>(time.steps) > most_samples) return {};
    const auto seconds_for = [&](std::int64_t traces) {
        std::vector<ShotGather> gathers(1);
        gathers[0].receivers_m.resize(static_cast<std::size_t>(traces));
        gathers[0].dt_s = time.recorded_dt_s();
        gathers[0].samples = time.recorded_samples();
        gathers[0].pressure.assign(static_cast<std::size_t>(traces * gathers[0].samples), 1e-3f);
        return seconds_of([&] { bring_to_output_sampling(time, gathers); });
    };
    const std::int64_t some = std::min<std::int64_t>(receivers, 8);
    const auto many =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(most_samples / static_cast<double>(time.recorded_samples())),
                                 some, std::min<std::int64_t>(receivers, 64));
    const double of_some = seconds_for(some);
    if (many == some) return {0., of_some / static_cast<double>(some)};
    const double of_many = seconds_for(many),
                 of_one = std::max(0., of_many - of_some) / static_cast<double>(many - some);
    return {std::max(0., of_many - of_one * static_cast<double>(many)), of_one};
}

double rehearse_receivers(const Plan& plan) {
    const PositionList receivers = plan.survey.shots.front().receivers;
    if (receivers.empty()) return 0.;
    constexpr std::size_t most = 3000;
    std::vector<Position> some;
    for (std::size_t i = 0; i < std::min(receivers.size(), most); ++i) some.push_back(receivers[i]);
    const Plan first = plan_of_shot(plan, 0);
    const auto weigh = [&] {
        static_cast<void>(receiver_rows(some, first.setup.grid, first.boundary.halos, plan.survey.motion.axes));
    };
    return seconds_of(weigh) / static_cast<double>(some.size());
}

namespace {

/// What the middle one of three wavefields shows, to a file that is compressed: the front of waves two thirds of their
/// way from a source. What interfaces have returned is pale beside it.
std::vector<float> waves_on(const Section& section, const Plan& plan, const Position& source) {
    const double wavelength =
        plan.model.velocity.min_m_s / plan.survey.highest_frequency_hz() * 2.5;  // about at the peak
    const double mean_m_s = 0.5 * (plan.model.velocity.min_m_s + plan.model.velocity.max_m_s);
    const double reach = 2. / 3. * mean_m_s * static_cast<double>(plan.time.steps) * plan.time.dt_s,
                 rear = reach -
                        (plan.domain.grid.dimensions == 2 ? 3. : 1.5) * wavelength;  // in 2-D a pulse leaves a tail
    const auto [first, count, step] = section.window;
    std::vector<float> values;
    for (std::int64_t z = 0; z < count[2]; ++z)
        for (std::int64_t y = 0; y < count[1]; ++y)
            for (std::int64_t x = 0; x < count[0]; ++x) {
                const Position at =
                    plan.domain.grid.position_m(first[0] + x * step[0], first[1] + y * step[1], first[2] + z * step[2]);
                const double r = std::hypot(at[0] - source[0], at[1] - source[1], at[2] - source[2]);
                const double phase = 2. * std::numbers::pi * r / wavelength;
                values.push_back(r > rear && r < reach ? static_cast<float>(std::sin(phase)) : 0.f);
            }
    return values;
}

}  // namespace

PictureRehearsal rehearse_pictures(const Plan& plan, const std::filesystem::path& folder) {
    constexpr std::int64_t most = 1200;
    const Plan first = plan_of_shot(plan, 0);
    const Shot shot = plan.survey.shots.front();
    const Position through = shot.sources.empty() ? first.domain.grid.origin_m : shot.sources.front().position_m;
    const Section section = sections_through(first.domain.grid, through, most).front();
    const std::vector<float> waves = waves_on(section, first, through);
    const std::vector<float> model(waves.size(), static_cast<float>(plan.model.velocity.max_m_s));
    const std::filesystem::path file = nearest_existing(folder) / "onda_check.png";
    const auto draw = [&](std::vector<PictureField> fields) {
        Panel panel = empty_panel(section);
        panel.fields = std::move(fields);
        mark_survey(panel, section.plane, shot);
        try {
            static_cast<void>(stage_picture(file, {plan.config.title, {panel}}, true));
        } catch (const Error&) {  // the run itself will say so, if it is its folder
        }
    };
    const double model_s = seconds_of([&] { draw({model_field(section, model, kVelocityLabel)}); });
    const double waves_s = warm_seconds_of([&] {
        draw({model_field(section, model, kVelocityLabel, kPaleGrey),
              pressure_field(section, waves, 1., true, kBlueRed)});
    });
    return {model_s, waves_s};
}

DiskRehearsal rehearse_disk(const std::filesystem::path& folder, std::int64_t bytes, std::int64_t frame_nodes) {
    constexpr double common_file_s = 5e-3, common_hdf5_s = 8e-3, common_write_s = 1. / 1e9, common_sync_s = 1. / 5e8,
                     common_hash_s = 1. / 4e9;
    constexpr std::int64_t most = 40 << 20;
    // Threads share the work on a frame, as many as it has chunks for; three frames are timed at least.
    const auto side = static_cast<std::int64_t>(
        std::sqrt(static_cast<double>(std::clamp<std::int64_t>(frame_nodes, 512 * 512, most / 16))));
    const std::int64_t plane = side * side * 4;
    DiskRehearsal r{common_file_s, common_hdf5_s, common_hdf5_s / 2., common_write_s, common_sync_s, common_hash_s};
    const std::filesystem::path file = nearest_existing(folder) / "onda_check";
    const auto hdf5_file = [&file](std::int64_t nodes, std::int64_t frames, const auto& write) {
        SnapshotWriter writer(file, {.dimensions = 2, .shape = {nodes, 1, nodes}}, {}, true);
        writer.begin_shot(1, frames);
        write(writer);
        return writer.finish_values();
    };
    try {
        r.file_s = seconds_of([&] { static_cast<void>(stage_text_file(file, "tried out by onda check\n", true)); });
        const std::vector<float> values(static_cast<std::size_t>(side * side), 1.f);
        double worked_s = 0.;
        r.hdf5_s = warm_seconds_of([&] {
            const double before = thread_seconds();
            static_cast<void>(hdf5_file(8, 1, [&](auto& writer) { writer.write(0., std::span(values).first(64)); }));
            worked_s = thread_seconds() - before;
        });
        r.hdf5_wait_s = std::max(0., r.hdf5_s - worked_s);
        const std::int64_t frames = std::min(most, bytes) / plane;
        if (frames < 3) return r;
        const auto all = static_cast<double>(frames * plane);
        r.write_s = r.sync_s = r.hash_s = INFINITY;
        constexpr double enough_s = 0.1;
        const Clock::time_point begin = Clock::now();
        for (int round = 0; round < 3 && rehearsed_since(begin) < enough_s; ++round) {
            double write_s = 0.;
            const Clock::time_point start = Clock::now();
            const AtomicFile written = hdf5_file(side, frames, [&](auto& writer) {
                writer.write(0., values);  // the first makes the dataset
                write_s = seconds_of([&] {
                    for (std::int64_t frame = 1; frame < frames; ++frame)
                        writer.write(static_cast<double>(frame), values);
                });
            });
            r.sync_s = std::min(r.sync_s, std::max(0., rehearsed_since(start) - write_s - r.hdf5_s) / all);
            r.write_s = std::min(r.write_s, write_s / static_cast<double>((frames - 1) * plane));
            r.hash_s =
                std::min(r.hash_s, seconds_of([&] { static_cast<void>(record_of(written.temporary(), "")); }) / all);
        }
    } catch (const Error&) {  // the run itself will say so, if it is its folder
    }
    return r;
}

}  // namespace onda
