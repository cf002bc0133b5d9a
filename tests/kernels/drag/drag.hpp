/// \file
/// A kind of absorbing strip of the tests alone: it pulls p[n+1] towards a mean over the steps before, which it
/// remembers at each of its nodes. It has everything that the general code must not take for granted: memory, a state,
/// a cost, parts in slabs, and a place between the kinds that there are.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/boundaries/strip.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/host_device.hpp"

namespace onda::test {

/// p[n+1] of a node and its mean after a step. \param a pull, 0 to 1; \param b how much of the mean stays, 0 to 1.
template <typename T>
ONDA_HOST_DEVICE void drag(T a, T b, T& mean, T& q) {
    mean = b * mean + (T(1) - b) * q;
    q = q + a * (mean - q);
}

/// How much of the mean stays in a step.
inline constexpr double kMeanStays = 0.75;

class Drag : public Strip {
public:
    std::array<std::int64_t, 6> width{};  ///< nodes inside each face

    [[nodiscard]] std::string_view name() const override { return "drag"; }
    [[nodiscard]] int order() const override { return 1; }
    [[nodiscard]] bool empty() const override;
    void check(const Problem& problem) const override;
    [[nodiscard]] double work(const Grid& grid) const override;
    [[nodiscard]] std::shared_ptr<const Strip> resized(const std::array<std::int64_t, 3>& n) const override;
    [[nodiscard]] std::shared_ptr<const Strip> of_planes(std::int64_t first, std::int64_t planes,
                                                         std::int64_t all) const override;
    [[nodiscard]] std::int64_t reach(const Problem&, int face) const override {
        return width[static_cast<std::size_t>(face)];
    }
    [[nodiscard]] std::int64_t fewest_planes(const Problem& problem, int face) const override;
    [[nodiscard]] const cpu::StripRow& on_cpu() const override;

    /// The strip with other widths: of this kind, or of one that derives from it.
    [[nodiscard]] virtual std::shared_ptr<const Strip> with(const std::array<std::int64_t, 6>& widths) const;
};

/// The strip inside one face as its kernels see it. Its memory is [z][y][x] without gaps.
struct DragBox {
    std::array<std::int64_t, 3> first{}, n{};  ///< nodes of the box
    std::int64_t memory = 0;                   ///< element where the box begins
    int face = 0;

    /// The nodes from the inner edge of the strip to node i of the box, 1 … width.
    [[nodiscard]] ONDA_HOST_DEVICE std::int64_t depth(std::int64_t x, std::int64_t y, std::int64_t z) const {
        const std::int64_t i = face / 2 == 0 ? x : face / 2 == 1 ? y : z;
        return face % 2 == 1 ? i + 1 : (face / 2 == 0 ? n[0] : face / 2 == 1 ? n[1] : n[2]) - i;
    }
    [[nodiscard]] std::int64_t points() const { return n[0] * n[1] * n[2]; }
};
/// The boxes of all faces that have a strip, in the order in which they are applied, one after the other in memory.
std::vector<DragBox> drag_boxes(const Drag& strips, const Grid& grid);
/// The elements of memory of all boxes.
std::int64_t drag_elements(const std::vector<DragBox>& boxes);
/// The pull at each depth of a strip: value d - 1 is that of depth d.
std::vector<double> drag_profile(std::int64_t width);

}  // namespace onda::test
