#include "kernels/cpu/arithmetic.hpp"

#include <algorithm>
#include <chrono>
#include <omp.h>

#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/kernel_table.hpp"
#include "kernels/cpu/memory.hpp"

namespace onda::cpu {
namespace {

/// Operations a second of all threads together, which begin and end at a barrier.
template <typename T>
double rate(const InstructionSet& set, int threads, std::int64_t times) {
    using Clock = std::chrono::steady_clock;
    std::int64_t operations = 0;
    Clock::time_point start, end;
#pragma omp parallel num_threads(threads) reduction(+ : operations)
    {
        // Values that settle far from zero and infinity; read at run time, so that nothing is computed before.
        const volatile T factor = T(0.999), term = T(0.001);
#pragma omp barrier
#pragma omp master
        start = Clock::now();
        T sum = 0;
        operations += with_isa(set, [&]<typename Isa>() { return fma_chains<Isa, T>(times, factor, term, &sum); });
        [[maybe_unused]] const volatile T sink = sum;
#pragma omp barrier
#pragma omp master
        end = Clock::now();
    }
    return static_cast<double>(operations) / std::chrono::duration<double>(end - start).count();
}

template <typename T>
double best_rate(const InstructionSet& set, int threads) {
    constexpr int rounds = 7;
    constexpr double round_s = 0.02;
    std::int64_t times = 1 << 12;
    for (;;) {
        const auto start = std::chrono::steady_clock::now();
        rate<T>(set, threads, times);
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >= round_s) break;
        times *= 2;
    }
    double best = 0.;
    for (int round = 0; round < rounds; ++round) best = std::max(best, rate<T>(set, threads, times));
    return best;
}

}  // namespace

double peak_flops(const Setup& setup) {
    const InstructionSet& set = find_isa(setup.isa);
    const int threads = threads_of(setup);
    return setup.precision == Precision::float32 ? best_rate<float>(set, threads) : best_rate<double>(set, threads);
}

}  // namespace onda::cpu
