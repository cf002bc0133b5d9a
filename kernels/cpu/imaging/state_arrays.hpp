/// \file
/// Arrays in the memory of the host as parts of a shot's state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/fields/field_set.hpp"

namespace onda::cpu {

/// The arrays that the state of a shot is made of, in the order of its parts.
template <typename T>
class StateArrays {
public:
    /// \param values [z][y][x]; an array without values is no part.
    void add(std::string name, const std::array<std::int64_t, 3>& extents, T* values) {
        if (extents[0] * extents[1] * extents[2] > 0)
            arrays_.emplace_back(StatePart{std::move(name), extents, sizeof(T)}, values);
    }
    [[nodiscard]] std::vector<StatePart> parts() const {
        std::vector<StatePart> parts;
        for (const auto& [part, values] : arrays_) parts.push_back(part);
        return parts;
    }
    /// Shows a part to `visit`, all of it at once.
    void visit(const StatePart& wanted, const StateVisitor& visit) const {
        for (const auto& [part, values] : arrays_) {
            if (part != wanted) continue;
            const std::int64_t count = part.extents[0] * part.extents[1] * part.extents[2];
            visit(part, 0, std::as_writable_bytes(std::span(values, static_cast<std::size_t>(count))));
        }
    }

private:
    std::vector<std::pair<StatePart, T*>> arrays_;
};

}  // namespace onda::cpu
