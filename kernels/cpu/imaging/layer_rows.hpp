/// \file
/// The recursions of layers on rows of values (kernels/imaging/layer_boxes.hpp), on the CPU.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/imaging/layer_boxes.hpp"

namespace onda::cpu {

/// The recursions of an axis in the precision of the run.
template <typename T>
struct Profile {
    explicit Profile(const LayerProfile& of)
        : a(of.a.begin(), of.a.end()), b(of.b.begin(), of.b.end()), c(of.c.begin(), of.c.end()) {}
    std::vector<T> a, b, c;
};

/// Takes a row out of a layer that lies across it: one recursion for all of it.
template <typename T>
void undo_across(T a, T b, T c, std::int64_t count, T* row, T* z) {
    for (std::int64_t i = 0; i < count; ++i) {
        const T bz = b * z[i];
        row[i] = c * (row[i] - bz);
        z[i] = bz + a * row[i];
    }
}

/// Takes a row out of a layer that lies along it.
template <typename T>
void undo_along(const T* a, const T* b, const T* c, std::int64_t count, T* row, T* z) {
    for (std::int64_t i = 0; i < count; ++i) {
        const T bz = b[i] * z[i];
        row[i] = c[i] * (row[i] - bz);
        z[i] = bz + a[i] * row[i];
    }
}

/// The layers of a grid, and the box between them, with profiles in the precision of the run.
template <typename T>
class LayerRows {
public:
    explicit LayerRows(LayerBoxes layers)
        : layers_(std::move(layers)),
          profiles_{Profile<T>(layers_.axis[0]), Profile<T>(layers_.axis[1]), Profile<T>(layers_.axis[2])} {
        for (const LayerBox& box : layers_.boxes) layer_parts_.push_back(box.nodes);
        all_parts_ = layer_parts_;
        all_parts_.push_back(layers_.inner);
    }

    /// The boxes of the layers, and after them what is between them.
    [[nodiscard]] const std::vector<Box>& all_parts() const { return all_parts_; }
    [[nodiscard]] const std::vector<Box>& layer_parts() const { return layer_parts_; }
    [[nodiscard]] const Box& inner() const { return layers_.inner; }
    [[nodiscard]] bool is_layer(std::size_t part) const { return part < layers_.boxes.size(); }
    /// Values that all layers remember.
    [[nodiscard]] std::int64_t memory() const { return layers_.memory; }

    /// Applies the recursions of a part to the values of its row. \param memory of all layers.
    void apply(std::size_t part, std::int64_t y, std::int64_t z, T* row, T* memory) const {
        const LayerBox& box = layers_.boxes[part];
        const std::int64_t first = box.nodes.low[0], count = box.nodes.high[0] - first,
                           ny = box.nodes.high[1] - box.nodes.low[1];
        const std::int64_t before = ((z - box.nodes.low[2]) * ny + y - box.nodes.low[1]) * count;
        const std::array<std::int64_t, 3> node{first, y, z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (box.memory[axis] < 0) continue;
            T* const its = memory + box.memory[axis] + before;
            const auto& [a, b, c] = profiles_[axis];
            const auto at = static_cast<std::size_t>(node[axis]);
            if (axis == 0)
                undo_along(a.data() + at, b.data() + at, c.data() + at, count, row, its);
            else
                undo_across(a[at], b[at], c[at], count, row, its);
        }
    }

private:
    LayerBoxes layers_;
    std::array<Profile<T>, 3> profiles_;
    std::vector<Box> layer_parts_, all_parts_;
};

}  // namespace onda::cpu
