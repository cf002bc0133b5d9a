/// \file
/// Rows of nodes for what images take of fields on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/cpu/fields/shot_fields.hpp"
#include "kernels/cpu/memory.hpp"
#include "kernels/cpu/threads.hpp"
#include "kernels/plan/shell.hpp"

namespace onda::cpu {

inline std::int64_t rows_in(const Box& box) {
    return box.empty() ? 0 : (box.high[1] - box.low[1]) * (box.high[2] - box.low[2]);
}

/// Calls body(shot, part, y, z) for every row of some boxes of every shot, in one region of all threads of a set-up
/// that find enough to do.
template <typename T, typename Body>
void for_node_rows(const Setup& setup, std::size_t shots, const std::vector<Box>& parts, const Body& body) {
    std::int64_t rows = 0, nodes = 0;
    for (const Box& part : parts) {
        rows += rows_in(part);
        nodes += part.points();
    }
    const auto count_of_shots = static_cast<std::int64_t>(shots);
    on_threads(useful_threads(threads_of(setup), count_of_shots * nodes), [&](int thread, int threads) {
        const FlushDenormals<T> flush;
        const RowRange mine = rows_of_thread(count_of_shots * rows, thread, threads);
        std::int64_t before = 0;
        for (std::size_t shot = 0; shot < shots; ++shot)
            for (std::size_t part = 0; part < parts.size(); ++part) {
                const Box& box = parts[part];
                const std::int64_t ny = box.high[1] - box.low[1], count = rows_in(box);
                for (std::int64_t row = std::max(mine.begin, before); row < std::min(mine.end, before + count); ++row)
                    body(shot, part, box.low[1] + (row - before) % ny, box.low[2] + (row - before) / ny);
                before += count;
            }
    });
}

/// A level from a node on.
template <typename T>
const T* level_from(const ShotFields<T>& fields, FieldLevel level, std::int64_t x, std::int64_t y, std::int64_t z) {
    return fields.at(level).data() + fields.layout().at(x, y, z);
}
/// p[n] and p[n-1] of a field from a node on.
template <typename T>
std::pair<const T*, const T*> levels_from(const ShotFields<T>& fields, std::int64_t x, std::int64_t y, std::int64_t z,
                                          int field = 0) {
    return {level_from(fields, {field, 0}, x, y, z), level_from(fields, {field, 1}, x, y, z)};
}

/// A row of a memory field.
template <typename T>
const T* memory_from(const ShotFields<T>& fields, int field, std::int64_t y, std::int64_t z) {
    return fields.memory(static_cast<std::size_t>(field)).data() + fields.memory_layout().at(0, y, z);
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
