// `onda dispersion` prints the textbook's numbers, and refuses what there is not.
// Takes 2 s.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/program/program.hpp"

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
                                               {"--dimensions", "1"}}) {
        std::vector<std::string> arguments{"dispersion"};
        arguments.insert(arguments.end(), bad.begin(), bad.end());
        CHECK(run_onda(arguments).code == 64);
    }
}
