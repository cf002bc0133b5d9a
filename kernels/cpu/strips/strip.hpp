/// \file
/// How the CPU computes absorbing strips: a row for each kind, named by Strip::on_cpu(). A kind has a class template in
/// a source of this folder, which strip_row() makes a row of; kernels that are compiled for every instruction set have
/// names that end with _kernel.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/boundaries/strip.hpp"
#include "kernels/cpu/kernel_table.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/plan/strip_turns.hpp"
#include "kernels/setup.hpp"
#include "kernels/wavefield.hpp"

namespace onda::cpu {

/// What the strips of one shot are made from.
template <typename T>
struct StripPlace {
    const Setup& setup;
    const Allocations& planned;  ///< with the rows of the kind
    const InstructionSet& isa;
    Arrays<T> arrays;  ///< all but p and q
    StripTurn turn = StripTurn::after_step;

    /// What is planned for this turn.
    [[nodiscard]] const Allocation& row(const std::string& name) const { return planned.of(name_in(turn, name)); }
};

/// The levels n and n + 1 of a field, at node (0, 0, 0); of turns in the operator, what it is applied to and where the
/// result goes.
template <typename T>
struct FieldLevels {
    T *p = nullptr, *q = nullptr;
};

/// The strips of one kind on the fields of one shot.
template <typename T>
class StripSteps {
public:
    virtual ~StripSteps() = default;
    /// Bytes held for the strips.
    [[nodiscard]] virtual std::int64_t bytes() const = 0;
    /// \param threads at most as many as the strips were made for.
    virtual void set_threads(int threads) = 0;
    /// Zeroes all memory variables: the state before a shot.
    virtual void reset() {}
    /// What the strips do after a step, which has written level n + 1. \param fields of the equation, in its order.
    virtual void apply(std::span<const FieldLevels<T>> fields) = 0;
    /// What the strips do row by row while the step goes on, for strips that come before all others: apply() then does
    /// the rest. Empty: nothing.
    [[nodiscard]] virtual RowFollower follower(std::span<const FieldLevels<T>> /*fields*/) { return {}; }

    /// Takes an array of the state: its values from the first on, and the elements between neighbours along x, y, z.
    using StateBody = std::function<void(const StatePart& part, T* values, const std::array<std::int64_t, 3>& strides)>;
    /// Calls body for every array of memory variables, always in the same order.
    virtual void for_state(const StateBody& /*body*/) const {}
};

/// How the CPU computes strips of one kind. All functions take strips of this kind, of which some face has one.
struct StripRow {
    /// Adds the rows of what the strips of a shot allocate. \param shots alike.
    void (*add_rows)(Allocations& list, const Strip& strip, const Setup& setup, int threads, int shots);
    std::unique_ptr<StripSteps<float>> (*make_float)(const Strip& strip, const StripPlace<float>& place);
    std::unique_ptr<StripSteps<double>> (*make_double)(const Strip& strip, const StripPlace<double>& place);
    const StripRow* reference = nullptr;  ///< of the kernel `reference`: plain loops; null: this row
};

/// The row for a kind and the kernel that a set-up names. With the strips of the reference every kernel is compared
/// with loops that share nothing with its own.
inline const StripRow& row_for(const Strip& strip, const Setup& setup) {
    const StripRow& row = strip.on_cpu();
    return setup.kernel == "reference" && row.reference != nullptr ? *row.reference : row;
}

/// The row of a kind. \param Steps its StripSteps, with a constructor that takes a Kind and a StripPlace<T>, and a
/// static add_rows(list, kind, setup, threads, shots).
template <typename Kind, template <typename> typename Steps>
constexpr StripRow strip_row(const StripRow* reference = nullptr) {
    return {[](Allocations& list, const Strip& strip, const Setup& setup, int threads, int shots) {
                const auto& kind = static_cast<const Kind&>(strip);
                if (setup.precision == Precision::float32)
                    Steps<float>::add_rows(list, kind, setup, threads, shots);
                else
                    Steps<double>::add_rows(list, kind, setup, threads, shots);
            },
            [](const Strip& strip, const StripPlace<float>& place) -> std::unique_ptr<StripSteps<float>> {
                return std::make_unique<Steps<float>>(static_cast<const Kind&>(strip), place);
            },
            [](const Strip& strip, const StripPlace<double>& place) -> std::unique_ptr<StripSteps<double>> {
                return std::make_unique<Steps<double>>(static_cast<const Kind&>(strip), place);
            },
            reference};
}

/// The strips of a problem that have this turn, on one shot, in the order in which a step applies them.
template <typename T>
std::vector<std::unique_ptr<StripSteps<T>>> make_strips(const StripPlace<T>& place) {
    std::vector<std::unique_ptr<StripSteps<T>>> strips;
    for (const auto& strip : place.setup.strips) {
        if (!has_turn(place.setup, *strip, place.turn)) continue;
        const StripRow& row = row_for(*strip, place.setup);
        if constexpr (sizeof(T) == sizeof(float))
            strips.push_back(row.make_float(*strip, place));
        else
            strips.push_back(row.make_double(*strip, place));
    }
    return strips;
}

}  // namespace onda::cpu
