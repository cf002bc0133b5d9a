// Snapshots are written in order while the run goes on, at most two are alive, and what fails in the writing thread
// stops the run.
// Takes less than a second.
#include "solver/propagation/snapshot_queue.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <future>
#include <semaphore>
#include <stdexcept>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/wavefield.hpp"

using namespace onda;
using namespace std::chrono_literals;

namespace {

/// How many downloads are alive, and the most that ever were.
struct Living {
    std::atomic<int> now{0}, most{0};
};

struct FakeDownload final : Download {
    FakeDownload(Living& count, float value, bool fails_to_arrive)
        : living(count), values(8, value), fails(fails_to_arrive) {
        const int now = ++living.now;
        if (now > living.most) living.most = now;
    }
    ~FakeDownload() override { --living.now; }
    std::span<const float> wait() override {
        if (fails) throw std::runtime_error("the device failed");
        return values;
    }
    Living& living;
    std::vector<float> values;
    bool fails;
};

/// Fields whose n-th download holds n; everything else does nothing.
struct FakeFields final : FieldSet {
    FakeFields() : FieldSet(nothing) {}
    std::unique_ptr<Download> start_download(const Window&, int) override {
        ++started;
        return std::make_unique<FakeDownload>(living, static_cast<float>(started), started == failing);
    }
    std::vector<Extremum> extrema() const override { return {}; }
    void download(const Window&, std::span<float>, int, FieldLevel) const override {}
    void download(const Window&, std::span<double>, int, FieldLevel) const override {}
    void sample(std::span<const std::int64_t>, std::span<double>, int) const override {}

    Problem nothing;
    Living living;
    int started = 0, failing = 0;
};

/// A wavefield that has these fields and does nothing.
struct FakeWavefield final : Wavefield {
    const FieldSet& fields() const override { return fake; }
    const Medium& medium() const override { throw std::logic_error("a fake has no medium"); }
    int shots() const override { return 1; }
    std::int64_t allocated_bytes() const override { return 0; }
    void reset() override {}
    void set_sources(int, Sources) override {}
    void set_receivers(int, const NodeWeights&, std::int64_t) override {}
    void perform(Operation, std::int64_t) override {}
    void upload(std::span<const double>, std::span<const double>, int) override {}
    void download_traces(std::span<float>, int) const override {}
    void download_traces(std::span<double>, int) const override {}
    std::vector<StatePart> state_parts() const override { return {}; }
    void read_state(int, const StatePart&, const StateVisitor&) const override {}
    void write_state(int, const StatePart&, const StateVisitor&) override {}

    FakeFields fake;
    Living& living = fake.living;
    int &started = fake.started, &failing = fake.failing;
};

struct Written {
    double time_s;
    std::vector<float> values;
};

void take(SnapshotQueue& queue, FakeWavefield& wavefield, int count) {
    for (int i = 0; i < count; ++i) queue.take(wavefield, {}, 0.5 * (wavefield.started + 1));
}

bool waits(const std::future<void>& call) {
    return call.wait_for(100ms) == std::future_status::timeout;
}

}  // namespace

TEST_CASE("a slow writer gets every frame, in order, and two are alive at the most") {
    FakeWavefield wavefield;
    std::vector<Written> written;
    std::thread::id writer;
    SnapshotQueue queue([&](int, double time_s, std::span<const float> values) {
        std::this_thread::sleep_for(5ms);
        written.push_back({time_s, {values.begin(), values.end()}});
        writer = std::this_thread::get_id();
    });
    for (const std::size_t shots : {1u, 2u}) {
        take(queue, wavefield, 10);
        queue.drain();
        REQUIRE(written.size() == 10 * shots);
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
        CHECK(written[i].time_s == 0.5 * static_cast<double>(i + 1));
        CHECK(written[i].values == std::vector<float>(8, static_cast<float>(i + 1)));
    }
    CHECK(writer != std::this_thread::get_id());
    CHECK(wavefield.living.most == FieldSet::kDownloads);
    CHECK(wavefield.living.now == 0);
}

TEST_CASE("two frames are taken at once, the third waits until the first is written") {
    FakeWavefield wavefield;
    std::counting_semaphore<> permits{0};
    SnapshotQueue queue([&](int, double, std::span<const float>) { permits.acquire(); });
    take(queue, wavefield, FieldSet::kDownloads);
    const auto third = std::async(std::launch::async, [&] { take(queue, wavefield, 1); });
    CHECK(waits(third));
    permits.release();
    third.wait();
    const auto drained = std::async(std::launch::async, [&] { queue.drain(); });
    permits.release();
    CHECK(waits(drained));
    permits.release();
    drained.wait();
}

TEST_CASE("a fault of the writer reaches the next call and all that follow, and no later frame is written") {
    FakeWavefield wavefield;
    std::atomic<int> calls = 0;
    SnapshotQueue queue([&](int, double, std::span<const float>) {
        if (++calls == 2) throw std::runtime_error("disk full");
    });
    take(queue, wavefield, 1);
    queue.drain();
    take(queue, wavefield, 1);
    CHECK_THROWS_WITH_AS(queue.drain(), "disk full", std::runtime_error);
    CHECK_THROWS_WITH_AS(take(queue, wavefield, 1), "disk full", std::runtime_error);
    CHECK_THROWS_WITH_AS(queue.drain(), "disk full", std::runtime_error);
    CHECK(wavefield.started == 2);
    CHECK(calls == 2);
}

TEST_CASE("a caller that waits for room learns of the fault, and nothing blocks the end") {
    FakeWavefield wavefield;
    {
        SnapshotQueue queue([&](int, double, std::span<const float>) {
            std::this_thread::sleep_for(20ms);
            throw std::runtime_error("disk full");
        });
        CHECK_THROWS_WITH_AS(take(queue, wavefield, 3), "disk full", std::runtime_error);
        CHECK(wavefield.started == FieldSet::kDownloads);
    }
    CHECK(wavefield.living.now == 0);
}

TEST_CASE("a frame that never arrives is a fault like any other") {
    FakeWavefield wavefield;
    wavefield.failing = 2;
    int calls = 0;
    {
        SnapshotQueue queue([&](int, double, std::span<const float>) { ++calls; });
        const auto all = [&] {
            take(queue, wavefield, 4);
            queue.drain();
        };
        CHECK_THROWS_WITH_AS(all(), "the device failed", std::runtime_error);
    }
    CHECK(calls == 1);
    CHECK(wavefield.living.now == 0);
}

TEST_CASE("an early end gives up the frames that are not yet being written") {
    FakeWavefield wavefield;
    std::atomic<int> calls = 0;
    {
        SnapshotQueue queue([&](int, double, std::span<const float>) {
            ++calls;
            std::this_thread::sleep_for(50ms);
        });
        take(queue, wavefield, FieldSet::kDownloads);
        while (calls == 0) std::this_thread::yield();
    }
    CHECK(calls == 1);
    CHECK(wavefield.living.now == 0);
    const SnapshotQueue unused([](int, double, std::span<const float>) {});
}

TEST_CASE("the CPU downloads into two buffers, in turn, and a third download waits for one of them") {
    Setup setup;
    setup.grid = {3, {9, 7, 5}, {10., 10., 10.}, {}};
    const RowReader vp = [](std::int64_t, std::int64_t, std::span<float> row) { std::ranges::fill(row, 2000.f); };
    const auto wavefield = cpu::make_medium(setup, {vp}, 1e-3)->make_wavefield();
    const auto start = [&](double value) {
        const std::vector<double> p(static_cast<std::size_t>(setup.grid.points()), value);
        wavefield->upload(p, p);
        return wavefield->fields().start_download({{1, 2, 0}, {4, 2, 3}, {2, 3, 2}});
    };
    const auto all_are = [](Download& download, float value) {
        const auto values = download.wait();
        return values.size() == 24 && std::ranges::count(values, value) == 24;
    };
    auto first = start(1.), second = start(2.);
    const float *const one = first->wait().data(), *const two = second->wait().data();
    std::unique_ptr<Download> third;
    const auto call = std::async(std::launch::async, [&] { third = start(3.); });
    CHECK(waits(call));
    CHECK(all_are(*first, 1.f));
    first.reset();
    call.wait();
    CHECK(all_are(*second, 2.f));
    CHECK(all_are(*third, 3.f));
    CHECK(third->wait().data() == one);
    second.reset();
    third.reset();
    for (const float* const buffer : {two, one, two}) CHECK(start(4.)->wait().data() == buffer);
}
