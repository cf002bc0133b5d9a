// Which shots a configuration makes, and what is wrong with it.
// Takes less than a second.
#include "solver/survey/survey.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <numbers>

#include "io/text/error.hpp"
#include "tests/solver/survey_support.hpp"

using namespace onda;

TEST_CASE("points, lines and grids in 2-D and 3-D") {
    Config config = config_2d();
    ReceiverConfig line;
    line.type = "line";
    line.first_m = {0., 10.};
    line.last_m = {1000., 20.};
    line.count = {5};
    config.receivers.push_back(line);
    const Survey survey = survey_of(config, grid_2d());
    REQUIRE(survey.shots.size() == 1u);
    CHECK(survey.shots[0].id == 1);
    REQUIRE(survey.shots[0].sources.size() == 1u);
    CHECK(survey.shots[0].sources[0].position_m == Position{500., 0., 20.});
    REQUIRE(survey.shots[0].receivers.size() == 6u);
    CHECK(survey.shots[0].receivers[1] == Position{0., 0., 10.});
    CHECK(survey.shots[0].receivers[2] == Position{250., 0., 12.5});
    CHECK(survey.shots[0].receivers[5] == Position{1000., 0., 20.});
    CHECK(survey.warnings.empty());

    config.sources = {source_at({1500., 0., 20.})};
    ReceiverConfig grid;
    grid.type = "grid";
    grid.first_m = {1100., -100., 50.};
    grid.last_m = {1300., 100., 50.};
    grid.count = {3, 2, 1};
    config.receivers = {grid};
    const auto receivers = survey_of(config, grid_3d()).shots[0].receivers;
    REQUIRE(receivers.size() == 6u);
    CHECK(receivers[0] == Position{1100., -100., 50.});
    CHECK(receivers[1] == Position{1200., -100., 50.});
    CHECK(receivers[3] == Position{1100., 100., 50.});
    CHECK(receivers[5] == Position{1300., 100., 50.});
}

TEST_CASE("shots come in ascending order, with several sources, their own wavelets and their own receivers") {
    Config config = config_2d();
    config.sources = {source_at({500., 20.}), source_at({510., 20.}), source_at({520., 20.})};
    config.sources[0].shot = 7;
    config.sources[1].shot = 3;
    config.sources[1].amplitude = 2.;
    config.sources[2].shot = 7;
    config.sources[2].wavelet = WaveletConfig{};
    config.sources[2].wavelet->type = "gaussian";
    config.sources[2].wavelet->peak_frequency_hz = 20.;
    config.receivers.push_back(receiver_at({700., 30.}));
    config.receivers[1].shot = 7;
    const Survey survey = survey_of(config, grid_2d());
    REQUIRE(survey.shots.size() == 2u);
    CHECK(survey.shots[0].id == 3);
    CHECK(survey.shots[1].id == 7);
    CHECK(survey.shots[0].sources[0].amplitude == 2.);
    CHECK(survey.shots[0].receivers.size() == 1u);
    CHECK(survey.shots[1].receivers.size() == 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::span<const SourcePoint> alone = survey.shots.sources(i);
        const Shot shot = survey.shots[i];
        REQUIRE(alone.size() == shot.sources.size());
        for (std::size_t k = 0; k < alone.size(); ++k) {
            CHECK(alone[k].position_m == shot.sources[k].position_m);
            CHECK(alone[k].amplitude == shot.sources[k].amplitude);
            CHECK(alone[k].wavelet == shot.sources[k].wavelet);
        }
    }
    REQUIRE(survey.wavelets.size() == 2u);  // the top-level one once
    REQUIRE(survey.shots[1].sources.size() == 2u);
    CHECK(survey.shots[1].sources[0].wavelet == survey.shots[0].sources[0].wavelet);
    CHECK(survey.shots[1].sources[1].wavelet != survey.shots[1].sources[0].wavelet);
    CHECK(survey.highest_frequency_hz() == doctest::Approx(20. * std::sqrt(std::log(100.))));  // the Gaussian

    TimeAxis time;
    time.dt_s = 0.001;
    time.steps = 100;
    const Sources sources = make_sources(survey.shots[0], survey, grid_2d(), FaceHalos{}, time);
    REQUIRE(sources.signal.size() == 1u);
    REQUIRE(sources.signal[0].size() == 101u);
    CHECK(sources.signal[0][60] == 2. * survey.wavelets[0].value(0.060));
    CHECK(sources.nodes.rows() == 1);

    config.receivers[1].shot = 5;
    CHECK(contains(survey_error(config, grid_2d()), "receivers[1].shot: no source fires in this shot"));
}

TEST_CASE("a grid of shots is numbered along x first, by its counts or by its spacings") {
    Config config = config_2d();
    config.sources = {SourceConfig{}};
    SourceConfig& source = config.sources.front();
    source.type = "grid";
    source.first_m = {100., 20.};
    source.last_m = {900., 60.};
    const auto check = [&] {
        const Survey survey = survey_of(config, grid_2d());
        REQUIRE(survey.shots.size() == 6u);
        for (std::size_t i = 0; i < 6; ++i) {
            CHECK(survey.shots[i].id == static_cast<std::int64_t>(i) + 1);
            REQUIRE(survey.shots[i].sources.size() == 1u);
            CHECK(survey.shots[i].sources[0].position_m ==
                  Position{100. + 400. * static_cast<double>(i % 3), 0., 20. + 40. * static_cast<double>(i / 3)});
        }
    };
    source.count = {3, 2};
    check();
    source.count.clear();
    source.spacing_m = {400., 40.};
    check();
    source.spacing_m = {400.};
    CHECK(contains(survey_error(config, grid_2d()), "a grid takes one number per axis, 2 in all"));
    source.spacing_m.clear();
    source.count = {3, 0};
    CHECK(contains(survey_error(config, grid_2d()), "sources[0].count: 0: must be at least 1"));
    source.type = "line";
    source.count = {3, 2};
    CHECK(contains(survey_error(config, grid_2d()), "a line takes one number"));
}

TEST_CASE("a line of shots and files of positions") {
    const Folder folder;
    Config config = config_2d();
    config.sources = {SourceConfig{}};
    config.sources[0].type = "line";
    config.sources[0].first_m = {100., 20.};
    config.sources[0].last_m = {900., 20.};
    config.sources[0].count = {3};
    Survey survey = survey_of(config, grid_2d());
    REQUIRE(survey.shots.size() == 3u);
    CHECK(survey.shots[1].id == 2);
    CHECK(survey.shots[1].sources[0].position_m == Position{500., 0., 20.});

    config.sources[0] = SourceConfig{};
    config.sources[0].type = "file";
    config.sources[0].amplitude = 10.;
    config.sources[0].file = folder.write("sources.csv", "shot,x,z,amplitude\n4,100,20,1\n2,200,20,3\n4,300,25,0.5\n");
    config.receivers[0] = ReceiverConfig{};
    config.receivers[0].type = "file";
    config.receivers[0].file = folder.write("receivers.csv", "x,z\n10,5\n20,5\n");
    survey = survey_of(config, grid_2d());
    REQUIRE(survey.shots.size() == 2u);
    CHECK(survey.shots[1].id == 4);
    REQUIRE(survey.shots[1].sources.size() == 2u);
    CHECK(survey.shots[1].sources[1].position_m == Position{300., 0., 25.});
    CHECK(survey.shots[1].sources[1].amplitude == 5.);
    CHECK(survey.shots[0].receivers.size() == 2u);

    config.receivers[0].file = folder.write("spread.csv", "shot,x,z\n2,10,5\n4,20,5\n4,30,5\n");
    survey = survey_of(config, grid_2d());
    CHECK(survey.shots[0].receivers == std::vector<Position>{{10., 0., 5.}});
    CHECK(survey.shots[1].receivers == std::vector<Position>{{20., 0., 5.}, {30., 0., 5.}});

    config.receivers[0].file = folder.write("elsewhere.csv", "shot,x,z\n2,10,5\n5,20,5\n");
    CHECK(contains(survey_error(config, grid_2d()),
                   "elsewhere.csv:3 (position 2): there is no shot 5: the sources make 2 shots, from 2 to 4"));
    config.receivers[0].file = folder.write("outside.csv", "x,z\n10,5\n20,500\n");
    const std::string message = survey_error(config, grid_2d());
    CHECK(contains(message, "receivers[0].file"));
    CHECK(contains(message,
                   "outside.csv:3 (position 2): (20, 500) m lies outside the grid: x 0 to 1000 m, z 0 to 400 m"));
    config.receivers[0].file = folder.write("off_plane.csv", "x,y,z\n10,3,5\n");
    CHECK(contains(survey_error(config, grid_2d()), "y = 3 m in a 2-D run"));
}

TEST_CASE("positions outside the grid are refused with position, extent and key; rounding is not") {
    Config config = config_2d();
    config.sources[0].position_m = {1000. + 1e-9, 400.};
    CHECK(survey_of(config, grid_2d()).shots[0].sources[0].position_m[0] == 1000.);
    config.sources[0].position_m = {1000.1, 20.};
    CHECK(contains(survey_error(config, grid_2d()),
                   "sources[0].position_m: x = 1000.1 is outside the grid, which spans 0 to 1000 m"));
    config.sources[0].position_m = {std::nan(""), 20.};
    CHECK(contains(survey_error(config, grid_2d()), "sources[0].position_m"));
    config.sources[0].position_m = {500., 0., 20.};
    CHECK(contains(survey_error(config, grid_2d()), "has 3 numbers: a 2-D grid needs two, [x, z]"));
    config = config_2d();
    config.receivers[0] = ReceiverConfig{};
    config.receivers[0].type = "line";
    config.receivers[0].first_m = {900., 10.};
    config.receivers[0].last_m = {1100., 10.};
    config.receivers[0].count = {5};
    CHECK(contains(survey_error(config, grid_2d()),
                   "receivers[0].last_m: x = 1100 is outside the grid, which spans 0 to 1000 m"));
    config.receivers[0].last_m = {1000., 10.};
    config.receivers[0].count = {0};
    CHECK(contains(survey_error(config, grid_2d()), "receivers[0].count: 0: must be at least 1"));
    config.receivers[0].type = "ring";
    CHECK(
        contains(survey_error(config, grid_2d()), "receivers[0].type: 'ring': must be one of point, line, grid, file"));
}

TEST_CASE("empty surveys are refused") {
    Config config = config_2d();
    config.sources.clear();
    CHECK(contains(survey_error(config, grid_2d()), "there is no source"));
    config = config_2d();
    config.receivers.clear();
    CHECK(contains(survey_error(config, grid_2d()), "nothing would be recorded: give receivers or output.snapshots"));
    config.receivers = {receiver_at({600., 30.})};
    config.receivers[0].shot = 1;
    config.sources.push_back(source_at({500., 20.}));
    config.sources[1].shot = 2;
    CHECK(contains(survey_error(config, grid_2d()),
                   "receivers: shot 2 has no receivers, and no snapshots are requested"));
    config.output.snapshots.every_steps = 10;
    CHECK(survey_error(config, grid_2d()) == "no error");
}

TEST_CASE("what would be silent is refused or warned about") {
    Config config = config_2d();
    config.boundary.z_min = "free_surface";
    config.sources[0].position_m = {500., 0.};
    CHECK(contains(survey_error(config, grid_2d()), "sources[0].position_m: lies on the free surface z_min"));
    config.sources[0].position_m = {500., 0.5};
    config.receivers[0].position_m = {600., 0.};
    config.boundary.x_max = "sponge";
    config.receivers.push_back(receiver_at({905., 20.}));
    config.receivers.push_back(receiver_at({895., 20.}));
    auto warnings = survey_of(config, grid_2d()).warnings;
    REQUIRE(warnings.size() == 2u);
    CHECK(contains(warnings[0], "1 of 3 receivers lie in an absorbing zone"));
    CHECK(contains(warnings[1], "1 of 3 receivers lie on the free surface"));

    const Folder folder;
    config.sources[0] = SourceConfig{};
    config.sources[0].type = "file";
    config.sources[0].file = folder.write("surface.csv", "x,z\n100,5\n200,0\n");
    CHECK(contains(survey_error(config, grid_2d()), "surface.csv:3 (position 2): (200, 0) m lies on the free surface"));

    config = config_2d();
    config.wavelet.peak_frequency_hz = 1.;
    CHECK(contains(survey_of(config, grid_2d()).warnings.at(0), "after the end of the run at 1 s"));
    config.wavelet.t0_s = 1.5;
    CHECK(contains(survey_error(config, grid_2d()),
                   "wavelet.t0_s: the wavelet's centre comes after the end of the run at 1 s; if it is in "
                   "milliseconds, write 0.0015"));
}

TEST_CASE("sampling is judged by the weights' phase error") {
    Config config = config_2d();
    const Grid grid = grid_2d();
    const HighestFrequency highest = survey_of(config, grid).highest_frequency();
    for (const char* coefficients : {"taylor", "optimised"}) {
        config.scheme.coefficients = coefficients;
        double before = 1e9;
        for (int order = 2; order <= 16; order += 2) {
            config.scheme.space_order = order;
            const Scheme scheme = scheme_of(config, grid);
            const double needed = judge_sampling(config.scheme, grid, highest, scheme, 1e5).needed;
            CHECK(needed < before);
            before = needed;
            const auto error = [&scheme](double kh) { return std::abs(1. - std::sqrt(scheme.axis_symbol(kh)) / kh); };
            const double edge = 2. * std::numbers::pi / needed;
            CHECK(error(edge) == doctest::Approx(0.005).epsilon(1e-6));
            for (double kh = 0.01; kh < edge; kh += 0.01) CHECK(error(kh) <= 0.005);
        }
    }
}

TEST_CASE("a wavelet from a file is that of each shot where its name has {shot}") {
    const Folder folder;
    const auto signal = [](double factor) {
        std::string text = "time_s,amplitude\n";
        for (int n = 0; n < 60; ++n) {
            const double x = std::numbers::pi * 25. * (0.002 * n - 0.06);
            text +=
                std::to_string(0.002 * n) + "," + std::to_string(factor * (1. - 2. * x * x) * std::exp(-x * x)) + "\n";
        }
        return text;
    };
    const auto write = [&](const std::string& name, const std::string& text) {
        static_cast<void>(folder.write(name, text));
    };
    write("near_03.csv", signal(2.));
    write("near_07.csv", signal(5.));
    write("near_7.csv", "no table");
    Config config = config_2d();
    config.wavelet = {};
    config.wavelet.type = "file";
    config.wavelet.file = folder.path() / "near_{shot:02}.csv";
    config.sources = {source_at({500., 20.}), source_at({510., 20.}), source_at({520., 20.}), source_at({530., 20.})};
    config.sources[0].shot = config.sources[2].shot = 7;
    config.sources[1].shot = 3;
    config.sources[3].shot = 3;
    config.sources[3].wavelet = WaveletConfig{};
    config.sources[3].wavelet->peak_frequency_hz = 20.;
    const auto peak_of = [](const Survey& survey, const SourcePoint& source) {
        return survey.wavelets.at(source.wavelet).value(0.06);
    };
    Survey survey = survey_of(config, grid_2d());
    REQUIRE(survey.wavelets.size() == 3);
    REQUIRE(survey.signals.size() == 2);
    CHECK(contains(survey.signals[0], "near_{shot:02}.csv of 2 shots, spectrum's peak at "));
    CHECK(peak_of(survey, survey.shots[0].sources[0]) == doctest::Approx(2.));
    CHECK(survey.wavelets[survey.shots[0].sources[1].wavelet].type == "ricker");
    CHECK(peak_of(survey, survey.shots[1].sources[0]) == doctest::Approx(5.));
    CHECK(survey.shots[1].sources[0].wavelet == survey.shots[1].sources[1].wavelet);

    // Sources keep the signals of their shots in supershots, and wavelets are of all shots whichever are selected.
    const auto with = [&](const SurveyConfig& encoding, const NumberSelection& selection) {
        return make_survey(
            {config.sources, config.receivers, config.wavelet, config.time, config.output, {}, selection, encoding},
            grid_2d(), make_faces(config.boundary, grid_2d(), config.origin), config.origin);
    };
    SurveyConfig hadamard;
    hadamard.encoding = "hadamard";
    const Survey blended = with(hadamard, {});
    REQUIRE(blended.shots.size() == 2);
    for (const Shot& shot : blended.shots) {
        REQUIRE(shot.sources.size() == 4);
        CHECK(peak_of(blended, shot.sources[0]) == doctest::Approx(2.));
        CHECK(peak_of(blended, shot.sources[2]) == doctest::Approx(5.));
    }
    const Survey some = with({}, std::get<NumberSelection>(NumberSelection::parse("7")));
    CHECK(some.shots.size() == 1);
    CHECK(some.shots.all().size() == 2);
    CHECK(some.wavelets.size() == 3);
    CHECK(some.highest_frequency_hz() == survey.highest_frequency_hz());

    // Errors and warnings say which shot.
    config.sources[1].shot = 12;
    const std::string missing = message_of([&] { survey_of(config, grid_2d()); }, ExitCode::missing_input);
    CHECK(contains(missing, "near_12.csv"));
    CHECK(contains(missing, "(the signal of shot 12, by wavelet.file)"));
    write("near_12.csv", "time_s,amplitude\n0,1\n0.002,x\n");
    CHECK(contains(message_of([&] { survey_of(config, grid_2d()); }, ExitCode::bad_data), "near_12.csv:3"));
    for (const std::string name : {"near_12.csv", "near_07.csv"}) write(name, "time_s,amplitude\n0,1\n0.05,0.5\n");
    const std::vector<std::string> warnings = survey_of(config, grid_2d()).warnings;
    REQUIRE(!warnings.empty());
    CHECK(contains(warnings.back(), "wavelet of shot 7"));
    CHECK(contains(warnings.back(), "; likewise the signal of 1 more shot"));
}

TEST_CASE("sampling that is too coarse is warned of or refused; the numbers named pass") {
    Config config = config_2d();
    Grid grid = grid_2d();
    const auto judged = [&](double vp_min_m_s) {
        return judge_sampling(config.scheme, grid, survey_of(config, grid).highest_frequency(), scheme_of(config, grid),
                              vp_min_m_s);
    };
    using Level = SamplingVerdict::Level;
    const double highest = survey_of(config, grid).highest_frequency_hz();  // 41.5 Hz, coarsest spacing 10 m
    CHECK(judged(6. * highest * 10.).level == Level::good);
    CHECK(judged(6. * highest * 10.).points_per_wavelength == doctest::Approx(6.));
    CHECK(judged(3.2 * highest * 10.).level == Level::warn);
    CHECK(judged(std::nan("")).level == Level::refuse);
    const SamplingVerdict verdict = judged(1000.);
    CHECK(verdict.level == Level::refuse);
    CHECK(contains(verdict.message, "2.41 points per wavelength at 41.46 Hz"));
    CHECK(contains(verdict.message, "scheme.min_points_per_wavelength = 3"));

    const auto number_after = [&](const std::string& words) {
        const auto at = verdict.message.find(words);
        REQUIRE(at != std::string::npos);
        return std::stod(verdict.message.substr(at + words.size()));
    };
    grid.spacing_m = {number_after("use a spacing of "), 1., 5.};
    CHECK(judged(1000.).level == Level::good);
    grid.spacing_m = {10., 1., 5.};
    config.wavelet.peak_frequency_hz = number_after("a peak frequency of ");
    CHECK(judged(1000.).level == Level::good);
}
