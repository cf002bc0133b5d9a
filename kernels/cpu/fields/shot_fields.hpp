/// \file
/// The fields of one shot in the memory of the host: their time levels, halos, windows, planes and states.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/kernel.hpp"
#include "kernels/cpu/receivers.hpp"
#include "kernels/cpu/threads.hpp"
#include "kernels/fields/field_set.hpp"
#include "kernels/grid/halo.hpp"
#include "kernels/plan/allocations.hpp"

namespace onda::cpu {

/// Every field of an equation for one shot, each with p[n] and p[n-1], and its memory fields.
template <typename T>
class ShotFields {
public:
    /// \param planned with a row for each level of each field, and for each memory field.
    ShotFields(const Setup& setup, const Allocations& planned, int threads);

    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] std::size_t count() const { return levels_.size(); }
    /// p[n] of a field, and the level before it.
    [[nodiscard]] Buffer<T>& now(std::size_t field = 0) { return levels_[field].now; }
    [[nodiscard]] Buffer<T>& before(std::size_t field = 0) { return levels_[field].before; }
    /// Of the first field: the odd level of leaps, or u of order 4 in time, in the shell (kernels/plan/shell.hpp).
    [[nodiscard]] Buffer<T>& odd() { return odd_; }
    [[nodiscard]] const Buffer<T>& at(FieldLevel level) const {
        if (level.before == kAppliedLevel.before) return odd_;
        const Levels& of_field = levels_[static_cast<std::size_t>(level.field)];
        return level.before == 0 ? of_field.now : of_field.before;
    }
    /// p[n] as receivers and snapshots see it.
    [[nodiscard]] ObservedField<T> observed() const {
        const auto share = setup_.scheme.equation->share_of_second;
        if (share == nullptr) return {levels_.front().now.data()};
        return {levels_.front().now.data(), levels_[1].now.data(), static_cast<T>(share(grid_.dimensions))};
    }
    /// A memory field, and how all of them lie.
    [[nodiscard]] Buffer<T>& memory(std::size_t field) { return memory_[field]; }
    [[nodiscard]] const Buffer<T>& memory(std::size_t field) const { return memory_[field]; }
    [[nodiscard]] std::size_t memory_count() const { return memory_.size(); }
    [[nodiscard]] const Layout& memory_layout() const { return memory_layout_; }
    /// A scratch field.
    [[nodiscard]] Buffer<T>& scratch(std::size_t field) { return scratch_[field]; }
    [[nodiscard]] std::size_t scratch_count() const { return scratch_.size(); }
    void set_threads(int threads) { threads_ = threads; }

    void swap() {
        for (Levels& field : levels_) std::swap(field.now, field.before);
    }
    /// Makes every level zero, halos and all.
    void clear() {
        for (Levels& field : levels_) {
            clear(field.now);
            clear(field.before);
        }
        clear_odd();
        clear_memory();
    }
    void clear_memory();
    void clear_odd() {
        if (odd_.data() != nullptr) clear(odd_);
    }
    /// Makes an array with the layout of a field zero, halos and all.
    void clear(Buffer<T>& array) const;
    /// Fills the halos of p[n] of every field by the rules of Problem::halos.
    void fill_halos() {
        for (Levels& field : levels_) fill_halos(field.now);
    }
    /// Fills the halos of an array with the layout of a field.
    void fill_halos(Buffer<T>& array) const;

    /// The element of a node (Grid::at index).
    [[nodiscard]] auto element_of() const {
        return [this](std::int64_t node) {
            const auto [x, y, z] = grid_.node(node);
            return layout_.at(x, y, z);
        };
    }
    [[nodiscard]] Extremum extremum() const;
    template <typename U>
    void download(const Window& window, std::span<U> values, FieldLevel level) const;
    /// By all threads of the set-up. \param window of step 1 along x.
    void hash_planes(const Window& window, std::span<std::uint64_t> hashes) const;
    /// Overwrites p[n] and p[n-1] of the first field, compact.
    void upload(std::span<const double> p, std::span<const double> p_previous);
    void sample(std::span<const std::int64_t> nodes, std::span<double> values) const {
        const FlushDenormals<T> flush;
        const auto element = element_of();
        const ObservedField<T> seen = observed();
        for (std::size_t i = 0; i < nodes.size(); ++i) values[i] = static_cast<double>(seen(element(nodes[i])));
    }
    /// Calls body(part, values, strides) for every level, then for every memory field, in the order of the equation:
    /// values at its first element.
    template <typename Body>
    void for_state(const Body& body) const {
        for (std::size_t i = 0; i < levels_.size(); ++i) {
            const std::string name(setup_.scheme.equation->fields[i]);
            body(StatePart{name, grid_.n, sizeof(T)}, levels_[i].now.data() + layout_.origin, strides());
            body(StatePart{name + "_previous", grid_.n, sizeof(T)}, levels_[i].before.data() + layout_.origin,
                 strides());
        }
        for (std::size_t i = 0; i < memory_.size(); ++i)
            body(StatePart{std::string(setup_.scheme.equation->memory[i]), grid_.n, sizeof(T)},
                 memory_[i].data() + memory_layout_.origin,
                 std::array<std::int64_t, 3>{1, memory_layout_.pitch, memory_layout_.plane});
    }
    /// Elements between neighbours along x, y, z.
    [[nodiscard]] std::array<std::int64_t, 3> strides() const { return {1, layout_.pitch, layout_.plane}; }

private:
    struct Levels {
        Buffer<T> now, before;
    };

    /// Calls body(rows) once a thread, with the rows that are its own (see rows_of_thread).
    template <typename Body>
    void for_threads(const Body& body) const {
        on_threads(threads_, [&](int thread, int threads) {
            const FlushDenormals<T> flush;
            body(rows_of_thread(grid_.ny() * grid_.nz(), thread, threads));
        });
    }
    /// Calls body(y, z) for every row of `rows`.
    template <typename Body>
    void for_rows(RowRange rows, const Body& body) const {
        for (std::int64_t row = rows.begin; row < rows.end; ++row) body(row % grid_.ny(), row / grid_.ny());
    }
    /// Calls body(y, z) for every row of the grid, by all threads.
    template <typename Body>
    void for_rows(const Body& body) const {
        for_threads([&](RowRange rows) { for_rows(rows, body); });
    }

    const Setup& setup_;
    const Grid& grid_;
    int threads_;
    Layout layout_, memory_layout_;
    std::vector<Levels> levels_;  ///< of each field; sources, receivers and snapshots have the first
    std::vector<Buffer<T>> memory_, scratch_;
    Buffer<T> odd_;  ///< none where every node leaps, or steps singly
    std::array<std::vector<HaloCopy>, 3> copies_;
};

}  // namespace onda::cpu
