// Shifts of band-limited volumes against the function that they sample, and differences against their definitions.
#include "solver/comparison/alignment.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <stdexcept>

#include "tests/solver/comparison/volumes_support.hpp"

using namespace onda;
using namespace onda::test;

TEST_CASE("a volume shifted by a fraction is the function at the shifted places, where it is made of its own samples") {
    for (const Triple& n : {Triple{120, 1, 1}, Triple{64, 1, 60}, Triple{40, 36, 38}}) {
        const std::array<double, 3> shift{2.3, n[1] > 1 ? -1.6 : 0., n[2] > 1 ? 0.45 : 0.};
        const WaveSum waves(21, n, 2., false);
        const std::vector<float> wanted = waves.sampled(shift);
        const Aligned aligned = align(waves.sampled(), n, shift);
        REQUIRE_FALSE(aligned.valid.empty());
        const Difference difference = difference_of(aligned.values, wanted, n, aligned.valid);
        CAPTURE(n);
        CHECK(difference.relative_l2 < 0.01);
    }
}

TEST_CASE("whole shifts move samples, bring zeros from outside and leave them out") {
    const Triple n{6, 1, 1};
    const std::vector<float> b{1.f, 2.f, 3.f, 4.f, 5.f, 6.f};
    const Aligned forward = align(b, n, {2., 0., 0.});
    CHECK(forward.values == std::vector<float>{3.f, 4.f, 5.f, 6.f, 0.f, 0.f});
    CHECK(forward.valid.first == Triple{0, 0, 0});
    CHECK(forward.valid.end == Triple{4, 1, 1});
    const Aligned back = align(b, n, {-1., 0., 0.});
    CHECK(back.values == std::vector<float>{0.f, 1.f, 2.f, 3.f, 4.f, 5.f});
    CHECK(back.valid.first == Triple{1, 0, 0});
    CHECK(back.valid.end == Triple{6, 1, 1});
    CHECK(align(b, n, {0., 0., 0.}).values == b);
    CHECK(align(b, n, {6., 0., 0.}).valid.empty());
}

TEST_CASE("a straight line stays one up to its ends") {
    const Triple n{50, 1, 1};
    std::vector<float> line;
    for (int i = 0; i < 50; ++i) line.push_back(static_cast<float>(3 * i));
    const Aligned aligned = align(line, n, {0.4, 0., 0.});
    for (std::int64_t i = 0; i < 49; ++i)
        CHECK(std::abs(aligned.values[static_cast<std::size_t>(i)] - 3. * (static_cast<double>(i) + 0.4)) < 0.03);
}

TEST_CASE("differences are those of their definitions") {
    const Triple n{4, 1, 1};
    const std::vector<float> a{1.f, 2.f, 3.f, 4.f}, b{1.f, 2.f, 5.f, 3.f};
    const Difference all = difference_of(a, b, n, {{0, 0, 0}, n});
    CHECK(all.relative_l2 == doctest::Approx(std::sqrt(5. / 39.)));
    CHECK(all.nrms == doctest::Approx(2. * std::sqrt(5.) / (std::sqrt(30.) + std::sqrt(39.))));
    CHECK(all.maximum == 2.);
    CHECK(all.at == 2);
    const Difference part = difference_of(a, b, n, {{3, 0, 0}, {4, 1, 1}});
    CHECK(part.maximum == 1.);
    CHECK(part.at == 3);
    const Difference same = difference_of(a, a, n, {{0, 0, 0}, n});
    CHECK(same.relative_l2 == 0.);
    CHECK(same.nrms == 0.);
    CHECK(same.maximum == 0.);
    const std::vector<float> zero(4, 0.f), opposite{-1.f, -2.f, -3.f, -4.f};
    CHECK(difference_of(zero, zero, n, {{0, 0, 0}, n}).relative_l2 == 0.);
    CHECK(std::isinf(difference_of(a, zero, n, {{0, 0, 0}, n}).relative_l2));
    CHECK(difference_of(a, opposite, n, {{0, 0, 0}, n}).nrms == doctest::Approx(2.));
    CHECK_THROWS_AS(difference_of(a, b, n, {{0, 0, 0}, {5, 1, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(difference_of(a, b, n, {{2, 0, 0}, {2, 1, 1}}), std::invalid_argument);
}

TEST_CASE("a time-lapse difference after alignment is small where only a shift was between the surveys") {
    const Triple n{80, 1, 70};
    const WaveSum waves(33, n, 1.5, false);
    const std::vector<float> a = waves.sampled(), b = waves.sampled({-1.7, 0., 2.4});
    const ShiftSearch search = find_shifts(a, b, n, {.limit = {10, 0, 10}}, cpu_row(), 1);
    REQUIRE(search.shifts.size() == 1);
    const Aligned aligned = align(b, n, search.shifts[0].samples);
    const double before = difference_of(a, b, n, aligned.valid).nrms,
                 after = difference_of(a, aligned.values, n, aligned.valid).nrms;
    CHECK(before > 0.5);
    CHECK(after < 0.03);
}
