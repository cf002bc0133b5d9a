/// \file
/// Batches that take turns on a GPU, since its cache holds the fields of one of them but not of two.
#pragma once

#include <atomic>
#include <chrono>
#include <doctest/doctest.h>
#include <thread>

#include "kernels/cuda/cuda.hpp"
#include "tests/kernels/kernel_cases.hpp"

namespace onda::test {

/// Turns are taken by batches that fill most of the cache, by one medium after the other; smaller batches and larger
/// ones take none.
inline void check_turns() {
    const Setup setup = setup_of(kCases[0], 8, Precision::float32);
    const auto one = make_noisy_medium(setup, cuda::make_medium), other = make_noisy_medium(setup, cuda::make_medium);
    int shots = 0, sizes = 0;
    for (int count = 1; count <= 1 << 20; count *= 2)
        if (one->take_turn(count)) shots = count, ++sizes;
    REQUIRE(sizes == 1);  // from half of the cache to all of it

    std::atomic<bool> ended = false, early = false;
    std::thread waiting;
    {
        const auto turn = one->take_turn(shots);
        REQUIRE(turn.owns_lock());
        CHECK_FALSE(other->take_turn(shots / 2));
        CHECK_FALSE(other->take_turn(shots * 2));
        waiting = std::thread([&] {
            const auto next = other->take_turn(shots);
            early = !next.owns_lock() || !ended;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ended = true;
    }
    waiting.join();
    CHECK_FALSE(early);
}

}  // namespace onda::test
