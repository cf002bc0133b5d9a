// Steps run by about the number of threads that is fastest for them, and finding it costs little.
// Takes less than a second.
#include "kernels/cpu/thread_tuner.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <functional>

#include "kernels/cpu/cpu.hpp"
#include "tests/kernels/kernel_cases.hpp"

using namespace onda;
using namespace onda::test;
using onda::cpu::ThreadTuner;

namespace {

using Cost = std::function<double(int threads)>;

/// Seconds of so many steps.
double run_steps(ThreadTuner& tuner, const Cost& cost, int steps) {
    double seconds = 0.;
    for (int i = 0; i < steps; ++i) {
        const double took = cost(tuner.threads());
        tuner.took(took);
        seconds += took;
    }
    return seconds;
}

/// A step of `work` seconds on one thread, whose barriers cost `barrier` seconds for each thread but the first.
Cost shared(double work, double barrier) {
    return [=](int threads) { return work / threads + barrier * (threads - 1); };
}

}  // namespace

TEST_CASE("the fastest number of threads is found, small grids and large") {
    for (const int most : {1, 2, 3, 16, 64}) {
        ThreadTuner small(most), large(most);
        run_steps(small, shared(60e-6, 40e-6), 2000);
        CHECK(small.threads() == 1);
        run_steps(large, shared(2., 40e-6), 20);
        CHECK(large.threads() == most);
    }
    ThreadTuner middle(64);
    run_steps(middle, shared(10e-3, 50e-6), 2000);
    CHECK(middle.threads() == 16);
}

TEST_CASE("finding it costs little: never more than a few steps of those that are slow") {
    for (const double work : {60e-6, 1e-3, 50e-3, 2.})
        for (const double barrier : {0., 20e-6, 13e-3}) {
            const Cost cost = shared(work, barrier);
            double best = cost(1);
            for (const int threads : {2, 4, 8, 16}) best = std::min(best, cost(threads));
            ThreadTuner tuner(16);
            constexpr int steps = 3000;
            CAPTURE(work);
            CAPTURE(barrier);
            CHECK(run_steps(tuner, cost, steps) <= 1.3 * steps * best + 10. * cost(16));
        }
}

TEST_CASE("when the load of the machine changes, it is looked for again") {
    ThreadTuner tuner(8);
    run_steps(tuner, shared(20e-3, 30e-6), 100);
    CHECK(tuner.threads() == 8);
    run_steps(tuner, shared(20e-3, 15e-3), 1000);  // others came
    CHECK(tuner.threads() == 1);
    run_steps(tuner, shared(20e-3, 30e-6), 4000);  // and went
    CHECK(tuner.threads() == 8);
}

TEST_CASE("where threads are often kept waiting, the average counts, not the fastest step") {
    for (const int most : {2, 8})
        for (const double work : {70e-6, 1e-3}) {
            int step = 0;
            const Cost cost = [&](int threads) {
                const bool interrupted = threads > 1 && ++step % 10 == 9;
                return work / threads + 5e-6 * (threads - 1) + (interrupted ? 20. * work : 0.);
            };
            ThreadTuner tuner(most);
            constexpr int steps = 100'000;
            CAPTURE(most);
            CAPTURE(work);
            CHECK(run_steps(tuner, cost, steps) <= 1.3 * steps * work);
        }
}

TEST_CASE("numbers of threads that change on the way change no bit") {
    for (const Case& c : kCases) {
        Setup setup = setup_of(c, 8, Precision::float32);
        setup.threads = 4;
        const std::vector<double> expected = run_case(c, setup, cpu::make_medium);
        setup.fewer_threads = true;
        CAPTURE(c.name);
        CHECK(run_case(c, setup, cpu::make_medium) == expected);
    }
}
