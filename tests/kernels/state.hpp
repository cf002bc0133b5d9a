/// \file
/// Saved states of wavefields, as tests keep them.
#pragma once

#include <cstring>
#include <doctest/doctest.h>
#include <utility>
#include <vector>

#include "kernels/wavefield.hpp"

namespace onda::test {

/// The parts of a state with their values.
using State = std::vector<std::pair<StatePart, std::vector<std::byte>>>;

inline State save(const Wavefield& wavefield, int shot = 0) {
    State state;
    wavefield.visit(shot, [&state](const StatePart& part, std::int64_t first_plane, std::span<std::byte> planes) {
        if (first_plane == 0) state.emplace_back(part, std::vector<std::byte>());
        CHECK(state.back().first == part);
        std::vector<std::byte>& values = state.back().second;
        CHECK(static_cast<std::int64_t>(values.size()) ==
              first_plane * part.extents[0] * part.extents[1] * part.element_bytes);
        values.insert(values.end(), planes.begin(), planes.end());
    });
    return state;
}

inline void restore(Wavefield& wavefield, const State& state, int shot = 0) {
    wavefield.restore(shot, [&state](const StatePart& part, std::int64_t first_plane, std::span<std::byte> planes) {
        for (const auto& [saved, values] : state) {
            if (saved != part) continue;
            const std::int64_t begin = first_plane * part.extents[0] * part.extents[1] * part.element_bytes;
            std::memcpy(planes.data(), values.data() + begin, planes.size());
            return;
        }
        FAIL("the state has no part ", part.name);
    });
}

}  // namespace onda::test
