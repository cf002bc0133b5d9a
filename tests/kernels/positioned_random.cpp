// The generator of random numbers is that of the NAS Parallel Benchmarks, as these write it in floating point; every
// number is a function of its position alone, every seed gives a sequence, and signs and normal numbers are what they
// are called.
// Takes less than a second.
#include "kernels/companions/positioned_random.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <vector>

using namespace onda;

namespace {

/// randlc() of NPB: x <- a x mod 2^46 in double precision, by halves of 23 bits. \returns x 2^-46.
double randlc(double& x, double a) {
    const double r23 = 0x1p-23, r46 = 0x1p-46, t23 = 0x1p23, t46 = 0x1p46;
    const double a1 = std::trunc(r23 * a), a2 = a - t23 * a1;
    const double x1 = std::trunc(r23 * x), x2 = x - t23 * x1;
    const double t1 = a1 * x2 + a2 * x1;
    const double z = t1 - t23 * std::trunc(r23 * t1);
    const double t3 = t23 * z + a2 * x2;
    x = t3 - t46 * std::trunc(r46 * t3);
    return r46 * x;
}

constexpr double kMultiplier = 1220703125., kSeed = 271828183.;

/// The number of NPB's sequence at a position, by squaring in double precision.
double skipped(std::uint64_t position) {
    double x = kSeed, square = kMultiplier, number = 0.;
    for (std::uint64_t steps = position + 1; steps != 0; steps /= 2) {
        if (steps % 2 == 1) number = randlc(x, square);
        const double factor = square;
        randlc(square, factor);
    }
    return number;
}

/// The odd integer below 2^46 that a number is made of.
std::uint64_t odd_state_of(double number) {
    return static_cast<std::uint64_t>(number * 0x1p46);
}

/// The mean product of values with those `lag` later, of mean 0 and variance 1.
double lagged_product(const std::vector<double>& values, std::size_t lag) {
    double sum = 0.;
    for (std::size_t i = 0; i + lag < values.size(); ++i) sum += values[i] * values[i + lag];
    return sum / static_cast<double>(values.size() - lag);
}

/// The mean of a power of values.
double moment(const std::vector<double>& values, int power) {
    double sum = 0.;
    for (const double value : values) sum += std::pow(value, power);
    return sum / static_cast<double>(values.size());
}

const std::vector<std::uint64_t> kSeeds{0,
                                        1,
                                        2,
                                        3,
                                        46,
                                        271828183,
                                        std::uint64_t{1} << 46,
                                        std::uint64_t{1} << 63,
                                        std::numeric_limits<std::uint64_t>::max()};

}  // namespace

TEST_CASE("numbers are those of the NAS Parallel Benchmarks") {
    const PositionedRandom random = PositionedRandom::nas();
    RandomCursor cursor = random.from(0);
    double x = kSeed;
    for (std::uint64_t position = 0; position < 100'000; ++position) REQUIRE(cursor.next() == randlc(x, kMultiplier));
    CHECK(odd_state_of(random.at(0)) == 271828183ULL * 1220703125ULL % (1ULL << 46));
}

TEST_CASE("a position far away is reached at once") {
    const PositionedRandom random = PositionedRandom::nas();
    for (const std::uint64_t position :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{12345}, std::uint64_t{1} << 33,
          (std::uint64_t{1} << 43) + 77, (std::uint64_t{1} << 44) - 1})
        CHECK(random.at(position) == skipped(position));
    // The period is 2^44, and no shorter.
    for (const std::uint64_t position : {std::uint64_t{0}, std::uint64_t{987654321}}) {
        CHECK(random.at(position + (std::uint64_t{1} << 44)) == random.at(position));
        CHECK(random.at(position + (std::uint64_t{1} << 43)) != random.at(position));
    }
}

TEST_CASE("skipping ahead equals stepping, from every seed") {
    for (const std::uint64_t seed : kSeeds) {
        CAPTURE(seed);
        const PositionedRandom random(seed);
        RandomCursor cursor = random.from(0);
        for (std::uint64_t position = 0; position < 2000; ++position) REQUIRE(cursor.next() == random.at(position));
        RandomCursor later = random.from(std::uint64_t{1} << 40);
        for (std::uint64_t i = 0; i < 100; ++i) REQUIRE(later.next() == random.at((std::uint64_t{1} << 40) + i));
    }
}

TEST_CASE("any partition of a sequence is the same numbers") {
    const PositionedRandom random(42);
    std::vector<double> whole(10'000);
    RandomCursor cursor = random.from(1'000'000);
    for (double& number : whole) number = cursor.next();
    for (const std::size_t part : {1U, 7U, 64U, 4999U}) {
        CAPTURE(part);
        std::vector<double> joined(whole.size());
        for (std::size_t first = 0; first < whole.size(); first += part) {
            RandomCursor own = random.from(1'000'000 + first);
            for (std::size_t i = first; i < std::min(first + part, whole.size()); ++i) joined[i] = own.next();
        }
        CHECK(joined == whole);
    }
}

TEST_CASE("every seed gives a valid state, and similar seeds unlike sequences") {
    std::set<double> first;
    std::vector<double> centred;
    constexpr std::uint64_t kCount = 10'000;
    for (std::uint64_t seed = 0; seed < kCount; ++seed) {
        const double number = PositionedRandom(seed).at(0);
        REQUIRE(number > 0.);
        REQUIRE(number < 1.);
        REQUIRE(odd_state_of(number) % 2 == 1);
        first.insert(number);
        centred.push_back((number - 0.5) * std::sqrt(12.));
    }
    CHECK(first.size() == kCount);
    // Four standard deviations.
    CHECK(std::abs(moment(centred, 1)) < 0.04);
    CHECK(std::abs(lagged_product(centred, 1)) < 0.04);
    for (const std::uint64_t seed : kSeeds) CHECK(odd_state_of(PositionedRandom(seed).at(0)) % 2 == 1);
}

TEST_CASE("signs are those of the highest bit, balanced and without memory") {
    const PositionedRandom random(7);
    std::vector<double> signs(1 << 18);
    for (std::size_t i = 0; i < signs.size(); ++i) {
        signs[i] = random.sign(i);
        REQUIRE(signs[i] == (random.at(i) > 0.5 ? 1. : -1.));
    }
    const double deviation = 1. / std::sqrt(static_cast<double>(signs.size()));
    CHECK(std::abs(moment(signs, 1)) < 4. * deviation);
    for (const std::size_t lag : {1U, 2U, 3U, 4U, 8U, 16U, 31U, 64U, 100U, 1024U}) {
        CAPTURE(lag);
        CHECK(std::abs(lagged_product(signs, lag)) < 4. * deviation);
    }
}

TEST_CASE("normal numbers have the moments of the normal distribution") {
    const PositionedRandom random(2024);
    std::vector<double> normals(100'000);
    for (std::size_t i = 0; i < normals.size(); ++i) normals[i] = random.normal(i);
    // Four standard deviations of the mean of each power: those of x, x^2, x^3 and x^4 are 1, 2, 15 and 96 squared.
    const double deviation = 1. / std::sqrt(static_cast<double>(normals.size()));
    CHECK(std::abs(moment(normals, 1)) < 4. * deviation);
    CHECK(std::abs(moment(normals, 2) - 1.) < 4. * std::sqrt(2.) * deviation);
    CHECK(std::abs(moment(normals, 3)) < 4. * std::sqrt(15.) * deviation);
    CHECK(std::abs(moment(normals, 4) - 3.) < 4. * std::sqrt(96.) * deviation);
    for (const std::size_t lag : {1U, 2U, 128U}) CHECK(std::abs(lagged_product(normals, lag)) < 4. * deviation);
    const double radius = std::sqrt(-2. * std::log(random.at(2468)));
    CHECK(random.normal(1234) == doctest::Approx(radius * std::cos(2. * std::acos(-1.) * random.at(2469))));
}
