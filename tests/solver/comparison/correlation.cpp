// Correlations against sums over all pairs, and shifts against volumes whose shift is known. Takes 2 s.
#include "solver/comparison/correlation.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "io/text/error.hpp"
#include "tests/solver/comparison/volumes_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

double value_at(const std::vector<float>& values, const Triple& n, const Triple& at) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (at[axis] < 0 || at[axis] >= n[axis]) return 0.;
    return values[static_cast<std::size_t>((at[2] * n[1] + at[1]) * n[0] + at[0])];
}

/// sum over j of fixed[j + lag] moving[j]
double direct_correlation(const std::vector<float>& fixed, const Triple& n, const std::vector<float>& moving,
                          const Triple& m, const Triple& lag) {
    double sum = 0.;
    for (std::int64_t z = 0; z < m[2]; ++z)
        for (std::int64_t y = 0; y < m[1]; ++y)
            for (std::int64_t x = 0; x < m[0]; ++x)
                sum += value_at(fixed, n, {x + lag[0], y + lag[1], z + lag[2]}) * value_at(moving, m, {x, y, z});
    return sum;
}

/// The shift found first of b, sampled `shift` before a.
Shift shift_found(const Triple& n, const std::array<double, 3>& shift, bool fades, double largest = 2.) {
    const WaveSum waves(7, n, largest, fades);
    const std::vector<float> a = waves.sampled();
    const std::vector<float> b = waves.sampled({-shift[0], -shift[1], -shift[2]});
    Triple limit{};
    for (std::size_t axis = 0; axis < 3; ++axis) limit[axis] = n[axis] > 1 ? n[axis] / 4 : 0;
    const ShiftSearch search = find_shifts(a, b, n, {.limit = limit}, cpu_row(), 1);
    REQUIRE(search.shifts.size() == 1);
    return search.shifts.front();
}

void check_shift(const Triple& n, const std::array<double, 3>& shift, bool fades, double largest = 2.) {
    CAPTURE(n);
    CAPTURE(shift);
    CAPTURE(fades);
    const Shift found = shift_found(n, shift, fades, largest);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        CAPTURE(axis);
        CAPTURE(found.samples[axis]);
        CHECK(std::abs(found.samples[axis] - shift[axis]) <= kShiftAccuracy);
    }
    CHECK(found.correlation > 0.99);
    CHECK_FALSE(found.at_limit);
}

}  // namespace

TEST_CASE("a correlation by transforms is the sum over all pairs, for every lag of a box") {
    const Triple n{7, 5, 4}, m{4, 3, 2};
    const std::vector<float> fixed = WaveSum(1, n, 3., false).sampled(), moving = WaveSum(2, m, 3., false).sampled();
    for (const LagBox& box :
         {LagBox{{-3, -2, -1}, {10, 7, 5}}, LagBox{{0, 0, 0}, {4, 3, 3}}, LagBox{{-9, 1, 2}, {3, 2, 9}}}) {
        const CorrelationShape shape = correlation_shape(n, m, box);
        const auto correlator = cpu_row().make(shape, 2, 0);
        correlator->set_fixed(fixed);
        correlator->set_moving(moving);
        correlator->forward();
        correlator->multiply();
        correlator->inverse();
        const std::vector<double> lags = correlator->lags();
        REQUIRE(std::ssize(lags) == product_of(box.count));
        for (std::int64_t i = 0; i < std::ssize(lags); ++i) {
            CAPTURE(box.lag(i));
            CHECK(std::abs(lags[static_cast<std::size_t>(i)] - direct_correlation(fixed, n, moving, m, box.lag(i))) <
                  1e-9);
        }
    }
}

TEST_CASE("padded lengths have no prime factor above 5") {
    CHECK(smooth_length(1, false) == 1);
    CHECK(smooth_length(7, false) == 8);
    CHECK(smooth_length(11, false) == 12);
    CHECK(smooth_length(25, true) == 30);
    CHECK(smooth_length(257, true) == 270);
    CHECK(correlation_shape({128, 1, 1}, {128, 1, 1}, {{0, 0, 0}, {1, 1, 1}}).padded == Triple{128, 1, 1});
    CHECK_THROWS_AS(correlation_shape({0, 1, 1}, {1, 1, 1}, {}), std::invalid_argument);
}

TEST_CASE("whole shifts are found in one, two and three dimensions") {
    check_shift({200, 1, 1}, {17., 0., 0.}, true);
    check_shift({64, 1, 48}, {-7., 0., 5.}, true);
    check_shift({32, 28, 36}, {4., -3., 2.}, true);
}

TEST_CASE("shifts between samples are found to a fiftieth of a sample") {
    for (const double shift : {0.1, 0.37, 0.5, 3.81, -2.25}) check_shift({200, 1, 1}, {shift, 0., 0.}, true);
    check_shift({64, 1, 48}, {-3.4, 0., 2.7}, true);
    check_shift({64, 60, 1}, {0.5, -0.5, 0.}, true);
    check_shift({32, 28, 36}, {1.3, -0.6, 2.45}, true);
}

TEST_CASE("what leaves the volume at its edges does not draw a shift towards zero") {
    check_shift({400, 1, 1}, {9.4, 0., 0.}, false, 1.);
    check_shift({96, 1, 96}, {-5.3, 0., 3.7}, false, 1.5);
    check_shift({40, 36, 38}, {2.3, -1.6, 0.45}, false, 2.);
}

TEST_CASE("a volume correlates with itself at exactly no shift, whatever its mean") {
    const Triple n{24, 20, 22};
    std::vector<float> a = WaveSum(3, n, 2., false).sampled();
    for (float& value : a) value += 2000.f;
    for (const bool remove_mean : {true, false}) {
        const ShiftSearch search = find_shifts(a, a, n, {.limit = {6, 5, 5}, .remove_mean = remove_mean}, cpu_row(), 2);
        CHECK(search.correlation == 1.);
        REQUIRE(search.shifts.size() == 1);
        CHECK(search.shifts[0].samples == std::array<double, 3>{0., 0., 0.});
        CHECK(search.shifts[0].correlation == doctest::Approx(1.).epsilon(1e-6));
    }
}

TEST_CASE("as many peaks are found as copies were planted, best first") {
    const Triple n{60, 1, 56};
    const Triple m{9, 1, 9};
    const WaveSum form(5, m, 2.5, true);
    const std::vector<float> moving = form.sampled();
    std::vector<float> fixed(static_cast<std::size_t>(product_of(n)), 0.f);
    const std::array<Triple, 3> places{{{5, 0, 40}, {30, 0, 8}, {44, 0, 33}}};
    const std::array<float, 3> strengths{1.f, 3.f, 2.f};
    for (std::size_t copy = 0; copy < places.size(); ++copy)
        for (std::int64_t z = 0; z < m[2]; ++z)
            for (std::int64_t x = 0; x < m[0]; ++x)
                fixed[static_cast<std::size_t>((places[copy][2] + z) * n[0] + places[copy][0] + x)] +=
                    strengths[copy] * moving[static_cast<std::size_t>(z * m[0] + x)];
    const LagBox box{{0, 0, 0}, {n[0] - m[0] + 1, 1, n[2] - m[2] + 1}};
    const auto correlator = cpu_row().make(correlation_shape(n, m, box), 1, 0);
    correlator->set_fixed(fixed);
    correlator->set_moving(moving);
    correlator->forward();
    correlator->multiply();
    correlator->inverse();
    const std::vector<LagPeak> peaks = correlator->peaks(3, 9);
    REQUIRE(peaks.size() == 3);
    const std::array<std::size_t, 3> order{1, 2, 0};
    const double energy = correlator->moving_energy();
    for (std::size_t rank = 0; rank < 3; ++rank) {
        CHECK(peaks[rank].lag == places[order[rank]]);
        CHECK(peaks[rank].value == doctest::Approx(strengths[order[rank]] * energy).epsilon(1e-6));
    }
}

TEST_CASE("peaks are the largest of their neighbourhood, the first of equal ones") {
    const LagBox box{{-2, 0, 0}, {9, 1, 1}};
    const std::vector<double> values{1., 5., 5., 0., 4., 0., 7., 1., 6.};
    const auto found = find_peaks(values, box, 9, 1);
    REQUIRE(found.size() == 4);
    CHECK(found[0].lag == Triple{4, 0, 0});
    CHECK(found[1].lag == Triple{6, 0, 0});
    CHECK(found[2].lag == Triple{-1, 0, 0});
    CHECK(found[3].lag == Triple{2, 0, 0});
    CHECK(find_peaks(values, box, 9, 2).size() == 2);
    CHECK(find_peaks(values, box, 1, 2).size() == 1);
    CHECK(find_peaks(std::vector<double>(9, 3.), box, 9, 2).size() == 1);
    CHECK(find_peaks(std::vector<double>(9, -std::numeric_limits<double>::infinity()), box, 9, 2).empty());
}

TEST_CASE("the number of threads changes no bit of a shift") {
    const Triple n{30, 20, 25};
    const WaveSum waves(11, n, 2., false);
    const std::vector<float> a = waves.sampled(), b = waves.sampled({0.3, -1.2, 2.6});
    const ShiftSettings settings{.limit = {5, 5, 5}, .peaks = 4};
    const ShiftSearch one = find_shifts(a, b, n, settings, cpu_row(), 1),
                      three = find_shifts(a, b, n, settings, cpu_row(), 3);
    REQUIRE(one.shifts.size() == three.shifts.size());
    for (std::size_t i = 0; i < one.shifts.size(); ++i) {
        CHECK(one.shifts[i].samples == three.shifts[i].samples);
        CHECK(one.shifts[i].correlation == three.shifts[i].correlation);
    }
}

TEST_CASE("a peak at the limit of the search says so") {
    const Triple n{200, 1, 1};
    const WaveSum waves(7, n, 0.2, true);
    const ShiftSearch search =
        find_shifts(waves.sampled(), waves.sampled({-20., 0., 0.}), n, {.limit = {5, 0, 0}}, cpu_row(), 1);
    REQUIRE(search.shifts.size() == 1);
    CHECK(search.shifts[0].at_limit);
}

TEST_CASE("constant volumes have no shift, and say why; NaN and limits without overlap are refused") {
    const Triple n{16, 1, 16};
    const std::vector<float> constant(256, 1500.1f), waves = WaveSum(4, n, 2., false).sampled();
    const ShiftSettings settings{.limit = {4, 0, 4}};
    const ShiftSearch both = find_shifts(constant, constant, n, settings, cpu_row(), 1);
    CHECK(both.shifts.empty());
    CHECK(both.problem == "both volumes are constant: no shift can be told");
    CHECK(find_shifts(constant, waves, n, settings, cpu_row(), 1).problem ==
          "the first volume is constant: no shift can be told");
    std::vector<float> broken = waves;
    broken[17] = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_AS(find_shifts(waves, broken, n, settings, cpu_row(), 1), Error);
    CHECK_THROWS_AS(find_shifts(waves, waves, n, {.limit = {16, 0, 0}}, cpu_row(), 1), std::invalid_argument);
    CHECK_THROWS_AS(find_shifts(waves, waves, {16, 2, 16}, settings, cpu_row(), 1), std::invalid_argument);
    CHECK_THROWS_AS(choose_correlator("cpuu"), Error);
}

TEST_CASE("the maximum of a narrow band is found though the largest lag lies beside it") {
    const Triple n{64, 1, 48};
    const auto packet = [&](double shift_x, double shift_z) {
        std::vector<float> values;
        for (std::int64_t z = 0; z < n[2]; ++z)
            for (std::int64_t x = 0; x < n[0]; ++x) {
                const double u = static_cast<double>(x) - 30. - shift_x, v = static_cast<double>(z) - 22. - shift_z;
                values.push_back(
                    static_cast<float>(std::exp(-(u * u / 90. + v * v / 60.)) * std::cos(0.9 * u + 0.6 * v)));
            }
        return values;
    };
    // Lag (3, -3) has the phase of (2, -1.5) and a larger value than any lag next to it.
    const ShiftSearch search = find_shifts(packet(0., 0.), packet(2., -1.5), n, {.limit = {16, 0, 12}}, cpu_row(), 1);
    REQUIRE(search.shifts.size() == 1);
    CHECK(std::abs(search.shifts[0].samples[0] - 2.) < kShiftAccuracy);
    CHECK(std::abs(search.shifts[0].samples[2] + 1.5) < kShiftAccuracy);
    CHECK(search.shifts[0].correlation > 0.999);
}
