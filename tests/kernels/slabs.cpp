// A grid cut into slabs gives the bits of the uncut one, whatever their number, the faces, the sources and the
// receivers; and a plane that did not arrive is seen.
// Takes 15 s.
#include "kernels/slabs/slabs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "kernels/cpu/cpu.hpp"
#include "tests/kernels/leap_support.hpp"
#include "tests/kernels/silence.hpp"
#include "tests/kernels/state.hpp"
#include "tests/kernels/storage_support.hpp"
#include "tests/sanitized.hpp"

using namespace onda;
using namespace onda::test;

namespace {

std::shared_ptr<Medium> make_cpu_medium(std::size_t, const Setup& setup, const MediumReaders& readers, double dt_s) {
    return cpu::make_medium(setup, readers, dt_s);
}

MakeMedium cut_at(const std::vector<Slab>& slabs) {
    return [slabs](const Setup& setup, const MediumReaders& readers, double dt_s) {
        return make_slab_medium(setup, readers, dt_s, slabs, make_cpu_medium);
    };
}

/// Sanitizers, for which minutes count, see the same source at every order.
const std::vector<int> kOrders = kSanitized ? std::vector{2, 8} : std::vector{2, 4, 8, 16};

bool fits(const Setup& setup, int count) {
    try {
        check_slabs(setup, equal_slabs(setup.grid.nz(), count));
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

/// A grid of a prime number of planes with whatever faces.
Case tall(const char* name, FaceHalos halos, bool sponge, std::array<std::int64_t, 6> layers) {
    return {name, {3, {23, 14, 61}, {10., 9., 8.}, {}}, halos, sponge, 20, layers};
}
const std::vector<Case> kTall{
    tall("zero faces", {}, false, {}),
    tall("mirrors", {kRigid, kFree, kFree, kRigid, kFree, kRigid}, false, {}),
    tall("sponge", {kZero, kZero, kZero, kZero, kFree, kZero}, true, {}),
    tall("layers", {}, false, {4, 4, 3, 4, 5, 4}),
    tall("layers beside a free surface", {kZero, kZero, kZero, kZero, kFree, kZero}, false, {4, 4, 3, 4, 0, 4}),
    tall("layers across z alone", {}, false, {0, 0, 0, 0, 5, 4}),
    {"2-D",
     {2, {61, 1, 67}, {10., 10., 6.}, {}},
     {kZero, kZero, kZero, kZero, kFree, kZero},
     true,
     20,
     {5, 0, 0, 0, 0, 6}},
};

/// Loses the planes of the steps it is told, but for the first of them.
class ForgetfulExchange final : public Exchange {
public:
    ForgetfulExchange(std::unique_ptr<Exchange> exchange, std::int64_t lost)
        : exchange_(std::move(exchange)), lost_(lost) {}
    void post() override {
        if (step_++ != lost_) exchange_->post();
    }
    void wait() override { exchange_->wait(); }

private:
    std::unique_ptr<Exchange> exchange_;
    std::int64_t step_ = 0, lost_;
};

/// Two noisy shots on a grid in so many slabs.
std::unique_ptr<Wavefield> start_batch(const Case& c, const Setup& setup, int slabs) {
    const MakeMedium make_medium = slabs == 1 ? MakeMedium(cpu::make_medium) : cut_at(equal_slabs(c.grid.nz(), slabs));
    auto wavefield = make_noisy_medium(setup, make_medium)->make_wavefield(2);
    for (int shot = 0; shot < 2; ++shot)
        start_noisy_shot(*wavefield, c, setup.precision, 1., shot, static_cast<std::uint64_t>(shot));
    return wavefield;
}

/// \returns how many numbers of slabs went on from a state that three slabs saved.
int go_on_elsewhere(const Case& c, Setup setup) {
    setup.threads = 1;
    if (!fits(setup, 3)) return 0;
    const auto whole = start_batch(c, setup, 1), three = start_batch(c, setup, 3);
    whole->advance(0, 10);
    three->advance(0, 10);
    const std::array saved{save(*three, 0), save(*three, 1)};
    CHECK(saved[0] == save(*whole, 0));
    CHECK(saved[1] == save(*whole, 1));
    whole->advance(10, 10);
    int compared = 0;
    for (const int slabs : {1, 2, 3, 5}) {
        if (!fits(setup, slabs)) continue;
        CAPTURE(slabs);
        const auto elsewhere = start_batch(c, setup, slabs);
        elsewhere->advance(0, 4);  // what it restores takes the place of this
        for (const int shot : {0, 1}) {
            restore(*elsewhere, saved[static_cast<std::size_t>(shot)], shot);
            CHECK(save(*elsewhere, shot) == saved[static_cast<std::size_t>(shot)]);
        }
        elsewhere->advance(10, 10);
        for (const int shot : {0, 1}) CHECK(save(*elsewhere, shot) == save(*whole, shot));
        ++compared;
    }
    return compared;
}

}  // namespace

TEST_CASE("slabs give the bits of the uncut grid at every order, operator, precision and face") {
    std::size_t compared = 0;
    for (const Case& c : kTall)
        for (const Equation equation : {Equation::star, Equation::variable_density, Equation::compact})
            for (const int order : kOrders)
                for (const Precision precision : {Precision::float32, Precision::float64}) {
                    const bool compact = equation == Equation::compact;
                    if (compact && order > 2) continue;
                    const Case shaped = compact ? with_equal_spacings(c) : c;
                    Setup setup = setup_of(shaped, order, precision, equation);
                    setup.threads = 1;
                    const std::vector<double> expected = run_case(shaped, setup, cpu::make_medium);
                    for (const int count : {1, 2, 3, 5, 7}) {
                        if (!fits(setup, count)) continue;
                        ++compared;
                        CAPTURE(c.name);
                        CAPTURE(order);
                        CAPTURE(count);
                        CHECK(run_case(shaped, setup, cut_at(equal_slabs(shaped.grid.nz(), count))) == expected);
                    }
                }
    CHECK(compared > (kSanitized ? 50 : 150));
}

namespace {

/// A medium of which it is counted how often it is asked.
class AskedMedium final : public Medium {
public:
    AskedMedium(std::shared_ptr<Medium> medium, int& asked)
        : Medium(medium->setup()), medium_(std::move(medium)), asked_(asked) {}
    std::string description() const override { return medium_->description(); }
    std::string kernel() const override { return medium_->kernel(); }
    std::int64_t allocated_bytes() const override { return medium_->allocated_bytes(); }
    void values_at(std::size_t array, std::span<const std::int64_t> nodes, std::span<double> values) const override {
        ++asked_;
        medium_->values_at(array, nodes, values);
    }
    std::unique_ptr<Wavefield> make_wavefield(int shots, const StripList& strips) override {
        return medium_->make_wavefield(shots, strips);
    }

private:
    std::shared_ptr<Medium> medium_;
    int& asked_;
};

}  // namespace

TEST_CASE("values at nodes are those of the uncut medium in their order, and each slab is asked once at most") {
    Setup setup = setup_of(kTall[1], 8, Precision::float32, Equation::variable_density);
    setup.threads = 1;
    const std::vector<Slab> slabs = equal_slabs(setup.grid.nz(), 3);
    int asked = 0;
    const MakeMedium cut = [&](const Setup& whole, const MediumReaders& readers, double dt_s) {
        return make_slab_medium(whole, readers, dt_s, slabs,
                                [&asked](std::size_t, const Setup& part, const MediumReaders& its, double dt) {
                                    return std::make_shared<AskedMedium>(cpu::make_medium(part, its, dt), asked);
                                });
    };
    const auto in_slabs = make_noisy_medium(setup, cut), uncut = make_noisy_medium(setup, cpu::make_medium);
    const auto check = [&](const std::vector<std::int64_t>& nodes, int most) {
        for (const std::size_t array : {0, 1}) {
            std::vector<double> values(nodes.size()), expected(nodes.size());
            asked = 0;
            in_slabs->values_at(array, nodes, values);
            CHECK(asked == most);
            uncut->values_at(array, nodes, expected);
            CHECK(values == expected);
        }
    };
    std::vector<std::int64_t> scattered;  // in no order, some twice
    for (std::int64_t i = 0; i < 2000; ++i) scattered.push_back(i * 7919 % setup.grid.points());
    check(scattered, 3);
    check({setup.grid.at(1, 2, 0), setup.grid.at(1, 2, setup.grid.nz() - 1), setup.grid.at(0, 0, 0)}, 2);
    check({}, 0);
}

TEST_CASE("slabs of every thickness down to what the stencil reads") {
    const Case& c = kTall[4];
    Setup setup = setup_of(c, 8, Precision::float32);
    setup.threads = 1;
    const std::vector<double> expected = run_case(c, setup, cpu::make_medium);
    const std::vector<std::vector<Slab>> cuts{
        {{0, 4}, {4, 4}, {8, 40}, {48, 13}}, {{0, 48}, {48, 13}}, {{0, 5}, {5, 56}}};
    for (const std::vector<Slab>& slabs : cuts) CHECK(run_case(c, setup, cut_at(slabs)) == expected);
}

TEST_CASE("a source and a receiver between nodes, wherever the cut passes") {
    Case c = kTall[3];
    Setup setup = setup_of(c, 8, Precision::float32, Equation::variable_density);
    setup.threads = 1;
    const Grid& grid = c.grid;
    const auto traces_with = [&](const MakeMedium& make_medium, std::int64_t z) {
        const auto wavefield = make_noisy_medium(setup, make_medium)->make_wavefield();
        NodeWeights points;  // two rows that share nodes on either side of the cut
        std::vector<std::array<double, 3>> places;
        for (const std::int64_t shift : {0, 1}) {
            for (std::int64_t i = -3; i <= 4; ++i) {
                points.node.push_back(grid.at(11, 7, z + i + shift));
                points.weight.push_back(0.3 * std::cos(static_cast<double>(i)));
            }
            points.first.push_back(static_cast<std::int64_t>(points.node.size()));
            places.push_back({11., 7., static_cast<double>(z + shift) + 0.4});
        }
        std::vector<double> signal(30, 1e3);
        wavefield->set_sources(0, {points, {signal, signal}, {}, places});
        wavefield->set_receivers(0, points, 31);
        wavefield->record(0);
        wavefield->advance(0, 30);
        std::vector<double> traces(2 * 31);
        wavefield->download_traces(std::span<double>(traces), 0);
        return traces;
    };
    const std::int64_t cut = equal_slabs(grid.nz(), 2)[1].first_plane;
    for (std::int64_t z = cut - 5; z <= cut + 5; ++z) {
        CAPTURE(z - cut);
        CHECK(traces_with(cut_at(equal_slabs(c.grid.nz(), 2)), z) == traces_with(cpu::make_medium, z));
        CHECK(traces_with(cut_at(equal_slabs(c.grid.nz(), 3)), z) == traces_with(cpu::make_medium, z));
    }
}

TEST_CASE("in the silence ahead of a wave slabs have the bits of the uncut grid, near cuts and across them") {
    int compared = 0;
    const auto compare = [&compared](const auto& medium_in, const Setup& setup) {
        std::int64_t seen = 0;
        for (const double scale : silent_scales(setup.precision)) {
            CAPTURE(scale);
            const SilentRun whole = run_into_silence(medium_in(MakeMedium(cpu::make_medium)), scale, seen);
            for (const int count : {2, 4, 7}) {
                if (!fits(setup, count)) continue;
                CAPTURE(count);
                const MakeMedium cut = cut_at(equal_slabs(setup.grid.nz(), count));
                CHECK(run_into_silence(medium_in(cut), scale, seen) == whole);
                ++compared;
            }
        }
        CHECK(seen > 0);
    };
    for (const Setup& setup : silent_setups({2, 8})) {
        CAPTURE(setup.scheme.description());
        CAPTURE(setup.stride());
        CAPTURE(static_cast<int>(setup.precision));
        compare([&](const MakeMedium& make_medium) { return make_noisy_medium(setup, make_medium); }, setup);
    }
    for (const Storage storage : {Storage::codes, Storage::table}) {
        Setup setup = setup_of(kSilent, 8, Precision::float32);
        const CodedModel model(setup, storage);
        setup.medium = model.code();
        compare([&](const MakeMedium& make_medium) { return make_medium(setup, model.original(), model.dt_s()); },
                setup);
    }
    CHECK(compared > 100);
}

TEST_CASE("a state saved from three slabs is that of the uncut grid, and goes on in one piece and in other slabs") {
    int compared = 0;
    for (const Case& c : kTall)
        for (const int order : kSanitized ? std::vector{4} : std::vector{2, 4, 8}) {
            CAPTURE(c.name);
            CAPTURE(order);
            compared += go_on_elsewhere(c, setup_of(c, order, Precision::float32));
            if (c.grid.dimensions == 2) continue;
            compared += go_on_elsewhere(c, leap_setup(c, order, Precision::float32));
            compared += go_on_elsewhere(c, fourth_order_setup(c, order, Precision::float64));
        }
    CHECK(compared >= (kSanitized ? 40 : 120));
}

TEST_CASE("wavefields with layers and without share the medium of a cut grid") {
    const Case& c = kTall[2];
    check_shared_medium(setup_of(c, 4, Precision::float32), c, cut_at(equal_slabs(c.grid.nz(), 3)));
}

TEST_CASE("batches of a cut grid, windows across its cuts, and its extremum") {
    const Case& c = kTall[2];
    const Setup setup = setup_of(c, 8, Precision::float32);
    const auto whole = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(2);
    const auto cut = make_noisy_medium(setup, cut_at(equal_slabs(c.grid.nz(), 5)))->make_wavefield(2);
    for (const auto& wavefield : {whole.get(), cut.get()}) {
        for (int shot = 0; shot < 2; ++shot)
            start_noisy_shot(*wavefield, c, setup.precision, 1., shot, static_cast<std::uint64_t>(shot));
        wavefield->record(0);
        wavefield->advance(0, c.steps);
    }
    for (int shot = 0; shot < 2; ++shot) {
        CHECK(results_of(*cut, c, shot) == results_of(*whole, c, shot));
        CHECK(cut->extremum(shot).node == whole->extremum(shot).node);
        CHECK(cut->extremum(shot).max_abs == whole->extremum(shot).max_abs);
        for (const std::int64_t step : {1, 3, 17}) {
            const Window window{{2, 1, 3}, {5, 4, 57 / step + 1}, {3, 2, step}};
            std::vector<float> expected(static_cast<std::size_t>(window.points())), values(expected.size());
            whole->download(window, std::span<float>(expected), shot);
            cut->download(window, std::span<float>(values), shot);
            CHECK(values == expected);
            std::vector<std::uint64_t> hashes(static_cast<std::size_t>(window.count[2])), of_cut(hashes.size());
            whole->fields().hash_planes(window, hashes, shot);
            cut->fields().hash_planes(window, of_cut, shot);
            CHECK(of_cut == hashes);
            double sum = 0.;
            for (const float value : expected) sum += double(value) * double(value);
            CHECK(whole->fields().sum_of_squares(window, shot) == sum);
            CHECK(cut->fields().sum_of_squares(window, shot) == sum);
            const auto download = cut->fields().start_download(window, shot);
            CHECK(std::ranges::equal(download->wait(), expected));
        }
    }
    std::vector<double> p(static_cast<std::size_t>(c.grid.points()), 1.);
    p[static_cast<std::size_t>(c.grid.at(1, 2, 40))] = std::numeric_limits<double>::infinity();
    p[static_cast<std::size_t>(c.grid.at(1, 2, 50))] = std::nan("");
    cut->upload(p, p);
    CHECK(!cut->extremum().finite);
    CHECK(cut->extremum().node == c.grid.at(1, 2, 50));
}

TEST_CASE("one exchange that is lost changes the result: these comparisons would see it") {
    const Case& c = kTall[0];
    const Setup setup = setup_of(c, 8, Precision::float32);
    const MakeMedium forgetful = [](const Setup& s, const MediumReaders& readers, double dt_s) {
        return make_slab_medium(s, readers, dt_s, equal_slabs(s.grid.nz(), 3), make_cpu_medium,
                                [](std::vector<Wavefield*> slabs) -> std::unique_ptr<Exchange> {
                                    return std::make_unique<ForgetfulExchange>(make_local_exchange(slabs), 7);
                                });
    };
    CHECK(run_case(c, setup, forgetful) != run_case(c, setup, cpu::make_medium));
}

TEST_CASE("slabs that are too thin, leave planes out or overlap are refused") {
    const Case& c = kTall[3];  // layers of 5 and 4 nodes at the ends of z
    const Setup setup = setup_of(c, 8, Precision::float32);
    const auto refused = [&](std::vector<Slab> slabs, const char* message) {
        CHECK_THROWS_WITH_AS(check_slabs(setup, slabs), message, std::invalid_argument);
    };
    refused({{0, 13}, {13, 48}}, "a slab of 13 planes: here it needs 14 at least; use fewer slabs");
    refused({{0, 49}, {49, 12}}, "a slab of 12 planes: here it needs 13 at least; use fewer slabs");
    refused({{0, 20}, {20, 3}, {23, 38}}, "a slab of 3 planes: here it needs 4 at least; use fewer slabs");
    refused({{0, 20}, {21, 40}}, "slabs follow each other along z without gaps");
    refused({{0, 20}, {20, 40}}, "slabs of 60 planes do not cover a grid of 61");
    CHECK_NOTHROW(check_slabs(setup, equal_slabs(61, 4)));
    const std::vector<Slab> slabs = equal_slabs(61, 4);
    CHECK(slabs.front().planes == 15);
    CHECK(slabs.back().planes == 16);
}
