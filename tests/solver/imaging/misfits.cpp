// Misfits of seismograms: the adjoint source of every one is the derivative of its value, with weights, mutes and
// windows; what each measures, what is left out of it, and what is refused.
// Takes 1 s.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>
#include <numeric>
#include <omp.h>
#include <random>
#include <set>

#include "io/text/error.hpp"
#include "solver/data/data_weights.hpp"
#include "solver/imaging/shot_misfit.hpp"
#include "solver/signal/hilbert.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;
using std::numbers::pi;

namespace {

constexpr double kInterval_s = 0.004;
constexpr std::int64_t kSamples = 301;  // 1.2 s

using Values = std::vector<double>;

double product_of(const Values& a, const Values& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
}

Values drawn(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Values values(count);
    for (double& value : values) value = normal(random);
    return values;
}

Values plus(const Values& a, double factor, const Values& b) {
    Values sum(a);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * b[i];
    return sum;
}

/// A wave packet of 15 Hz around `t0_s`. \param phase 0 for a cosine, pi / 2 for a sine.
Values packet(double t0_s, double phase = 0., std::int64_t samples = kSamples) {
    Values trace(static_cast<std::size_t>(samples));
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const double t = static_cast<double>(i) * kInterval_s - t0_s;
        trace[i] = std::exp(-200. * t * t) * std::cos(2. * pi * 15. * t - phase);
    }
    return trace;
}

const MisfitRow& row_of(std::string_view name) {
    const auto row = std::ranges::find(misfits(), name, &MisfitRow::name);
    REQUIRE(row != misfits().end());
    return *row;
}

/// A misfit, its adjoint source as [trace][sample].
struct Compared {
    double value;
    Values of_trace, adjoint_source;
    std::int64_t excluded, dead;
};

/// \param synthetic and observed samples, [trace][sample].
template <typename T>
Compared compared(const MisfitSettings& settings, const ShotGeometry& shot, std::span<const T> synthetic,
                  std::span<const T> observed) {
    const std::int64_t traces = std::ssize(shot.receivers_m);
    const MisfitOfShot misfit =
        evaluate_misfit(settings, shot, TraceList(synthetic, traces), TraceList(observed, traces));
    Compared result{misfit.value, misfit.of_trace, {}, misfit.excluded, misfit.dead};
    for (const Values& trace : misfit.adjoint_source)
        result.adjoint_source.insert(result.adjoint_source.end(), trace.begin(), trace.end());
    return result;
}

/// A line of receivers, 100 m apart, from the source on.
struct Line {
    std::vector<Position> receivers;
    Values trace_weights{};

    explicit Line(int count) {
        for (int i = 0; i < count; ++i) receivers.push_back({500. + 100. * i, 0., 20.});
    }
    [[nodiscard]] ShotGeometry shot() const {
        return {{500., 0., 10.}, receivers, kSamples, kInterval_s, trace_weights};
    }
    [[nodiscard]] std::size_t values() const { return receivers.size() * kSamples; }
    [[nodiscard]] Compared compare(const MisfitSettings& settings, const Values& synthetic,
                                   const Values& observed) const {
        return compared<double>(settings, shot(), synthetic, observed);
    }
};

/// Every weight there is, and none of them without effect on a line of eight receivers.
ImagingConfig all_weights() {
    ImagingConfig config;
    config.offset_m = {50., 650.};
    config.time_window_s = {0.1, 1.1, 0.15};
    config.top_mute = MuteConfig{.t0_s = 0.05, .velocity_m_s = 1800., .taper_s = 0.1};
    config.bottom_mute = MuteConfig{.t0_s = 0.9, .velocity_m_s = 4000., .taper_s = 0.2};
    return config;
}

Values trace_of(const Values& values, std::size_t trace) {
    return {values.begin() + std::ptrdiff_t(trace * kSamples), values.begin() + std::ptrdiff_t((trace + 1) * kSamples)};
}

bool is_zero(const Values& values) {
    return std::ranges::all_of(values, [](double x) { return x == 0.; });
}

Values weights_of(const ImagingConfig& config, double offset_m) {
    const DataWeights weights(config, {{0., 0., 30.}, {0.6 * offset_m, -0.8 * offset_m, 70.}}, kSamples, kInterval_s);
    return {weights.samples().begin(), weights.samples().end()};
}

std::string refusal(const Line& line, const MisfitSettings& settings, const Values& synthetic, const Values& observed,
                    ExitCode code) {
    return message_of([&] { static_cast<void>(line.compare(settings, synthetic, observed)); }, code);
}

}  // namespace

TEST_CASE("the table names every misfit once") {
    std::set<std::string_view> names;
    for (const MisfitRow& row : misfits()) {
        CAPTURE(row.name);
        CHECK(names.insert(row.name).second);
        CHECK_FALSE(row.help.empty());
    }
    CHECK(names.contains(ImagingConfig{}.misfit));
    CHECK(names.size() >= 5);
}

TEST_CASE("settings are those of the configuration, unless they contradict each other") {
    ImagingConfig config = all_weights();
    for (const MisfitRow& row : misfits()) {
        config.misfit = row.name;
        const MisfitSettings settings = make_misfit_settings(config, 1.2, {});
        CHECK(settings.misfit->name == row.name);
        CHECK(settings.config == config);
    }
    // Two tapers may meet, though 0.6 - 0.2 is less than 0.4 in binary; mutes may leave nothing at small offsets.
    config.time_window_s = {0.2, 0.6, 0.2};
    config.top_mute = MuteConfig{.t0_s = 0.3, .velocity_m_s = std::nullopt, .taper_s = 0.};
    config.bottom_mute = MuteConfig{.t0_s = 0., .velocity_m_s = 2000., .taper_s = 0.};
    CHECK_NOTHROW(make_misfit_settings(config, 1.2, {}));
    config.time_window_s = {0.2, 0.6, 0.2000001};
    CHECK(contains(message_of([&] { make_misfit_settings(config, 1.2, {}); }, ExitCode::config),
                   "imaging.time_window_s.taper"));
    config.time_window_s = {0.2, {}, 0.};
    CHECK(contains(message_of([&] { make_misfit_settings(config, 0.2, {}); }, ExitCode::config),
                   "imaging.time_window_s.min"));
    config.misfit = "l3";
    CHECK(contains(message_of([&] { make_misfit_settings(config, 1.2, {}); }, ExitCode::config),
                   "imaging.misfit: 'l3': must be one of l2, "));
}

TEST_CASE("the adjoint source of every misfit is its derivative, with all weights on") {
    Line line(8);
    line.trace_weights = {1., 1., 0.5, 2., -1.5, 0., 1., 1.};
    const Values observed = drawn(line.values(), 1), synthetic = drawn(line.values(), 2);
    for (const MisfitRow& row : misfits())
        for (const double threshold : {0.3, 1.}) {
            CAPTURE(row.name);
            MisfitSettings settings{&row, all_weights()};
            settings.config.huber_threshold = threshold;
            const Compared misfit = line.compare(settings, synthetic, observed);
            CHECK(misfit.value > 0.);
            CHECK(misfit.excluded == 3);  // the first and the last by their offsets, one by its weight
            CHECK(misfit.dead == 0);
            for (unsigned seed = 3; seed < 13; ++seed) {
                const Values direction = drawn(line.values(), seed);
                const double h = 1e-5;
                const double difference = (line.compare(settings, plus(synthetic, h, direction), observed).value -
                                           line.compare(settings, plus(synthetic, -h, direction), observed).value) /
                                          (2. * h);
                const double derivative = product_of(misfit.adjoint_source, direction);
                CAPTURE(derivative);
                CHECK(std::abs(difference - derivative) <= 1e-7 * std::abs(derivative));
            }
        }
}

TEST_CASE("equal data have no misfit and no adjoint source") {
    const Line line(8);
    const Values data = drawn(line.values(), 4);
    for (const MisfitRow& row : misfits()) {
        CAPTURE(row.name);
        const Compared misfit = line.compare({&row, all_weights()}, data, data);
        CHECK(misfit.value == 0.);
        CHECK(is_zero(misfit.adjoint_source));
        CHECK(misfit.of_trace == Values(8));
    }
}

TEST_CASE("l2 and huber are what their formulas say") {
    const Line line(1);
    const Values d = drawn(line.values(), 5), observed = drawn(line.values(), 6), r = plus(d, -1., observed);
    const double l2 = 0.5 * kInterval_s * product_of(r, r);
    CHECK(line.compare({&row_of("l2"), {}}, d, observed).value == doctest::Approx(l2).epsilon(1e-14));
    ImagingConfig config;
    config.huber_threshold = 1e6;
    CHECK(line.compare({&row_of("huber"), config}, d, observed).value == doctest::Approx(l2).epsilon(1e-14));
    // Almost every sample lies beyond a threshold this small: t |r| - t^2 / 2, and signs alone for a derivative.
    config.huber_threshold = 1e-9;
    const double threshold = 1e-9 * std::sqrt(product_of(observed, observed) / kSamples);
    double sum = 0.;
    for (const double x : r) sum += std::abs(x);
    const Compared linear = line.compare({&row_of("huber"), config}, d, observed);
    CHECK(linear.value == doctest::Approx(kInterval_s * threshold * sum).epsilon(1e-8));
    for (std::size_t i = 0; i < r.size(); ++i)
        CHECK(linear.adjoint_source[i] == doctest::Approx(std::copysign(kInterval_s * threshold, r[i])).epsilon(1e-12));
}

TEST_CASE("normalised misfits do not depend on amplitudes, and are one less the correlation") {
    const Line line(3);
    const Values d = drawn(line.values(), 7), observed = plus(drawn(line.values(), 8), 0.7, d);
    double expected = 0.;
    for (std::size_t i = 0; i < 3; ++i) {
        const Values a = trace_of(d, i), b = trace_of(observed, i);
        expected += 1. - product_of(a, b) / std::sqrt(product_of(a, a) * product_of(b, b));
    }
    int normalised = 0;
    for (const MisfitRow& row : misfits()) {
        if (!row.divides_by_synthetic) continue;
        CAPTURE(row.name);
        ++normalised;
        const MisfitSettings settings{&row, {}};
        const Compared once = line.compare(settings, d, observed);
        CHECK(once.value == doctest::Approx(expected).epsilon(1e-13));
        // A power of two changes no digit.
        const Compared scaled =
            line.compare(settings, plus(Values(d.size()), 0x1p-70, d), plus(Values(d.size()), 0x1p60, observed));
        CHECK(scaled.value == once.value);
        CHECK(scaled.adjoint_source == plus(Values(d.size()), 0x1p70, once.adjoint_source));
        const Compared other = line.compare(settings, plus(Values(d.size()), 3.7, d), observed);
        CHECK(other.value == doctest::Approx(once.value).epsilon(1e-14));
        // Along the trace itself nothing changes; the reversed one is as far away as there is.
        CHECK(std::abs(product_of(once.adjoint_source, d)) < 1e-13);
        CHECK(line.compare(settings, plus(Values(d.size()), -1., observed), observed).value ==
              doctest::Approx(6.).epsilon(1e-14));
    }
    CHECK(normalised == 2);
}

TEST_CASE("the Hilbert transform turns cosines into sines, and its transpose is its negative") {
    const HilbertTransform hilbert(kSamples);
    const Values cosine = packet(0.6), sine = packet(0.6, pi / 2.);
    Values transformed(kSamples);
    hilbert(cosine, transformed);
    for (std::size_t i = 0; i < transformed.size(); ++i)
        CHECK(transformed[i] == doctest::Approx(sine[i]).scale(1.).epsilon(1e-5));
    const Values a = drawn(kSamples, 9), b = drawn(kSamples, 10);
    Values of_a(kSamples), of_b(kSamples);
    hilbert(a, of_a);
    hilbert(b, of_b);
    CHECK(std::abs(product_of(of_a, b) + product_of(a, of_b)) < 1e-12 * std::sqrt(product_of(a, a) * product_of(b, b)));
    CHECK(std::abs(product_of(of_a, a)) < 1e-12 * product_of(a, a));
}

TEST_CASE("envelopes do not see phases, and see a delay that correlation takes for a skipped cycle") {
    const Line line(1);
    const Values observed = packet(0.6), rotated = packet(0.6, 1.1);
    const double l2 = line.compare({&row_of("l2"), {}}, rotated, observed).value;
    CHECK(line.compare({&row_of("envelope"), {}}, rotated, observed).value < 1e-8 * l2);
    // One period is 0.067 s: l2 has a minimum near it, the envelope has none.
    const auto grows = [&](const MisfitRow& row) {
        bool always = true;
        double before = 0.;
        for (const double delay : {0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07}) {
            const double value = line.compare({&row, {}}, packet(0.6 + delay), observed).value;
            always = always && value > before;
            before = value;
        }
        return always;
    };
    CHECK(grows(row_of("envelope")));
    CHECK_FALSE(grows(row_of("l2")));
}

TEST_CASE("weights are 0 and 1 outside tapers, and cosines in them") {
    ImagingConfig config;
    CHECK(weights_of(config, 1000.) == Values(kSamples, 1.));
    // Samples on the edges of a window belong to it, though 0.3 / 0.004 is no whole number in binary.
    config.time_window_s = {0.3, 0.6, 0.};
    Values expected(kSamples);
    std::fill(expected.begin() + 75, expected.begin() + 151, 1.);
    CHECK(weights_of(config, 1000.) == expected);
    config.time_window_s = {0.2, 0.8, 0.2};
    const Values tapered = weights_of(config, 1000.);
    for (std::size_t i = 0; i < tapered.size(); ++i) {
        const double t = static_cast<double>(i) * kInterval_s;
        const double inside = std::clamp(std::min(t - 0.2, 0.8 - t) / 0.2, 0., 1.);
        CHECK(tapered[i] == doctest::Approx(std::pow(std::sin(0.5 * pi * inside), 2)).scale(1.).epsilon(1e-12));
    }
    CHECK(tapered[75] == doctest::Approx(0.5));
    // Horizontal distances: the depths of 30 and 70 m do not count. 0.1 s + 1000 m / 2000 m/s = 0.6 s.
    config = {};
    config.top_mute = MuteConfig{.t0_s = 0.1, .velocity_m_s = 2000., .taper_s = 0.};
    const Values later = weights_of(config, 1000.);
    CHECK(std::ranges::count(later, 0.) == 150);
    CHECK(later[149] == 0.);
    CHECK(later[150] == 1.);
    config.bottom_mute = config.top_mute;
    config.top_mute.reset();
    const Values earlier = weights_of(config, 1000.);
    CHECK(earlier[150] == 1.);
    CHECK(earlier[151] == 0.);
    config.bottom_mute->velocity_m_s.reset();
    CHECK(std::ranges::count(weights_of(config, 1000.), 1.) == 26);
    config = {};
    config.offset_m = {500., 1000.};
    CHECK(is_zero(weights_of(config, 499.)));
    CHECK(weights_of(config, 1000.) == Values(kSamples, 1.));
    CHECK(is_zero(weights_of(config, 1001.)));
}

TEST_CASE("weights of traces multiply both, and what is muted has no adjoint source") {
    Line line(2);
    line.trace_weights = {3., 1.};
    const Values d = drawn(line.values(), 11), observed = drawn(line.values(), 12);
    const Compared weighted = line.compare({&row_of("l2"), {}}, d, observed);
    line.trace_weights.clear();
    const Compared plain = line.compare({&row_of("l2"), {}}, d, observed);
    CHECK(weighted.of_trace[0] == doctest::Approx(9. * plain.of_trace[0]).epsilon(1e-14));
    CHECK(weighted.of_trace[1] == plain.of_trace[1]);
    CHECK(plain.value == plain.of_trace[0] + plain.of_trace[1]);
    ImagingConfig config;
    config.time_window_s = {0.4, {}, 0.};
    for (const MisfitRow& row : misfits()) {
        const Values adjoint = line.compare({&row, config}, d, observed).adjoint_source;
        CHECK(std::ranges::all_of(adjoint.begin(), adjoint.begin() + 100, [](double x) { return x == 0.; }));
        CHECK(adjoint[100] != 0.);
    }
}

TEST_CASE("dead traces and traces that are left out are counted, and add nothing") {
    const Line line(4);
    Values d = drawn(line.values(), 13), observed = drawn(line.values(), 14);
    const Values whole_d = d, whole_observed = observed;
    std::fill_n(observed.begin(), kSamples, 0.);         // nothing recorded
    std::fill_n(d.begin() + kSamples, kSamples, 0.);     // nothing arrives
    std::fill_n(d.begin() + 3 * kSamples, 100, 1e-200);  // whose squares vanish
    ImagingConfig config;
    config.offset_m.max = 250.;
    for (const MisfitRow& row : misfits()) {
        CAPTURE(row.name);
        const Compared misfit = line.compare({&row, config}, d, observed);
        CHECK(misfit.excluded == 1);
        CHECK(misfit.dead == (row.divides_by_synthetic ? 2 : 1));
        CHECK(misfit.of_trace[0] == 0.);
        CHECK(is_zero(trace_of(misfit.adjoint_source, 0)));
        CHECK((misfit.of_trace[1] == 0.) == row.divides_by_synthetic);
        if (row.divides_by_synthetic) CHECK(is_zero(trace_of(misfit.adjoint_source, 1)));
        CHECK(misfit.of_trace[3] == 0.);
        CHECK(is_zero(trace_of(misfit.adjoint_source, 3)));
        // The others are what they are without them.
        const Compared whole = line.compare({&row, config}, whole_d, whole_observed);
        CHECK(misfit.of_trace[2] == whole.of_trace[2]);
        CHECK(trace_of(misfit.adjoint_source, 2) == trace_of(whole.adjoint_source, 2));
        // A trace that is alive outside the window alone is dead in it.
        Values late = whole_observed;
        std::fill_n(late.begin(), 150, 0.);
        ImagingConfig early;
        early.time_window_s.max = 0.5;
        CHECK(line.compare({&row, early}, whole_d, late).dead == 1);
        const Compared none = line.compare({&row, {}}, d, Values(d.size()));
        CHECK(none.value == 0.);
        CHECK(none.dead == 4);
    }
}

TEST_CASE("traces whose squares vanish have the misfit of their shape") {
    const Line line(1);
    const Values d = drawn(line.values(), 15), observed = drawn(line.values(), 16);
    for (const MisfitRow& row : misfits()) {
        if (!row.divides_by_synthetic) continue;
        const Compared small =
            line.compare({&row, {}}, plus(Values(d.size()), 0x1p-900, d), plus(Values(d.size()), 0x1p-900, observed));
        CHECK(small.dead == 0);
        CHECK(small.value == line.compare({&row, {}}, d, observed).value);
    }
}

TEST_CASE("numbers that are not finite are refused, wherever they stand") {
    const Line line(4);
    const Values good = drawn(line.values(), 17);
    ImagingConfig config;
    config.offset_m.max = 50.;  // the trace in question is left out
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        for (const MisfitRow& row : misfits()) {
            CAPTURE(row.name);
            Values bad = good;
            bad[2 * kSamples + 17] = wrong;
            CHECK(contains(refusal(line, {&row, config}, bad, good, ExitCode::unstable),
                           "the synthetic seismograms cannot be compared: sample 17 of trace 2 (both counted from 0) "
                           "is " +
                               std::string(std::isnan(wrong) ? "nan" : "inf")));
            CHECK(contains(refusal(line, {&row, config}, good, bad, ExitCode::bad_data),
                           "the observed seismograms cannot be compared: sample 17 of trace 2"));
        }
    Values huge = good;
    huge[5] = 1e200;
    CHECK(contains(refusal(line, {&row_of("l2"), {}}, huge, good, ExitCode::bad_data),
                   "the misfit of synthetic and observed seismograms is not finite"));
    CHECK_THROWS_AS(static_cast<void>(line.compare({&row_of("l2"), {}}, good, Values(good.size() - 1))),
                    std::invalid_argument);
}

TEST_CASE("neither the number of threads nor the type of equal samples changes a bit") {
    Line line(57);
    std::vector<float> d(line.values()), observed(line.values());
    std::ranges::copy(drawn(d.size(), 18), d.begin());
    std::ranges::copy(drawn(d.size(), 19), observed.begin());
    const int threads = omp_get_max_threads();
    for (const MisfitRow& row : misfits()) {
        CAPTURE(row.name);
        const MisfitSettings settings{&row, all_weights()};
        omp_set_num_threads(1);
        const Compared one = line.compare(settings, {d.begin(), d.end()}, {observed.begin(), observed.end()});
        omp_set_num_threads(5);
        const Compared five = compared<float>(settings, line.shot(), d, observed);
        CHECK(five.value == one.value);
        CHECK(five.of_trace == one.of_trace);
        CHECK(five.adjoint_source == one.adjoint_source);
    }
    omp_set_num_threads(threads);
}
