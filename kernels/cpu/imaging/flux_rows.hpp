/// \file
/// First derivatives halfway between nodes, and their transposes, on rows of values of the CPU. Sums and products are
/// rounded one by one, in the order of kernels/equations/density/staggered.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/cpu/fields/shot_fields.hpp"
#include "kernels/imaging/flux_axes.hpp"

namespace onda::cpu {

/// Values [z][y][x] of nodes or half nodes.
template <typename T>
struct Volume {
    const T* first = nullptr;  ///< of (0, 0, 0)
    std::int64_t pitch = 0, plane = 0;

    [[nodiscard]] const T* row(std::int64_t y, std::int64_t z) const { return first + z * plane + y * pitch; }
};

/// Of a compact array.
template <typename T>
Volume<T> compact_volume(const T* first, const std::array<std::int64_t, 3>& n) {
    return {first, n[0], n[0] * n[1]};
}

/// p[n] of the first field.
template <typename T>
Volume<T> latest_level(const ShotFields<T>& fields) {
    const Layout& layout = fields.layout();
    return {fields.at({0, 0}).data() + layout.origin, layout.pitch, layout.plane};
}

/// Compact arrays of the nodes that D takes of a field: planes beyond cuts included.
class TakenNodes {
public:
    TakenNodes(const Problem& problem, HalfNodes which) : nodes_(nodes_of_fluxes(problem, which)) {}

    [[nodiscard]] const Box& box() const { return nodes_; }
    [[nodiscard]] std::int64_t points() const { return nodes_.points(); }
    /// The element of the first node of a row.
    [[nodiscard]] std::int64_t at(std::int64_t y, std::int64_t z) const {
        return nodes_.high[0] * (y + nodes_.high[1] * (z - nodes_.low[2]));
    }
    template <typename T>
    [[nodiscard]] Volume<T> volume(const T* array) const {
        return {array + at(0, 0), nodes_.high[0], nodes_.high[0] * nodes_.high[1]};
    }
    /// Copies p[n] of a shot on a row of them to an array.
    template <typename T>
    void copy_row(const ShotFields<T>& fields, std::int64_t y, std::int64_t z, T* array) const {
        std::copy_n(latest_level(fields).row(y, z), nodes_.high[0], array + at(y, z));
    }

private:
    Box nodes_;
};

template <typename T>
class FluxRows {
public:
    explicit FluxRows(FluxAxis flux) : flux_(std::move(flux)), weights_(flux_.weights.begin(), flux_.weights.end()) {}

    [[nodiscard]] const FluxAxis& flux() const { return flux_; }
    /// The derivative of p at half nodes low … high - 1 of a row of them.
    void derivative(const Volume<T>& p, std::int64_t low, std::int64_t high, std::int64_t y, std::int64_t z,
                    T* out) const {
        const std::int64_t r = flux_.radius();
        const auto ahead = [r](std::int64_t i, std::int64_t k) { return i + r + k - 1; };
        const auto behind = [r](std::int64_t i, std::int64_t k) { return i + r - k; };
        sum(p, flux_.nodes, ahead, behind, low, high, y, z, out);
    }
    /// D* of fluxes at nodes low … high - 1 of a row.
    void transpose(const Volume<T>& fluxes, std::int64_t low, std::int64_t high, std::int64_t y, std::int64_t z,
                   T* out) const {
        const std::int64_t r = flux_.radius();
        const auto ahead = [r](std::int64_t i, std::int64_t k) { return i + r - k; };
        const auto behind = [r](std::int64_t i, std::int64_t k) { return i + r + k - 1; };
        sum(fluxes, flux_.halves, ahead, behind, low, high, y, z, out);
    }

private:
    /// sum over k of d_k (v(ahead(i, k)) - v(behind(i, k))), where v(j) is the value that images[j] names.
    template <typename Ahead, typename Behind>
    void sum(const Volume<T>& values, const std::vector<AxisImage>& images, const Ahead& ahead, const Behind& behind,
             std::int64_t low, std::int64_t high, std::int64_t y, std::int64_t z, T* out) const {
        if (flux_.axis == 0)
            sum_along(values.row(y, z), images, ahead, behind, low, high, out);
        else
            sum_across(values, images, ahead, behind, low, high, y, z, out);
    }
    template <typename Ahead, typename Behind>
    void sum_along(const T* row, const std::vector<AxisImage>& images, const Ahead& ahead, const Behind& behind,
                   std::int64_t low, std::int64_t high, T* out) const {
        thread_local std::vector<T> extended;
        const std::int64_t r = flux_.radius(), first = low, last = high + 2 * r - 1;
        extended.resize(static_cast<std::size_t>(last - first));
        for (std::int64_t j = first; j < last; ++j) {
            const AxisImage& image = images[static_cast<std::size_t>(j)];
            extended[static_cast<std::size_t>(j - first)] = static_cast<T>(image.sign) * row[image.from];
        }
        for (std::int64_t k = 1; k <= r; ++k) {
            const T d = weights_[static_cast<std::size_t>(k - 1)];
            const T *const plus = extended.data() + ahead(0, k), *const minus = extended.data() + behind(0, k);
            add(d, T(1), plus, T(1), minus, high - low, k == 1, out);
        }
    }
    template <typename Ahead, typename Behind>
    void sum_across(const Volume<T>& values, const std::vector<AxisImage>& images, const Ahead& ahead,
                    const Behind& behind, std::int64_t low, std::int64_t high, std::int64_t y, std::int64_t z,
                    T* out) const {
        const std::int64_t i = flux_.axis == 1 ? y : z;
        const auto row = [&](std::int64_t from) {
            return (flux_.axis == 1 ? values.row(from, z) : values.row(y, from)) + low;
        };
        for (std::int64_t k = 1; k <= flux_.radius(); ++k) {
            const AxisImage &plus = images[static_cast<std::size_t>(ahead(i, k))],
                            &minus = images[static_cast<std::size_t>(behind(i, k))];
            add(weights_[static_cast<std::size_t>(k - 1)], static_cast<T>(plus.sign), row(plus.from),
                static_cast<T>(minus.sign), row(minus.from), high - low, k == 1, out);
        }
    }
    static void add(T d, T plus_sign, const T* plus, T minus_sign, const T* minus, std::int64_t count, bool is_first,
                    T* out) {
        for (std::int64_t i = 0; i < count; ++i) {
            const T share = d * (plus_sign * plus[i] - minus_sign * minus[i]);
            out[i] = is_first ? share : out[i] + share;
        }
    }

    FluxAxis flux_;
    std::vector<T> weights_;
};

/// Those of all axes of a problem.
template <typename T>
std::vector<FluxRows<T>> flux_rows(const Problem& problem, HalfNodes which) {
    std::vector<FluxRows<T>> rows;
    for (FluxAxis& flux : flux_axes(problem, which)) rows.emplace_back(std::move(flux));
    return rows;
}

}  // namespace onda::cpu
