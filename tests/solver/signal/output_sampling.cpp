// What a run records becomes output traces by a matrix B, whatever the sampling; B' is its transpose to rounding.
// Takes 2 s.
#include "solver/signal/output_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numbers>
#include <omp.h>
#include <random>
#include <string>

#include "solver/outputs/gather.hpp"
#include "solver/signal/time_dispersion.hpp"
#include "tests/sanitized.hpp"

using namespace onda;
using test::kSanitized;

namespace {

constexpr double kDt = 0.001;

struct Row {
    std::string name;
    double dt_out;
    std::int64_t samples;
    bool corrected = true;
    int order = 2;
    std::int64_t stride = 1;
    std::int64_t traces = 3;
    double duration_s = -1.;  ///< where it is not that of the samples
};

TimeAxis axis_of(const Row& row) {
    TimeAxis time;
    time.dt_s = kDt;
    time.order = row.order;
    time.stride = row.stride;
    time.output_dt_s = row.dt_out;
    time.output_samples = row.samples;
    const double duration_s = row.duration_s >= 0. ? row.duration_s : double(row.samples - 1) * row.dt_out;
    time.steps = std::int64_t(std::ceil(duration_s / kDt - 1e-9));
    time.steps += time.steps % row.stride;
    if (row.corrected) correct_dispersion(time, 50., true);
    return time;
}

const std::vector<Row> kAllRows{
    {"as recorded", kDt, 301, false},
    {"as recorded, with a step after the last sample", kDt, 301, false, 2, 1, 3, 0.3005},
    {"resampled to shorter intervals", 0.0004, 800, false},
    {"resampled to longer intervals", 0.003, 400, false},
    {"leaps, resampled", 0.0015, 300, false, 2, 2},
    {"resampled, fewer samples than weights", 0.0015, 7, false},
    {"resampled, one sample", 0.0015, 1, false},
    {"corrected", kDt, 1500},
    {"corrected, many traces", 0.0007, 600, true, 2, 1, 70},
    {"corrected, decimated", 0.012, 300},
    {"corrected leaps", 2. * kDt, 700, true, 2, 2},
    {"corrected leaps to other intervals", 0.0007, 500, true, 2, 2},
    {"corrected, fewer samples than weights", kDt, 5},
    {"corrected, one sample", kDt, 1},
    {"corrected, long", kDt, 9000},
    {"corrected, long, decimated, many traces", 0.004, 8200, true, 2, 1, kSanitized ? 2 : 70},
    {"corrected leaps, long", 0.0013, 10300, true, 2, 2},
    {"order 4", kDt, 700, true, 4},
    {"order 4, decimated", 0.003, 300, true, 4},
    {"order 4, one sample", kDt, 1, true, 4},
    {"order 4, long", kDt, 9000, true, 4},
    {"order 4, long, more samples than recorded", 0.0004, 8500, true, 4},
};

/// Sanitizers take minutes for long traces: one of either order is there, and many traces are there as short ones.
const std::vector<Row> kRows = [] {
    std::vector<Row> rows = kAllRows;
    if (test::kSanitized)
        std::erase_if(rows, [](const Row& row) {
            return row.samples > 5000 && row.name != "corrected, long" && row.name != "order 4, long";
        });
    return rows;
}();

std::vector<double> random_samples(std::int64_t samples, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> x(static_cast<std::size_t>(samples));
    for (double& value : x) value = double(random()) / 0x1p31 - 1.;
    return x;
}

double product(std::span<const double> x, std::span<const double> y) {
    long double sum = 0.L;
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<long double>(x[i]) * y[i];
    return static_cast<double>(sum);
}

double norm(std::span<const double> x) {
    return std::sqrt(product(x, x));
}

/// B u of traces [trace][sample].
std::vector<double> sampled_output(const TimeAxis& time, std::span<const double> u) {
    const std::int64_t traces = std::ssize(u) / time.recorded_samples();
    std::vector<double> sampled(traces * time.output_samples);
    sample_output(time, TraceList(u, traces), TraceList(std::span(sampled), traces));
    return sampled;
}

/// B' d of traces [trace][sample].
std::vector<double> adjoint_of_output_sampling(const TimeAxis& time, std::span<const double> d) {
    const std::int64_t traces = std::ssize(d) / time.output_samples;
    std::vector<double> adjoint(traces * time.recorded_samples());
    onda::adjoint_of_output_sampling(time, TraceList(d, traces), TraceList(std::span(adjoint), traces));
    return adjoint;
}

std::vector<double> joined(const OwnedTraces& traces) {
    std::vector<double> all;
    for (const std::vector<double>& trace : traces) all.insert(all.end(), trace.begin(), trace.end());
    return all;
}

/// |<B u, d> - <u, B' d>| over |B u| |d|.
double mismatch(const TimeAxis& time, std::span<const double> u, std::span<const double> d) {
    const std::vector<double> sampled = sampled_output(time, u), adjoint = adjoint_of_output_sampling(time, d);
    return std::abs(product(sampled, d) - product(u, adjoint)) / (norm(sampled) * norm(d));
}

}  // namespace

TEST_CASE("the adjoint of the output sampling is its transpose: <B u, d> = <u, B' d>") {
    for (const Row& row : kRows) {
        CAPTURE(row.name);
        const TimeAxis time = axis_of(row);
        const auto u = random_samples(row.traces * time.recorded_samples(), 1),
                   d = random_samples(row.traces * time.output_samples, 2);
        const double error = mismatch(time, u, d);
        CAPTURE(error);
        CHECK(error <= 1e-14);
    }
}

TEST_CASE("each sample of an adjoint is its own: at both ends, where series are zero or continued") {
    for (const Row& row : kRows) {
        CAPTURE(row.name);
        const TimeAxis time = axis_of(row);
        const auto d = random_samples(time.output_samples, 3);
        const auto adjoint = adjoint_of_output_sampling(time, d);
        REQUIRE(std::ssize(adjoint) == time.recorded_samples());
        for (const std::int64_t back : {0, 1, 2, 20}) {
            const std::int64_t last = time.recorded_samples() - 1;
            for (const std::int64_t j : {back, last - back}) {
                if (j < 0 || j > last) continue;
                CAPTURE(j);
                std::vector<double> u(adjoint.size());
                u[j] = 1.;
                CHECK(std::abs(product(sampled_output(time, u), d) - adjoint[j]) <= 1e-14 * norm(d));
            }
        }
    }
}

TEST_CASE("what is transposed is what gathers are brought to their sampling by") {
    for (const Row& row : kRows) {
        CAPTURE(row.name);
        const TimeAxis time = axis_of(row);
        const auto u = random_samples(row.traces * time.recorded_samples(), 4);
        ShotGather gather;
        gather.receivers_m.resize(row.traces);
        gather.dt_s = time.recorded_dt_s();
        gather.samples = time.recorded_samples();
        gather.pressure.assign(u.begin(), u.end());
        const auto sampled = sampled_output(time, std::vector<double>(gather.pressure.begin(), gather.pressure.end()));
        bring_to_output_sampling(time, std::span(&gather, 1));
        CHECK(gather.samples == time.output_samples);
        CHECK(gather.dt_s == time.output_dt_s);
        CHECK(gather.pressure == std::vector<float>(sampled.begin(), sampled.end()));
    }
}

TEST_CASE("traces that own their samples are the same") {
    for (const Row& row : kRows) {
        if (row.samples > 1000) continue;  // other functions of weights, which take the same lists
        CAPTURE(row.name);
        const TimeAxis time = axis_of(row);
        const auto u = random_samples(row.traces * time.recorded_samples(), 6),
                   d = random_samples(row.traces * time.output_samples, 7);
        const std::vector<float> single(u.begin(), u.end());
        OwnedTraces residual;
        for (auto next = d.begin(); next != d.end(); next += time.output_samples)
            residual.emplace_back(next, next + time.output_samples);
        CHECK(joined(onda::sampled_output(time, TraceList(std::span(u), row.traces))) == sampled_output(time, u));
        CHECK(joined(onda::sampled_output(time, TraceList(std::span(single), row.traces))) ==
              sampled_output(time, std::vector<double>(single.begin(), single.end())));
        CHECK(joined(onda::adjoint_of_output_sampling(time, residual)) == adjoint_of_output_sampling(time, d));
    }
}

TEST_CASE("adjoint traces depend neither on the number of threads nor on the other traces") {
    for (const Row& row : kRows) {
        CAPTURE(row.name);
        const TimeAxis time = axis_of(row);
        const auto d = random_samples(row.traces * time.output_samples, 5);
        omp_set_num_threads(1);
        const auto one = adjoint_of_output_sampling(time, d);
        omp_set_num_threads(4);
        CHECK(adjoint_of_output_sampling(time, d) == one);
        const auto alone = adjoint_of_output_sampling(time, std::span(d).last(std::size_t(time.output_samples)));
        CHECK(std::equal(alone.begin(), alone.end(), one.end() - std::ssize(alone)));
    }
}

TEST_CASE("an interpolated residual is no adjoint where dispersion is corrected") {
    const Row row{"corrected", 0.002, 700, true, 2, 1, 1};
    const TimeAxis time = axis_of(row);
    std::vector<double> smooth;  // below the band's end, and over before the record is
    for (std::int64_t i = 0; i < time.output_samples; ++i) {
        const double t = double(i) * time.output_dt_s;
        smooth.push_back(std::exp(-50. * (t - 0.9) * (t - 0.9)) * std::sin(2. * std::numbers::pi * 40. * t));
    }
    const double scale = time.recorded_dt_s() / time.output_dt_s;  // of sums that stand for integrals
    auto interpolated = resample(smooth, time.output_dt_s, time.recorded_dt_s(), time.recorded_samples(), Tail::zero);
    for (double& x : interpolated) x *= scale;
    const auto adjoint = adjoint_of_output_sampling(time, smooth);
    const auto distance = [&](const std::vector<double>& from) {
        std::vector<double> difference(adjoint.size());
        std::ranges::transform(adjoint, from, difference.begin(), std::minus<>());
        return norm(difference) / norm(adjoint);
    };
    CHECK(distance(interpolated) >= 0.05);
    // Without a correction they are alike.
    TimeAxis uncorrected = time;
    uncorrected.correction.reset();
    const auto resampled = adjoint_of_output_sampling(uncorrected, smooth);
    std::vector<double> difference(resampled.size());
    std::ranges::transform(resampled, interpolated, difference.begin(), std::minus<>());
    CHECK(norm(difference) <= 1e-3 * norm(resampled));
    CHECK(distance(interpolated) >= 10. * norm(difference) / norm(resampled));
}
