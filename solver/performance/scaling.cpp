#include "solver/performance/scaling.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "kernels/medium.hpp"
#include "kernels/wavefield.hpp"
#include "solver/model/random_numbers.hpp"
#include "solver/ranks/remote_part.hpp"
#include "solver/ranks/team_exchange.hpp"

namespace onda {
namespace {

constexpr double kLeastRound_s = 0.2;

/// So many random values stand for a grid of any size, row after row.
const std::vector<float>& random_values() {
    static const std::vector<float> values = [] {
        std::vector<float> made((1 << 20) + 7);  // no power of two: rows are not alike
        for (std::size_t i = 0; i < made.size(); ++i)
            made[i] = static_cast<float>(RandomStream(1, i).uniform(-0.5, 0.5));
        return made;
    }();
    return values;
}

template <typename T>
void fill_with_random_values(std::span<T> row, std::int64_t begin) {
    const std::vector<float>& values = random_values();
    auto at = static_cast<std::size_t>(begin) % values.size();
    for (T& value : row) {
        value = static_cast<T>(values[at]);
        if (++at == values.size()) at = 0;
    }
}

MediumReaders random_medium(const Setup& setup) {
    return random_medium(setup, [](std::int64_t begin, std::span<float> row) { fill_with_random_values(row, begin); });
}

/// Fills p[n] and p[n-1] with random values; the memory variables stay zero.
void fill_with_random_values(Wavefield& wavefield) {
    for (const StatePart& part : wavefield.state_parts()) {
        if (part.name != "p" && part.name != "p_previous") continue;
        wavefield.write_state(0, part, [](const StatePart& all, std::int64_t first_plane, std::span<std::byte> planes) {
            const std::int64_t begin = first_plane * all.extents[0] * all.extents[1];
            const auto fill = [&]<typename T>(T) {
                std::vector<T> values(planes.size() / sizeof(T));
                fill_with_random_values(std::span(values), begin);
                std::memcpy(planes.data(), values.data(), planes.size());
            };
            if (all.element_bytes == sizeof(float))
                fill(float{});
            else
                fill(double{});
        });
    }
}

std::shared_ptr<Medium> make_part(const Device& device, const ScaleCase& of, std::size_t index, Setup setup,
                                  const MediumReaders& readers) {
    if (device.has_own_memory()) setup.ordinal = of.devices[index % of.devices.size()];
    return device.make_medium(setup, readers, bench_time_step_s(of.setup));
}

std::unique_ptr<Wavefield> make_wavefield(const Device& device, const ScaleCase& of, bool exchanges, Team* team) {
    const MediumReaders readers = random_medium(of.setup);
    if (of.slabs.size() == 1) return make_part(device, of, 0, of.setup, readers)->make_wavefield();
    const auto make = [&](std::size_t slab, const Setup& setup, const MediumReaders& rows,
                          double) -> std::shared_ptr<Medium> {
        if (team == nullptr || slab == 0) return make_part(device, of, slab, setup, rows);
        return make_remote_medium(*team, static_cast<int>(slab), setup, {{}, of.slabs[slab], exchanges});
    };
    MakeExchange exchange = team == nullptr ? make_local_exchange : exchange_in(*team);
    if (!exchanges) exchange = make_no_exchange;
    return make_slab_medium(of.setup, readers, bench_time_step_s(of.setup), of.slabs, make, exchange,
                            team == nullptr ? of.slabs.size() : 1)
        ->make_wavefield();
}

/// Rounds of so many steps that each takes `least_s`. \param advance takes a number of steps.
template <typename Advance>
Sample time_rounds(int rounds, double least_s, const Advance& advance) {
    const auto round_s = [&advance](std::int64_t steps) {
        const auto start = std::chrono::steady_clock::now();
        advance(steps);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const std::int64_t steps = steps_of_round(2, least_s, round_s);
    std::vector<double> seconds;
    for (int round = 0; round < rounds; ++round) seconds.push_back(round_s(steps) / static_cast<double>(steps));
    return Sample(seconds);
}

}  // namespace

Sample measure_steps(const Device& device, const ScaleCase& of, int rounds, bool exchanges, Team* team) {
    std::unique_ptr<Wavefield> wavefield = make_wavefield(device, of, exchanges, team);
    fill_with_random_values(*wavefield);
    Sample seconds = time_rounds(rounds, kLeastRound_s, [&](std::int64_t steps) { wavefield->advance(0, steps); });
    wavefield.reset();
    if (team != nullptr) dismiss(*team);
    return seconds;
}

double seconds_of_step(const Device& device, const Setup& part) {
    constexpr double least_round_s = 0.02;
    const std::unique_ptr<Wavefield> wavefield =
        device.make_medium(part, random_medium(part), bench_time_step_s(part))->make_wavefield();
    fill_with_random_values(*wavefield);
    SlabSteps steps({wavefield.get()}, make_no_exchange({}));
    return time_rounds(3, least_round_s,
                       [&](std::int64_t count) {
                           advance_in_order(steps, 0, count);
                           wavefield->wait();
                       })
        .median();
}

void serve_measurement(const Device& device, const ScaleCase& of, Team& team) {
    serve_part(team, [&](const PartRequest& request) {
        const MediumReaders readers = random_medium(of.setup);
        return make_part(device, of, 0, setup_of_slab(of.setup, request.slab),
                         readers_from_plane(readers, request.slab.first_plane));
    });
}

}  // namespace onda
