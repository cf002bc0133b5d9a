/// \file
/// The sponge: a strip that multiplies the wavefield by a factor below 1 after each step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/boundaries/strip.hpp"

namespace onda {

/// A sponge multiplies p[n+1] and p[n] after each step by factor(x, y, z) = (taper[0][x] taper[1][y]) taper[2][z].
/// Empty tapers mean 1 everywhere on that axis. A taper differs from 1 at the ends of its axis only: the nodes between
/// are not visited.
class Sponge final : public Strip {
public:
    std::array<std::vector<double>, 3> taper;

    [[nodiscard]] std::string_view name() const override { return "sponge"; }
    [[nodiscard]] int order() const override { return 2; }
    [[nodiscard]] bool empty() const override;
    void check(const Problem& problem) const override;
    [[nodiscard]] double work(const Grid& grid) const override;
    [[nodiscard]] std::shared_ptr<const Strip> resized(const std::array<std::int64_t, 3>& n) const override;
    [[nodiscard]] std::shared_ptr<const Strip> of_planes(std::int64_t first, std::int64_t planes,
                                                         std::int64_t all) const override;
    [[nodiscard]] std::int64_t reach(const Problem& problem, int face) const override;
    [[nodiscard]] std::int64_t fewest_planes(const Problem&, int) const override { return 0; }
    void filter_source(const Grid& grid, const std::array<std::int64_t, 3>& node, NodeFilter& filter) const override;
    [[nodiscard]] const cpu::StripRow& on_cpu() const override;
    [[nodiscard]] const cuda::StripRow* on_cuda() const override;
};

}  // namespace onda
