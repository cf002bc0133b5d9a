// `onda dispersion` prints the textbook's numbers, those of what a kernel and the recursion of attenuation do, and
// refuses what there is not. Takes 3 s.
#include <cmath>
#include <complex>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numbers>

#include "kernels/cpu/cpu.hpp"
#include "tests/kernels/kernel_cases.hpp"
#include "tests/kernels/state.hpp"
#include "tests/program/program.hpp"

using namespace onda;
using Json = nlohmann::json;
using std::numbers::pi;

namespace {

Json told(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "dispersion");
    arguments.emplace_back("--json");
    const Outcome outcome = run_onda(arguments);
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    return Json::parse(outcome.out);
}

/// Both fields at the middle of a grid, after a step of the reference kernel in double precision that begins with cos(k
/// x) in one of them, and with nothing in the other and before.
std::array<double, 2> stepped(const Equation& equation, int order, const MediumReaders& medium, double dt_s,
                              const std::array<double, 3>& k, bool second) {
    Setup setup;
    const std::int64_t nodes = 2 * order + 3, middle = nodes / 2;
    setup.grid = {3, {nodes, nodes, nodes}, {10., 10., 10.}, {}};
    setup.scheme = make_scheme(equation, order);
    setup.precision = Precision::float64;
    setup.kernel = "reference";
    const auto wavefield = cpu::make_medium(setup, medium, dt_s)->make_wavefield();
    wavefield->restore(0, [&](const StatePart& part, std::int64_t first_plane, std::span<std::byte> bytes) {
        std::vector<double> planes(bytes.size() / sizeof(double), 0.);
        if (part.name == (second ? "q" : "p"))
            for (std::int64_t i = 0; i < std::ssize(planes); ++i) {
                const std::int64_t z = first_plane + i / (nodes * nodes);
                planes[static_cast<std::size_t>(i)] =
                    std::cos(10. * (k[0] * static_cast<double>(i % nodes - middle) +
                                    k[1] * static_cast<double>(i / nodes % nodes - middle) +
                                    k[2] * static_cast<double>(z - middle)));
            }
        std::memcpy(bytes.data(), planes.data(), bytes.size());
    });
    wavefield->advance(0, 1);
    std::array<double, 2> values{};
    const auto at = sizeof(double) * static_cast<std::size_t>(setup.grid.at(middle, middle, middle));
    for (const auto& [part, bytes] : onda::test::save(*wavefield)) {
        if (part.name == "p") std::memcpy(values.data(), bytes.data() + at, sizeof(double));
        if (part.name == "q") std::memcpy(values.data() + 1, bytes.data() + at, sizeof(double));
    }
    return values;
}

/// The angular frequency of the faster wave of the kernel, from the matrix that a step multiplies both fields by.
double angular_frequency(const Equation& equation, int order, const MediumReaders& medium, double dt_s,
                         const std::array<double, 3>& k) {
    const auto [pp, pq] = stepped(equation, order, medium, dt_s, k, false);
    const auto [qp, qq] = stepped(equation, order, medium, dt_s, k, true);
    const double a = 2. - pp, d = 2. - qq;
    const double largest = 0.5 * (a + d + std::sqrt((a - d) * (a - d) + 4. * pq * qp));
    return 2. * std::asin(0.5 * std::sqrt(largest)) / dt_s;
}

}  // namespace

TEST_CASE("order 2: sin(kh/2) / (kh/2) along an axis, the exact answer along the diagonal of the largest step") {
    const Json space = told({"--order", "2", "--dimensions", "2", "--points", "4,10", "--angles", "0"});
    CHECK(space["weights"] == Json({-2., 1.}));
    CHECK(space["largest_courant_number"].get<double>() == doctest::Approx(std::sqrt(0.5)));
    for (int i = 0; i < 2; ++i) {
        const double half = pi / (i == 0 ? 4. : 10.);
        CHECK(space["phase_velocity_ratio"][i][0].get<double>() == doctest::Approx(std::sin(half) / half));
    }
    // At the limit in 2-D, errors of space and time cancel for waves at 45 degrees (Courant, Friedrichs and Lewy 1928).
    const Json both = told({"--order", "2", "--dimensions", "2", "--cfl", "1", "--angles", "45", "--points", "3,8"});
    for (const auto& row : both["phase_velocity_ratio"]) CHECK(row[0].get<double>() == doctest::Approx(1.));
}

TEST_CASE("VTI and TTI: errors by angle are those of a step of the kernel against Tsvankin's velocities") {
    // e = 1.375 and d = 1.0625 are what the kernel has, without rounding.
    const double epsilon = 0.1875, delta = 0.064453125, vp = 2000.;
    for (const bool is_tilted : {false, true})
        for (const int order : {4, 8}) {
            std::vector<std::string> arguments{"--operator", is_tilted ? "tti" : "vti",
                                               "--order",    std::to_string(order),
                                               "--cfl",      "0.8",
                                               "--points",   "3,6.5",
                                               "--angles",   "-50,0,20,90",
                                               "--epsilon",  "0.1875",
                                               "--delta",    "0.064453125",
                                               "--azimuth",  "35"};
            if (is_tilted) arguments.insert(arguments.end(), {"--theta", "30", "--phi", "-70"});
            const Json json = told(arguments);
            const double theta = is_tilted ? pi / 6. : 0., phi = -70. * pi / 180., azimuth = 35. * pi / 180.;
            const double dt_s = 0.8 * json["largest_courant_number"].get<double>() * 10. / vp;
            MediumReaders medium{onda::test::uniform(2000.f), onda::test::uniform(0.1875f),
                                 onda::test::uniform(0.064453125f)};
            if (is_tilted)
                medium.insert(medium.end(), {onda::test::uniform(static_cast<float>(theta)),
                                             onda::test::uniform(static_cast<float>(phi))});
            for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t j = 0; j < 4; ++j) {
                    const double points = json["points_per_wavelength"][i].get<double>();
                    const double angle = json["angles_deg"][j].get<double>() * pi / 180.;
                    const std::array<double, 3> direction{std::sin(angle) * std::cos(azimuth),
                                                          std::sin(angle) * std::sin(azimuth), std::cos(angle)};
                    std::array<double, 3> k = direction;
                    for (double& component : k) component *= 2. * pi / (10. * points);
                    const double cosine = direction[0] * std::sin(theta) * std::cos(phi) +
                                          direction[1] * std::sin(theta) * std::sin(phi) +
                                          direction[2] * std::cos(theta);
                    const double c2 = cosine * cosine, s2 = 1. - c2, f = 1. + 2. * epsilon * s2;
                    const double exact = std::sqrt(0.5 * (f + std::sqrt(f * f - 8. * (epsilon - delta) * s2 * c2)));
                    CHECK(json["phase_velocity"][j].get<double>() == doctest::Approx(exact).epsilon(1e-12));
                    const double omega =
                        angular_frequency(is_tilted ? Equation::tti : Equation::vti, order, medium, dt_s, k);
                    const double ratio = omega * 10. * points / (2. * pi) / (vp * exact);
                    CHECK(std::abs(json["phase_velocity_ratio"][i][j].get<double>() - ratio) < 1e-7);
                    CHECK((points > 4. || std::abs(ratio - 1.) > 1e-4));
                }
        }
    const Json plain = told({"--operator", "vti", "--angles", "0,40", "--dimensions", "2"});
    const Json star = told({"--angles", "90,50", "--dimensions", "2"});
    for (std::size_t i = 0; i < plain["phase_velocity_ratio"].size(); ++i)
        for (std::size_t j = 0; j < 2; ++j)
            CHECK(plain["phase_velocity_ratio"][i][j].get<double>() ==
                  doctest::Approx(star["phase_velocity_ratio"][i][j].get<double>()).epsilon(1e-12));
}

TEST_CASE("attenuation: achieved Q and velocity are those of the recursion of a step") {
    for (const double power : {1., 1.6}) {
        const double dt_s = 2e-3, reference = 20., q = 40.;
        const Json all = told({"--operator", "attenuation", "--q", "40", "--reference-hz", "20", "--dt-s", "0.002",
                               "--power", power == 1. ? "1" : "1.6"});
        const Json& json = all["absorption"];
        const RelaxationFit fit({reference, 0.4 * reference, 2.5 * reference, 4, power}, dt_s);
        const Mechanisms mechanisms = fit.mechanisms(q);
        double worst_loss = 0., worst_velocity = 0.;
        for (std::size_t i = 0; i < json["frequencies_hz"].size(); ++i) {
            const double omega = 2. * pi * json["frequencies_hz"][i].get<double>();
            // p[n] = z^n: R follows its recursion, and k L p is what is left.
            const std::complex<double> z = std::polar(1., 2. * std::asin(0.5 * omega * dt_s)), d = 1. - 1. / z;
            double sum = 1.;
            for (int l = 0; l < 4; ++l) {
                const double beta = dt_s / (2. * fit.time_s(l) + dt_s);
                sum += mechanisms.strength[static_cast<std::size_t>(l)] * beta;
            }
            std::complex<double> taken = z - 2. + 1. / z;
            for (int l = 0; l < 4; ++l) {
                const double tau = fit.time_s(l), beta = dt_s / (2. * tau + dt_s);
                const double g =
                    2. * mechanisms.strength[static_cast<std::size_t>(l)] * beta / sum * 2. * tau / (2. * tau + dt_s);
                const std::complex<double> memory = 2. * beta * d / (z - 1. + 2. * beta);
                taken += g * (d - memory);
            }
            const std::complex<double> square = -taken * sum * mechanisms.compliance / (omega * omega * dt_s * dt_s);
            const double had_q = square.real() / -square.imag(), velocity = 1. / std::sqrt(square).real();
            CHECK(json["achieved_q"][i].get<double>() == doctest::Approx(had_q).epsilon(1e-9));
            CHECK(json["achieved_velocity"][i].get<double>() == doctest::Approx(velocity).epsilon(1e-12));
            worst_loss = std::max(worst_loss, std::abs(json["wanted_q"][i].get<double>() / had_q - 1.));
            worst_velocity =
                std::max(worst_velocity, std::abs(json["wanted_velocity"][i].get<double>() / velocity - 1.));
        }
        CHECK(worst_loss <= fit.error(q).loss * 1.01);
        CHECK(worst_loss > 0.05 * fit.error(q).loss);
        CHECK(worst_velocity <= fit.error(q).velocity * 1.01);
        if (power == 1.) CHECK(json["wanted_q"][3].get<double>() == doctest::Approx(q));
    }
}

TEST_CASE("errors over the angle, Q and velocity are drawn") {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "curves.svg").string();
    const std::vector<std::string> arguments{"dispersion", "--operator", "attenuation", "--q", "50", "--plot", file};
    CHECK(contains(run_onda(arguments).out, file));
    const std::string drawn = text_of(file);
    CHECK(contains(drawn, "<svg"));
    CHECK(run_onda(arguments).code == 73);
    CHECK(run_onda({"dispersion", "--plot", (folder.path() / "curves.txt").string()}).code == 64);
    CHECK(run_onda({"dispersion", "--angles", "30", "--plot", file, "--force"}).code == 64);
}

TEST_CASE("every operator and order is told; what there is not is refused") {
    for (const char* name : {"star", "variable_density"})
        for (int order = 2; order <= 16; order += 2)
            for (const char* weights : {"taylor", "optimised"}) {
                const Json json =
                    told({"--operator", name, "--order", std::to_string(order), "--coefficients", weights});
                CHECK(json["weights"].size() == std::size_t(order / 2 + 1));
                for (const auto& ratio : json["phase_velocity_ratio"].back())
                    CHECK(ratio.get<double>() == doctest::Approx(1.).epsilon(order == 2 ? 5e-3 : 3e-4));
            }
    const Json compact = told({"--operator", "compact27"});
    CHECK(compact["weights"].size() == 4u);
    CHECK(compact["space_order"] == 2);
    CHECK(contains(run_onda({"dispersion"}).out, "phase-velocity error in percent"));
    for (const std::vector<std::string>& bad :
         std::vector<std::vector<std::string>>{{"--order", "7"},
                                               {"--order", "18"},
                                               {"--operator", "cube"},
                                               {"--operator", "compact27", "--order", "8"},
                                               {"--points", "1"},
                                               {"--cfl", "2"},
                                               {"--cfl", "nan"},
                                               {"--points", "nan"},
                                               {"--points", "4,inf"},
                                               {"--angles", "nan"},
                                               {"--angles", "0,inf"},
                                               {"--angles", "1e308"},
                                               {"--epsilon", "0.1"},
                                               {"--operator", "vti", "--theta", "10"},
                                               {"--operator", "vti", "--epsilon", "0.1", "--delta", "0.2"},
                                               {"--operator", "vti", "--epsilon", "2"},
                                               {"--operator", "tti", "--epsilon", "nan"},
                                               {"--operator", "tti", "--dimensions", "2", "--phi", "10"},
                                               {"--operator", "vti", "--q", "50"},
                                               {"--operator", "attenuation", "--q", "2"},
                                               {"--operator", "attenuation", "--q", "50", "--band-hz", "5,2"},
                                               {"--operator", "attenuation", "--q", "50", "--dt-s", "0.2"},
                                               {"--dimensions", "1"}}) {
        std::vector<std::string> arguments{"dispersion"};
        arguments.insert(arguments.end(), bad.begin(), bad.end());
        CHECK(run_onda(arguments).code == 64);
    }
}
