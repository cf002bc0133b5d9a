// What is done with recorded traces before they are compared: records come to the samples of a run, copied or limited
// to the band that both hold; what would be lost, or is not there, is told; gains; filters of both sides of a misfit.
// Takes less than a second.
#include "solver/data/data_preparation.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <numbers>
#include <numeric>
#include <random>

#include "io/results/seismograms.hpp"
#include "solver/data/data_weights.hpp"
#include "solver/data/observed_data.hpp"
#include "solver/imaging/shot_misfit.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;
using std::numbers::pi;

namespace {

/// A packet of a frequency around 0.5 s, at any time.
double pulse_at(double t_s, double f_hz = 20.) {
    const double t = t_s - 0.5;
    return std::exp(-80. * t * t) * std::cos(2. * pi * f_hz * t);
}

std::vector<float> pulse_record(const RecordAxis& axis, int traces = 1) {
    std::vector<float> values;
    for (int trace = 0; trace < traces; ++trace)
        for (std::int64_t i = 0; i < axis.samples; ++i)
            values.push_back(static_cast<float>((trace + 1) * pulse_at(axis.start_s + double(i) * axis.dt_s)));
    return values;
}

void check_samples(const RecordAxis& record, const WantedSamples& wanted, double most) {
    CAPTURE(record.dt_s);
    CAPTURE(record.start_s);
    CAPTURE(wanted.dt_s);
    CHECK(fault_of_record(record, wanted).empty());
    const std::vector<float> values = at_wanted_samples(pulse_record(record, 3), record, wanted);
    REQUIRE(std::ssize(values) == 3 * wanted.samples);
    for (std::int64_t trace = 0; trace < 3; ++trace)
        for (std::int64_t i = 0; i < wanted.samples; ++i) {
            const double t = double(i) * wanted.dt_s;
            const double expected = t < record.start_s ? 0. : double(trace + 1) * pulse_at(t);
            CHECK(std::abs(values[std::size_t(trace * wanted.samples + i)] - expected) <= most);
        }
}

}  // namespace

TEST_CASE("samples that a record has are copied, those between are interpolated, whenever it begins") {
    const double rounding = 1e-6, of_kernel = 3e-4;
    check_samples({0., 0.004, 251}, {0.004, 251}, rounding);
    check_samples({0., 0.004, 300}, {0.004, 201}, rounding);
    check_samples({-0.1, 0.004, 276}, {0.004, 251}, rounding);      // begins before the source
    check_samples({0.2, 0.004, 201}, {0.004, 251, 0.2}, rounding);  // and after it, where nothing counts
    check_samples({0., 0.004, 251}, {0.001, 1001}, of_kernel);
    check_samples({0., 0.001, 1001}, {0.004, 251}, of_kernel);
    check_samples({0., 0.003, 341}, {0.002, 501}, of_kernel);
    check_samples({-0.0013, 0.004, 260}, {0.004, 251}, of_kernel);
    check_samples({-0.0307, 0.002, 600}, {0.003, 334}, of_kernel);
}

TEST_CASE("what a record does not have is told") {
    CHECK(fault_of_record({0., 0.004, 251}, {0.004, 252}) ==
          "ends at 1 s, the record of this run at 1.004 s: shorten time.duration_s");
    CHECK(fault_of_record({-0.5, 0.004, 251}, {0.004, 251}).starts_with("ends at 0.5 s"));
    CHECK(fault_of_record({0.004, 0.004, 251}, {0.004, 251}).starts_with("starts 0.004 s after the source"));
    CHECK(fault_of_record({0.004, 0.004, 251}, {0.004, 251, 0.003}).starts_with("starts 0.004 s after the source"));
    CHECK(fault_of_record({0.004, 0.004, 251}, {0.004, 251, 0.004}).empty());
    CHECK(fault_of_record({0., 0.004, 251}, {0.001, 1001}).empty());
}

TEST_CASE("the energy above a frequency is that of what lies there") {
    const std::int64_t samples = 1001;
    std::vector<float> low, both;
    for (std::int64_t i = 0; i < samples; ++i) {
        const double t = double(i) * 0.001;
        low.push_back(static_cast<float>(pulse_at(t)));
        both.push_back(static_cast<float>(pulse_at(t) + 2. * pulse_at(t, 300.)));
    }
    CHECK(energy_above(low, samples, 0.001, 100.) < 1e-12);
    CHECK(energy_above(both, samples, 0.001, 100.) == doctest::Approx(0.8).epsilon(1e-3));
    CHECK(energy_above(std::vector<float>(samples, 0.f), samples, 0.001, 100.) == 0.);
    both.insert(both.end(), low.begin(), low.end());
    CHECK(energy_above(both, samples, 0.001, 100.) == doctest::Approx(4. / 6.).epsilon(1e-3));
}

TEST_CASE("a gain is a power of the time") {
    std::vector<float> traces(8, 3.f);
    apply_gain({0.5}, traces, 4, 0.25);
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(traces[i] == doctest::Approx(3. * std::sqrt(0.25 * double(i % 4))).epsilon(1e-6));
    std::vector<float> same(8, 3.f);
    apply_gain({0.}, same, 4, 0.25);
    CHECK(same == std::vector<float>(8, 3.f));
}

TEST_CASE("a mute may follow picks of a file, linear between them and constant beyond") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "mute.csv";
    const auto settings_of = [&](const std::string& text, bool is_top = true) {
        std::ofstream(file) << text;
        ImagingConfig config;
        MuteConfig mute;
        mute.t0_s = 0.02;
        mute.picks = file;
        (is_top ? config.top_mute : config.bottom_mute) = mute;
        return make_misfit_settings(config, 1., {});
    };
    const MisfitSettings settings = settings_of("# by hand\noffset_m,time_s\n100,0.1\n300,0.2\n1000,0.2\n");
    for (const auto& expected : std::vector<std::pair<double, double>>{
             {0., 0.12}, {100., 0.12}, {200., 0.17}, {260., 0.2}, {300., 0.22}, {700., 0.22}, {5000., 0.22}}) {
        const double offset_m = expected.first, time_s = expected.second;
        CAPTURE(offset_m);
        const DataWeights weights(settings.config, {{0., 0., 0.}, {offset_m, 0., 0.}}, 251, 0.004);
        const auto first = std::ranges::find(weights.samples(), 1.);
        CHECK(double(first - weights.samples().begin()) == std::ceil(time_s / 0.004 - 1e-6));
        CHECK(std::ranges::count(weights.samples(), 0.) == first - weights.samples().begin());
    }
    const auto refused = [&](const std::string& text, const std::string& words, ExitCode code, bool is_top = true) {
        const std::string message = message_of([&] { static_cast<void>(settings_of(text, is_top)); }, code);
        CAPTURE(message);
        CHECK(message.find(words) != std::string::npos);
    };
    refused("offset_m,time_s\n", "mute.csv: has no rows of offset_m, time_s", ExitCode::bad_data);
    refused("offset_m,time_s\n100,0.1\n100,0.2\n", "mute.csv:3:1: offset_m = 100: offsets must increase",
            ExitCode::bad_data);
    refused("offset_m,time_s\n-1,0.1\n", "mute.csv:2:1: offset_m = -1: offsets must be 0 or more", ExitCode::bad_data);
    refused("offset_m,time_s\n0,0.1s\n", "mute.csv:2:3", ExitCode::bad_data);
    refused("offset,tmie_s\n0,0.1\n", "mute.csv:1:8", ExitCode::bad_data);
    refused("shot,receiver,time_s\n1,1,0.1\n2,1,0.1\n1,1,0.2\n",
            "mute.csv:4:1: shot 1, receiver 1: has a pick in line 2 already", ExitCode::bad_data);
    refused("shot,receiver,time_s\n1,0.5,0.1\n", "mute.csv:2:3: receiver = '0.5': must be a whole number from 1",
            ExitCode::bad_data);
    for (const std::string columns : {"shot,time_s\n1,0.1\n", "receiver,time_s\n1,0.1\n", "time_s\n0.1\n",
                                      "shot,receiver,offset_m,time_s\n1,1,0,0.1\n"})
        refused(columns, "picks have columns of offset_m, time_s or of shot, receiver, time_s", ExitCode::bad_data);
    refused("shot,receiver,time_s\n1,1,1\n", "every trace is muted to its end", ExitCode::config);
    refused("offset_m,time_s\n0,1\n", "every trace is muted to its end", ExitCode::config);
    refused("offset_m,time_s\n0,-0.02\n", "every trace is muted from its beginning", ExitCode::config, false);
}

TEST_CASE("a mute may follow a pick of each trace; receivers that are not selected have no weight") {
    ImagingConfig config;
    MuteConfig& mute = config.bottom_mute.emplace();
    mute.t0_s = 0.02;
    mute.picked_traces = {{2, 1, 0.3}, {2, 3, 0.1}, {4, 1, 0.2}};
    config.receivers = std::get<NumberSelection>(NumberSelection::parse("1,3"));
    const auto kept = [&](std::int64_t shot, std::int64_t receiver) {
        const DataWeights weights(config, {{}, {100., 0., 0.}, shot, receiver}, 251, 0.002);
        CHECK(weights.excludes_all() == (receiver == 2));
        return std::ranges::count(weights.samples(), 1.);
    };
    CHECK(kept(2, 1) == 161);
    CHECK(kept(2, 3) == 61);
    CHECK(kept(4, 1) == 111);
    CHECK(kept(2, 2) == 0);
}

TEST_CASE("a filter of both seismograms is in the misfit, and transposed in its derivative") {
    constexpr std::int64_t samples = 301;
    constexpr double dt_s = 0.004;
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    const auto drawn = [&] {
        std::vector<double> values(4 * samples);
        for (double& value : values) value = normal(random);
        return values;
    };
    std::vector<Position> receivers;
    for (int i = 0; i < 4; ++i) receivers.push_back({500. + 100. * i, 0., 20.});
    const ShotGeometry shot{{500., 0., 10.}, receivers, samples, dt_s};
    const auto compare = [&](const MisfitSettings& settings, const std::vector<double>& d,
                             const std::vector<double>& observed) {
        return evaluate_misfit(settings, shot, TraceList(std::span(d), 4), TraceList(std::span(observed), 4));
    };
    const std::vector<double> d = drawn(), observed = drawn(), direction = drawn();
    for (const MisfitRow& row : misfits())
        for (const char* phase : {"zero", "minimum"}) {
            MisfitSettings settings{&row, {}};
            settings.config.time_window_s = {0.1, 1.1, 0.15};
            settings.config.band_pass = BandPassConfig{4., 40., 3, phase};
            const MisfitOfShot misfit = compare(settings, d, observed);
            std::vector<double> filtered_d = d, filtered_observed = observed;
            const BandPass filter(band_of(*settings.config.band_pass), samples, dt_s);
            for (std::size_t trace = 0; trace < 4; ++trace) {
                filter.apply(std::span(filtered_d).subspan(trace * samples, samples));
                filter.apply(std::span(filtered_observed).subspan(trace * samples, samples));
            }
            MisfitSettings without = settings;
            without.config.band_pass.reset();
            CHECK(misfit.value == compare(without, filtered_d, filtered_observed).value);
            const auto moved = [&](double h) {
                std::vector<double> values = d;
                for (std::size_t i = 0; i < values.size(); ++i) values[i] += h * direction[i];
                return compare(settings, values, observed).value;
            };
            double derivative = 0.;
            for (std::size_t trace = 0; trace < 4; ++trace)
                derivative +=
                    std::inner_product(misfit.adjoint_source[trace].begin(), misfit.adjoint_source[trace].end(),
                                       direction.begin() + std::ptrdiff_t(trace) * samples, 0.);
            CAPTURE(row.name);
            CHECK(std::abs((moved(1e-5) - moved(-1e-5)) / 2e-5 - derivative) <= 1e-6 * std::abs(derivative));
        }
}

TEST_CASE("data that are imaged alone are filtered as they are read") {
    const TemporaryFolder folder;
    const RecordAxis axis{0., 0.004, 251};
    ShotGather gather{1, {{100., 0., 20.}}, {{200., 0., 20.}, {210., 0., 20.}}, axis.dt_s, axis.samples, {}};
    gather.pressure = pulse_record(axis, 2);
    SeismogramWriter writer(folder.path() / "s.h5", {}, false);
    writer.write(gather);
    writer.commit();
    ImagingConfig config;
    config.observed = {folder.path() / "s.h5"};
    config.band_pass = BandPassConfig{4., 15., 3, "zero"};
    config.gain = GainConfig{1.};
    const Plan plan = make_plan(read_config_text(
        "grid: {shape: [41, 21], spacing_m: 10}\nmodel: {type: constant, vp_m_s: 2000}\ntime: {duration_s: 1}\n"
        "wavelet: {type: ricker, peak_frequency_hz: 10}\nsources: [{position_m: [100, 20]}]\n"
        "receivers: [{type: line, first_m: [200, 20], last_m: [210, 20], count: 2}]\n",
        "survey.yaml", vocabulary()));
    const ObservedSampling sampling{axis.dt_s, axis.samples, 0.01};
    const Shots& shots = plan.survey.shots;
    const std::vector<float> compared = ObservedData(config, shots, sampling).traces(shots.front());
    const std::vector<float> imaged = ObservedData(config, shots, sampling, ObservedUse::imaged).traces(shots.front());
    REQUIRE(compared.size() == gather.pressure.size());
    const BandPass filter(band_of(*config.band_pass), 251, axis.dt_s);
    for (std::size_t trace = 0; trace < 2; ++trace) {
        std::vector<double> expected;
        for (std::size_t i = 0; i < 251; ++i) {
            const float gained = gather.pressure[trace * 251 + i] * float(double(i) * axis.dt_s);
            CHECK(compared[trace * 251 + i] == doctest::Approx(gained).epsilon(1e-6));
            expected.push_back(compared[trace * 251 + i]);
        }
        filter.apply(expected);
        for (std::size_t i = 0; i < 251; ++i) CHECK(imaged[trace * 251 + i] == float(expected[i]));
    }
}

TEST_CASE("corners that contradict each other, or that samples do not hold, are refused") {
    const auto refused = [](const BandPassConfig& band, const std::string& words) {
        ImagingConfig config;
        config.band_pass = band;
        const std::string message = message_of(
            [&] {
                make_misfit_settings(config, 1., {});
                check_band_pass(config, 0.004, {});
            },
            ExitCode::config);
        CAPTURE(message);
        CHECK(message.find(words) != std::string::npos);
    };
    refused({}, "imaging.band_pass: filters nothing: give low_hz, high_hz or both");
    refused({20., 20.}, "imaging.band_pass.low_hz");
    refused({5., 125.}, "imaging.band_pass.high_hz");
    refused({130., {}}, "must be below 125, half the sampling rate of the seismograms");
    ImagingConfig config;
    config.band_pass = BandPassConfig{5., 124.};
    CHECK_NOTHROW(make_misfit_settings(config, 1., {}));
    CHECK_NOTHROW(check_band_pass(config, 0.004, {}));
}
