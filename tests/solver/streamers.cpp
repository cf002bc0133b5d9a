// Receivers that move with the source: where they lie in each shot, and what they cost.
// Takes less than a second.
#include <chrono>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <unistd.h>

#include "tests/sanitized.hpp"
#include "tests/solver/survey_support.hpp"

using namespace onda;

namespace {

SourceConfig line_of_shots(double first_m, double last_m, std::int64_t count) {
    SourceConfig line;
    line.type = "line";
    line.first_m = {first_m, 20.};
    line.last_m = {last_m, 20.};
    line.spacing_m = {(last_m - first_m) / static_cast<double>(count - 1)};  // whole metres stay whole
    return line;
}

/// 100, 75, 50, 25 and 0 m behind the source, 5 m below it.
ReceiverConfig streamer() {
    ReceiverConfig line;
    line.type = "line";
    line.relative_to = "source";
    line.first_m = {-100., 5.};
    line.last_m = {0., 5.};
    line.count = {5};
    return line;
}

ReceiverConfig file_of(const std::filesystem::path& file, const std::string& relative_to) {
    ReceiverConfig receiver;
    receiver.type = "file";
    receiver.file = file;
    receiver.relative_to = relative_to;
    return receiver;
}

double resident_mb() {
    std::ifstream statm("/proc/self/statm");
    double size = 0., resident = 0.;
    statm >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) * 1e-6;
}

double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("every shot has its receivers where its source takes them, in the order of the entries") {
    Config config = config_2d();
    config.sources = {line_of_shots(200., 800., 4)};
    ReceiverConfig deep = receiver_at({-0.5, 100.});
    deep.relative_to = "source";
    ReceiverConfig spaced = streamer();
    spaced.count.clear();
    spaced.spacing_m = {40.};
    config.receivers = {receiver_at({600., 30.}), deep, receiver_at({700., 30.}), streamer(), spaced};
    const Survey survey = survey_of(config, grid_2d());
    REQUIRE(survey.shots.size() == 4u);
    for (const Shot& shot : survey.shots) {
        const double x = shot.sources[0].position_m[0];
        CHECK(x == 200. * static_cast<double>(shot.id));
        CHECK(shot.receivers == std::vector<Position>{{600., 0., 30.},
                                                      {x - 0.5, 0., 120.},
                                                      {700., 0., 30.},
                                                      {x - 100., 0., 25.},
                                                      {x - 75., 0., 25.},
                                                      {x - 50., 0., 25.},
                                                      {x - 25., 0., 25.},
                                                      {x, 0., 25.},
                                                      {x - 100., 0., 25.},
                                                      {x - 60., 0., 25.},
                                                      {x - 20., 0., 25.}});
    }
    CHECK(survey.size.receivers == 44);
    CHECK(survey.size.most_receivers == 11);
    CHECK(survey.size.shots_of_receivers == std::map<std::int64_t, std::int64_t>{{11, 4}});
    std::int64_t nodes = 0;
    for (std::size_t i = 0; i < 11; ++i) nodes += weighted_nodes(grid_2d(), survey.shots[0].receivers[i]);
    CHECK(survey.size.most_receiver_nodes == nodes);
}

TEST_CASE("grids move in 3-D, and several sources in a shot count from the first of the configuration") {
    Config config = config_2d();
    config.sources = {source_at({1500., 0., 20.}), source_at({1400., 50., 30.}), source_at({1600., 0., 10.})};
    config.sources[0].shot = 2;
    config.sources[1].shot = 1;
    config.sources[2].shot = 1;
    ReceiverConfig grid;
    grid.type = "grid";
    grid.relative_to = "source";
    grid.first_m = {-100., -10., 0.};
    grid.last_m = {0., 10., 0.};
    grid.count = {2, 2, 1};
    config.receivers = {grid};
    const Survey survey = survey_of(config, grid_3d());
    CHECK(survey.shots[0].receivers ==
          std::vector<Position>{{1300., 40., 30.}, {1400., 40., 30.}, {1300., 60., 30.}, {1400., 60., 30.}});
    CHECK(survey.shots[1].receivers ==
          std::vector<Position>{{1400., -10., 20.}, {1500., -10., 20.}, {1400., 10., 20.}, {1500., 10., 20.}});
    std::swap(config.sources[1], config.sources[2]);
    CHECK(survey_of(config, grid_3d()).shots[0].receivers[0] == Position{1500., -10., 10.});
}

TEST_CASE("offsets of a file, for every shot and for those it names") {
    const Folder folder;
    Config config = config_2d();
    config.sources = {line_of_shots(200., 800., 4)};
    config.receivers = {file_of(folder.write("all.csv", "x,z\n-10,0\n10,5\n"), "source")};
    for (const Shot& shot : survey_of(config, grid_2d()).shots) {
        const double x = shot.sources[0].position_m[0];
        CHECK(shot.receivers == std::vector<Position>{{x - 10., 0., 20.}, {x + 10., 0., 25.}});
    }
    config.receivers = {file_of(folder.write("some.csv", "shot,x,z\n4,-10,0\n2,10,5\n4,20,5\n"), "source"), streamer(),
                        receiver_at({1., 2.})};
    config.receivers[1].shot = 3;
    const Survey survey = survey_of(config, grid_2d());
    CHECK(survey.shots[0].receivers == std::vector<Position>{{1., 0., 2.}});
    CHECK(survey.shots[1].receivers == std::vector<Position>{{410., 0., 25.}, {1., 0., 2.}});
    CHECK(survey.shots[2].receivers[0] == Position{500., 0., 25.});
    CHECK(survey.shots[2].receivers.size() == 6u);
    CHECK(survey.shots[3].receivers == std::vector<Position>{{790., 0., 20.}, {820., 0., 25.}, {1., 0., 2.}});
    CHECK(survey.size.receivers == 1 + 2 + 6 + 3);

    config.receivers = {file_of(folder.write("plane.csv", "x,y,z\n1,2,3\n"), "source")};
    CHECK(contains(survey_error(config, grid_2d()),
                   "plane.csv:2 (position 1): y = 2 m in a 2-D run: must be 0 or absent"));
}

TEST_CASE("an offset that leads out of the grid is told with shot, receiver, place and remedy; rounding is not") {
    const Folder folder;
    Config config = config_2d();
    config.sources = {line_of_shots(50., 900., 18)};
    config.receivers = {streamer()};
    CHECK(
        contains(survey_error(config, grid_2d()),
                 "receivers[0].first_m: receiver 1 of 5 lies at (-50, 25) m in shot 1, whose source is at (50, 20) m: "
                 "outside the grid, x 0 to 1000 m, z 0 to 400 m; offsets along x from -50 to 100 m stay inside in "
                 "every shot"));
    config.receivers[0].first_m = {-50. - 1e-9, 5.};
    config.receivers[0].last_m = {100. + 1e-9, 380.};
    const Survey survey = survey_of(config, grid_2d());
    CHECK(survey.shots[0].receivers[0] == Position{0., 0., 25.});
    CHECK(survey.shots[17].receivers[4] == Position{1000., 0., 400.});
    config.receivers[0].last_m = {100.1, 5.};
    CHECK(contains(survey_error(config, grid_2d()),
                   "receivers[0].last_m: receiver 5 of 5 lies at (1000.1, 25) m in "
                   "shot 18"));
    config.receivers[0].shot = 17;
    CHECK(contains(survey_error(config, grid_2d()), "receivers: shot 1 has no receivers"));
    config.receivers[0].last_m = {151., 5.};
    CHECK(contains(survey_error(config, grid_2d()), "from -850 to 150 m stay inside in this shot"));

    config.receivers = {receiver_at({0., -21.})};
    config.receivers[0].relative_to = "source";
    CHECK(contains(survey_error(config, grid_2d()),
                   "receivers[0].position_m: receiver 1 of 1 lies at (50, -1) m in shot 1"));
    config.receivers[0].position_m = {std::nan(""), 5.};
    CHECK(contains(survey_error(config, grid_2d()), "receivers[0].position_m"));
    config.receivers = {file_of(folder.write("cable.csv", "x,z\n100,5\n0,5\n101,5\n102,5\n"), "source")};
    CHECK(contains(survey_error(config, grid_2d()), "cable.csv:4 (position 3) lies at (1001, 25) m in shot 18"));
    config.receivers = {file_of(folder.write("rows.csv", "shot,x,z\n18,100,5\n18,0,381\n1,0,5\n"), "source")};
    CHECK(contains(survey_error(config, grid_2d()), "rows.csv:3 (position 2) lies at (900, 401) m in shot 18"));
    ReceiverConfig grid;
    grid.type = "grid";
    grid.relative_to = "source";
    grid.first_m = {0., 0.};
    grid.last_m = {50., 390.};
    grid.count = {1'000'000, 1'000'000};
    config.receivers = {grid};
    CHECK(contains(survey_error(config, grid_2d()),
                   "receiver 999999000001 of 1000000000000 lies at (50, 410) m in shot 1"));
    config.receivers[0].relative_to = "shot";
    CHECK(contains(survey_error(config, grid_2d()), "receivers[0].relative_to: 'shot': must be one of grid, source"));
}

TEST_CASE("streamers in absorbing strips are warned of by number") {
    Config config = config_2d();
    config.boundary.x_max = "sponge";  // 10 nodes: from 900 m on
    config.sources = {line_of_shots(200., 1000., 9)};
    config.receivers = {streamer()};
    const auto warnings = survey_of(config, grid_2d()).warnings;
    REQUIRE(warnings.size() == 2u);
    CHECK(contains(warnings[0], "1 of 9 sources"));
    CHECK(warnings[1].starts_with("4 of 45 receivers lie in an absorbing zone"));
}

TEST_CASE("shots of a streamer are made when they are asked for: neither time nor memory grow with the product") {
    const Folder folder;
    constexpr std::int64_t shots = 10'000, receivers = 500;
    Config config = config_2d();
    config.sources = {line_of_shots(500., 999., shots)};
    std::string offsets = "x,z\n";
    for (int i = 0; i < receivers; ++i) offsets += std::to_string(-i) + ",5\n";
    ReceiverConfig line = streamer();
    line.first_m = {0., 5.};
    line.last_m = {-499., 5.};
    line.count = {receivers};
    for (const ReceiverConfig& receiver : {line, file_of(folder.write("offsets.csv", offsets), "source")}) {
        config.receivers = {receiver};
        const double before_mb = resident_mb();
        Survey survey;
        const double making_s = seconds_of([&] { survey = survey_of(config, grid_2d()); });
        double sum = 0.;
        const double walking_s = seconds_of([&] {
            for (const Shot& shot : survey.shots)
                for (std::size_t i = 0; i < shot.receivers.size(); ++i) sum += shot.receivers[i][0];
        });
        CHECK(sum == doctest::Approx(double(shots) * double(receivers) * (749.5 - 249.5)).epsilon(1e-9));
        CHECK(survey.size.receivers == shots * receivers);
        const double more_mb = resident_mb() - before_mb;
        MESSAGE("made in ", making_s, " s, walked in ", walking_s, " s, ", more_mb, " MB");
        CHECK(making_s < 5.);
        CHECK(walking_s < 20.);
        if (!test::kSanitized) CHECK(more_mb < 20.);  // all positions would take 120 MB
    }
    config.sources = {line_of_shots(500., 999., 1'000'000)};
    ReceiverConfig grid = line;
    grid.type = "grid";
    grid.last_m = {-499., 300.};
    grid.count = {1'000'000, 1'000'000};
    config.receivers = {grid};
    const double making_s =
        seconds_of([&] { CHECK(survey_of(config, grid_2d()).size.receivers == 1'000'000'000'000'000'000); });
    MESSAGE("a million shots of 1e12 receivers made in ", making_s, " s");
    CHECK(making_s < 20.);
}
