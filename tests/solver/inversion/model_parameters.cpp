// Variables of an inversion: gradients are the derivatives of a function of the model, the start model and held nodes
// come back to the bit, and bounds are those of the model in every parameterisation.
#include "solver/inversion/model_parameters.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <omp.h>
#include <random>
#include <stdexcept>
#include <string>

#include "solver/model/density.hpp"

using namespace onda;

namespace {

using Variables = ModelParameters::Vector;

const Grid kStartGrid{2, {8, 1, 6}, {10., 1., 5.}, {100., 0., 0.}};

std::vector<float> values_between(double low, double high, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    std::vector<float> values(static_cast<std::size_t>(kStartGrid.points()));
    for (float& value : values) value = static_cast<float>(uniform(random));
    return values;
}

const std::vector<float> kStartVp = values_between(1600., 4400., 1), kStartRho = values_between(1100., 2600., 2);

/// The first two rows of the grid.
std::vector<bool> held_top() {
    std::vector<bool> held(kStartVp.size());
    for (std::size_t i = 0; i < 16; ++i) held[i] = true;
    return held;
}

InversionConfig inversion_of(std::string_view parameter, const std::string& density = "fixed") {
    InversionConfig config;
    config.parameter = parameter;
    config.density = density;
    return config;
}

/// A function of every node's vp and rho, and of products of neighbours.
double made_up_misfit(const ModelOf& model) {
    double sum = 0.;
    for (std::size_t i = 0; i < model.vp.size(); ++i) {
        const double vp = 1e-3 * model.vp[i], rho = 1e-3 * model.rho[i];
        const double next = 1e-3 * model.vp[(i + 1) % model.vp.size()];
        sum += (1. + 0.1 * double(i % 5)) * vp * vp * rho + 0.3 * vp * next + 0.7 * rho * rho;
    }
    return sum;
}

struct MadeUpGradient {
    std::vector<float> of_vp, of_rho;
};
MadeUpGradient made_up_gradient(const ModelOf& model) {
    MadeUpGradient gradient;
    const std::size_t n = model.vp.size();
    for (std::size_t i = 0; i < n; ++i) {
        const double vp = 1e-3 * model.vp[i], rho = 1e-3 * model.rho[i], weight = 1. + 0.1 * double(i % 5);
        const double beside = 1e-3 * (double(model.vp[(i + 1) % n]) + double(model.vp[(i + n - 1) % n]));
        gradient.of_vp.push_back(static_cast<float>(1e-3 * (2. * weight * vp * rho + 0.3 * beside)));
        gradient.of_rho.push_back(static_cast<float>(1e-3 * (weight * vp * vp + 1.4 * rho)));
    }
    return gradient;
}

/// Variables away from those of the start model.
Variables moved(Variables x) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= 1.F + 0.04F * static_cast<float>(std::sin(double(i)));
    return x;
}

std::vector<std::string> keys_of(const std::vector<std::pair<std::string, std::string>>& found) {
    std::vector<std::string> keys;
    for (const auto& problem : found) keys.push_back(problem.first);
    return keys;
}

}  // namespace

TEST_CASE("rows of parameterisations: inverse functions and slopes") {
    for (const ParameterisationRow& row : parameterisations()) {
        CAPTURE(row.name);
        for (const double vp : {300., 1500., 4321.}) {
            const double m = row.of_vp(vp), dm = 1e-4 * m;
            CHECK(row.vp_of(m) == doctest::Approx(vp).epsilon(1e-14));
            CHECK(row.vp_slope(vp) ==
                  doctest::Approx((row.vp_of(m + dm) - row.vp_of(m - dm)) / (2. * dm)).epsilon(1e-7));
        }
    }
    CHECK(parameterisations().size() == 3);
    CHECK(parameterisations()[1].of_vp(2000.) == doctest::Approx(5e-4));
    CHECK(parameterisations()[2].of_vp(2000.) == doctest::Approx(2.5e-7));
}

TEST_CASE("gradients are derivatives with respect to the variables, whatever they and the density are") {
    for (const ParameterisationRow& row : parameterisations())
        for (const char* const density : {"fixed", "gardner", "inverted"}) {
            CAPTURE(row.name);
            CAPTURE(density);
            const ModelParameters parameters(inversion_of(row.name, density), {kStartVp, kStartRho}, held_top());
            Variables x = moved(parameters.from_model({kStartVp, kStartRho}));
            REQUIRE(x.size() == parameters.blocks() * kStartVp.size());
            const MadeUpGradient of_model = made_up_gradient(parameters.to_model(x));
            const Variables gradient = parameters.gradient(x, {of_model.of_vp, of_model.of_rho});
            for (std::size_t i = 0; i < x.size(); ++i) {
                const float here = x[i], above = here + 0.002F, below = here - 0.002F;
                x[i] = above;
                double difference = made_up_misfit(parameters.to_model(x));
                x[i] = below;
                difference -= made_up_misfit(parameters.to_model(x));
                x[i] = here;
                // A float of 4000 m/s is exact to 1.2e-4 m/s, of steps of 4 m/s or more.
                CHECK(double(gradient[i]) ==
                      doctest::Approx(difference / (double(above) - double(below))).epsilon(2e-4));
                CHECK((gradient[i] == 0.F) == (i % kStartVp.size() < 16));
            }
        }
}

namespace {

/// An anisotropic start model: isotropic nodes and elliptical ones among others.
ModelOf anisotropic_start() {
    ModelOf start{kStartVp, {}, {}, values_between(0.02, 0.28, 3), values_between(0., 0.02, 4)};
    for (std::size_t i = 0; i < start.vp.size(); i += 5) start.delta[i] = start.epsilon[i];
    return start;
}
InversionConfig inversion_of_anisotropy() {
    InversionConfig config = inversion_of("vp");
    config.anisotropy = "inverted";
    config.epsilon = {-0.05, 0.3};
    config.delta = {-0.1, 0.29};
    return config;
}
/// The third row of the grid, beside the first two.
std::vector<bool> held_third_row() {
    std::vector<bool> held(kStartVp.size());
    for (std::size_t i = 16; i < 24; ++i) held[i] = true;
    return held;
}

}  // namespace

TEST_CASE("epsilon and delta are inverted beside the velocity: start, gradient and bounds") {
    const ModelOf start = anisotropic_start();
    const InversionConfig config = inversion_of_anisotropy();
    CHECK(problems(config, kStartGrid, start, {}).empty());
    const ModelParameters parameters(config, start, held_top(), held_third_row());
    const std::size_t n = start.vp.size();
    REQUIRE(parameters.blocks() == 3);
    REQUIRE(blocks_of(config) == 3);
    Variables x = parameters.from_model(start);
    const ModelOf back = parameters.to_model(x);
    CHECK(back.vp == start.vp);
    CHECK(back.epsilon == start.epsilon);
    CHECK(back.delta == start.delta);

    const auto misfit = [](const ModelOf& model) {
        double sum = 0.;
        for (std::size_t i = 0; i < model.vp.size(); ++i) {
            const double e = model.epsilon[i], d = model.delta[i];
            sum += (3. + double(i % 3)) * e * e - 2. * e * d + (2. - double(i % 4)) * d;
        }
        return sum;
    };
    for (std::size_t i = n; i < 3 * n; ++i) x[i] += i < 2 * n ? 0.01F : 0.03F;
    const ModelOf model = parameters.to_model(x);
    const std::vector<float> of_vp(n, 0.F);
    std::vector<float> of_epsilon, of_delta;
    for (std::size_t i = 0; i < n; ++i) {
        of_epsilon.push_back(2.F * (3.F + float(i % 3)) * model.epsilon[i] - 2.F * model.delta[i]);
        of_delta.push_back(-2.F * model.epsilon[i] + 2.F - float(i % 4));
    }
    const Variables gradient = parameters.gradient(x, {of_vp, {}, of_epsilon, of_delta});
    for (std::size_t i = n; i < 3 * n; ++i) {
        const float here = x[i];
        x[i] = here + 0.001F;
        double difference = misfit(parameters.to_model(x));
        x[i] = here - 0.001F;
        difference -= misfit(parameters.to_model(x));
        x[i] = here;
        const bool is_held = i % n < 24;
        CHECK(parameters.holds(i) == is_held);
        CHECK(double(gradient[i]) == doctest::Approx(difference / 0.002).epsilon(1e-3));
        CHECK((gradient[i] == 0.F || !is_held));
    }
    CHECK(parameters.holds(15));
    CHECK(!parameters.holds(16));

    const Bounds box = parameters.box();
    for (const Variables& corner : {box.lowest, box.highest, Variables(3 * n, -1.F), Variables(3 * n, 7.F)}) {
        const ModelOf there = parameters.to_model(corner);
        for (std::size_t i = 0; i < n; ++i) {
            if (i < 24) {
                CHECK((there.epsilon[i] == start.epsilon[i] && there.delta[i] == start.delta[i]));
                continue;
            }
            CHECK((there.epsilon[i] >= -0.05F && there.epsilon[i] <= 0.3F));
            CHECK((there.delta[i] >= -0.1F && there.delta[i] <= 0.29F && there.delta[i] <= there.epsilon[i]));
        }
    }
    // A delta at its own bound stays there while J falls beyond it.
    Variables low = box.highest;
    low[n + 30] = 0.2F;
    CHECK(parameters.to_model(low).delta[30] == -0.1F);
    for (const float slope : {1.F, -1.F}) {
        const std::vector<float> of_d(n, slope), of_e(n, 0.F);
        const Variables at_bound = parameters.gradient(low, {of_vp, {}, of_e, of_d});
        CHECK(at_bound[n + 30] == (slope > 0.F ? 0.F : -1.F));
        CHECK(at_bound[2 * n + 30] == (slope > 0.F ? 0.F : 1.F));
    }
}

TEST_CASE("what is wrong with an inversion of epsilon and delta is told by its key") {
    using Keys = std::vector<std::string>;
    const ModelOf start = anisotropic_start();
    const auto keys = [&](const InversionConfig& config, const ModelOf& of) {
        return keys_of(problems(config, kStartGrid, of, {}));
    };
    InversionConfig config = inversion_of_anisotropy();
    CHECK(keys(config, {kStartVp, {}}) == Keys{"inversion.anisotropy"});
    CHECK_THROWS_AS(ModelParameters(config, {kStartVp, {}}, {}), std::invalid_argument);
    config.epsilon = {0.1, 0.2};
    config.delta = {0.15, 0.25};
    CHECK(keys(config, start) == Keys{"inversion.epsilon.min", "inversion.epsilon.max", "inversion.delta.min",
                                      "inversion.delta.max", "inversion.delta.min"});
    config = inversion_of("vp");
    config.epsilon.max = 0.3;
    config.delta.min = 0.;
    CHECK(keys(config, start) == Keys{"inversion.epsilon", "inversion.delta"});
}

TEST_CASE("the start model comes back to the bit, and so do held nodes whatever their variables are") {
    for (const ParameterisationRow& row : parameterisations()) {
        CAPTURE(row.name);
        const std::vector<bool> held = held_top();
        const ModelParameters parameters(inversion_of(row.name, "inverted"), {kStartVp, kStartRho}, held);
        Variables x = parameters.from_model({kStartVp, kStartRho});
        CHECK(parameters.to_model(x).vp == kStartVp);
        CHECK(parameters.to_model(x).rho == kStartRho);
        for (float& value : x) value *= 1.1F;
        const ModelOf changed = parameters.to_model(x);
        for (std::size_t i = 0; i < held.size(); ++i) {
            CHECK((changed.vp[i] == kStartVp[i]) == held[i]);
            CHECK((changed.rho[i] == kStartRho[i]) == held[i]);
        }
        // From a model that differs at held nodes come the variables of the start model there.
        const Variables again = parameters.from_model({std::vector<float>(kStartVp.size(), 2000.F), kStartRho});
        const Variables start = parameters.from_model({kStartVp, kStartRho});
        for (std::size_t i = 0; i < held.size(); ++i) CHECK((again[i] == start[i]) == held[i]);
    }
}

TEST_CASE("variables have a mean of one, and other models come back within the rounding of floats") {
    const std::vector<float> vp = values_between(1500., 5000., 3), rho = values_between(1000., 2700., 4);
    for (const ParameterisationRow& row : parameterisations()) {
        CAPTURE(row.name);
        const ModelParameters parameters(inversion_of(row.name, "inverted"), {kStartVp, kStartRho}, {});
        const Variables start = parameters.from_model({kStartVp, kStartRho});
        double of_vp = 0., of_rho = 0.;
        for (std::size_t i = 0; i < vp.size(); ++i) {
            of_vp += double(start[i]) / double(vp.size());
            of_rho += double(start[vp.size() + i]) / double(vp.size());
        }
        CHECK(of_vp == doctest::Approx(1.).epsilon(1e-6));
        CHECK(of_rho == doctest::Approx(1.).epsilon(1e-6));
        const ModelOf back = parameters.to_model(parameters.from_model({vp, rho}));
        for (std::size_t i = 0; i < vp.size(); ++i) {
            CHECK(double(back.vp[i]) == doctest::Approx(double(vp[i])).epsilon(1.3e-7));
            CHECK(double(back.rho[i]) == doctest::Approx(double(rho[i])).epsilon(1.3e-7));
        }
    }
}

TEST_CASE("densities: as they were, by Gardner's relation where nodes are not held, or none") {
    const std::vector<bool> held = held_top();
    const ModelParameters fixed(inversion_of("vp"), {kStartVp, kStartRho}, held);
    CHECK(fixed.blocks() == 1);
    CHECK(fixed.to_model(moved(fixed.from_model({kStartVp, kStartRho}))).rho == kStartRho);

    const ModelParameters gardner(inversion_of("slowness", "gardner"), {kStartVp, kStartRho}, held);
    const ModelOf model = gardner.to_model(moved(gardner.from_model({kStartVp, kStartRho})));
    for (std::size_t i = 0; i < held.size(); ++i)
        CHECK(model.rho[i] == (held[i] ? kStartRho[i] : gardner_density(model.vp[i])));

    const ModelParameters constant(inversion_of("vp"), {kStartVp, {}}, held);
    const Variables x = constant.from_model({kStartVp, {}});
    CHECK(constant.to_model(x).rho.empty());
    CHECK(constant.gradient(x, {kStartVp})[40] > 0.F);
    CHECK_THROWS_AS(ModelParameters(inversion_of("vp", "gardner"), {kStartVp, {}}, held), std::invalid_argument);
    CHECK_THROWS_AS(ModelParameters(inversion_of("impedance"), {kStartVp, {}}, held), std::invalid_argument);
    CHECK_THROWS_AS(ModelParameters(inversion_of("vp"), {kStartVp, {}}, std::vector<bool>(3)), std::invalid_argument);
}

TEST_CASE("the box has the bounds of the model on its sides, and no model leaves them") {
    for (const ParameterisationRow& row : parameterisations()) {
        CAPTURE(row.name);
        InversionConfig config = inversion_of(row.name, "inverted");
        config.vp_m_s = {1499.9, 5100.1};
        config.rho_kg_m3 = {1000., 2700.3};
        const std::vector<bool> held = held_top();
        const ModelParameters parameters(config, {kStartVp, kStartRho}, held);
        const Variables start = parameters.from_model({kStartVp, kStartRho});
        const Bounds box = parameters.box();
        const ModelOf low = parameters.to_model(box.lowest), high = parameters.to_model(box.highest);
        Variables beyond = box.highest;
        for (float& value : beyond) value *= 1.5F;
        const ModelOf clamped = parameters.to_model(beyond),
                      negative = parameters.to_model(Variables(start.size(), -1.F));
        const bool is_velocity = row.name == "vp";
        for (std::size_t i = 0, n = kStartVp.size(); i < n; ++i) {
            if (held[i]) {
                CHECK((box.lowest[i] == start[i] && box.highest[i] == start[i]));
                CHECK((box.lowest[n + i] == start[n + i] && box.highest[n + i] == start[n + i]));
                continue;
            }
            CHECK((box.lowest[i] < start[i] && start[i] < box.highest[i]));
            CHECK(double(low.vp[i]) == doctest::Approx(is_velocity ? 1499.9 : 5100.1).epsilon(1.3e-7));
            CHECK(double(high.vp[i]) == doctest::Approx(is_velocity ? 5100.1 : 1499.9).epsilon(1.3e-7));
            CHECK(double(low.rho[i]) == doctest::Approx(1000.).epsilon(1.3e-7));
            CHECK(double(high.rho[i]) == doctest::Approx(2700.3).epsilon(1.3e-7));
            CHECK(clamped.vp[i] == (is_velocity ? 5100.1F : 1499.9F));
            CHECK(clamped.rho[i] == 2700.3F);
            CHECK(negative.vp[i] == (is_velocity ? 1499.9F : 5100.1F));
            CHECK((low.vp[i] >= 1499.9F && low.vp[i] <= 5100.1F && high.vp[i] >= 1499.9F && high.vp[i] <= 5100.1F));
        }
    }
    // Without bounds: what files may have.
    const ModelParameters parameters(inversion_of("slowness"), {kStartVp, {}}, {});
    CHECK(parameters.to_model(Variables(kStartVp.size(), 1e-9F)).vp[3] == 30'000.F);
    CHECK(parameters.to_model(Variables(kStartVp.size(), 1e9F)).vp[3] == 50.F);
}

TEST_CASE("a start model on a bound lies inside of the box") {
    for (const ParameterisationRow& row : parameterisations()) {
        InversionConfig config = inversion_of(row.name);
        config.vp_m_s = {1500.1, 4500.7};
        std::vector<float> vp = kStartVp;
        vp[20] = 1500.1F;
        vp[21] = 4500.7F;
        CHECK(problems(config, kStartGrid, {vp, {}}, {}).empty());
        const ModelParameters parameters(config, {vp, {}}, {});
        const Variables start = parameters.from_model({vp, {}});
        const Bounds box = parameters.box();
        for (std::size_t i = 0; i < vp.size(); ++i) CHECK((box.lowest[i] <= start[i] && start[i] <= box.highest[i]));
    }
}

TEST_CASE("problems are told by their keys, with the worst node that is not held") {
    using Keys = std::vector<std::string>;
    const auto found = [](const InversionConfig& config, std::span<const float> rho, const std::vector<bool>& held) {
        return problems(config, kStartGrid, {kStartVp, {rho.begin(), rho.end()}}, held);
    };
    InversionConfig config = inversion_of("vp");
    CHECK(found(config, {}, {}).empty());
    config.vp_m_s = {3000., 3000.};
    CHECK(keys_of(found(config, {}, {})) == Keys{"inversion.vp_m_s"});
    CHECK(keys_of(found(inversion_of("vp", "gardner"), {}, {})) == Keys{"inversion.density"});
    CHECK(keys_of(found(inversion_of("vp", "inverted"), {}, {})) == Keys{"inversion.density"});
    CHECK(found(inversion_of("vp", "inverted"), kStartRho, {}).empty());
    config = inversion_of("vp", "gardner");
    config.rho_kg_m3.min = 1000.;
    CHECK(keys_of(found(config, kStartRho, {})) == Keys{"inversion.rho_kg_m3"});
    config.density = "inverted";
    config.rho_kg_m3 = {1400., 2300.};
    config.vp_m_s = {2000., 4000.};
    CHECK(keys_of(found(config, kStartRho, {})) ==
          Keys{"inversion.vp_m_s.min", "inversion.vp_m_s.max", "inversion.rho_kg_m3.min", "inversion.rho_kg_m3.max"});
    const auto all_held = found(config, kStartRho, std::vector<bool>(kStartVp.size(), true));
    REQUIRE(all_held.size() == 1);
    CHECK(all_held.front().first == "inversion.hold_depth_m");

    std::vector<float> vp(kStartVp.size(), 2000.F);
    vp[0] = 9000.F;  // held
    vp[19] = 5000.F;
    vp[29] = 6000.F;  // x = 150 m, z = 15 m
    config = inversion_of("vp");
    config.vp_m_s.max = 4500.;
    const auto told = problems(config, kStartGrid, {vp, {}}, held_top());
    REQUIRE(told.size() == 1);
    CHECK(told[0].first == "inversion.vp_m_s.max");
    CHECK(told[0].second.find("6000 m/s at x = 150 m, z = 15 m") != std::string::npos);
    CHECK(told[0].second.find("at 2 of 48 nodes") != std::string::npos);
}

TEST_CASE("variables, models and gradients have the same bits for any number of threads") {
    const int before = omp_get_max_threads();
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2}) {
        omp_set_num_threads(threads);
        const ModelParameters parameters(inversion_of("slowness_squared", "gardner"), {kStartVp, kStartRho},
                                         held_top());
        const Variables x = moved(parameters.from_model({kStartVp, kStartRho}));
        const ModelOf model = parameters.to_model(x);
        for (const auto& values : {x, model.vp, model.rho, parameters.gradient(x, {kStartVp, kStartRho})})
            results.push_back(values);
    }
    omp_set_num_threads(before);
    for (std::size_t i = 0; i < 4; ++i) CHECK(results[i] == results[i + 4]);
}
