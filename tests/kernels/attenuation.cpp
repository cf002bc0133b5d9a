// Media that absorb: the fit of their mechanisms, the numbers of the star where nothing absorbs, and the memory of
// nodes as a part of the state. What waves lose is compared with exact solutions by `onda verify`. Takes four seconds.
#include <array>
#include <cmath>
#include <complex>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>

#include "kernels/cpu/cpu.hpp"
#include "kernels/equations/attenuation/drag.hpp"
#include "kernels/equations/attenuation/relaxation.hpp"
#include "kernels/equations/parameters.hpp"
#include "kernels/slabs/slabs.hpp"
#include "tests/kernels/kernel_cases.hpp"
#include "tests/kernels/state.hpp"

using namespace onda;
using namespace onda::test;

namespace {

/// Of mechanisms over a decade around 10 Hz: times and strengths for Q without end, in the order of the times.
struct Known {
    std::vector<double> time, strength;  ///< tau omega_c, Q j
    double loss, velocity, stiffening;   ///< errors of 1/Q and, times Q, of the velocity; Q (c_U / c - 1)
};
const std::array kKnown{
    Known{{1.}, {2.12}, 0.39, 0.098, 0.5},
    Known{{3.146, 0.318}, {1.659, 1.659}, 0.042, 0.042, 0.8},
    Known{{6.004, 1., 0.167}, {1.568, 0.987, 1.568}, 0.013, 0.0035, 1.},
    Known{{9.58, 1.849, 0.541, 0.104}, {1.556, 0.81, 0.81, 1.556}, 0.002, 0.0006, 1.2},
};

Relaxation decade(int mechanisms) {
    const double half = std::sqrt(10.);
    return {10., 10. / half, 10. * half, mechanisms};
}

/// An equation without loss, and those that are it with memory fields, or drag.
struct Family {
    Equation lossless;
    std::array<Equation, 3> absorbing;
};
const std::array kFamilies{
    Family{Equation::star, {Equation::attenuation, Equation::attenuation_of_two, Equation::drag}},
    Family{Equation::variable_density,
           {Equation::attenuation_density, Equation::attenuation_density_of_two, Equation::drag_density}},
};

MediumReaders readers_of(const Grid& grid, Equation equation, double lowest_q, double highest_q) {
    MediumReaders readers{noisy_reader(grid, 1500., 3000., 1)};
    if (has_parameter(equation, "rho")) readers.push_back(noisy_reader(grid, 1000., 2700., 5));
    readers.push_back(noisy_reader(grid, lowest_q, highest_q, 6));
    return readers;
}

constexpr double kDt = 1e-3;

Setup small_setup(Equation equation, int dimensions) {
    Setup setup;
    setup.grid = {dimensions, {23, dimensions == 3 ? 12 : 1, 31}, {10., 9., 11.}, {}};
    setup.scheme = make_scheme(equation, 4);
    setup.halos[4] = kFree;
    setup.halos[1] = kRigid;
    return setup;
}

const Case kSmall{"", small_setup(Equation::attenuation, 3).grid, {}, false, 40};

}  // namespace

// Times are best for a Q of 30, those of the table for Q without end.
TEST_CASE("mechanisms over a decade have the times and strengths that are known, and their errors") {
    for (int mechanisms = 1; mechanisms <= kMostMechanisms; ++mechanisms) {
        CAPTURE(mechanisms);
        const Known& known = kKnown[static_cast<std::size_t>(mechanisms - 1)];
        const RelaxationFit fit(decade(mechanisms), 0.);
        const double q = 1e5, omega = 2. * std::numbers::pi * 10.;
        const Mechanisms found = fit.mechanisms(q);
        for (int l = 0; l < mechanisms; ++l) {
            const auto i = static_cast<std::size_t>(l);
            CHECK(fit.time_s(l) * omega == doctest::Approx(known.time[i]).epsilon(0.03));
            CHECK(found.strength[i] * q == doctest::Approx(known.strength[i]).epsilon(0.01));
        }
        const FitError error = fit.error(q);
        CHECK(error.loss == doctest::Approx(known.loss).epsilon(0.06));
        CHECK(error.velocity * q == doctest::Approx(known.velocity).epsilon(0.05));
        CHECK(q * (1. / std::sqrt(found.compliance) - 1.) == doctest::Approx(known.stiffening).epsilon(0.07));
    }
    CHECK(RelaxationFit(decade(4), 0.).error(5.).loss < 0.0035);
    // Steps, even long ones, are fitted as well.
    CHECK(RelaxationFit(decade(4), 4e-3).error(1e4).loss < 0.006);
    CHECK(RelaxationFit(decade(2), 4e-3).error(1e4).loss < 0.06);
}

TEST_CASE("what is wanted is Q of Kjartansson, or a power of the frequency with the dispersion that goes with it") {
    const Relaxation constant = decade(4);
    for (const double hz : {3., 10., 40.}) {
        const std::complex<double> k = wanted_wavenumber(constant, 20., hz), m = 1. / (k * k);
        CHECK(m.real() / m.imag() == doctest::Approx(20.));
    }
    CHECK(wanted_wavenumber(constant, 20., 10.).real() == doctest::Approx(1.));
    // Near power 1 Szabo's law is Kjartansson's where little is lost.
    Relaxation power = constant;
    power.power = 1. + 1e-6;
    for (const double hz : {3., 40.}) {
        const auto difference = wanted_wavenumber(power, 1000., hz) - wanted_wavenumber(constant, 1000., hz);
        CHECK(std::abs(difference) < 2e-6);
    }
    power.power = 2.;
    CHECK(wanted_wavenumber(power, 50., 40.).imag() * 40. ==
          doctest::Approx(16. * wanted_wavenumber(power, 50., 10.).imag() * 10.));
    CHECK(wanted_wavenumber(power, 50., 40.).real() == doctest::Approx(1.));
}

TEST_CASE("a power of the frequency leaves c_U within its bound, positive, and growing as Q falls") {
    for (const double power : {1., 1.1, 1.5, 1.75, 2.})
        for (int mechanisms = 1; mechanisms <= kMostMechanisms; ++mechanisms)
            for (const double reference_hz : {1., 10., 100.}) {
                CAPTURE(power);
                CAPTURE(mechanisms);
                CAPTURE(reference_hz);
                const Relaxation relaxation{reference_hz, 4., 25., mechanisms, power};
                const RelaxationFit fit(relaxation, 0.);
                double last = 0.;
                for (int i = 0; i <= 60; ++i) {
                    const double q = 1e4 * std::pow(3. / 1e4, i / 60.);
                    CAPTURE(q);
                    const Mechanisms found = fit.mechanisms(q);
                    const double c_u = 1. / std::sqrt(found.compliance);
                    const double at_top = 1. / std::max(0.5, wanted_wavenumber(relaxation, q, 25.).real());
                    CHECK(c_u > 0.);
                    CHECK(c_u <= 1.5 * std::max(1., at_top) * (1. + 1e-12));
                    CHECK(std::max(1., c_u) >= last * (1. - 1e-4));
                    last = std::max({1., last, c_u});
                    for (const double strength : found.strength) CHECK(strength >= 0.);
                }
            }
}

TEST_CASE("powers of the frequency are fitted where c_U is free, and the times suit the band, not the reference") {
    const auto error = [](double power, double q, double reference_hz) {
        const Relaxation relaxation{reference_hz, 4., 25., 4, power};
        return RelaxationFit(relaxation, 0.).error(q / q_at_centre(relaxation, 1.)).loss;
    };
    for (const double reference_hz : {0.1, 10., 100.}) {
        CAPTURE(reference_hz);
        CHECK(error(1.5, 15., reference_hz) < 0.002);
        CHECK(error(2., 30., reference_hz) < 0.02);
        CHECK(error(2., 1000., reference_hz) < 0.02);
    }
    CHECK(error(1.5, 6., 10.) < 0.1);  // c_U at its bound
    CHECK(error(2., 20., 10.) > 0.2);
    CHECK(q_at_centre({1., 32., 200., 4, 2.}, 2e4) == doctest::Approx(250.));
    CHECK(q_at_centre({1., 32., 200., 4, 1.}, 2e4) == 2e4);
}

TEST_CASE("whether a node absorbs is decided by its Q in the band") {
    Scheme scheme = make_scheme(Equation::attenuation, 4);
    const auto stiffening = [&](double power, double q) {
        scheme.relaxation = {1., 32., 200., 4, power};
        return scheme.stiffest_m_s(1000., std::array{q}, 1e-4) / 1000.;
    };
    const auto has_g = [&](double power, float q) {
        scheme.relaxation = {1., 32., 200., 4, power};
        const std::vector<std::vector<float>> parameters{{1000.f, 1000.f}, {q, q}};
        double largest = 0.;
        for (const std::int64_t y : {0, 1}) {  // nodes of all classes: a mechanism may have no strength
            std::array<double, 2> g{};
            scheme.equation->fit(scheme, 3, 1e-4)->row(1, parameters, y, 0, g);
            largest = std::max({largest, g[0], g[1]});
        }
        return largest > 0.;
    };
    CHECK(stiffening(1., 1.1e4) == 1.);
    CHECK(stiffening(2., 2e4) > 1.02);  // 250 at 80 Hz
    CHECK(stiffening(2., 9e5) == 1.);
    CHECK_FALSE(has_g(1., 1.1e4f));
    CHECK(has_g(2., 2e4f));
    CHECK_FALSE(has_g(2., 9e5f));
    CHECK_FALSE(has_g(1., std::numeric_limits<float>::infinity()));
}

TEST_CASE("a medium of a power of the frequency stays bounded at the stability limit of its c_U") {
    for (const auto& [power, q] : {std::pair{1.5, 6.}, std::pair{2., 20.}, std::pair{2., 3.}}) {
        Setup setup = small_setup(Equation::attenuation_of_two, 2);
        setup.scheme.relaxation = {10., 4., 25., 4, power};
        setup.precision = Precision::float64;
        double fastest = 2000.;
        const std::array spacing{setup.grid.spacing_m[0], setup.grid.spacing_m[2]};
        const auto limit_s = [&] { return setup.scheme.stability_limit_s({spacing.begin(), spacing.end()}, fastest); };
        for (int round = 0; round < 3; ++round) fastest = setup.scheme.stiffest_m_s(2000., std::array{q}, limit_s());
        CHECK(fastest > 2800.);
        const MediumReaders readers{uniform(2000.f), uniform(static_cast<float>(q))};
        const auto wavefield = cpu::make_medium(setup, readers, 0.999 * limit_s())->make_wavefield();
        std::vector<double> p(static_cast<std::size_t>(setup.grid.points()));
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = noise(static_cast<std::int64_t>(i), 3) - 0.5;
        wavefield->upload(p, p);
        wavefield->advance(0, 2000);
        CHECK(wavefield->extremum().finite);
        CHECK(wavefield->extremum().max_abs < 10.);
    }
}

TEST_CASE("drag has the velocity and Q that are asked for at the reference frequency, whatever the time step") {
    for (const double power : {1., 1.5})
        for (const double dt_s : {1e-5, 1e-3, 1.5e-2})
            for (const float q : {3.f, 20.f, 500.f}) {
                CAPTURE(dt_s);
                CAPTURE(q);
                Scheme scheme = make_scheme(Equation::drag, 4);
                scheme.relaxation = {20., 10., 30., 0, power};
                const std::vector<std::vector<float>> parameters{{1700.f}, {q}};
                const auto fit = scheme.equation->fit(scheme, 3, dt_s);
                std::array<double, 1> k{}, g{};
                fit->row(0, parameters, 0, 0, k);
                fit->row(1, parameters, 0, 0, g);
                // Of a step p+ - 2 p + p- + g (p - p-) = k L p, for p = z^n.
                const double theta = 2. * std::asin(std::numbers::pi * 20. * dt_s);
                const std::complex<double> z = std::polar(1., theta),
                                           symbol = -(z - 2. + 1. / z + g[0] * (1. - 1. / z)) / k[0];
                const std::complex<double> wanted =
                    2. * std::numbers::pi * 20. / 1700. * wanted_wavenumber(scheme.relaxation, double(q), 20.);
                CHECK(std::abs(symbol / (wanted * wanted) - 1.) < 1e-10);
            }
}

TEST_CASE("errors of drag grow from nothing at the reference frequency as 1/Q falls with the frequency") {
    const auto error = [](double low_hz, double high_hz, double power) {
        return drag_error({20., low_hz, high_hz, 0, power}, 50., 0.);
    };
    CHECK(error(20., 20.000001, 1.).loss < 1e-6);
    CHECK(error(20., 20.000001, 1.).velocity < 1e-8);
    CHECK(error(10., 25., 1.).loss == doctest::Approx(1.));   // twice as much at half the frequency
    CHECK(error(16., 40., 1.).loss == doctest::Approx(0.5));  // half as much at twice
    CHECK(error(15., 40., 1.).velocity == doctest::Approx(std::log(2.) / (std::numbers::pi * 50.)).epsilon(0.1));
    CHECK(error(16., 40., 2.).loss == doctest::Approx(0.75).epsilon(0.01));
    CHECK(drag_error({20., 16., 40., 0}, 50., 5e-3).loss ==
          doctest::Approx(1. - 0.5 * std::sqrt((1. - std::pow(0.2 * std::numbers::pi, 2.)) /
                                               (1. - std::pow(0.1 * std::numbers::pi, 2.)))));
    CHECK(drag_stiffening(1e4) == 1.);
    CHECK(drag_stiffening(3.) ==
          doctest::Approx(1. / std::sqrt(1. - std::pow(std::tan(0.5 * std::atan(1. / 3.)), 2.))));
}

TEST_CASE("over the classes of nodes, the mechanisms have the mean strengths that are asked for") {
    struct Layout {
        int dimensions, fields, most;
    };
    for (const Layout layout : {Layout{3, 1, 4}, Layout{2, 1, 2}, Layout{2, 2, 4}, Layout{3, 2, 4}})
        for (int mechanisms = 1; mechanisms <= layout.most; ++mechanisms) {
            CAPTURE(mechanisms);
            CAPTURE(layout.fields);
            std::array<double, kMostMechanisms> mean{};
            const std::int64_t along_y = layout.dimensions == 3 ? 2 : 1;
            for (std::int64_t z = 0; z < 2; ++z)
                for (std::int64_t y = 0; y < along_y; ++y)
                    for (std::int64_t x = 0; x < 2; ++x)
                        for (int field = 0; field < layout.fields; ++field) {
                            const auto own = mechanism_of_class(mechanisms, layout.fields, field, node_class(x, y, z));
                            mean[static_cast<std::size_t>(own.mechanism)] +=
                                own.times_stronger / static_cast<double>(4 * along_y);
                        }
            for (int l = 0; l < mechanisms; ++l) CHECK(mean[static_cast<std::size_t>(l)] == 1.);
        }
    CHECK(node_class(3, 4, 5) == node_class(-3, 4, 5));  // an image is of the class of its node
}

TEST_CASE("where nothing absorbs, the numbers are those of the equation without loss") {
    for (const Family& family : kFamilies)
        for (const Equation equation : family.absorbing)
            for (const Case& c : kCases)
                for (const Precision precision : {Precision::float32, Precision::float64}) {
                    CAPTURE(c.name);
                    const Setup without = setup_of(c, 8, precision, family.lossless),
                                with = setup_of(c, 8, precision, equation);
                    MediumReaders readers = readers_of(c.grid, equation, 1e4, 1e6);
                    const auto lossless = cpu::make_medium(with, readers, kDt)->make_wavefield();
                    readers.pop_back();
                    const auto alone = cpu::make_medium(without, readers, kDt)->make_wavefield();
                    for (const auto& wavefield : {alone.get(), lossless.get()}) {
                        start_noisy_shot(*wavefield, c, precision);
                        wavefield->record(0);
                        wavefield->advance(0, c.steps);
                    }
                    CHECK(results_of(*lossless, c) == results_of(*alone, c));
                }
}

TEST_CASE("with one density everywhere, variable density absorbs as the star does, to the error of its derivatives") {
    for (const std::size_t which : {0u, 1u, 2u}) {
        std::vector<std::vector<double>> results;
        for (const Family& family : kFamilies) {
            Case c = kSmall;
            Setup setup = small_setup(family.absorbing[which], 3);
            setup.scheme = make_scheme(family.absorbing[which], 16);
            setup.precision = Precision::float64;
            setup.grid.n = c.grid.n = {41, 41, 41};
            const RowReader vp = uniform(2000.f), q = uniform(8.f);
            const MediumReaders readers =
                family.lossless == Equation::star ? MediumReaders{vp, q} : MediumReaders{vp, uniform(1000.f), q};
            const auto wavefield = cpu::make_medium(setup, readers, kDt)->make_wavefield();
            std::vector<double> p;
            for (std::int64_t i = 0; i < c.grid.points(); ++i) {
                const auto [x, y, z] = c.grid.node(i);
                const double r2 =
                    std::pow(double(x) - 20., 2.) + std::pow(double(y) - 20., 2.) + std::pow(double(z) - 20., 2.);
                p.push_back(std::exp(-r2 / 16.));
            }
            wavefield->upload(p, p);
            wavefield->advance(0, 20);
            wavefield->download(Window::whole(c.grid), std::span<double>(p));
            results.push_back(p);
        }
        double largest = 0., apart = 0.;
        for (std::size_t i = 0; i < results[0].size(); ++i) {
            largest = std::max(largest, std::abs(results[0][i]));
            apart = std::max(apart, std::abs(results[0][i] - results[1][i]));
        }
        CHECK(largest > 0.1);
        CHECK(apart < 1e-3 * largest);
    }
}

TEST_CASE("the memory of nodes is a part of the state, which goes on elsewhere, in a batch and in slabs") {
    for (const int dimensions : {3, 2})
        for (const Equation equation :
             {Equation::attenuation, Equation::attenuation_of_two, Equation::attenuation_density,
              Equation::attenuation_density_of_two, Equation::drag, Equation::drag_density}) {
            const Setup setup = small_setup(equation, dimensions);
            const MediumReaders readers = readers_of(setup.grid, equation, 5., 100.);
            const auto medium = cpu::make_medium(setup, readers, kDt);
            const auto whole = medium->make_wavefield(), begun = medium->make_wavefield();
            Case c = kSmall;
            c.grid = setup.grid;
            for (const auto& wavefield : {whole.get(), begun.get()}) start_noisy_shot(*wavefield, c, setup.precision);
            whole->advance(0, 30);
            begun->advance(0, 13);
            const State saved = save(*begun);
            std::vector<std::string> names;
            for (const auto& [part, values] : saved) names.push_back(part.name);
            std::vector<std::string> expected{"p", "p_previous"};
            expected.insert(expected.end(), equation->memory.begin(), equation->memory.end());
            CHECK(names == expected);
            const auto batch = medium->make_wavefield(3);
            start_noisy_shot(*batch, c, setup.precision, 1., 2);
            restore(*batch, saved, 2);
            batch->advance(13, 17);
            CHECK(save(*batch, 2) == save(*whole));
            if (dimensions == 2) continue;
            // Slabs that begin on odd planes: classes are those of the whole grid.
            const std::vector<Slab> slabs{{0, 9}, {9, 10}, {19, 12}};
            const auto cut = make_slab_medium(setup, readers, kDt, slabs,
                                              [](std::size_t, const Setup& part, const MediumReaders& its,
                                                 double dt_s) { return cpu::make_medium(part, its, dt_s); })
                                 ->make_wavefield();
            start_noisy_shot(*cut, c, setup.precision);
            restore(*cut, saved);
            CHECK(save(*cut) == saved);
            cut->advance(13, 17);
            CHECK(save(*cut) == save(*whole));
        }
}

TEST_CASE("slopes of arrays with respect to Q are those of their values, and nothing where nothing is absorbed") {
    constexpr float part = 1.f / 65536;  // within an interval of the table of strengths
    const std::vector<float> q{3.25f, 5.5f, 17.f, 60.f, 250.f, 1000.f, 7168.f, 20000.f};
    const auto rows = [&q](Equation equation, float factor) {
        std::vector<std::vector<float>> parameters{std::vector(q.size(), 2000.f)};
        if (has_parameter(equation, "rho")) parameters.emplace_back(q.size(), 1800.f);
        parameters.push_back(q);
        for (float& value : parameters.back()) value *= factor;
        return parameters;
    };
    for (const Family& family : kFamilies)
        for (const Equation equation : family.absorbing) {
            CAPTURE(equation->name);
            const Scheme scheme = make_scheme(equation, 4);
            const auto fit = equation->fit(scheme, 3, kDt);
            for (std::size_t array = 0; array < equation->arrays.size(); ++array) {
                if (equation->arrays[array].row != nullptr) continue;
                for (const std::int64_t y : {0, 1}) {
                    std::vector<double> slopes(q.size()), value = slopes, above = slopes, below = slopes;
                    fit->slope_row(array, rows(equation, 1.f), y, 4, slopes);
                    fit->row(array, rows(equation, 1.f), y, 4, value);
                    fit->row(array, rows(equation, 1.f + part), y, 4, above);
                    fit->row(array, rows(equation, 1.f - part), y, 4, below);
                    for (std::size_t i = 0; i < q.size(); ++i) {
                        CAPTURE(q[i]);
                        const double width = 2. * double(part) * double(q[i]), expected = (above[i] - below[i]) / width;
                        CHECK(std::abs(slopes[i] - expected) <=
                              1e-6 * std::abs(expected) + 1e-14 * std::abs(value[i]) / width);
                        CHECK((slopes[i] == 0.) == (double(q[i]) >= kLossless));
                    }
                }
            }
        }
}

TEST_CASE("a sponge damps the memory of nodes with their pressure") {
    const Setup open = small_setup(Equation::attenuation, 3);
    Setup damped = open;
    damped.strips.edit<Sponge>().taper[0] = std::vector<double>(static_cast<std::size_t>(open.grid.nx()), 0.5);
    std::vector<std::vector<float>> memories;
    for (const Setup& setup : {open, damped}) {
        const auto wavefield =
            cpu::make_medium(setup, readers_of(setup.grid, setup.scheme.equation, 5., 50.), kDt)->make_wavefield();
        start_noisy_shot(*wavefield, kSmall, setup.precision);
        wavefield->advance(0, 1);
        for (const auto& [part, bytes] : save(*wavefield))
            if (part.name == "r") {
                std::vector<float>& values = memories.emplace_back(bytes.size() / sizeof(float));
                std::memcpy(values.data(), bytes.data(), bytes.size());
            }
    }
    REQUIRE(memories.size() == 2);
    float largest = 0.f;
    for (std::size_t i = 0; i < memories[0].size(); ++i) {
        if (memories[1][i] != 0.5f * memories[0][i]) FAIL("node ", i);
        largest = std::max(largest, std::abs(memories[0][i]));
    }
    CHECK(largest > 0.f);
}

TEST_CASE("codes of k are refused, and steps that apply the operator twice") {
    Setup setup = small_setup(Equation::attenuation, 3);
    setup.stepping = Stepping::leap;
    CHECK_THROWS_AS(cpu::make_medium(setup, readers_of(setup.grid, setup.scheme.equation, 5., 50.), kDt),
                    std::invalid_argument);
    setup = small_setup(Equation::attenuation, 3);
    setup.medium = medium_of_codes(0.01f, 0.1f);
    CHECK_THROWS_AS(cpu::make_medium(setup, readers_of(setup.grid, setup.scheme.equation, 5., 50.), kDt),
                    std::invalid_argument);
}
