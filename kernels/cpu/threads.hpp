/// \file
/// Work that threads share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <omp.h>

namespace onda::cpu {

/// Of so many threads, at most, those that find enough to do at so many nodes.
inline int useful_threads(int most, std::int64_t nodes) {
    constexpr std::int64_t fewest_nodes = 16'384;  // of a thread
    return static_cast<int>(std::clamp<std::int64_t>(nodes / fewest_nodes, 1, most));
}

/// Calls body(thread, threads) on each of so many threads, at most. One alone does without OpenMP, which at the end of
/// every region asks the system to wake the others: of steps of 61 x 51 nodes that took more than half of the time.
template <typename Body>
void on_threads(int threads, const Body& body) {
    if (threads == 1) return body(0, 1);
#pragma omp parallel num_threads(threads)
    body(omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace onda::cpu
