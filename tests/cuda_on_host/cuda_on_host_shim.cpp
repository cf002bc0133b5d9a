// The stand-in for the device runs threads, barriers and copies as hardware does, and notices what hardware would
// answer with garbage, a fault or silence. Otherwise tests on top of it would prove nothing.
// Takes less than a second.
#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <numeric>
#include <vector>

#include "kernels/cuda/primitives.hpp"

using namespace onda::cuda;

namespace {

constexpr int kThreads = 32;

float* shared_floats() {
    return reinterpret_cast<float*>(shared_memory());
}

std::vector<float> counted(std::size_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 1.f);
    return values;
}

template <typename Body>
void for_every_schedule(const Body& body) {
    for (const Copies copies : {Copies::early, Copies::late})
        for (const Turns turns : {Turns::forward, Turns::backward}) {
            HostLaunch launch;
            launch.copies = copies;
            launch.turns = turns;
            CAPTURE(int(copies));
            CAPTURE(int(turns));
            body(launch);
        }
}

// ---- Threads and __syncthreads ----

__global__ void count_threads(int* count) {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    ++count[block * blockDim.x * blockDim.y * blockDim.z + thread];
}

template <bool Synchronised>
__global__ void reverse(const float* in, float* out) {
    float* const tile = shared_floats();
    tile[threadIdx.x] = in[threadIdx.x];
    if (Synchronised) __syncthreads();
    out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

__global__ void half_leaves() {
    if (threadIdx.x % 2 == 0) return;
    __syncthreads();
}

// ---- 16-byte copies ----

template <bool Waits>
__global__ void copy_four(const float* in, float* out, int inside) {
    copy_async16(shared_floats() + 4 * threadIdx.x, in + 4 * threadIdx.x, static_cast<int>(threadIdx.x) < inside);
    copies_commit();
    if (Waits) copies_wait<0>();
    for (unsigned i = 4 * threadIdx.x; i < 4 * threadIdx.x + 4; ++i) out[i] = shared_floats()[i];
}

// ---- Boxes: every plane is copied to one of two stages and summed up ----

constexpr int kBox = 32 * 8, kBoxBytes = kBox * 4;

enum class Slip { none, no_wait_for_arrival, no_wait_before_reuse };

template <Slip S>
__global__ void sum_planes(TensorMap map, float* out, int planes) {
    auto* const full = reinterpret_cast<Barrier*>(shared_floats() + 2 * kBox);
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; ++s) barrier_init(full + s, 1);
        barrier_init_fence();
    }
    __syncthreads();
    const auto start = [&](int plane) {
        barrier_expect(full + plane % 2, kBoxBytes);
        copy_box(shared_floats() + plane % 2 * kBox, &map, -4, -2, plane, full + plane % 2);
    };
    if (threadIdx.x == 0)
        for (int plane = 0; plane < 2; ++plane) start(plane);
    for (int plane = 0; plane < planes; ++plane) {
        const int stage = plane % 2;
        if (S != Slip::no_wait_for_arrival || plane + 2 >= planes) barrier_wait(full + stage, plane / 2 % 2);
        for (unsigned i = threadIdx.x; i < kBox; i += kThreads) out[i] += shared_floats()[stage * kBox + int(i)];
        if (S != Slip::no_wait_before_reuse) __syncthreads();
        if (threadIdx.x == 0 && plane + 2 < planes) start(plane + 2);
    }
}

TensorMap map_of(const std::vector<float>& volume, int nx, int ny) {
    TensorMap map;
    map.base = volume.data();
    map.extent[0] = nx;
    map.extent[1] = ny;
    map.extent[2] = static_cast<std::int64_t>(volume.size()) / (nx * ny);
    map.stride_bytes[0] = nx * 4;
    map.stride_bytes[1] = nx * ny * 4;
    map.box_width = 32;
    map.box_height = 8;
    return map;
}

struct PlaneSums {
    static constexpr int nx = 20, ny = 4, planes = 6;
    std::vector<float> volume = counted(nx * ny * planes), out = std::vector<float>(kBox), expected = out;

    PlaneSums() {
        for (int row = 0; row < 8; ++row)
            for (int column = 0; column < 32; ++column) {
                const int x = column - 4, y = row - 2;
                if (x < 0 || x >= nx || y < 0 || y >= ny) continue;
                for (int z = 0; z < planes; ++z)
                    expected[std::size_t(row * 32 + column)] += volume[std::size_t(x + nx * (y + ny * z))];
            }
    }
    /// Whether the kernel ends, and with the right sums.
    template <Slip S>
    bool right(HostLaunch launch) {
        launch.block.x = kThreads;
        launch.shared_bytes = 2 * kBoxBytes + 2 * 8;
        try {
            launch_on_host(launch, sum_planes<S>, map_of(volume, nx, ny), out.data(), planes);
        } catch (const DeviceFault&) {
            return false;
        }
        return out == expected;
    }
};

// ---- Faults ----

enum class Fault { deadlock, never_initialised, misaligned, between, outside, too_many, under_way };

__global__ void stumble(Fault fault, TensorMap map) {
    auto* const barrier = reinterpret_cast<Barrier*>(shared_memory() + kBoxBytes);
    if (fault != Fault::never_initialised) barrier_init(barrier, 1);
    switch (fault) {
        case Fault::deadlock:
        case Fault::never_initialised: return barrier_wait(barrier, 0);
        case Fault::misaligned: return copy_box(shared_memory() + 16, &map, 0, 0, 0, barrier);
        case Fault::between: return copy_box(shared_memory(), &map, 1, 0, 0, barrier);
        case Fault::outside: return copy_box(shared_memory() + 128, &map, 0, 0, 0, barrier);
        case Fault::too_many: barrier_expect(barrier, 16); return barrier_expect(barrier, 16);
        case Fault::under_way: return copy_box(shared_memory(), &map, 0, 0, 0, barrier);
    }
}

__global__ void halve(float* value) {
    *value *= 0.5f;
}

}  // namespace

TEST_CASE("every thread of the grid runs once") {
    for_every_schedule([](HostLaunch launch) {
        launch.grid = {3, 4, 2};
        launch.block = {5, 2, 3};
        std::vector<int> count(24 * 30);
        launch_on_host(launch, count_threads, count.data());
        CHECK(count == std::vector<int>(24 * 30, 1));
    });
}

TEST_CASE("__syncthreads waits for all threads, and a missing one shows") {
    for_every_schedule([](HostLaunch launch) {
        launch.block.x = kThreads;
        launch.shared_bytes = kThreads * 4;
        const std::vector<float> in = counted(kThreads);
        std::vector<float> out(kThreads);
        launch_on_host(launch, reverse<true>, in.data(), out.data());
        CHECK(out == std::vector<float>(in.rbegin(), in.rend()));
        launch_on_host(launch, reverse<false>, in.data(), out.data());
        CHECK(out != std::vector<float>(in.rbegin(), in.rend()));
        launch_on_host(launch, half_leaves);
    });
}

TEST_CASE("16-byte copies arrive when they are waited for, as zeros from outside") {
    for_every_schedule([](HostLaunch launch) {
        launch.block.x = 4;
        launch.shared_bytes = 64;
        const std::vector<float> in = counted(16);
        std::vector<float> out(16), expected = in;
        for (std::size_t i = 12; i < 16; ++i) expected[i] = 0.f;
        launch_on_host(launch, copy_four<true>, in.data(), out.data(), 3);
        CHECK(out == expected);
        launch_on_host(launch, copy_four<false>, in.data(), out.data(), 3);
        if (launch.copies == Copies::late) CHECK(std::isnan(out[0]));
        CHECK_THROWS_AS(launch_on_host(launch, copy_four<true>, in.data() + 1, out.data(), 3), DeviceFault);
    });
}

TEST_CASE("boxes arrive when their barrier is waited for, with zeros outside the array") {
    for_every_schedule([](const HostLaunch& launch) {
        CHECK(PlaneSums().right<Slip::none>(launch));
        if (launch.copies == Copies::late)
            CHECK(!PlaneSums().right<Slip::no_wait_for_arrival>(launch));
        else
            CHECK(!PlaneSums().right<Slip::no_wait_before_reuse>(launch));
    });
}

TEST_CASE("faults name the block, the thread and the reason") {
    const std::vector<float> volume = counted(32 * 8);
    const auto run = [&](Fault fault) {
        HostLaunch launch;
        launch.shared_bytes = kBoxBytes + 8;
        launch_on_host(launch, stumble, fault, map_of(volume, 32, 8));
    };
    const std::string where = "block (0, 0, 0), thread (0, 0, 0)";
    const auto fault = [&](const char* what) { return where + ": " + what; };
    CHECK_THROWS_WITH(run(Fault::deadlock), ("deadlock: " + where +
                                             " waits for parity 0 of the barrier at shared byte 1024 (1 arrivals and 0 "
                                             "bytes missing)")
                                                .c_str());
    CHECK_THROWS_WITH(run(Fault::never_initialised), fault("a barrier is used that was never initialised").c_str());
    CHECK_THROWS_WITH(run(Fault::between),
                      fault("the box of copy_box must begin on a multiple of 16 bytes of a row").c_str());
    CHECK_THROWS_WITH(run(Fault::misaligned), fault("the target of copy_box must be aligned to 128 bytes").c_str());
    CHECK_THROWS_WITH(run(Fault::outside),
                      fault("the target of copy_box is not inside the shared memory of the block").c_str());
    CHECK_THROWS_WITH(run(Fault::too_many), fault("more arrivals at a barrier than it was initialised for").c_str());
    CHECK_THROWS_WITH(run(Fault::under_way), "block (0, 0, 0) ended while a copy into its shared memory was under way");
    HostLaunch launch;
    launch.grid.y = 65536;
    CHECK_THROWS_WITH(launch_on_host(launch, half_leaves), "launch: too many blocks along y or z");
}

TEST_CASE("denormals are flushed where they are on the device: in float") {
    float value = 1.2e-38f;
    HostLaunch launch;
    launch_on_host(launch, halve, &value);
    CHECK(value == 0.f);
    value = 1.2e-38f;
    launch.flush_denormals = false;
    launch_on_host(launch, halve, &value);
    CHECK(value != 0.f);
}
