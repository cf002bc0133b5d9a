// A template planted at a known angle and place is found there, in the same order and bits by any number of workers.
#include "solver/comparison/template_search.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <doctest/doctest.h>
#include <stdexcept>
#include <thread>

#include "io/text/error.hpp"
#include "tests/solver/comparison/volumes_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

constexpr Triple kForm{9, 13, 5}, kVolume{36, 40, 18};
constexpr int kRotations = 8;

/// A smooth bar with a thick end: it looks like itself in one direction only.
std::vector<float> bar() {
    std::vector<float> values;
    for (std::int64_t z = 0; z < kForm[2]; ++z)
        for (std::int64_t y = 0; y < kForm[1]; ++y)
            for (std::int64_t x = 0; x < kForm[0]; ++x) {
                const double dx = static_cast<double>(x - 4), dy = static_cast<double>(y - 6),
                             dz = static_cast<double>(z - 2);
                const double along = std::exp(-(dx * dx / 3. + dy * dy / 14. + dz * dz / 2.));
                const double end = std::exp(-((dx - 1.5) * (dx - 1.5) + (dy - 3.) * (dy - 3.)) / 4. - dz * dz / 2.);
                values.push_back(static_cast<float>(along + end));
            }
    return values;
}

/// A volume with the bar turned by a number of eighths at a lag of its canvas, above weak waves.
std::vector<float> volume_with(const std::vector<float>& form, const SearchShape& shape, int rotation,
                               const Triple& lag, float strength) {
    std::vector<float> volume = WaveSum(8, kVolume, 2.5, false).sampled();
    for (float& value : volume) value *= 0.01f;
    const TemplateTurn turn = shape.turn(rotation, kRotations);
    const Triple& canvas = shape.correlation.moving;
    for (std::int64_t z = 0; z < canvas[2]; ++z)
        for (std::int64_t y = 0; y < canvas[1]; ++y)
            for (std::int64_t x = 0; x < canvas[0]; ++x)
                volume[static_cast<std::size_t>(((lag[2] + z) * kVolume[1] + lag[1] + y) * kVolume[0] + lag[0] + x)] +=
                    strength * turned_value(form.data(), turn, x, y, z);
    return volume;
}

/// A worker that takes longer the higher its number.
class SlowCorrelator : public Correlator {
public:
    SlowCorrelator(std::unique_ptr<Correlator> inner, int delay_ms) : inner_(std::move(inner)), delay_ms_(delay_ms) {}
    void set_fixed(std::span<const float> values) override { inner_->set_fixed(values); }
    void set_moving(std::span<const float> values) override { inner_->set_moving(values); }
    void set_template(std::span<const float> values) override { inner_->set_template(values); }
    void rotate(const TemplateTurn& turn) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms_));
        inner_->rotate(turn);
    }
    double moving_energy() override { return inner_->moving_energy(); }
    void forward() override { inner_->forward(); }
    void multiply() override { inner_->multiply(); }
    void inverse() override { inner_->inverse(); }
    std::vector<double> lags() override { return inner_->lags(); }
    std::vector<LagPeak> peaks(int count, std::int64_t apart) override { return inner_->peaks(count, apart); }

private:
    std::unique_ptr<Correlator> inner_;
    int delay_ms_;
};

struct Search {
    std::vector<FoundPlace> best, all;
};

Search search(const std::vector<float>& volume, const std::vector<float>& form, int workers) {
    const SearchShape shape = search_shape(kVolume, kForm, kRotations);
    Search result;
    result.best = find_template(
        volume, form, shape, {.rotations = kRotations, .peaks = 3, .remove_mean = false}, workers,
        [&](int worker) {
            return std::make_unique<SlowCorrelator>(cpu_row().make(shape.correlation, 1, 0), 7 * worker);
        },
        [&](std::span<const FoundPlace> places) { result.all.insert(result.all.end(), places.begin(), places.end()); });
    return result;
}

bool same(const FoundPlace& a, const FoundPlace& b) {
    return a.rotation == b.rotation && a.rank == b.rank && a.centre == b.centre && a.score == b.score &&
           a.amplitude == b.amplitude && a.angle_degrees == b.angle_degrees;
}

}  // namespace

TEST_CASE("a quarter turn moves the samples of a template and changes none") {
    const std::vector<float> form = bar();
    const SearchShape shape = search_shape(kVolume, kForm, 4);
    const TemplateTurn turn = shape.turn(1, 4);
    const std::int64_t cx = (shape.correlation.moving[0] - 1) / 2, cy = (shape.correlation.moving[1] - 1) / 2;
    for (std::int64_t dy = -6; dy <= 6; ++dy)
        for (std::int64_t dx = -4; dx <= 4; ++dx)
            CHECK(turned_value(form.data(), turn, cx - dy, cy + dx, 2) ==
                  form[static_cast<std::size_t>((2 * kForm[1] + dy + 6) * kForm[0] + dx + 4)]);
}

TEST_CASE("a canvas holds its template in every direction, about the same centre") {
    const SearchShape shape = search_shape({40, 50, 30}, {8, 15, 4}, 12);
    CHECK(shape.correlation.moving == Triple{18, 17, 4});
    CHECK(shape.centre(shape.correlation.lags.first)[0] == 0.5);
    CHECK(shape.centre(shape.correlation.lags.first)[1] == 0.);
    CHECK(shape.correlation.lags.count == Triple{39, 50, 29});
    CHECK(search_shape({40, 50, 30}, {8, 15, 4}, 1).correlation.moving == Triple{8, 15, 4});
}

TEST_CASE("a planted template is found at its angle, place and strength") {
    const std::vector<float> form = bar();
    const SearchShape shape = search_shape(kVolume, kForm, kRotations);
    for (const int rotation : {0, 3, 6}) {
        const Triple lag{11, 9, 6};
        const Search found = search(volume_with(form, shape, rotation, lag, 2.f), form, 1);
        REQUIRE(found.best.size() == 3);
        CAPTURE(rotation);
        CHECK(found.best[0].rotation == rotation);
        CHECK(found.best[0].angle_degrees == 45. * rotation);
        CHECK(found.best[0].centre == shape.centre(lag));
        CHECK(found.best[0].amplitude == doctest::Approx(2.).epsilon(0.03));
        CHECK(found.best[0].score > found.best[1].score);
    }
}

TEST_CASE("results come in the order of the angles and are the same bits for one to three workers of unequal speed") {
    const std::vector<float> form = bar();
    const SearchShape shape = search_shape(kVolume, kForm, kRotations);
    const std::vector<float> volume = volume_with(form, shape, 5, {4, 14, 3}, 1.f);
    const Search one = search(volume, form, 1);
    REQUIRE(one.all.size() >= static_cast<std::size_t>(kRotations));
    for (std::size_t i = 1; i < one.all.size(); ++i) {
        const FoundPlace &before = one.all[i - 1], &here = one.all[i];
        const bool in_order = here.rotation == before.rotation ? here.rank == before.rank + 1
                                                               : here.rotation == before.rotation + 1 && here.rank == 1;
        CHECK(in_order);
    }
    for (const int workers : {2, 3}) {
        const Search other = search(volume, form, workers);
        REQUIRE(other.all.size() == one.all.size());
        REQUIRE(other.best.size() == one.best.size());
        for (std::size_t i = 0; i < one.all.size(); ++i) CHECK(same(one.all[i], other.all[i]));
        for (std::size_t i = 0; i < one.best.size(); ++i) CHECK(same(one.best[i], other.best[i]));
    }
}

TEST_CASE("results wait for those before them") {
    std::vector<int> seen;
    InOrder order([&](std::span<const FoundPlace> places) { seen.push_back(places.front().rotation); });
    const auto put = [&order](int number) {
        FoundPlace place;
        place.rotation = number;
        order.put(number, {place});
    };
    put(2);
    put(1);
    CHECK(seen.empty());
    put(0);
    CHECK(seen == std::vector<int>{0, 1, 2});
    put(3);
    CHECK(seen.size() == 4);
}

TEST_CASE("a worker that fails ends the search with its error, and a constant template is refused") {
    const std::vector<float> form = bar();
    const SearchShape shape = search_shape(kVolume, kForm, kRotations);
    const std::vector<float> volume = volume_with(form, shape, 0, {4, 14, 3}, 1.f);
    const auto fails = [](int) -> std::unique_ptr<Correlator> { throw std::runtime_error("no memory"); };
    const auto ignore = [](std::span<const FoundPlace>) {};
    CHECK_THROWS_AS(find_template(volume, form, shape, {.rotations = kRotations}, 2, fails, ignore),
                    std::runtime_error);
    const auto make = [&](int) { return cpu_row().make(shape.correlation, 1, 0); };
    CHECK_THROWS_AS(
        find_template(volume, std::vector<float>(form.size(), 2.f), shape, {.rotations = kRotations}, 1, make, ignore),
        Error);
}
