// Lines and grids that are told by the distance of their positions.
// Takes less than a second.
#include <cmath>
#include <doctest/doctest.h>

#include "tests/solver/survey_support.hpp"

using namespace onda;

TEST_CASE("a spacing in the place of a count: from first_m on, up to and including last_m") {
    Config config = config_2d();
    config.sources = {SourceConfig{}};
    config.sources[0].type = "line";
    config.sources[0].first_m = {100., 20.};
    config.sources[0].last_m = {900., 20.};
    config.sources[0].spacing_m = {300.};
    const auto sources_m = [&config] {
        std::vector<double> x;
        for (const Shot& shot : survey_of(config, grid_2d()).shots) x.push_back(shot.sources[0].position_m[0]);
        return x;
    };
    CHECK(sources_m() == std::vector{100., 400., 700.});  // 1000 would lie beyond the end
    config.sources[0].spacing_m = {400.};
    CHECK(sources_m() == std::vector{100., 500., 900.});
    config.sources[0].spacing_m = {400. * (1. + 4e-7)};  // beyond the end by 8e-7 of the spacing
    CHECK(sources_m() == std::vector{100., 100. + 400. * (1. + 4e-7), 100. + 2. * (400. * (1. + 4e-7))});
    config.sources[0].spacing_m = {400. * (1. + 6e-7)};  // by 12e-7
    CHECK(sources_m().size() == 2u);

    ReceiverConfig& line = config.receivers[0];
    line = ReceiverConfig{};
    line.type = "line";
    line.first_m = {700., 30.};
    line.last_m = {100., 30.};
    line.spacing_m = {0.1};
    const auto on_line = survey_of(config, grid_2d()).shots[0].receivers;
    REQUIRE(on_line.size() == 6001u);  // 600 / 0.1 is 5999.999… or 6000
    for (std::size_t i = 0; i < on_line.size(); ++i)
        CHECK(on_line[i] == Position{700. + static_cast<double>(i) * -0.1, 0., 30.});
    line.first_m = {100., 0.};
    line.last_m = {400., 400.};  // 500 m
    line.spacing_m = {100.};
    const auto oblique = survey_of(config, grid_2d()).shots[0].receivers;
    REQUIRE(oblique.size() == 6u);
    for (std::size_t i = 0; i < oblique.size(); ++i) {
        CHECK(oblique[i][0] == doctest::Approx(100. + 60. * static_cast<double>(i)).epsilon(1e-14));
        CHECK(oblique[i][2] == doctest::Approx(80. * static_cast<double>(i)).epsilon(1e-14));
    }

    config.sources = {source_at({1500., 0., 20.})};
    ReceiverConfig& grid = config.receivers[0];
    grid.type = "grid";
    grid.first_m = {1100., 100., 50.};
    grid.last_m = {1350., -100., 50.};
    grid.spacing_m = {100., 200., 7.};
    CHECK(survey_of(config, grid_3d()).shots[0].receivers == std::vector<Position>{{1100., 100., 50.},
                                                                                   {1200., 100., 50.},
                                                                                   {1300., 100., 50.},
                                                                                   {1100., -100., 50.},
                                                                                   {1200., -100., 50.},
                                                                                   {1300., -100., 50.}});
}

TEST_CASE("spacings that make no line, or too long a one, are refused") {
    Config config = config_2d();
    ReceiverConfig& line = config.receivers[0];
    line = ReceiverConfig{};
    line.type = "line";
    line.first_m = {100., 10.};
    line.last_m = {600., 10.};
    CHECK(contains(survey_error(config, grid_2d()), "receivers[0]: needs count or spacing_m"));
    line.spacing_m = {10.};
    line.count = {51};
    CHECK(contains(survey_error(config, grid_2d()), "receivers[0]: has count and spacing_m: give one of them"));
    line.count.clear();
    for (const double spacing : {0., -10., std::nan("")}) {
        line.spacing_m = {spacing};
        CHECK(contains(survey_error(config, grid_2d()), "receivers[0].spacing_m: "));
        CHECK(contains(survey_error(config, grid_2d()), " m: must be more than 0 m"));
    }
    line.spacing_m = {500.001};
    CHECK(contains(survey_error(config, grid_2d()), "500.001 m is more than the line, which is 500 m long"));
    // The most that a count may be, and what the message names.
    line.spacing_m = {500. / 999'999.};
    CHECK(survey_of(config, grid_2d()).shots[0].receivers.size() == 1'000'000u);
    line.spacing_m = {500. / 1'000'000.};
    CHECK(
        contains(survey_error(config, grid_2d()), "makes 1000001 positions on the line of 500 m; the most is 1000000"));
    line.spacing_m = {0.0005005};
    CHECK(survey_error(config, grid_2d()) == "no error");
    line.last_m = line.first_m;
    CHECK(contains(survey_error(config, grid_2d()), "which is 0 m long: for one position use type point"));
    line.last_m = {600., 10.};
    line.spacing_m = {10., 10.};
    CHECK(contains(survey_error(config, grid_2d()), "a line takes one number"));
    line.type = "grid";
    line.spacing_m = {10.};
    CHECK(contains(survey_error(config, grid_2d()), "a grid takes one number per axis, 2 in all"));
    line.spacing_m = {501., 0.};
    const std::string both = survey_error(config, grid_2d());
    CHECK(contains(both, "501 m is more than the grid along x, which is 500 m long"));
    line.spacing_m = {10., 0.};
    CHECK(contains(survey_error(config, grid_2d()), "must be more than 0 m"));

    config.sources = {SourceConfig{}, source_at({500., 20.})};
    config.sources[0].type = "line";
    config.sources[0].first_m = {0., 20.};
    config.sources[0].last_m = {1000., 20.};
    line.spacing_m = {10., 10.};
    CHECK(contains(survey_error(config, grid_2d()), "sources[0]: needs count or spacing_m"));
    config.sources[0].spacing_m = {1000. / 999'999.};
    std::swap(config.sources[0], config.sources[1]);
    CHECK(contains(survey_error(config, grid_2d()), "sources[1].spacing_m: 1000000 sources beside 1 others"));
}
