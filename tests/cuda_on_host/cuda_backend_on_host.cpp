// The whole CUDA backend - media, wavefields, batches, graphs, copies - gives the bits of the CPU, whether its streams
// run at once or only when somebody waits, and every call is made under the right device.
// Takes 50 s.
#include <algorithm>
#include <cmath>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/imaging/host_levels.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "kernels/slabs/slabs.hpp"
#include "solver/performance/model/step_cases.hpp"
#include "solver/performance/thesis/sweep_measurement.hpp"
#include "solver/performance/thesis/tile_facts.hpp"
#include "solver/performance/thesis/tile_sweep.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/run/identity.hpp"
#include "solver/run/in_memory.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "tests/io/files_support.hpp"
#include "tests/kernels/cuda_instances.hpp"
#include "tests/kernels/drag/drag_on_gpu.hpp"
#include "tests/kernels/leap_support.hpp"
#include "tests/kernels/plane_hashes.hpp"
#include "tests/kernels/silence.hpp"
#include "tests/kernels/turns_on_a_gpu.hpp"
#include "tests/solver/quiet_run.hpp"

using namespace onda;
using namespace onda::test;

namespace {

/// Grids of a few thousand nodes: a thread of the device is a fibre here.
const std::vector<Case> kSmall{
    {"3-D, mirrors and a sponge",
     {3, {13, 9, 11}, {10., 8., 9.}, {}},
     {kZero, kRigid, kZero, kZero, kFree, kZero},
     true,
     24},
    {"3-D, layers", {3, {19, 12, 13}, {10., 9., 8.}, {}}, {}, false, 13, {3, 4, 2, 0, 4, 3}},
    {"2-D, free top, sponge",
     {2, {35, 1, 17}, {10., 10., 6.}, {}},
     {kZero, kZero, kZero, kZero, kFree, kZero},
     true,
     60},
    {"2-D, layers", {2, {37, 1, 19}, {10., 10., 6.}, {}}, {}, false, 103, {5, 4, 0, 0, 0, 6}},
};

/// Layers on every face but a free top, wide enough for a core, and strips that share edges and corners.
const Case kFreeTop{"3-D, layers but a free top",
                    {3, {47, 21, 19}, {10., 9., 8.}, {}},
                    {kZero, kZero, kZero, kZero, kFree, kZero},
                    false,
                    55,
                    {5, 6, 3, 4, 0, 5}};

/// In 2-D, layers across z: at both ends, beyond the last whole vector, of a grid with just enough nodes for threads
/// that keep to one layer and of one with a node less.
const std::vector<Case> kAcrossZ{
    {"layers on every side", {2, {101, 1, 47}, {10., 10., 6.}, {}}, {}, false, 30, {20, 8, 0, 0, 6, 7}},
    {"layers above and below", {2, {101, 1, 31}, {10., 10., 6.}, {}}, {}, false, 30, {0, 0, 0, 0, 7, 6}},
    {"a layer below",
     {2, {67, 1, 25}, {10., 10., 6.}, {}},
     {kZero, kZero, kZero, kZero, kFree, kZero},
     false,
     30,
     {0, 0, 0, 0, 0, 13}},
    {"a layer above, with just enough room", {2, {66, 1, 17}, {10., 10., 6.}, {}}, {}, false, 30, {0, 0, 0, 0, 5, 0}},
    {"a layer below, with too little room", {2, {66, 1, 16}, {10., 10., 6.}, {}}, {}, false, 30, {0, 0, 0, 0, 0, 5}},
};

/// A case with fewer steps, where what is tested does not need many.
Case shortened(Case c, int steps) {
    c.steps = std::min(c.steps, steps);
    return c;
}

/// Runs `body` with streams that are late, and with streams that are early.
template <typename Body>
void early_and_late(const Body& body) {
    for (const bool late : {false, true}) {
        cuda_on_host::run_late = late;
        CAPTURE(late);
        body();
    }
}

}  // namespace

TEST_CASE("every instance gives the bits of the CPU, and holds what was predicted") {
    std::size_t compared = 0, late = 0;
    for (const Case& unequal : kSmall)
        for (const Equation equation : {Equation::star, Equation::compact, Equation::variable_density})
            for (const int order : {2, 8}) {
                const bool compact = equation == Equation::compact;
                if (compact && order > 2) continue;
                const Case c = compact ? with_equal_spacings(unequal) : unequal;
                const Setup setup =
                    setup_of(c, order, compared % 2 == 0 ? Precision::float32 : Precision::float64, equation);
                compared += compare_instances(setup, c, on_cpu(setup, c), [&late](const Setup& chosen) {
                    cuda_on_host::run_late = ++late % 3 != 0;
                    return make_noisy_medium(chosen, cuda::make_medium);
                });
            }
    CHECK(compared > 50);
}

TEST_CASE("media that absorb and anisotropic ones have the bits of the CPU in every instance") {
    std::size_t compared = 0, late = 0;
    for (const Equation equation : kFurtherOperators)
        for (const Case& c : kSmall) {
            const bool odd = ++compared % 2 != 0;
            const Setup setup = setup_of(c, odd ? 2 : 8, odd ? Precision::float64 : Precision::float32, equation);
            const Case brief = shortened(c, 12);
            CHECK(compare_instances(setup, brief, on_cpu(setup, brief), [&late](const Setup& chosen) {
                      cuda_on_host::run_late = ++late % 3 != 0;
                      return make_noisy_medium(chosen, cuda::make_medium);
                  }) >= 2);
        }
}

TEST_CASE("their batches, states and slabs have the bits of the CPU") {
    cuda_on_host::run_late = true;
    for (const Equation equation : {Equation::attenuation_of_two, Equation::drag, Equation::vti, Equation::tti}) {
        const Case flat = shortened(kSmall[3], 12), solid = shortened(kSmall[1], 12);
        const Setup setup = setup_of(flat, 2, Precision::float32, equation);
        const auto batch = make_noisy_medium(setup, cuda::make_medium)->make_wavefield(3);
        CHECK(allocated_bytes(*batch) == cuda::allocations(setup, 3).bytes(Memory::device));
        check_batch(*batch, flat, [&](std::uint64_t seed) { return on_cpu(setup, flat, "auto", seed); });
        for (const bool from_gpu : {true, false}) {
            check_goes_on_elsewhere(setup, flat, from_gpu, 5, 3);
            check_goes_on_elsewhere(setup_of(solid, 2, Precision::float32, equation), solid, from_gpu, 5, 3);
        }
    }
}

TEST_CASE("the thesis' kernels have every tile of its tables, with the shared memory that is counted for it") {
    const Case c = shortened(kSmall[0], 3);
    Setup setup = setup_of(c, 8, Precision::float32);
    const std::vector<double> expected = on_cpu(setup, c);
    for (const LoadStrategy& strategy : kLoadStrategies)
        for (const std::int64_t tx : kThesisTileSizes)
            for (const std::int64_t tz : kThesisTileSizes) {
                setup.kernel = "thesis-" + std::string(strategy.name);
                setup.tile = std::to_string(tx) + "x" + std::to_string(tz);
                CAPTURE(setup.kernel);
                CAPTURE(setup.tile);
                const cuda::Resources has = cuda::resources(setup);
                CHECK(has.threads == tx * tz);
                CHECK(has.shared_bytes == tile_facts(strategy, tx, tz, 4).shared_bytes);
                const auto wavefield = make_noisy_medium(setup, cuda::make_medium)->make_wavefield();
                start_and_advance(*wavefield, c);
                const std::vector<double> result = results_of(*wavefield, c);
                REQUIRE(result.size() == expected.size());
                double largest = 0., apart = 0.;
                for (std::size_t i = 0; i < result.size(); ++i) {
                    largest = std::max(largest, std::abs(expected[i]));
                    apart = std::max(apart, std::isfinite(result[i]) ? std::abs(result[i] - expected[i]) : INFINITY);
                }
                CHECK(apart <= 1e-5 * largest);
            }
}

TEST_CASE("the thesis' tables are measured: every tile that was asked for, the twin and the kernels beside them") {
    SweepTask task;
    task.setup.grid = {3, {24, 6, 16}, {10., 10., 10.}, {}};
    task.tx = {4, 8};
    task.tz = {8};
    task.kernels = {"inplane-full", "direct"};
    task.rounds = 3;
    std::vector<std::size_t> told;
    const MeasuredSweep measured = measure_sweep(
        usable_device("cuda"), task, [&told](const TileSweep& so_far) { told.push_back(so_far.tiles.size()); });
    const TileSweep& sweep = measured.sweep;
    CHECK(told == std::vector<std::size_t>{0, 1, 2});
    REQUIRE(measured.rows.size() == 3 + 2 * kLoadStrategies.size());
    CHECK(measured.rows[3].kernel["kernel"] == "thesis-full");
    CHECK(measured.rows[3].kernel["tile"] == "4x8");
    CHECK(measured.rows[3].rounds.rounds().size() == 3);
    CHECK(sweep.nodes == task.setup.grid.n);
    CHECK(sweep.order == 8);
    REQUIRE(sweep.others.size() == 3);
    CHECK(sweep.others[0].kernel == "twin");
    CHECK(sweep.others[1].kernel == "inplane-full");
    for (const SweptTile& tile : sweep.tiles)
        for (const auto& seconds : tile.seconds) CHECK(seconds.value_or(0.) > 0.);
    const TileSweep again = parse_tile_sweep(csv_of(sweep), "again.csv");
    CHECK(csv_of(again) == csv_of(sweep));
    task.kernels = {"inplane-diagonal"};
    CHECK_THROWS_AS(measure_sweep(usable_device("cuda"), task, [](const TileSweep&) {}), std::invalid_argument);
}

TEST_CASE("whole steps in one launch give the bits of the CPU, in graphs and one by one") {
    for (const Case& c : {kFreeTop, kSmall[3]})
        for (const int order : {2, 8}) {
            Setup setup = setup_of(c, order, Precision::float32);
            const std::vector<double> expected = on_cpu(setup, c);
            setup.kernel = "fused";
            for (const int piece : {1, 7, c.steps}) {
                CAPTURE(c.name);
                CAPTURE(order);
                CAPTURE(piece);
                const auto wavefield = make_noisy_medium(setup, cuda::make_medium)->make_wavefield();
                start_noisy_shot(*wavefield, c, setup.precision);
                wavefield->record(0);
                for (int n = 0; n < c.steps; n += piece) wavefield->advance(n, std::min(piece, c.steps - n));
                CHECK(results_of(*wavefield, c) == expected);
            }
        }
}

TEST_CASE("whole steps in one launch give the bits of the CPU in layers across z, of one shot and of several") {
    for (const Case& c : kAcrossZ)
        for (const Precision precision : {Precision::float32, Precision::float64})
            for (const int order : {2, 8}) {
                Setup setup = setup_of(c, order, precision);
                const std::vector<double> first = on_cpu(setup, c), last = on_cpu(setup, c, "auto", 2);
                setup.kernel = "fused";
                const auto medium = make_noisy_medium(setup, cuda::make_medium);
                CAPTURE(c.name);
                CAPTURE(order);
                CAPTURE(static_cast<int>(precision));
                const auto one = medium->make_wavefield(), three = medium->make_wavefield(3);
                for (Wavefield* const wavefield : {one.get(), three.get()}) {
                    start_and_advance(*wavefield, c);
                    CHECK(results_of(*wavefield, c) == first);
                }
                CHECK(results_of(*three, c, 2) == last);
            }
}

TEST_CASE("page-locked memory is registered as long as it is held, also where threads provide its pages") {
    REQUIRE(cuda_on_host::held_pinned_bytes() == 0);
    for (const std::int64_t bytes :
         {std::int64_t{1} << 20, (std::int64_t{64} << 20) - 1, (std::int64_t{64} << 20) + 5}) {
        CAPTURE(bytes);
        cuda::PinnedBuffer<std::uint8_t> held(cuda::pinned("held", Owner::shots, bytes, 1)), other;
        CHECK(cuda_on_host::held_pinned_bytes() == static_cast<std::size_t>(bytes));
        held.data()[0] = held.data()[bytes - 1] = 1;
        std::swap(held, other);
        CHECK(other.data()[bytes - 1] == 1);
    }
    CHECK(cuda_on_host::held_pinned_bytes() == 0);
}

TEST_CASE("levels on the host are there when they are asked for, take what was planned, and may be given up early") {
    REQUIRE(cuda_on_host::held_pinned_bytes() == 0);
    constexpr std::int64_t levels = 23, of_level = 300, two_levels = 2 * of_level * std::int64_t{sizeof(float)};
    const Allocation row = cuda::pinned("levels", Owner::wavefield, levels * of_level, sizeof(float));
    {
        cuda::HostLevels<float> kept(row, of_level, two_levels - 1);
        for (std::int64_t n = 0; n < levels; ++n) std::fill_n(kept.at(n), of_level, static_cast<float>(n));
        CHECK(cuda_on_host::held_pinned_bytes() == static_cast<std::size_t>(row.bytes));
        for (std::int64_t n = 0; n < levels; ++n)
            CHECK(std::count(kept.at(n), kept.at(n) + of_level, static_cast<float>(n)) == of_level);
    }
    { const cuda::HostLevels<float> given_up(row, of_level, 1); }
    CHECK(cuda_on_host::held_pinned_bytes() == 0);
    cuda_on_host::most_pinned_bytes = 5 * static_cast<std::size_t>(two_levels);
    cuda::HostLevels<float> short_of_memory(row, of_level, two_levels);
    CHECK(short_of_memory.at(9) != nullptr);
    CHECK_THROWS_AS(static_cast<void>(short_of_memory.at(10)), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(short_of_memory.at(levels - 1)), std::bad_alloc);
    cuda_on_host::most_pinned_bytes = 1;
    CHECK_THROWS_AS(cuda::HostLevels<float>(row, of_level), std::bad_alloc);
    cuda_on_host::most_pinned_bytes = std::numeric_limits<std::size_t>::max();
}

TEST_CASE("the run-time library hands out what the list adds up to, to the byte, and gets it back") {
    const auto on_device = [] { return static_cast<std::int64_t>(cuda_on_host::held_device_bytes()); };
    const auto in_pinned = [] { return static_cast<std::int64_t>(cuda_on_host::held_pinned_bytes()); };
    REQUIRE(on_device() + in_pinned() == 0);
    for (const Case& c : kSmall)
        for (const char* kernel : {"auto", "fused"})
            for (const Precision precision : {Precision::float32, Precision::float64})
                for (const int shots : {1, 3}) {
                    Setup setup = setup_of(c, 2, precision);
                    setup.kernel = kernel;
                    ShotSize size = size_of_noisy_shot(c);
                    size.download_points = c.grid.points();
                    const Allocations planned = cuda::allocations(setup, shots, size);
                    CAPTURE(c.name);
                    CAPTURE(kernel);
                    CAPTURE(shots);
                    const auto medium = make_noisy_medium(setup, cuda::make_medium);
                    CHECK(on_device() == planned.bytes(Memory::device, Owner::medium));
                    const auto wavefield = medium->make_wavefield(shots);
                    CHECK(on_device() == planned.bytes(Memory::device) - planned.bytes(Memory::device, Owner::shots));
                    start_and_advance(*wavefield, c);
                    const Window whole = Window::whole(c.grid);
                    const auto first = wavefield->fields().start_download(whole),
                               second = wavefield->fields().start_download(whole);
                    CHECK(on_device() == planned.bytes(Memory::device));
                    CHECK(in_pinned() == planned.bytes(Memory::pinned));
                    CHECK(allocated_bytes(*wavefield) == on_device());
                }
    CHECK(on_device() + in_pinned() == 0);
}

TEST_CASE("a kind of strip that the tests add has the bits of the CPU, also behind whole steps, and keeps its state") {
    early_and_late([] {
        // The steps of one graph and of the rest, and of neither.
        for (const Case& c : {shortened(kSmall[0], 16), kFreeTop, shortened(kSmall[3], 16)})
            for (const char* kernel : {"auto", "fused"}) {
                CAPTURE(c.name);
                CAPTURE(kernel);
                Setup setup = setup_of(c, 2, Precision::float32);
                setup.strips.edit<DragOnGpu>().width = {3, 2, 0, c.grid.dimensions == 3 ? 2 : 0, 0, 4};
                const std::vector<double> expected = on_cpu(setup, c), expected_next = on_cpu(setup, c, "auto", 1);
                setup.kernel = kernel;
                const Allocations planned = cuda::allocations(setup, 2);
                const auto medium = make_noisy_medium(setup, cuda::make_medium);
                const auto whole = medium->make_wavefield(2), begun = medium->make_wavefield();
                CHECK(allocated_bytes(*whole) == planned.bytes(Memory::device));
                CHECK(planned.of("drag.memory").elements > 0);
                start_and_advance(*whole, c);
                CHECK(results_of(*whole, c) == expected);
                CHECK(results_of(*whole, c, 1) == expected_next);
                start_noisy_shot(*begun, c, setup.precision);
                begun->advance(0, 5);
                const State saved = save(*begun);
                start_and_advance(*begun, c);
                restore(*begun, saved);
                CHECK(save(*begun) == saved);
                begun->advance(5, c.steps - 5);
                CHECK(save(*begun) == save(*whole));
            }
    });
    Setup setup = setup_of(kSmall[0], 2, Precision::float32);
    setup.strips.edit<Drag>().width[0] = 3;
    CHECK_THROWS_WITH_AS(cuda::check_setup(setup), "GPUs do not compute strips of the kind drag",
                         std::invalid_argument);
}

TEST_CASE(
    "each shot of a batch has the bits of the shot alone, in every 2-D instance, and in 3-D in one launch a step") {
    early_and_late([] {
        for (const Case& listed : kSmall) {
            const Case c = shortened(listed, 25);
            for (const Equation equation : kOperators) {
                const Setup setup = setup_of(c, 2, Precision::float32, equation);
                for (const cuda::Variant& variant : cuda::variants(setup)) {
                    if (!has_the_same_bits(variant)) continue;
                    const Setup chosen = with_instance(setup, variant);
                    CHECK((cuda::most_shots(chosen) > 1) == (c.grid.dimensions == 2 || variant.kernel == "fused"));
                    if (cuda::most_shots(chosen) == 1) continue;
                    const auto batch = make_noisy_medium(chosen, cuda::make_medium)->make_wavefield(3);
                    CHECK(allocated_bytes(*batch) == cuda::allocations(chosen, 3).bytes(Memory::device));
                    CAPTURE(variant.kernel);
                    check_batch(*batch, c, [&](std::uint64_t seed) { return on_cpu(setup, c, "auto", seed); });
                }
            }
        }
    });
}

TEST_CASE("a state that is put into one shot of a batch leaves what the strips of the others remember") {
    early_and_late([] {
        for (const std::size_t which : {1u, 3u}) {
            const Case& c = kSmall[which];
            const Setup setup = setup_of(c, 2, Precision::float32);
            const auto batch = make_noisy_medium(setup, cuda::make_medium)->make_wavefield(3);
            start_and_advance(*batch, c);
            const State first = save(*batch, 0), last = save(*batch, 2);
            const std::vector<double> silence(static_cast<std::size_t>(c.grid.points()));
            batch->upload(silence, silence, 1);
            CAPTURE(c.name);
            CHECK(save(*batch, 0) == first);
            CHECK(save(*batch, 2) == last);
            for (const auto& [part, values] : save(*batch, 1))
                CHECK(std::ranges::all_of(values, [](std::byte value) { return value == std::byte{0}; }));
            for (int shot = 0; shot < 3; ++shot) {
                std::vector<double> p(static_cast<std::size_t>(c.grid.points()));
                batch->download(Window::whole(c.grid), std::span<double>(p), shot);
                const auto largest = std::ranges::max_element(p, {}, [](double value) { return std::abs(value); });
                CHECK(batch->extremum(shot).max_abs == std::abs(*largest));
                CHECK(batch->extremum(shot).node == largest - p.begin());
            }
        }
    });
}

TEST_CASE("two wavefields on one medium, queued in turn, give what each gives alone") {
    early_and_late([] {
        const Case& c = kSmall[1];
        const Setup setup = setup_of(c, 2, Precision::float32);
        const auto medium = make_noisy_medium(setup, cuda::make_medium);
        check_in_turn(*medium, c, [&](std::uint64_t seed) { return on_cpu(setup, c, "auto", seed); });
    });
}

TEST_CASE("a state goes on at the other device, and in another place of a batch") {
    early_and_late([] {
        for (const Case& c : kSmall)
            for (const bool from_gpu : {true, false}) {
                const Setup setup = setup_of(c, 2, Precision::float32, Equation::variable_density);
                check_goes_on_elsewhere(setup, c, from_gpu, 11, 3);
            }
    });
}

TEST_CASE("downloads that are under way, extremum and samples are those of their step") {
    early_and_late([] {
        const Case& c = kSmall[2];
        const Setup setup = setup_of(c, 2, Precision::float32);
        const auto gpu = make_noisy_medium(setup, cuda::make_medium)->make_wavefield(2);
        const auto cpu = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(2);
        for (const auto& wavefield : {gpu.get(), cpu.get()})
            for (int shot = 0; shot < 2; ++shot)
                start_noisy_shot(*wavefield, c, setup.precision, 1., shot, static_cast<std::uint64_t>(shot));
        const Window window{{3, 0, 2}, {8, 1, 5}, {4, 1, 3}};
        std::vector<float> expected(static_cast<std::size_t>(window.points()));
        for (std::int64_t n = 0; n < 12; n += 4)
            for (int shot = 0; shot < 2; ++shot) {
                const auto download = gpu->fields().start_download(window, shot);
                gpu->enqueue(n, shot == 0 ? 0 : 4);  // under the copy
                cpu->download(window, std::span<float>(expected), shot);
                CHECK(std::ranges::equal(download->wait(), expected));
                if (shot == 1) cpu->advance(n, 4);
            }
        gpu->wait();
        for (int shot = 0; shot < 2; ++shot) {
            CHECK(gpu->extremum(shot).node == cpu->extremum(shot).node);
            CHECK(gpu->extremum(shot).max_abs == cpu->extremum(shot).max_abs);
            const std::vector<std::int64_t> nodes{0, c.grid.at(5, 0, 7), c.grid.points() - 1};
            std::vector<double> of_gpu(3), of_cpu(3);
            gpu->fields().sample(nodes, of_gpu, shot);
            cpu->fields().sample(nodes, of_cpu, shot);
            CHECK(of_gpu == of_cpu);
        }
    });
}

TEST_CASE("everything happens under the device that was asked for, whichever the thread used last") {
    early_and_late([] {
        const Case& c = kSmall[3];
        Setup setup = setup_of(c, 2, Precision::float32);
        const std::vector<double> expected = on_cpu(setup, c);
        std::vector<std::unique_ptr<Wavefield>> wavefields;
        for (const int ordinal : {1, 0}) {
            setup.ordinal = ordinal;
            wavefields.push_back(make_noisy_medium(setup, cuda::make_medium)->make_wavefield());
        }
        for (const auto& wavefield : wavefields) start_noisy_shot(*wavefield, c, setup.precision);
        for (const auto& wavefield : wavefields) wavefield->record(0);
        for (std::int64_t n = 0; n < c.steps; ++n)
            for (const auto& wavefield : wavefields) wavefield->enqueue(n, 1);
        for (const auto& wavefield : wavefields) {
            wavefield->wait();
            CHECK(results_of(*wavefield, c) == expected);
        }
        setup.ordinal = 2;
        CHECK_THROWS_WITH_AS(cuda::make_medium(setup, {}, 1e-3), "GPU 2 is not visible: there are 2, 0 to 1",
                             SetupFault);
    });
}

TEST_CASE("batches that fill the cache of a GPU step one after the other") {
    check_turns();
}

TEST_CASE("hashes of planes are those of their values, and of the steps that are still queued") {
    check_plane_hashes(cuda::make_medium);
    early_and_late([] {
        const Case c = shortened(kSmall[0], 12);
        const Setup setup = setup_of(c, 2, Precision::float32);
        const auto gpu = make_noisy_medium(setup, cuda::make_medium)->make_wavefield();
        const auto cpu = make_noisy_medium(setup, cpu::make_medium)->make_wavefield();
        std::vector<std::uint64_t> hashes(static_cast<std::size_t>(c.grid.nz())), expected(hashes.size());
        for (const auto& wavefield : {gpu.get(), cpu.get()}) {
            start_noisy_shot(*wavefield, c, setup.precision);
            wavefield->enqueue(0, c.steps);
            wavefield->fields().hash_planes(Window::whole(c.grid), wavefield == gpu.get() ? hashes : expected);
        }
        CHECK(hashes == expected);
    });
}

TEST_CASE("slabs on two devices give the bits of the uncut grid, with every kernel, and with planes that are late") {
    std::size_t compared = 0;
    for (const Case& c :
         {Case{"tall", {3, {13, 9, 23}, {10., 8., 9.}, {}}, {kZero, kRigid, kZero, kZero, kFree, kZero}, true, 12},
          Case{"layers", {3, {19, 12, 41}, {10., 9., 8.}, {}}, {}, false, 9, {3, 4, 2, 0, 4, 3}}})
        for (const Equation equation : {Equation::star, Equation::variable_density})
            for (const int order : {2, 8}) {
                const Setup setup = setup_of(c, order, Precision::float32, equation);
                const std::vector<double> expected = on_cpu(setup, c);
                const std::vector<Slab> slabs = equal_slabs(c.grid.nz(), order == 2 && c.sponge ? 3 : 2);
                const auto cut = [&slabs](const Setup& whole, const MediumReaders& readers, double dt_s) {
                    return make_slab_medium(
                        whole, readers, dt_s, slabs,
                        [](std::size_t slab, const Setup& part, const MediumReaders& rows, double dt) {
                            Setup placed = part;
                            placed.ordinal = static_cast<int>(slab % 2);
                            return cuda::make_medium(placed, rows, dt);
                        });
                };
                bool late = true;  // of the kernels in turn: what is late are planes, whichever writes them
                for (const cuda::Variant& variant : cuda::variants(setup)) {
                    if (!has_the_same_bits(variant)) continue;
                    ++compared;
                    cuda_on_host::run_late = std::exchange(late, !late);
                    CAPTURE(c.name);
                    CAPTURE(order);
                    CAPTURE(variant.kernel);
                    CHECK(run_case(c, with_instance(setup, variant), cut) == expected);
                }
            }
    CHECK(compared > 10);
}

TEST_CASE("in the silence ahead of a wave a GPU, and slabs of two, have the bits of the CPU") {
    for (const Setup& setup : silent_setups({2})) {
        cuda_on_host::run_late = !cuda_on_host::run_late;  // one of both: what is compared is arithmetic
        std::int64_t seen = 0;
        const auto run = [&](const MakeMedium& make_medium) {
            return run_into_silence(make_noisy_medium(setup, make_medium), silent_scales(setup.precision).back(), seen);
        };
        const auto cut = [](const Setup& whole, const MediumReaders& readers, double dt_s) {
            return make_slab_medium(whole, readers, dt_s, equal_slabs(whole.grid.nz(), 2),
                                    [](std::size_t slab, const Setup& part, const MediumReaders& rows, double dt) {
                                        Setup placed = part;
                                        placed.ordinal = static_cast<int>(slab);
                                        return cuda::make_medium(placed, rows, dt);
                                    });
        };
        CAPTURE(setup.scheme.description());
        CAPTURE(setup.stride());
        CAPTURE(static_cast<int>(setup.precision));
        const SilentRun expected = run(cpu::make_medium);
        CHECK(run(cuda::make_medium) == expected);
        CHECK(run(cut) == expected);
        CHECK(seen > 0);
    }
}

namespace {

/// Brings planes by way of buffers in the host's memory, as between processes: those that came stay while the next ones
/// come into others.
class BufferExchange final : public Exchange {
public:
    explicit BufferExchange(std::vector<Wavefield*> slabs) : slabs_(std::move(slabs)) {
        for (Wavefield* slab : slabs_)
            for (auto* buffers : {&up_, &down_, &in_[0], &in_[1], &in_[2], &in_[3]})
                buffers->push_back(slab->fields().make_plane_buffer(CutPlanes(slab->problem()).count));
    }
    void post() override {
        for (std::size_t i = 0; i < slabs_.size(); ++i) {
            const CutPlanes planes(slabs_[i]->problem());
            if (i + 1 < slabs_.size()) static_cast<void>(slabs_[i]->fields().pack(planes.own_high(), up_[i]));
            if (i > 0) static_cast<void>(slabs_[i]->fields().pack(planes.own_low(), down_[i]));
        }
    }
    void wait() override {
        for (Wavefield* slab : slabs_) slab->fields().await_packed();
        step_ = 2 - step_;
        for (std::size_t i = 0; i < slabs_.size(); ++i) {
            const CutPlanes planes(slabs_[i]->problem());
            if (i + 1 < slabs_.size()) take(i, planes.beyond_high(), down_[i + 1], in_[step_][i]);
            if (i > 0) take(i, planes.beyond_low(), up_[i - 1], in_[step_ + 1][i]);
            slabs_[i]->fields().await_planes();
        }
    }

private:
    void take(std::size_t slab, std::int64_t to_plane, const PlaneBuffer& sent, const PlaneBuffer& arrived) {
        std::ranges::copy(sent.bytes(), arrived.bytes().begin());
        slabs_[slab]->fields().unpack(to_plane, arrived);
    }

    std::vector<Wavefield*> slabs_;
    std::vector<PlaneBuffer> up_, down_, in_[4];
    std::size_t step_ = 0;
};

}  // namespace

TEST_CASE("planes go through the host, also from a GPU to a CPU, for single steps and leaps, and so do states") {
    early_and_late([] {
        const Case c{"layers", {3, {19, 8, 53}, {8., 8., 8.}, {}}, {}, false, 8, {3, 4, 2, 0, 4, 3}};
        const auto compare = [&c](const Setup& setup) {
            const std::vector<double> expected = on_cpu(setup, c);
            const auto cut = [&](const Setup& whole, const MediumReaders& readers, double dt_s) {
                return make_slab_medium(
                    whole, readers, dt_s, equal_slabs(c.grid.nz(), 3),
                    [](std::size_t slab, const Setup& part, const MediumReaders& rows, double dt) {
                        Setup placed = part;
                        if (slab == 1) {
                            static_cast<KernelChoice&>(placed) = {.kernel = "vectorised", .threads = 1};
                            return cpu::make_medium(placed, rows, dt);
                        }
                        placed.ordinal = static_cast<int>(slab % 2);
                        return cuda::make_medium(placed, rows, dt);
                    },
                    [](std::vector<Wavefield*> slabs) -> std::unique_ptr<Exchange> {
                        return std::make_unique<BufferExchange>(std::move(slabs));
                    });
            };
            CHECK(run_case(c, setup, cut) == expected);
            const auto in_slabs = make_noisy_medium(setup, cut)->make_wavefield(),
                       whole = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(),
                       begun = make_noisy_medium(setup, cpu::make_medium)->make_wavefield();
            for (const auto& wavefield : {in_slabs.get(), whole.get(), begun.get()}) {
                start_noisy_shot(*wavefield, c, setup.precision);
                wavefield->advance(0, 4);
            }
            CHECK(save(*in_slabs) == save(*begun));
            in_slabs->advance(4, 2);  // what it restores takes the place of this
            restore(*in_slabs, save(*begun));
            for (const auto& wavefield : {in_slabs.get(), whole.get()}) wavefield->advance(4, 4);
            CHECK(save(*in_slabs) == save(*whole));
        };
        for (const int order : {2, 8})
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                CAPTURE(order);
                compare(setup_of(c, order, precision));
                compare(setup_of(c, order, precision, Equation::variable_density));
                if (order == 8 || precision == Precision::float64) continue;  // the layers leave no room for leaps
                for (const auto& applied_twice : kAppliedTwice) compare(applied_twice(c, order, precision));
            }
        compare(setup_of(c, 2, Precision::float32, Equation::compact));
    });
}

namespace {

/// The plan of a small run with this `backend`.
Plan plan_on(const std::string& backend, const RankPlace& place = {}) {
    return make_plan(read_config_text(R"(schema_version: 1
grid: {shape: [51, 41], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.05}
boundary: {cpml_width: 6}
scheme: {space_order: 8}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [200, 200]}]
receivers: [{type: point, position_m: [300, 200]}]
backend: )" + backend + "\n",
                                      "run.yaml", vocabulary()),
                     place);
}

}  // namespace

TEST_CASE("ranks that see the same GPUs share them out, whoever else is on the host") {
    CHECK(devices_seen("cuda") ==
          "0000:00:00.0 000000000000000000000000000000a0,0000:01:00.0 000000000000000000000000000000a1");
    CHECK(devices_seen("auto") == devices_seen("cuda"));
    CHECK(devices_seen("cpu").empty());
    const auto device_of = [](int device_rank, int same_devices) {
        const Plan plan = plan_on("{name: cuda}", {.rank = 2,
                                                   .size = 4,
                                                   .local_rank = 2,
                                                   .local_size = 4,
                                                   .device_rank = device_rank,
                                                   .same_devices = same_devices});
        return plan.setup.ordinal;
    };
    CHECK(device_of(0, 2) == 0);
    CHECK(device_of(1, 2) == 1);
    CHECK(device_of(0, 1) == 0);
    const std::string refusal = message_of([&] { static_cast<void>(device_of(2, 3)); });
    CHECK(contains(refusal, "2 GPUs for 3 processes on this host"));
}

TEST_CASE("a configuration says which GPU computes, and its name and number are told") {
    for (const int device : {0, 1}) {
        const Plan plan = plan_on("{name: cuda, device: " + std::to_string(device) + "}");
        CHECK(plan.setup.ordinal == device);
        const std::string number = std::to_string(device), name = "host device";
        CHECK(
            describe(*plan.placement.device, plan.setup).starts_with("cuda, GPU " + number + ", " + name + ", sm_80"));
        CHECK(plan.placement.device->hardware(plan.setup) == name);
        const std::int64_t held = static_cast<std::int64_t>(cuda_on_host::held_device_bytes());
        const std::int64_t free = cuda::available_bytes(device), free_elsewhere = cuda::available_bytes(1 - device);
        const auto medium = cuda::make_medium(plan.setup, {uniform(2000.f)}, plan.time.dt_s);
        const auto wavefield = medium->make_wavefield();
        CHECK(medium->description().starts_with("CUDA, GPU " + number + ", " + name));
        const std::int64_t taken = static_cast<std::int64_t>(cuda_on_host::held_device_bytes()) - held;
        CHECK(taken == plan.placement.device->predicted_bytes(plan.setup, 1));
        CHECK(free - cuda::available_bytes(device) == taken);
        CHECK(cuda::available_bytes(1 - device) == free_elsewhere);
    }
    CHECK(plan_on("{name: auto, device: 1}").placement.device->name == "cuda");
    CHECK(plan_on("{name: auto, kernel: reference}").placement.device->name == "cpu");
}

TEST_CASE("a GPU that is not there is refused with its place in the configuration, and with those that there are") {
    for (const char* name : {"cuda", "auto"}) {
        const std::string message = message_of(
            [name] { static_cast<void>(plan_on("{name: " + std::string(name) + ", device: 2}")); }, ExitCode::config);
        CHECK(message.starts_with("run.yaml:10:31: backend.device: GPU 2 is not visible: there are 2, 0 to 1\n"));
    }
}

TEST_CASE("what a survey follows from does not tell which GPU computes it") {
    const auto identity_on = [](const std::string& backend) {
        const Plan plan = plan_on(backend);
        return identity_of(plan.config, "version", "model", plan.setup.kernel);
    };
    CHECK(identity_on("{name: cuda, device: 1}") == identity_on("{name: cuda, device: 0}"));
    CHECK(identity_on("{name: cuda, device: 1}") == identity_on("{name: cpu}"));
}

TEST_CASE("the facts of a step count at least what it cannot avoid") {
    for (const Equation equation : {Equation::star, Equation::compact, Equation::variable_density})
        for (const int dimensions : {2, 3}) {
            Setup setup;
            setup.grid = {dimensions, {96, dimensions == 3 ? 40 : 1, 48}, {10., 10., 10.}, {}};
            setup.scheme = make_scheme(equation, equation == Equation::compact ? 2 : 8);
            for (const cuda::Variant& variant : cuda::variants(setup)) {
                const Setup on = with_instance(setup, variant);
                CAPTURE(variant.kernel);
                CAPTURE(variant.tile);
                CAPTURE(variant.copy);
                const cuda::StepFacts facts = cuda::step_facts(on);
                CHECK(facts.points == static_cast<double>(setup.grid.points()));
                const double arrays = equation == Equation::variable_density ? 2. : 1.;
                CHECK(facts.stream_bytes == 4. * (3. + arrays) * facts.points);
                CHECK(facts.footprint_bytes == 4. * (2. + arrays) * facts.points);
                CHECK(facts.l2_bytes >= facts.stream_bytes);
                CHECK(facts.blocks >= 1);
                CHECK(facts.planes >= 1.);
                CHECK(facts.compiled.threads >= 1);
                // The star of order 8 in 3-D is 27 operations a node, in 2-D 19.
                if (equation == Equation::star && variant.kernel != "twin")
                    CHECK(facts.operations >= (dimensions == 3 ? 27. : 19.) * facts.points);
                CHECK(facts.instructions > facts.operations);
                CHECK((facts.engine_lines > 0.) == (variant.copy == "tma"));
                CHECK(facts.side_launches == 0);
            }
        }
}

TEST_CASE("the facts of a step know batches, mirrors and strips") {
    Setup plane;
    plane.grid = {2, {96, 1, 48}, {10., 10., 10.}, {}};
    plane.kernel = "fused";
    const cuda::StepFacts one = cuda::step_facts(plane, 1), four = cuda::step_facts(plane, 4);
    CHECK(four.points == 4. * one.points);
    CHECK(four.stream_bytes < 4. * one.stream_bytes);  // they share the model
    CHECK(four.launches == 1);
    CHECK(four.overlaps);

    Setup volume;
    volume.grid = {3, {48, 40, 44}, {10., 10., 10.}, {}};
    volume.kernel = "direct";
    volume.halos[4] = kFree;
    CHECK(cuda::step_facts(volume).side_launches == 1);
    CHECK(cuda::step_facts(volume).side_bytes > 0.);
    volume.kernel = "fused";
    CHECK(cuda::step_facts(volume).side_launches == 0);  // it looks through the mirror itself
}

TEST_CASE("steps that judge a calibration are none of its own, and all can be computed") {
    const std::vector<KernelCase> own = calibration_cases(0), others = validation_cases(0, 60);
    CHECK(own.size() > 60);
    CHECK(others.size() == 60);
    CHECK(validation_cases(0, 60) == others);
    CHECK(validation_cases(0, 60, 2) != others);
    std::set<std::string> families;
    for (const KernelCase& what : own) families.insert(what.family());
    for (const KernelCase& what : others) {
        CAPTURE(what.text());
        CHECK(std::ranges::find(own, what) == own.end());
        CHECK(families.count(what.family()) == 1);
        Setup setup = setup_of(what);
        check_setup(usable_device("cuda"), setup);
        const cuda::StepFacts facts = cuda::step_facts(setup, what.shots);
        CHECK(facts.points == static_cast<double>(what.shots * setup.grid.points()));
        CHECK(case_of(setup, what.shots, what.boundary) == what);
        // A GPU of one multiprocessor with the usual rates takes some time for it.
        CHECK(gpu_step_time(facts, 1, {}, {}).seconds > 1e-6);
    }
}

TEST_CASE("steps are timed with their facts") {
    KernelCase what;
    what.kernel = "direct";
    what.tile = "32x4x2";
    what.nx = 20;
    what.ny = 12;
    what.nz = 10;
    std::size_t told = 0;
    const auto observations =
        measure_gpu(std::vector{what}, 0, 1, [&told](std::size_t, std::size_t, const std::string&) { ++told; });
    REQUIRE(observations.size() == 1);
    CHECK(observations[0].seconds > 0.);
    CHECK(observations[0].facts.points == 2400.);
    CHECK(told == 2);
}

namespace {

/// Three shots in 3-D, with receivers on both sides of a cut and across it.
Config three_shots(const std::string& backend) {
    return read_config_text(R"(schema_version: 1
grid: {shape: [14, 12, 34], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 170, vp_m_s: 2200}]}
time: {duration_s: 0.02}
boundary: {cpml_width: 3, placement: inside}
scheme: {space_order: 2}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [60, 55, 140], last_m: [70, 65, 190], count: 3}]
receivers: [{type: line, first_m: [50, 54, 60], last_m: [80, 54, 290], count: 9}]
output: {snapshots: {every_steps: 4}}
backend: )" + backend + "\n",
                            "run.yaml", vocabulary());
}

SurveyInMemory run_on(const std::string& backend) {
    return run_quietly(three_shots(backend));
}

}  // namespace

TEST_CASE("a run on all GPUs, as workers or as slabs, has the bits of the CPU, and says how planes travel") {
    const SurveyInMemory expected = run_on("{name: cpu}");
    early_and_late([&] {
        for (const char* const backend :
             {"{name: cuda}", "{name: cuda, devices: [1]}", "{name: cuda, slabs: 2}",
              "{name: cuda, devices: [1, 0], slabs: 2}", "{name: cuda, devices: [1], slabs: 2}",
              "{name: cuda, device: 1, split: [20, 14]}"}) {
            // Early, one of workers and one of slabs stand for those on other devices.
            const std::string which = backend;
            if (!cuda_on_host::run_late && which != "{name: cuda}" && which != "{name: cuda, slabs: 2}") continue;
            CAPTURE(backend);
            const SurveyInMemory survey = run_on(backend);
            REQUIRE(survey.shots.size() == expected.shots.size());
            for (std::size_t i = 0; i < expected.shots.size(); ++i) {
                CHECK(survey.facts.shots[i] == expected.facts.shots[i]);
                CHECK(survey.shots[i].frames.values == expected.shots[i].frames.values);
            }
            CHECK(survey.facts.device_bytes > 0);
        }
    });
    using Devices = std::vector<std::vector<int>>;
    const auto plan_of = [](const char* backend) { return make_plan(three_shots(backend)); };
    CHECK(plan_of("{name: cuda}").placement.workers == Devices{{0}, {1}});
    CHECK(plan_of("{name: cuda, devices: all}").placement.workers == Devices{{0}, {1}});
    CHECK(plan_of("{name: cuda, slabs: 2}").placement.workers == Devices{{0, 1}});
    CHECK(plan_of("{name: cuda, devices: [1], slabs: 2}").placement.workers == Devices{{1, 1}});
    CHECK(plan_of("{name: cuda, slabs: 2}").notes.empty());
    cudaSetDevice(1);
    void* of_others = nullptr;
    REQUIRE(cudaMalloc(&of_others, 600 << 20) == cudaSuccess);
    cudaSetDevice(0);
    CHECK(plan_of("{name: cuda}").placement.workers == Devices{{0}});
    CHECK(plan_of("{name: cuda, devices: [0, 1]}").placement.workers == Devices{{0}, {1}});
    REQUIRE(cudaFree(of_others) == cudaSuccess);
    cuda_on_host::has_peer_access = false;
    const SurveyInMemory through_host = run_on("{name: cuda, slabs: 2}");
    cuda_on_host::has_peer_access = true;
    REQUIRE(through_host.plan->notes.size() == 1);
    CHECK(through_host.plan->notes.front() ==
          "GPUs 0 and 1 cannot copy from each other directly: the planes at their cut go through the host");
    CHECK(through_host.facts.shots[0].wavefield == expected.facts.shots[0].wavefield);
    CHECK(contains(message_of([&] { static_cast<void>(plan_of("{name: cuda, devices: [0, 2]}")); }),
                   "backend.devices = [0, 2]: GPU 2 is not visible: there are 2, from 0 on"));
    const Plan first = plan_of("{name: cuda, device: 1, devices: [0]}");
    CHECK(first.placement.workers == Devices{{0}});
    CHECK(std::ranges::count(first.warnings, "backend.device = 1 has no effect: backend.devices says which") == 1);
    CHECK(plan_of("{name: cuda, device: 0}").placement.workers == Devices{{0}});
}

TEST_CASE("gradients in 2-D have two or three workers a GPU, where shots and memory suffice and nobody lists devices") {
    const TemporaryFolder folder;
    const std::string observed = (folder.path() / "observed.h5").string();
    write_text(observed, "");
    const auto workers = [&observed](const std::string& backend, int shots, const char* shape, const TaskRow* task) {
        const Config config = read_config_text(fmt::format(R"(schema_version: 1
grid: {{shape: {}, spacing_m: 10}}
model: {{type: constant, vp_m_s: 1500}}
time: {{duration_s: 0.03}}
wavelet: {{type: ricker, peak_frequency_hz: 15}}
sources: [{{type: line, first_m: [60, 55], last_m: [160, 55], count: {}}}]
receivers: [{{position_m: [50, 54]}}]
imaging: {{observed: {}}}
backend: {}
)",
                                                           shape, shots, observed, backend),
                                               "run.yaml", vocabulary());
        return make_plan(config, {}, task).placement.workers;
    };
    using Devices = std::vector<std::vector<int>>;
    const char* const small = "[41, 31]";
    CHECK(workers("{name: cuda}", 8, small, &kGradientTask) == Devices{{0}, {1}, {0}, {1}});
    CHECK(workers("{name: cuda, device: 0}", 4, small, &kGradientTask) == Devices{{0}, {0}});
    CHECK(workers("{name: cuda, device: 0}", 3, small, &kGradientTask) == Devices{{0}});
    CHECK(workers("{name: cuda, device: 0}", 23, small, &kGradientTask) == Devices{{0}, {0}});
    CHECK(workers("{name: cuda, device: 0}", 24, small, &kGradientTask) == Devices{{0}, {0}, {0}});
    CHECK(workers("{name: cuda, devices: [0]}", 8, small, &kGradientTask) == Devices{{0}});
    CHECK(workers("{name: cuda, device: 0}", 8, small, nullptr) == Devices{{0}});
    CHECK(workers("{name: cuda, device: 0}", 8, "[1601, 1401]", &kGradientTask) == Devices{{0}});
}

TEST_CASE("auto cuts a grid that one GPU cannot hold, and where the forecast of the survey gains by it") {
    const auto plan = [](const std::string& shape, const std::string& backend, const std::string& duration = "0.02",
                         int shots = 1) {
        std::string sources;
        for (int shot = 0; shot < shots; ++shot)
            sources += (shot > 0 ? ", " : "") + ("{position_m: [" + std::to_string(200 + 10 * shot) + ", 200, 200]}");
        return make_plan(read_config_text(R"(schema_version: 1
grid: {shape: )" + shape + R"(, spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: )" + duration + R"(}
boundary: {x_min: zero, x_max: zero, y_min: zero, y_max: zero, z_min: zero, z_max: free_surface}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [)" + sources + R"(]
receivers: [{type: point, position_m: [300, 200, 200]}]
backend: )" + backend + "\n",
                                          "run.yaml", vocabulary()));
    };
    const Plan large = plan("[300, 300, 1200]", "{name: cuda}");
    CHECK(large.placement.slabs.size() == 2);
    CAPTURE(large.placement.slabs_by);
    CHECK(contains(large.placement.slabs_by, "wavefield and model need 1."));
    CHECK(contains(large.placement.slabs_by, " GB of GPU memory, and one GPU has "));
    CHECK(forecast_memory(large).device_peak_bytes() < (1 << 30));
    CHECK(forecast_memory(plan("[300, 300, 1200]", "{name: cuda, devices: [0]}")).device_peak_bytes() > (1 << 30));
    // Seven steps are over before a second GPU has started.
    CHECK(plan("[400, 400, 410]", "{name: cuda}").placement.slabs_by == "no cut ends 1 shot sooner, by the forecast");
    const Plan longer = plan("[400, 400, 410]", "{name: cuda}", "30");
    CHECK(longer.placement.slabs.size() == 2);
    CHECK(contains(longer.placement.slabs_by, "forecast for 1 shot: "));
    CHECK(plan("[400, 400, 410]", "{name: cuda, device: 0}", "30").placement.slabs.size() == 1);
    // Four shots keep two GPUs busy; of three, the last one would leave one of them idle.
    CHECK(plan("[400, 400, 410]", "{name: cuda}", "30", 4).placement.slabs.size() == 1);
    CHECK(plan("[400, 400, 410]", "{name: cuda}", "30", 3).placement.slabs.size() == 2);
}
