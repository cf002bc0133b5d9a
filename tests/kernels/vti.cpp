// Vertical transverse isotropy: where epsilon and delta are 0 it is the star to the bit; coefficients whose matrix is
// not indefinite; elliptical media have the waves of a stretched isotropic one; the state goes on elsewhere. Takes 5 s.
#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/slabs/slabs.hpp"
#include "tests/kernels/kernel_cases.hpp"
#include "tests/kernels/state.hpp"

using namespace onda;
using namespace onda::test;

namespace {

constexpr double kVtiDt = 5e-4;

/// e and d of a medium of one node.
std::array<double, 2> coefficients(double epsilon, double delta) {
    const std::array parameters{2000., epsilon, delta};
    return {Equation::vti->arrays[1].value(parameters.data(), kVtiDt),
            Equation::vti->arrays[2].value(parameters.data(), kVtiDt)};
}

}  // namespace

TEST_CASE("where epsilon and delta are 0, both stresses are the pressure of the star to the bit, whatever the tilt") {
    for (const Case& c : kCases)
        for (const Precision precision : {Precision::float32, Precision::float64})
            for (const Equation equation : {Equation::vti, Equation::tti}) {
                CAPTURE(c.name);
                CAPTURE(name(equation));
                Setup star = setup_of(c, 8, precision, Equation::star), vti = setup_of(c, 8, precision, equation);
                if (equation == Equation::tti) star.strips = vti.strips;  // without layers
                const RowReader vp = noisy_reader(c.grid, 1500., 3000., 1), zero = uniform(0.f);
                MediumReaders readers{vp, zero, zero};
                if (equation == Equation::tti)
                    readers.insert(readers.end(),
                                   {noisy_reader(c.grid, -1.5, 1.5, 9), noisy_reader(c.grid, -3., 3., 10)});
                const auto isotropic = cpu::make_medium(star, {vp}, kVtiDt)->make_wavefield(),
                           anisotropic = cpu::make_medium(vti, readers, kVtiDt)->make_wavefield();
                // From rest: noise can be given to the first field alone.
                const Sources sources = make_test_sources(c.grid, 1.);
                for (const auto& wavefield : {isotropic.get(), anisotropic.get()}) {
                    wavefield->set_sources(0, sources);
                    wavefield->set_receivers(0, receivers_on(c.grid, sources.nodes), c.steps + 1);
                    wavefield->record(0);
                    wavefield->advance(0, c.steps);
                }
                CHECK(results_of(*anisotropic, c) == results_of(*isotropic, c));
                std::vector<double> p(static_cast<std::size_t>(c.grid.points())), q = p;
                anisotropic->fields().download(Window::whole(c.grid), std::span(p), 0, {0, 0});
                anisotropic->fields().download(Window::whole(c.grid), std::span(q), 0, {1, 0});
                CHECK(p == q);
            }
}

TEST_CASE("both stresses are made of the strain, and are what they are without it to the bit") {
    for (const Case& c : kCases)
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            CAPTURE(c.name);
            const Setup plain = setup_of(c, 8, precision, Equation::vti),
                        with_strain = setup_of(c, 8, precision, Equation::vti_of_gradients);
            MediumReaders readers = noisy_anisotropy(c.grid);
            readers.insert(readers.begin(), noisy_reader(c.grid, 1500., 3000., 1));
            const auto expected = cpu::make_medium(plain, readers, kVtiDt)->make_wavefield();
            const auto medium = cpu::make_medium(with_strain, readers, kVtiDt);
            const auto wavefield = medium->make_wavefield();
            const Sources sources = make_test_sources(c.grid, 1.);
            for (Wavefield* const each : {expected.get(), wavefield.get()}) {
                each->set_sources(0, sources);
                each->set_receivers(0, receivers_on(c.grid, sources.nodes), c.steps + 1);
                each->record(0);
                each->advance(0, c.steps);
            }
            CHECK(results_of(*wavefield, c) == results_of(*expected, c));
            const auto points = static_cast<std::size_t>(c.grid.points());
            std::array<std::vector<double>, 3> fields;  // of the first what receivers see: the mean stress
            for (int field = 0; field < 3; ++field) {
                fields[static_cast<std::size_t>(field)].resize(points);
                wavefield->fields().download(Window::whole(c.grid), std::span(fields[static_cast<std::size_t>(field)]),
                                             0, {field, 0});
            }
            std::vector<std::int64_t> nodes(points);
            std::iota(nodes.begin(), nodes.end(), 0);
            std::vector<double> e(points), d(points);
            medium->values_at(1, nodes, e);
            medium->values_at(2, nodes, d);
            double worst = 0., largest = 0.;
            for (std::size_t i = 0; i < points; ++i) {
                const double vertical = fields[1][i],
                             horizontal = d[i] * vertical + (e[i] - d[i] * d[i]) * fields[2][i],
                             mean = horizontal + (vertical - horizontal) / c.grid.dimensions;
                worst = std::max(worst, std::abs(mean - fields[0][i]));
                largest = std::max(largest, std::abs(fields[0][i]));
            }
            CHECK(worst <= (precision == Precision::float32 ? 2e-4 : 1e-12) * largest);
            CHECK(largest > 0.);
        }
}

TEST_CASE("the square of d never exceeds e, and both are what is asked for to a millionth") {
    for (int i = -200; i <= 1000; ++i)
        for (int j = -400; j <= i; j += 37) {
            const double epsilon = 1e-3 * i, delta = 1e-3 * j;
            for (const double wanted : {delta, epsilon}) {
                const auto [e, d] = coefficients(epsilon, wanted);
                CHECK(d * d <= e);
                CHECK(std::abs(e - (1. + 2. * epsilon)) <= 1e-6);
                CHECK(std::abs(d - std::sqrt(1. + 2. * wanted)) <= 2e-6);
                CHECK(static_cast<double>(static_cast<float>(e)) == e);
                CHECK(static_cast<double>(static_cast<float>(d) - static_cast<float>(e)) == d - e);
                CHECK(static_cast<double>(1.f - static_cast<float>(d)) == 1. - d);
            }
        }
    CHECK(coefficients(0., 0.) == std::array{1., 1.});
}

TEST_CASE("the velocities of Thomsen's medium along both axes and at small angles, and of an ellipse at all") {
    const auto velocity = [](double epsilon, double delta, double sine_squared) {
        return std::sqrt(compressional_symbol(epsilon, delta, sine_squared, 1. - sine_squared));
    };
    CHECK(velocity(0.2, 0.1, 0.) == 1.);
    CHECK(velocity(0.2, 0.1, 1.) == doctest::Approx(std::sqrt(1.4)));
    const double small = 1e-5;  // v = vp (1 + delta sin^2 …)
    CHECK((velocity(0.2, 0.1, small) - 1.) / small == doctest::Approx(0.1).epsilon(1e-3));
    CHECK((velocity(0.1, -0.2, small) - 1.) / small == doctest::Approx(-0.2).epsilon(1e-3));
    for (const double s : {0.1, 0.4, 0.8})
        CHECK(velocity(0.15, 0.15, s) == doctest::Approx(std::sqrt(1. + 0.3 * s)).epsilon(1e-12));
    CHECK(slowest_of_directions({0.1, 0.3, -0.2, 0.1}) < 1.);
    CHECK(slowest_of_directions({0.1, 0.3, 0., 0.1}) == 1.);
    CHECK(fastest_of_directions({0.1, 0.3, 0., 0.1}) == doctest::Approx(std::sqrt(1.6)));
}

TEST_CASE("the state of both stresses and of the layers goes on elsewhere, in a batch and in slabs") {
    Case c = kCases[8];  // layers all around
    c.grid.n[2] = 55;
    c.sponge = true;
    for (const Equation equation : {Equation::vti, Equation::tti}) {
        const bool is_tilted = equation == Equation::tti;
        c.halos[4] = is_tilted ? kRigid : kFree;
        c.layers[4] = 0;
        const Setup setup = setup_of(c, 8, Precision::float32, equation);
        MediumReaders readers = noisy_anisotropy(setup.grid);
        readers.insert(readers.begin(), noisy_reader(setup.grid, 1500., 3000., 1));
        if (is_tilted)
            readers.insert(readers.end(),
                           {noisy_reader(setup.grid, -1.5, 1.5, 9), noisy_reader(setup.grid, -3., 3., 10)});
        const auto medium = cpu::make_medium(setup, readers, kVtiDt);
        const auto whole = medium->make_wavefield(), begun = medium->make_wavefield();
        for (const auto& wavefield : {whole.get(), begun.get()}) start_noisy_shot(*wavefield, c, setup.precision);
        whole->advance(0, 30);
        begun->advance(0, 13);
        const State saved = save(*begun);
        const auto batch = medium->make_wavefield(3);
        start_noisy_shot(*batch, c, setup.precision, 1., 2);
        restore(*batch, saved, 2);
        batch->advance(13, 17);
        CHECK(save(*batch, 2) == save(*whole));
        const std::vector<Slab> slabs{{0, 19}, {19, 17}, {36, 19}};
        const auto cut = make_slab_medium(setup, readers, kVtiDt, slabs,
                                          [](std::size_t, const Setup& part, const MediumReaders& its, double dt_s) {
                                              return cpu::make_medium(part, its, dt_s);
                                          })
                             ->make_wavefield();
        start_noisy_shot(*cut, c, setup.precision);
        restore(*cut, saved);
        CHECK(save(*cut) == saved);
        cut->advance(13, 17);
        CHECK(save(*cut) == save(*whole));
    }
}
