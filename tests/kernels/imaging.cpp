// Promise: scattered fields and images of slabs and of batches, of fluxes and of rebuilt fields too, have the bits of
// the uncut grid and of the shot alone; illuminations are sums of squares; what is rebuilt from rings is what was
// there, whatever has sponges is refused; and what all allocate is what is planned. Takes 2 s.
#include <cmath>
#include <doctest/doctest.h>
#include <numbers>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/imaging/coded_block.hpp"
#include "kernels/imaging/ring_boxes.hpp"
#include "tests/kernels/imaging_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

Setup setup_of_one_thread(const Case& c, int order, Precision precision, Equation equation = Equation::star) {
    Setup setup = setup_of(c, order, precision, equation);
    setup.threads = 1;
    return setup;
}

MakeMedium cut_into(int count) {
    return [count](const Setup& setup, const MediumReaders& readers, double dt_s) {
        return make_slab_medium(setup, readers, dt_s, equal_slabs(setup.grid.nz(), count),
                                [](std::size_t, const Setup& part, const MediumReaders& its, double dt) {
                                    return cpu::make_medium(part, its, dt);
                                });
    };
}

/// p[n] - p[n-1], G p[n-1] where strips damp, of one shot.
std::vector<double> difference_of(const Wavefield& wavefield, const Grid& grid) {
    const auto points = static_cast<std::size_t>(grid.points());
    std::vector<double> now(points), before(points);
    wavefield.download(Window::whole(grid), now);
    wavefield.fields().download(Window::whole(grid), std::span(before), 0, kPreviousLevel);
    for (std::size_t i = 0; i < points; ++i) now[i] -= before[i];
    return now;
}

/// \param results_on gives the results on a medium that is made so.
template <typename ResultsOn>
void check_slabs(const Case& c, const Setup& setup, const ResultsOn& results_on) {
    const ImagingResults expected = results_on(cpu::make_medium);
    CAPTURE(c.name);
    CHECK(are_numbers(expected.scattered.front()));
    CHECK(are_numbers(expected.images.front()));
    std::size_t compared = 0;
    for (const int count : {2, 3, 5}) {
        if (!slabs_fit(setup, equal_slabs(c.grid.nz(), count))) continue;
        CAPTURE(count);
        const ImagingResults in_slabs = results_on(cut_into(count));
        CHECK(in_slabs.scattered == expected.scattered);
        CHECK(in_slabs.images == expected.images);
        ++compared;
    }
    CHECK(compared > 0);
}

}  // namespace

TEST_CASE("scattered fields and images of slabs have the bits of the uncut grid") {
    for (const Case& c : kImagingCases)
        for (const Equation equation : kImagedOperators)
            for (const int order : {2, 8})
                for (const Precision precision : {Precision::float32, Precision::float64}) {
                    const Setup setup = setup_of_one_thread(c, order, precision, equation);
                    CAPTURE(order);
                    check_slabs(c, setup,
                                [&](const MakeMedium& make_medium) { return imaging_results(c, setup, make_medium); });
                }
}

TEST_CASE("shots of a batch have the scattered fields and images of each alone, with any number of threads") {
    for (const Case& c : kImagingCases)
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            Setup setup = setup_of_one_thread(c, 8, precision);
            const auto alone = make_noisy_medium(setup, cpu::make_medium);
            setup.threads = 3;
            const ImagingResults batch = imaging_results(c, setup, cpu::make_medium, 3);
            for (std::size_t shot = 0; shot < 3; ++shot) {
                const ImagingResults expected = imaging_results(
                    c, precision, [&alone](int count) { return alone->make_wavefield(count); }, 1, shot);
                CAPTURE(c.name);
                CAPTURE(shot);
                CHECK(batch.scattered[shot] == expected.scattered.front());
                CHECK(batch.images[shot] == expected.images.front());
            }
        }
}

TEST_CASE("scattered fields and images of order 4 in time have the same bits in slabs and batches, as planned") {
    for (const Case& c : kImagingCases) {
        Setup setup = with_applied(setup_of_one_thread(c, 8, Precision::float32));
        const auto alone = make_noisy_medium(setup, cpu::make_medium);
        setup.threads = 3;
        const ImagingResults batch = imaging_results(c, setup, cpu::make_medium, 3);
        CAPTURE(c.name);
        for (std::size_t shot = 0; shot < 3; ++shot) {
            const ImagingResults expected = imaging_results(
                c, setup.precision, [&alone](int count) { return alone->make_wavefield(count); }, 1, shot);
            CHECK(are_numbers(expected.images.front()));
            CHECK(batch.scattered[shot] == expected.scattered.front());
            CHECK(batch.images[shot] == expected.images.front());
        }
        setup.threads = 1;
        if (slabs_fit(setup, equal_slabs(c.grid.nz(), 2)))
            CHECK(imaging_results(c, setup, cut_into(2)) == imaging_results(c, setup, cpu::make_medium));
        CHECK((c.grid.dimensions == 2 || slabs_fit(setup, equal_slabs(c.grid.nz(), 2))));
        const auto wavefield = alone->make_wavefield(2);
        CHECK(allocated_bytes(*wavefield) == cpu::allocations(setup, 2).bytes(Memory::host));
        CHECK(wavefield->fields().make_correlation(3, Correlated::applied)->allocated_bytes() ==
              cpu::correlation_allocations(setup, 2, 3, Correlated::applied).bytes(Memory::host));
    }
    Setup setup = setup_of_one_thread(kImagingCases[0], 8, Precision::float32);
    setup.keeps_applied = true;
    CHECK_THROWS_WITH(cpu::check_setup(setup), doctest::Contains("kept with order 4 alone"));
}

TEST_CASE("sums that are given their state back go on with the same bits, in batches and in slabs") {
    for_sums_on_the_way([](const Case& c, const Setup& setup) {
        CAPTURE(c.name);
        CHECK(sums_on_the_way(c, setup, cpu::make_medium, 2, true) ==
              sums_on_the_way(c, setup, cpu::make_medium, 2, false));
        if (slabs_fit(setup, equal_slabs(c.grid.nz(), 3)))
            CHECK(sums_on_the_way(c, setup, cut_into(3), 1, true) == sums_on_the_way(c, setup, cut_into(3), 1, false));
    });
}

TEST_CASE("images are sums of products and of squares, and are not made unless asked for") {
    const Case& c = kImagingCases[1];  // in layers the adjoint field is filtered, which gradients show
    const Setup setup = setup_of_one_thread(c, 8, Precision::float64);
    const auto medium = make_noisy_medium(setup, cpu::make_medium);
    const auto points = static_cast<std::size_t>(c.grid.points());
    const auto pressure_of = [&c](const Wavefield& wavefield) {
        std::vector<double> p(static_cast<std::size_t>(c.grid.points()));
        wavefield.download(Window::whole(c.grid), std::span<double>(p));
        return p;
    };
    const auto check = [&](Correlated without_squares, Correlated with_squares, const auto& values_of) {
        const auto forward = medium->make_wavefield(), adjoint = medium->make_wavefield();
        start_noisy_shot(*forward, c, setup.precision);
        start_noisy_shot(*adjoint, c, setup.precision, 1., 0, 1);
        const auto plain = forward->fields().make_correlation(1, without_squares),
                   full = forward->fields().make_correlation(1, with_squares);
        std::vector<double> products(points), squares(points), adjoint_squares(points), image(points);
        for (std::int64_t n = 0; n < c.steps; ++n) {
            forward->advance(n, 1);
            adjoint->advance(n, 1);
            for (Correlation* correlation : {plain.get(), full.get()}) {
                correlation->keep(forward->fields(), 0);
                correlation->meet(adjoint->fields(), 0, 1);
            }
            const std::vector<double> d = values_of(*forward), nu = values_of(*adjoint);
            for (std::size_t i = 0; i < points; ++i) {
                products[i] += nu[i] * d[i];
                squares[i] += d[i] * d[i];
                adjoint_squares[i] += nu[i] * nu[i];
            }
        }
        const auto sum_of = [&](const Correlation& correlation, LevelSum sum) {
            correlation.download(sum, image, 0);
            return image;
        };
        CHECK(are_numbers(products));
        CHECK(sum_of(*plain, LevelSum::products) == products);
        CHECK(sum_of(*full, LevelSum::products) == products);
        CHECK(sum_of(*full, LevelSum::forward_squares) == squares);
        CHECK(sum_of(*full, LevelSum::adjoint_squares) == adjoint_squares);
        CHECK_THROWS_AS(plain->download(LevelSum::forward_squares, image, 0), std::logic_error);
        full->reset();
        CHECK(sum_of(*full, LevelSum::adjoint_squares) == std::vector<double>(points));
    };
    check(Correlated::differences, Correlated::differences_and_squares,
          [&c](const Wavefield& wavefield) { return difference_of(wavefield, c.grid); });
    check(Correlated::pressures, Correlated::pressures_and_squares, pressure_of);
}

TEST_CASE("pressures are correlated in layers as they are, and need not be met between the levels that are kept") {
    const Case& c = kImagingCases[0];
    const Setup setup = setup_of_one_thread(c, 8, Precision::float32);
    REQUIRE(layer_boxes(setup).memory > 0);
    const auto wavefield = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(2);
    const auto pressures = wavefield->fields().make_correlation(3, Correlated::pressures_and_squares),
               differences = wavefield->fields().make_correlation(3, Correlated::differences);
    CHECK(pressures->most_steps() == kAnySteps);
    CHECK(differences->most_steps() == 1);
    CHECK(pressures->allocated_bytes() ==
          cpu::correlation_allocations(setup, 2, 3, Correlated::pressures_and_squares).bytes(Memory::host));
}

TEST_CASE("what a perturbation scatters begins anew, and with none is nothing") {
    const Case& c = kImagingCases[3];
    const Setup setup = setup_of_one_thread(c, 8, Precision::float64);
    const auto medium = make_noisy_medium(setup, cpu::make_medium);
    const auto background = medium->make_wavefield(), scattered = medium->make_wavefield();
    const auto scattering = background->fields().make_scattering();
    const Sources sources = make_test_sources(c.grid, 1.);
    const auto run = [&] {
        for (Wavefield* wavefield : {background.get(), scattered.get()}) {
            wavefield->reset();
            wavefield->set_receivers(0, receivers_on(c.grid, sources.nodes), c.steps + 1);
            wavefield->record(0);
        }
        background->set_sources(0, sources);
        scattering->reset();
        for (std::int64_t n = 0; n < c.steps; ++n) {
            background->advance(n, 1);
            scattering->scatter(background->fields(), scattered->fields());
            scattered->advance(n, 1);
        }
        return results_of(*scattered, c);
    };
    CHECK(!are_numbers(run()));
    const std::vector<double> ratio = noisy_perturbation(c.grid);
    scattering->set_perturbation(ratio);
    const std::vector<double> once = run();
    CHECK(are_numbers(once));
    CHECK(run() == once);
    std::vector<double> twice = ratio;
    for (double& value : twice) value *= 2.;
    scattering->set_perturbation(twice);
    std::vector<double> of_twice = run();
    for (double& value : of_twice) value /= 2.;
    CHECK(of_twice == once);
}

TEST_CASE("scattering and images by fluxes of slabs have the bits of the uncut grid") {
    for (const Case& c : kImagingCases)
        for (const int order : {2, 8})
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                const Setup setup = setup_of_one_thread(c, order, precision, Equation::variable_density);
                CAPTURE(order);
                check_slabs(c, setup,
                            [&](const MakeMedium& make_medium) { return flux_results_on(c, setup, make_medium); });
            }
}

TEST_CASE("fluxes of a batch are those of each shot alone, with any number of threads, and of variable density") {
    for (const Case& c : kImagingCases)
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            Setup setup = setup_of_one_thread(c, 8, precision, Equation::variable_density);
            const auto alone = make_noisy_medium(setup, cpu::make_medium);
            setup.threads = 3;
            const ImagingResults batch = flux_results_on(c, setup, cpu::make_medium, 3);
            CAPTURE(c.name);
            for (std::size_t shot = 0; shot < 3; ++shot) {
                const ImagingResults expected = flux_results(
                    c, setup, [&alone](int count) { return alone->make_wavefield(count); }, 1, shot);
                CHECK(are_numbers(expected.images.front()));
                CHECK(batch.scattered[shot] == expected.scattered.front());
                CHECK(batch.images[shot] == expected.images.front());
            }
        }
    const Setup star = setup_of_one_thread(kImagingCases[0], 8, Precision::float32);
    const auto wavefield = make_noisy_medium(star, cpu::make_medium)->make_wavefield(1);
    CHECK_THROWS_AS(static_cast<void>(wavefield->fields().make_flux_correlation(1)), std::invalid_argument);
}

TEST_CASE("correlations and scattering hold what their lists add up to") {
    for (const Case& c : kImagingCases)
        for (const int shots : {1, 3}) {
            const Setup setup = setup_of_one_thread(c, 8, Precision::float32);
            const Setup remembering = setup_of_one_thread(c, 8, Precision::float32, Equation::attenuation);
            const auto other = make_noisy_medium(remembering, cpu::make_medium)->make_wavefield(shots);
            CHECK(other->fields().make_correlation(5, Correlated::memory)->allocated_bytes() ==
                  cpu::correlation_allocations(remembering, shots, 5, Correlated::memory).bytes(Memory::host));
            const auto wavefield = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(shots);
            const std::int64_t before = cpu::held_bytes;
            CAPTURE(c.name);
            for (const bool illuminates : {false, true}) {
                const auto correlation = wavefield->fields().make_correlation(5, correlated_differences(illuminates));
                const std::int64_t planned =
                    cpu::correlation_allocations(setup, shots, 5, correlated_differences(illuminates))
                        .bytes(Memory::host);
                CHECK(correlation->allocated_bytes() == planned);
                CHECK(cpu::held_bytes - before == planned);
            }
            const auto scattering = wavefield->fields().make_scattering();
            const std::int64_t planned = cpu::scattering_allocations(setup, shots).bytes(Memory::host);
            CHECK(scattering->allocated_bytes() == planned);
            CHECK(cpu::held_bytes - before == planned);
            const Setup strained = setup_of_one_thread(c, 8, Precision::float32, Equation::vti_of_gradients);
            const auto of_strain = make_noisy_medium(strained, cpu::make_medium)->make_wavefield(shots);
            CHECK(of_strain->fields().make_scattering()->allocated_bytes() ==
                  cpu::scattering_allocations(strained, shots).bytes(Memory::host));
        }
    for (const Case& c : kImagingCases) {
        const Setup setup = setup_of_one_thread(c, 8, Precision::float32, Equation::variable_density);
        const auto wavefield = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(3);
        const std::int64_t before = cpu::held_bytes;
        CAPTURE(c.name);
        const auto correlation = wavefield->fields().make_flux_correlation(5);
        const std::int64_t planned = cpu::flux_correlation_allocations(setup, 3, 5).bytes(Memory::host);
        CHECK(correlation->allocated_bytes() == planned);
        CHECK(cpu::held_bytes - before == planned);
        const auto scattering = wavefield->fields().make_flux_scattering();
        CHECK(scattering->allocated_bytes() == cpu::flux_scattering_allocations(setup, 3).bytes(Memory::host));
    }
}

TEST_CASE("correlations with the memory of nodes and the strain have the same bits in slabs and batches") {
    for (const Case& c : kImagingCases)
        for (const Equation equation : {Equation::attenuation, Equation::attenuation_density_of_two, Equation::drag,
                                        Equation::vti_of_gradients}) {
            Setup setup = setup_of_one_thread(c, 4, Precision::float32, equation);
            CAPTURE(c.name);
            CAPTURE(equation->name);
            const auto alone = make_noisy_medium(setup, cpu::make_medium);
            const auto of_shot = [&](std::uint64_t seed) {
                return images_beside([&alone](int count) { return alone->make_wavefield(count); }, c, setup.precision,
                                     1, seed)
                    .front();
            };
            setup.threads = 3;
            const auto together = make_noisy_medium(setup, cpu::make_medium);
            const auto batch = images_beside([&together](int count) { return together->make_wavefield(count); }, c,
                                             setup.precision, 3);
            for (std::size_t shot = 0; shot < 3; ++shot) {
                CHECK(are_numbers(batch[shot]));
                CHECK(of_shot(shot) == batch[shot]);
            }
            if (!slabs_fit(setup, equal_slabs(c.grid.nz(), 3))) continue;
            const auto cut = make_noisy_medium(setup, cut_into(3));
            CHECK(images_beside([&cut](int count) { return cut->make_wavefield(count); }, c, setup.precision, 1)
                      .front() == batch.front());
        }
}

TEST_CASE(
    "images of a background that is rebuilt from rings are those of one that is kept, to rounding or to that of 16 "
    "bits") {
    for (Case c : kImagingCases) {
        c.grid.spacing_m = {10., 10., 10.};  // the compact operator has no others
        for (const Equation equation : {Equation::star, Equation::compact, Equation::variable_density})
            for (const int order : {2, 8}) {
                if (equation == Equation::compact && order != 2) continue;
                const Setup setup = setup_of_one_thread(c, order, Precision::float64, equation);
                if (!ring_objection(setup).empty()) continue;  // nothing between layers
                const std::vector<double> expected = imaging_results(c, setup, cpu::make_medium).images.front();
                for (const RingValues values : {RingValues::full, RingValues::of_16_bits}) {
                    const std::vector<double> rebuilt =
                        ring_results_on(c, setup, cpu::make_medium, {RingPlace::device, values}).images.front();
                    CAPTURE(c.name);
                    CAPTURE(order);
                    CAPTURE(equation->name);
                    const bool is_full = values == RingValues::full;
                    CAPTURE(is_full);
                    const auto points = static_cast<std::size_t>(c.grid.points());
                    for (std::size_t sum = 0; sum < 3; ++sum) {
                        double largest = 0., worst = 0.;
                        for (std::size_t i = sum * points; i < (sum + 1) * points; ++i) {
                            largest = std::max(largest, std::abs(expected[i]));
                            worst = std::max(worst, std::abs((sum == 0 ? -1. : 1.) * rebuilt[i] - expected[i]));
                        }
                        CHECK(largest > 0.);
                        CHECK(worst <= (is_full ? 1e-12 : 1e-4) * largest);
                        if (!is_full && ring_boxes(setup).ring.nodes > 0 && sum < 2) CHECK(worst > 1e-12 * largest);
                    }
                }
            }
    }
}

TEST_CASE("fields of a batch are rebuilt with the bits of each alone") {
    for (const Case& c : kImagingCases) {
        const auto medium = make_noisy_medium(setup_of_one_thread(c, 8, Precision::float32), cpu::make_medium);
        const auto make = [&medium](int count) { return medium->make_wavefield(count); };
        CAPTURE(c.name);
        for (const RingValues values : {RingValues::full, RingValues::of_16_bits})
            for (const std::int64_t every : {1, 2}) {
                const ImagingResults together =
                    ring_results(c, Precision::float32, make, {RingPlace::file, values, every}, 3);
                for (std::uint64_t shot = 0; shot < 3; ++shot) {
                    const ImagingResults alone =
                        ring_results(c, Precision::float32, make, {RingPlace::device, values, every}, 1, shot);
                    CHECK(together.images[shot] == alone.images.front());
                    CHECK(together.scattered[shot] == alone.scattered.front());
                }
            }
    }
}

TEST_CASE("levels between those that are kept are exact for polynomials through eight of them") {
    for (const std::int64_t every : {1, 2, 3, 7})
        for (const std::int64_t levels : {0, 1, 2, 3, 8, 23, 64}) {
            CAPTURE(every);
            CAPTURE(levels);
            const RingLevels rings(levels, every);
            std::vector<std::int64_t> kept;
            for (std::int64_t level = 0; level < levels; ++level)
                if (rings.keeps(level)) {
                    CHECK(rings.slot_of(level) == std::ssize(kept));
                    kept.push_back(level);
                }
            REQUIRE(rings.slots() == std::ssize(kept));
            CHECK(rings.together() == (every == 1 ? 1 : std::clamp<std::int64_t>(std::ssize(kept), 1, 8)));
            for (std::int64_t level = 0; level < levels; ++level) {
                const std::vector<WeightedSlot> parts = rings.of(level);
                REQUIRE(std::ssize(parts) == (rings.keeps(level) ? 1 : rings.together()));
                for (int power = 0; power < std::min<int>(8, static_cast<int>(rings.slots())); ++power) {
                    const auto value = [&](std::int64_t at) {
                        return std::pow(static_cast<double>(at) / static_cast<double>(levels), power);
                    };
                    double sum = 0.;
                    for (std::size_t i = 0; i < parts.size(); ++i) {
                        CHECK(parts[i].slot == parts.front().slot + static_cast<std::int64_t>(i));
                        sum += parts[i].weight * value(kept.at(static_cast<std::size_t>(parts[i].slot)));
                    }
                    CHECK(sum == doctest::Approx(value(level)).epsilon(1e-9));
                }
            }
        }
    const auto error_of_wave = [](std::int64_t level, double periods) {  // from one kept level to the next
        double sum = 0.;
        for (const WeightedSlot& part : RingLevels(101, 4).of(level))
            sum += part.weight * std::cos(2. * std::numbers::pi * periods * static_cast<double>(part.slot));
        return std::abs(sum - std::cos(2. * std::numbers::pi * periods * static_cast<double>(level) / 4.));
    };
    CHECK(error_of_wave(50, 0.1) < 2.7e-5);
    CHECK(error_of_wave(50, 0.05) < 1.1e-7);
    CHECK(error_of_wave(2, 0.1) < 12. * 2.7e-5);
}

TEST_CASE("blocks of 16 bits hold values to half a unit, and tell of those that are no numbers") {
    const auto checked = [](auto zero) {
        using T = decltype(zero);
        const T largest = T(3.7);
        const float unit = unit_of<T>(bits_of_size(-largest));
        for (const T value : {largest, -largest, T(0), T(1.2345), T(-1e-3)})
            CHECK(std::abs(decoded<T>(coded(value, unit), unit) - value) <= T(0.5001) * T(unit));
        CHECK(coded(largest, unit) == kLargestCode);
        CHECK(coded(-largest, unit) == -kLargestCode);
        CHECK(unit_of<T>(bits_of_size(T(1e-36))) == 0.f);
        CHECK(decoded<T>(coded(T(1e-36), 0.f), 0.f) == T(0));
        for (const T none : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::quiet_NaN()}) {
            CHECK(bits_of_size(none) > bits_of_size(std::numeric_limits<T>::max()));
            const float no_unit = unit_of<T>(bits_of_size(none));
            CHECK(std::isnan(decoded<T>(coded(T(1), no_unit), no_unit)));
        }
    };
    checked(0.f);
    checked(0.);
    CHECK(std::isnan(unit_of<double>(bits_of_size(1e300))));  // beyond single precision
}

TEST_CASE("fields on slabs are rebuilt with the images of the uncut grid, bit for bit") {
    for (const Case& c : kImagingCases)
        for (const Equation equation : {Equation::star, Equation::variable_density})
            for (const int order : {2, 8}) {
                const Setup setup = setup_of_one_thread(c, order, Precision::float32, equation);
                if (!ring_objection(setup).empty()) continue;
                const ImagingResults expected = ring_results_on(c, setup, cpu::make_medium, {});
                CAPTURE(c.name);
                CAPTURE(order);
                CHECK(are_numbers(expected.images.front()));
                for (const int count : {2, 3})
                    if (slabs_fit(setup, equal_slabs(c.grid.nz(), count)))
                        CHECK(ring_results_on(c, setup, cut_into(count), {}).images == expected.images);
                const RingKind thinned{RingPlace::device, RingValues::full, 2};
                if (slabs_fit(setup, equal_slabs(c.grid.nz(), 2)))
                    CHECK(ring_results_on(c, setup, cut_into(2), thinned).images ==
                          ring_results_on(c, setup, cpu::make_medium, thinned).images);
            }
}

TEST_CASE("rings hold what was predicted, and what cannot be rebuilt is refused") {
    for (const Case& c : kImagingCases) {
        const Setup setup = setup_of_one_thread(c, 8, Precision::float32);
        const auto medium = make_noisy_medium(setup, cpu::make_medium);
        const auto wavefield = medium->make_wavefield(3);
        CAPTURE(c.name);
        for (const RingKind& kind : kRingKinds)
            for (const bool pressures : {false, true}) {
                const std::int64_t before = cpu::held_bytes;
                const RingSize size = ring_size(7, 4, kind, pressures);
                const auto ring = wavefield->fields().make_ring(size);
                const Allocations planned = cpu::ring_allocations(setup, 3, size);
                CHECK(ring->allocated_bytes() == planned.bytes(Memory::host));
                CHECK(ring->allocated_bytes() == cpu::held_bytes - before);
                CHECK((planned.bytes(Memory::file) > 0) == (kind.place == RingPlace::file));
            }
        Setup leaping = setup;
        leaping.stepping = Stepping::leap;
        CHECK(ring_objection(leaping) == "leaps");
        CHECK_THROWS_AS(check_ring(leaping), std::invalid_argument);
    }
    const Setup setup = setup_of_one_thread(kImagingCases.front(), 8, Precision::float32);
    const auto wavefield = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(1);
    RingSize nowhere = ring_size(7, 4, {RingPlace::file});
    nowhere.folder = "/nowhere/at/all";
    CHECK_THROWS_AS(static_cast<void>(wavefield->fields().make_ring(nowhere)), std::filesystem::filesystem_error);
    RingSize huge = ring_size(std::int64_t{1} << 36, 4, {RingPlace::file});  // more than file systems have
    CHECK_THROWS_AS(static_cast<void>(wavefield->fields().make_ring(huge)), std::filesystem::filesystem_error);
}
