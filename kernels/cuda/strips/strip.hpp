/// \file
/// How a GPU computes absorbing strips: a row for each kind, named by Strip::on_cuda(). A kind has a class template in
/// a source of this folder, which strip_row() makes a row of.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/boundaries/strip.hpp"
#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/stepper.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/plan/strip_turns.hpp"
#include "kernels/setup.hpp"
#include "kernels/wavefield.hpp"

namespace onda::cuda {

/// What the strips of a wavefield are planned from.
struct StripExtent {
    const Setup& setup;
    const Grid& grid;          ///< of all shots of a volume
    int volumes = 1;           ///< each with memory of its own: see batched()
    bool whole_steps = false;  ///< whether the fused kernel takes the steps
    StripTurn turn = StripTurn::after_step;
};

/// What the strips of a wavefield are made from.
template <typename T>
struct StripPlace : StripExtent {
    const Allocations& planned;  ///< with the rows of the kind
    const Fields<T>& fields;     ///< arrays that stay where they are

    /// What is planned for this turn.
    [[nodiscard]] const Allocation& row(const std::string& name) const { return planned.of(name_in(this->turn, name)); }
};

/// The time levels of a field in a step, at node (0, 0, 0) of the first volume; of turns in the operator, what it is
/// applied to and where the result goes.
template <typename T>
struct StepLevels {
    T *p, *q;  ///< p[n] and p[n+1]
    int now;   ///< which of the two arrays of a strip's memory, where it has two that take turns, this step reads
};

/// The strips of one kind on the fields of a wavefield. Calls come under the wavefield's device.
template <typename T>
class StripSteps {
public:
    virtual ~StripSteps() = default;
    /// Bytes held on the device.
    [[nodiscard]] virtual std::int64_t bytes() const = 0;
    /// Queues the zeroing of all memory variables: the state before a shot.
    virtual void reset(cudaStream_t /*stream*/) {}
    /// Queues what the strips of a volume do after a step between these levels. \param fields of each field that
    /// the step advances, in the order of the equation. \throws Error.
    virtual void apply(std::span<const StepLevels<T>> fields, int volume, cudaStream_t stream) const = 0;
    /// Whether the fused kernel applies the strips instead, as a part of its step.
    [[nodiscard]] virtual bool in_whole_steps() const { return false; }

    /// Takes an array of the state, and where the rows of its first plane lie in it.
    using StateBody = std::function<void(const StatePart& part, T* array, const WindowRows& plane)>;
    /// Calls body for every array of memory variables of a shot, always in the same order. \param now which p is
    /// p[n].
    virtual void for_state(int /*shot*/, int /*now*/, const StateBody& /*body*/) const {}
};

/// How a GPU computes strips of one kind. All functions take strips of this kind, of which some face has one.
struct StripRow {
    /// Adds the rows of what the strips of a wavefield allocate.
    void (*add_rows)(Allocations& list, const Strip& strip, const StripExtent& extent);
    std::unique_ptr<StripSteps<float>> (*make_float)(const Strip& strip, const StripPlace<float>& place);
    std::unique_ptr<StripSteps<double>> (*make_double)(const Strip& strip, const StripPlace<double>& place);
};

/// The row of a kind. \param Steps its StripSteps, with a constructor that takes a Kind and a StripPlace<T>, and a
/// static add_rows(list, kind, extent).
template <typename Kind, template <typename> typename Steps>
constexpr StripRow strip_row() {
    return {[](Allocations& list, const Strip& strip, const StripExtent& extent) {
                const auto& kind = static_cast<const Kind&>(strip);
                if (extent.setup.precision == Precision::float32)
                    Steps<float>::add_rows(list, kind, extent);
                else
                    Steps<double>::add_rows(list, kind, extent);
            },
            [](const Strip& strip, const StripPlace<float>& place) -> std::unique_ptr<StripSteps<float>> {
                return std::make_unique<Steps<float>>(static_cast<const Kind&>(strip), place);
            },
            [](const Strip& strip, const StripPlace<double>& place) -> std::unique_ptr<StripSteps<double>> {
                return std::make_unique<Steps<double>>(static_cast<const Kind&>(strip), place);
            }};
}

/// The strips of a problem on a wavefield that have this turn, in the order in which a step applies them. \throws
/// Error.
template <typename T>
std::vector<std::unique_ptr<StripSteps<T>>> make_strips(const StripPlace<T>& place) {
    std::vector<std::unique_ptr<StripSteps<T>>> strips;
    for (const auto& strip : place.setup.strips) {
        if (!has_turn(place.setup, *strip, place.turn)) continue;
        if constexpr (sizeof(T) == sizeof(float))
            strips.push_back(strip->on_cuda()->make_float(*strip, place));
        else
            strips.push_back(strip->on_cuda()->make_double(*strip, place));
    }
    return strips;
}

}  // namespace onda::cuda
