// Promise: correlations on a GPU are those of the CPU to single precision, their peaks are at the same lags in the same
// order, and turned templates are the same. Skipped where no GPU can compute, or cuFFT is not there.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "solver/comparison/correlation.hpp"
#include "solver/comparison/template_search.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tests/solver/comparison/volumes_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

/// The row of GPUs; null, with a message, where it cannot be used.
const CorrelatorRow* gpu_row() {
    need_gpu();
    const CorrelatorRow& row = correlator_rows().front();
    REQUIRE(row.name == "cuda");
    const std::string problem = row.problem(0);
    if (problem.empty()) return &row;
    MESSAGE(problem);
    return nullptr;
}

void correlate_with(Correlator& correlator) {
    correlator.forward();
    correlator.multiply();
    correlator.inverse();
}

void check_same_lags(const std::vector<double>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    double largest = 0., apart = 0.;
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(std::isfinite(found[i]));
        largest = std::max(largest, std::abs(expected[i]));
        apart = std::max(apart, std::abs(found[i] - expected[i]));
    }
    CHECK(apart < 3e-6 * largest);
}

}  // namespace

TEST_CASE("correlations on the GPU are those of the CPU, with the same peaks") {
    const CorrelatorRow* const gpu = gpu_row();
    if (gpu == nullptr) return;
    struct Shapes {
        Triple fixed, moving;
        LagBox lags;
    };
    for (const Shapes& shapes : {Shapes{{70, 1, 1}, {31, 1, 1}, {{-20, 0, 0}, {60, 1, 1}}},
                                 Shapes{{33, 1, 29}, {17, 1, 20}, {{-5, 0, -7}, {30, 1, 25}}},
                                 Shapes{{24, 21, 26}, {24, 21, 26}, {{-9, -8, -10}, {19, 17, 21}}}}) {
        const CorrelationShape shape = correlation_shape(shapes.fixed, shapes.moving, shapes.lags);
        const std::vector<float> fixed = WaveSum(1, shapes.fixed, 1.5, false).sampled(),
                                 moving = WaveSum(2, shapes.moving, 1.5, false).sampled();
        const auto on_gpu = gpu->make(shape, 0, 0), on_cpu = cpu_row().make(shape, 1, 0);
        for (Correlator* correlator : {on_gpu.get(), on_cpu.get()}) {
            correlator->set_fixed(fixed);
            correlator->set_moving(moving);
        }
        CHECK(on_gpu->moving_energy() == doctest::Approx(on_cpu->moving_energy()).epsilon(1e-12));
        for (Correlator* correlator : {on_gpu.get(), on_cpu.get()}) correlate_with(*correlator);
        CAPTURE(shape.padded);
        check_same_lags(on_gpu->lags(), on_cpu->lags());
        const std::vector<LagPeak> found = on_gpu->peaks(4, 3), expected = on_cpu->peaks(4, 3);
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].lag == expected[i].lag);
    }
}

TEST_CASE("peaks on the GPU are those of its lags, in the order of value and index, more or fewer than wanted") {
    const CorrelatorRow* const gpu = gpu_row();
    if (gpu == nullptr) return;
    const Triple n{40, 36, 38};
    const LagBox box{{-20, -18, -19}, {40, 36, 38}};
    const auto correlator = gpu->make(correlation_shape(n, n, box), 0, 0);
    correlator->set_fixed(WaveSum(3, n, 2.5, false).sampled());
    correlator->set_moving(WaveSum(4, n, 2.5, false).sampled());
    correlate_with(*correlator);
    const std::vector<double> lags = correlator->lags();
    for (const int count : {1, 7, 200})
        for (const std::int64_t apart : {1, 5}) {
            const std::vector<LagPeak> found = correlator->peaks(count, apart),
                                       expected = find_peaks(lags, box, count, apart);
            REQUIRE(found.size() == expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                CHECK(found[i].lag == expected[i].lag);
                CHECK(found[i].value == expected[i].value);
            }
        }
    // What was found is found again, to the bit.
    correlator->set_moving(WaveSum(4, n, 2.5, false).sampled());
    correlate_with(*correlator);
    CHECK(correlator->lags() == lags);
}

TEST_CASE("a template turned on the GPU is that turned on the CPU") {
    const CorrelatorRow* const gpu = gpu_row();
    if (gpu == nullptr) return;
    const Triple volume{30, 28, 14}, form{9, 12, 6};
    const SearchShape shape = search_shape(volume, form, 7);
    // Of a volume with a single one, the correlation has the values of the template, in reverse.
    std::vector<float> one(static_cast<std::size_t>(product_of(volume)), 0.f);
    one[static_cast<std::size_t>((6 * volume[1] + 13) * volume[0] + 14)] = 1.f;
    const auto on_gpu = gpu->make(shape.correlation, 1, 0), on_cpu = cpu_row().make(shape.correlation, 1, 0);
    for (Correlator* correlator : {on_gpu.get(), on_cpu.get()}) {
        correlator->set_fixed(one);
        correlator->set_template(WaveSum(5, form, 2., false).sampled());
    }
    for (int rotation = 0; rotation < 7; ++rotation) {
        CAPTURE(rotation);
        for (Correlator* correlator : {on_gpu.get(), on_cpu.get()}) correlator->rotate(shape.turn(rotation, 7));
        // Sums of the same squares in another order.
        CHECK(on_gpu->moving_energy() == doctest::Approx(on_cpu->moving_energy()).epsilon(1e-14));
        for (Correlator* correlator : {on_gpu.get(), on_cpu.get()}) correlate_with(*correlator);
        check_same_lags(on_gpu->lags(), on_cpu->lags());
    }
}

TEST_CASE("a template is found on the GPU where the CPU finds it, with one worker and with two") {
    const CorrelatorRow* const gpu = gpu_row();
    if (gpu == nullptr) return;
    const Triple volume{36, 40, 18}, form{9, 13, 5};
    const SearchShape shape = search_shape(volume, form, 6);
    const std::vector<float> fixed = WaveSum(6, volume, 1., false).sampled(),
                             values = WaveSum(7, form, 1., true).sampled();
    const auto search = [&](const CorrelatorRow& row, int workers) {
        return find_template(
            fixed, values, shape, {.rotations = 6, .peaks = 3}, workers,
            [&](int) { return row.make(shape.correlation, 1, 0); }, [](std::span<const FoundPlace>) {});
    };
    const std::vector<FoundPlace> expected = search(cpu_row(), 1), one = search(*gpu, 1), two = search(*gpu, 2);
    REQUIRE(one.size() == expected.size());
    REQUIRE(two.size() == expected.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        CHECK(one[i].rotation == expected[i].rotation);
        CHECK(one[i].centre == expected[i].centre);
        CHECK(one[i].score == doctest::Approx(expected[i].score).epsilon(1e-5));
        CHECK(two[i].rotation == one[i].rotation);
        CHECK(two[i].centre == one[i].centre);
        CHECK(two[i].score == one[i].score);
    }
}

TEST_CASE("shifts found on the GPU are those of the CPU to a thousandth of a sample") {
    const CorrelatorRow* const gpu = gpu_row();
    if (gpu == nullptr) return;
    const Triple n{32, 28, 36};
    const WaveSum waves(7, n, 2., true);
    const std::vector<float> a = waves.sampled(), b = waves.sampled({-1.3, 0.6, -2.45});
    const ShiftSettings settings{.limit = {8, 7, 9}};
    const ShiftSearch found = find_shifts(a, b, n, settings, *gpu, 1),
                      expected = find_shifts(a, b, n, settings, cpu_row(), 1);
    REQUIRE(found.shifts.size() == 1);
    for (std::size_t axis = 0; axis < 3; ++axis)
        CHECK(std::abs(found.shifts[0].samples[axis] - expected.shifts[0].samples[axis]) < 1e-3);
    CHECK(find_shifts(a, a, n, settings, *gpu, 1).shifts[0].samples == std::array<double, 3>{0., 0., 0.});
}
