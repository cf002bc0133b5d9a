/// \file
/// Rows of nodes for what images take of fields on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/fields/shot_fields.hpp"
#include "kernels/cpu/memory.hpp"
#include "kernels/cpu/threads.hpp"
#include "kernels/plan/shell.hpp"

namespace onda::cpu {

/// Calls body(y, z) for every row of a box, by all threads of a set-up, which flush denormals.
template <typename T, typename Body>
void for_rows_of(const Setup& setup, const Box& box, const Body& body) {
    if (box.empty()) return;
    const std::int64_t ny = box.high[1] - box.low[1], rows = ny * (box.high[2] - box.low[2]);
    on_threads(threads_of(setup), [&](int thread, int threads) {
        const FlushDenormals<T> flush;
        const RowRange mine = rows_of_thread(rows, thread, threads);
        for (std::int64_t row = mine.begin; row < mine.end; ++row) body(box.low[1] + row % ny, box.low[2] + row / ny);
    });
}

/// p[n] and p[n-1] of the first field from a node on.
template <typename T>
std::pair<const T*, const T*> levels_from(const ShotFields<T>& fields, std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::int64_t first = fields.layout().at(x, y, z);
    return {fields.at({0, 0}).data() + first, fields.at({0, 1}).data() + first};
}

/// Makes values zero, by all threads of a set-up.
template <typename T>
void clear_values(const Setup& setup, T* values, std::int64_t count) {
    on_threads(threads_of(setup), [&](int thread, int threads) {
        const RowRange mine = rows_of_thread(count, thread, threads);
        std::fill(values + mine.begin, values + mine.end, T(0));
    });
}

}  // namespace onda::cpu
