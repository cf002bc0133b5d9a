// Promise: scattered fields and images made on GPUs have the bits of those made on the CPU: in both precisions, with
// every boundary, in batches and in slabs. Skipped where no GPU can compute; CI runs it on the host's stand-in.
#include <doctest/doctest.h>
#include <span>

#include "kernels/cpu/cpu.hpp"
#include "kernels/imaging/ring_boxes.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tests/kernels/imaging_support.hpp"
#include "tests/solver/imaging/stopped_runs.hpp"

using namespace onda;
using namespace onda::test;

namespace {

/// As many shots as fit in a wavefield.
int shots_of(const Case& c) {
    return c.grid.dimensions == 2 ? 3 : 1;
}

void check_images(const ImagingResults& results, const ImagingResults& expected, const Case& c) {
    CAPTURE(c.name);
    CHECK(are_numbers(expected.images.front()));
    CHECK(results.scattered == expected.scattered);
    CHECK(results.images == expected.images);
}

}  // namespace

TEST_CASE("a few steps of scattered fields and images have the bits of the CPU") {
    need_gpu();
    for (const Case& c : kImagingCases)
        for (const Equation equation : kImagedOperators)
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                const Setup setup = setup_of(c, 8, precision, equation);
                check_images(imaging_results(c, setup, cuda::make_medium, shots_of(c)),
                             imaging_results(c, setup, cpu::make_medium, shots_of(c)), c);
            }
}

TEST_CASE("a few steps of scattered fields and images of order 4 in time have the bits of the CPU") {
    need_gpu();
    for (const Case& c : kImagingCases)
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            if (precision == Precision::float64 && &c != kImagingCases.data()) continue;
            const Setup setup = with_applied(setup_of(c, 8, precision));
            check_images(imaging_results(c, setup, cuda::make_medium, shots_of(c)),
                         imaging_results(c, setup, cpu::make_medium, shots_of(c)), c);
            const auto wavefield = make_noisy_medium(setup, cuda::make_medium)->make_wavefield(shots_of(c));
            CHECK(wavefield->fields().make_correlation(5, Correlated::applied)->allocated_bytes() ==
                  cuda::correlation_allocations(setup, shots_of(c), 5, Correlated::applied).bytes(Memory::device));
        }
}

TEST_CASE("a few steps of scattering and images by fluxes have the bits of the CPU") {
    need_gpu();
    for (const Case& c : kImagingCases)
        for (const int order : {2, 8})
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                const Setup setup = setup_of(c, order, precision, Equation::variable_density);
                check_images(flux_results_on(c, setup, cuda::make_medium, shots_of(c)),
                             flux_results_on(c, setup, cpu::make_medium, shots_of(c)), c);
            }
}

TEST_CASE("images that take the memory of nodes, or the strain, have the bits of the CPU") {
    need_gpu();
    for (const Case& c : kImagingCases)
        for (const Equation equation : {Equation::attenuation, Equation::attenuation_density_of_two, Equation::drag,
                                        Equation::vti_of_gradients}) {
            const Setup setup = setup_of(c, 8, Precision::float32, equation);
            const auto images = [&](const MakeMedium& make) {
                const auto medium = make_noisy_medium(setup, make);
                return images_beside([&medium](int count) { return medium->make_wavefield(count); }, c, setup.precision,
                                     shots_of(c));
            };
            CAPTURE(c.name);
            CAPTURE(equation->name);
            CHECK(images(cuda::make_medium) == images(cpu::make_medium));
        }
}

TEST_CASE(
    "a few steps of rebuilt fields and images have the bits of the CPU, wherever rings lie and whatever they hold") {
    need_gpu();
    for (const Case& c : kImagingCases)
        for (const Equation equation : kOperators)
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                const Setup setup = setup_of(c, equation == Equation::star ? 8 : 2, precision, equation);
                if (!ring_objection(setup).empty()) continue;
                // In double precision one kind stands for all.
                for (const RingKind& kind :
                     std::span(kRingKinds).first(precision == Precision::float64 ? 1 : std::size(kRingKinds)))
                    check_images(ring_results_on(c, setup, cuda::make_medium, kind, shots_of(c)),
                                 ring_results_on(c, setup, cpu::make_medium,
                                                 {RingPlace::device, kind.values, kind.every}, shots_of(c)),
                                 c);
            }
}

namespace {

/// Stretches of a length that no interval divides.
class OddStretches final : public StepControl {
public:
    std::int64_t begin_stretch() override { return 37; }
    void end_stretch(std::int64_t, double) override {}
    void tell(std::int64_t, double, double) override {}
};

/// The images of two batches of shots, with signals of noise in both sweeps.
std::vector<NodeValues> gradients_on(const Case& c, const MakeMedium& make_medium, const HistoryPlan& plan,
                                     const TimeAxis& time) {
    const auto medium = make_noisy_medium(setup_of(c, 8, Precision::float32), make_medium);
    const int shots = shots_of(c);
    const auto points = [&](double scale) {
        std::vector<ShotPoints> all;
        for (int shot = 0; shot < shots; ++shot) {
            ShotPoints one{make_test_sources(c.grid, scale * (1. + shot)), {}};
            one.receivers = receivers_on(c.grid, one.sources.nodes);
            all.push_back(std::move(one));
        }
        return all;
    };
    GradientRun run(*medium, shots, time, plan, {.illuminates = true});
    PhaseTimes times;
    OddStretches control;
    std::vector<NodeValues> images;
    for (const double scale : {1., 0.3}) {
        const AdjointOf adjoint_of = [&](const Wavefield&) {
            std::vector<AdjointPoints> adjoint;
            for (ShotPoints& shot : points(2. * scale)) adjoint.push_back({{std::move(shot.sources), {}}, 1.});
            return adjoint;
        };
        run.run(points(scale), adjoint_of, {times, control});
        for (int shot = 0; shot < shots; ++shot) {
            const Illumination illumination = run.illumination(shot);
            images.insert(images.end(), {run.image(shot), illumination.forward, illumination.adjoint});
        }
    }
    return images;
}

}  // namespace

// Short pieces of steps and the meetings between them become graphs where they come again.
TEST_CASE("gradients of many steps have the bits of the CPU, however the forward field is kept") {
    need_gpu();
    TimeAxis time;
    time.dt_s = 1e-3;
    time.steps = 101;
    for (const Case& c : kImagingCases)
        for (const std::int64_t every : {5, 12}) {
            std::vector<HistoryPlan> plans{{.every = every, .slots = 5, .checkpoints = 3}};
            if (every == 5) plans.push_back({.every = every, .slots = time.steps / every});
            if (every == 5 && ring_objection(setup_of(c, 8, Precision::float32)).empty())
                plans.push_back({.every = every, .slots = 1, .ring = RingPlace::device});
            for (const HistoryPlan& plan : plans) {
                CAPTURE(c.name);
                CAPTURE(every);
                CAPTURE(plan.storage(time));
                const std::vector<NodeValues> expected = gradients_on(c, cpu::make_medium, plan, time);
                CHECK(expected.front()[static_cast<std::size_t>(c.grid.at(5, c.grid.ny() / 2, 5))] != 0.);
                CHECK(gradients_on(c, cuda::make_medium, plan, time) == expected);
            }
        }
}

TEST_CASE("scattered fields and images of slabs on GPUs have the bits of the uncut grid") {
    need_gpu();
    const MakeMedium cut = [](const Setup& setup, const MediumReaders& readers, double dt_s) {
        return make_slab_medium(setup, readers, dt_s, equal_slabs(setup.grid.nz(), 3),
                                [](std::size_t, const Setup& part, const MediumReaders& its, double dt) {
                                    return cuda::make_medium(part, its, dt);
                                });
    };
    for (const Case& c : kImagingCases) {
        if (c.grid.dimensions == 2) continue;
        const Setup setup = setup_of(c, 8, Precision::float32);
        check_images(imaging_results(c, setup, cut), imaging_results(c, setup, cpu::make_medium), c);
        if (ring_objection(setup).empty())
            CHECK(ring_results_on(c, setup, cut, {RingPlace::host}).images ==
                  ring_results_on(c, setup, cpu::make_medium, {RingPlace::host}).images);
        for (const int order : {2, 8}) {
            const Setup density = setup_of(c, order, Precision::float32, Equation::variable_density);
            if (!slabs_fit(density, equal_slabs(c.grid.nz(), 3))) continue;
            check_images(flux_results_on(c, density, cut), flux_results_on(c, density, cpu::make_medium), c);
        }
    }
}

TEST_CASE("sums on a GPU have the state of those on the CPU, and go on from it with the same bits") {
    need_gpu();
    for_sums_on_the_way([](const Case& c, const Setup& setup) {
        CAPTURE(c.name);
        CHECK(sums_on_the_way(c, setup, cuda::make_medium, shots_of(c), true) ==
              sums_on_the_way(c, setup, cpu::make_medium, shots_of(c), false));
    });
}

TEST_CASE("gradients that are stopped on a GPU go on on the CPU and back with the bits of one without a stop") {
    need_gpu();
    for (const StoppableGradient& of : stoppable_gradients()) {
        const verify::Experiment e = verify::box_of(verify::kAdjointCases[of.which], 2, Precision::float32);
        const verify::AdjointBox box(e, {}), on_gpu(e, {.backend = "cuda"});
        if (cuda::variants(on_gpu.setup()).front().kernel == "twin") continue;  // the stand-in has few orders
        const std::shared_ptr<Medium> cpu = box.make_medium(), gpu = on_gpu.make_medium();
        const std::vector<Medium*> media{gpu.get(), cpu.get()};
        CAPTURE(verify::kAdjointCases[of.which].name);
        CAPTURE(of.plan.storage(box.time()));
        const std::vector<double> expected = images_with_stops(box, std::span(media).last(1), of, {});
        CHECK(are_numbers(expected));
        for (const std::vector<Stop>& stops : std::vector<std::vector<Stop>>{{{40}, {41}, {120}}, {{3}, {82}}})
            CHECK(images_with_stops(box, media, of, stops) == expected);
    }
}

TEST_CASE("correlations and scattering on a GPU hold what was predicted") {
    need_gpu();
    for (const Case& c : kImagingCases) {
        const Setup setup = setup_of(c, 8, Precision::float32);
        const auto wavefield = make_noisy_medium(setup, cuda::make_medium)->make_wavefield(shots_of(c));
        CAPTURE(c.name);
        for (const bool illuminates : {false, true})
            CHECK(wavefield->fields().make_correlation(5, correlated_differences(illuminates))->allocated_bytes() ==
                  cuda::correlation_allocations(setup, shots_of(c), 5, correlated_differences(illuminates))
                      .bytes(Memory::device));
        CHECK(wavefield->fields().make_scattering()->allocated_bytes() ==
              cuda::scattering_allocations(setup, shots_of(c)).bytes(Memory::device));
        const Setup strained = setup_of(c, 8, Precision::float32, Equation::vti_of_gradients);
        const auto of_strain = make_noisy_medium(strained, cuda::make_medium)->make_wavefield(shots_of(c));
        CHECK(of_strain->fields().make_scattering()->allocated_bytes() ==
              cuda::scattering_allocations(strained, shots_of(c)).bytes(Memory::device));
        for (const Correlated what : correlated_beside(*strained.scheme.equation, true))
            CHECK(of_strain->fields().make_correlation(5, what)->allocated_bytes() ==
                  cuda::correlation_allocations(strained, shots_of(c), 5, what).bytes(Memory::device));
        for (const RingKind& kind : kRingKinds) {
            const RingSize size = ring_size(7, 4, kind);
            const Allocations planned = cuda::ring_allocations(setup, shots_of(c), size);
            CHECK(wavefield->fields().make_ring(size)->allocated_bytes() == planned.bytes(Memory::device));
            CHECK((planned.bytes(Memory::pinned) > 0) == (kind.place != RingPlace::device));
            CHECK((planned.bytes(Memory::file) > 0) == (kind.place == RingPlace::file));
        }
        const Setup density = setup_of(c, 8, Precision::float32, Equation::variable_density);
        const auto of_density = make_noisy_medium(density, cuda::make_medium)->make_wavefield(shots_of(c));
        CHECK(of_density->fields().make_flux_correlation(5)->allocated_bytes() ==
              cuda::flux_correlation_allocations(density, shots_of(c), 5).bytes(Memory::device));
        CHECK(of_density->fields().make_flux_scattering()->allocated_bytes() ==
              cuda::flux_scattering_allocations(density, shots_of(c)).bytes(Memory::device));
    }
}
