/// \file
/// The memory of the host that a run takes, as rows of the list that devices' memory is planned by. Whoever holds a
/// buffer has the function that adds its row beside its own code; the forecast of memory adds the rows up.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "io/text/saturating.hpp"
#include "kernels/plan/allocations.hpp"

namespace onda {

/// The stretches of a run through which the host holds a buffer.
namespace held {
inline constexpr Owner whole_run{"whole run"};
inline constexpr Owner model{"model"};      ///< until the devices have the model
inline constexpr Owner survey{"survey"};    ///< from then on: while shots are computed
inline constexpr Owner outputs{"outputs"};  ///< from before the model goes until the end
// Stretches of a moment. The forecast counts the one that takes most: the set-up of shots, a frame being written, or
// gathers with what is largest of the three that follow each other while they are there. Where shots are pipelined,
// frames are written beside gathers.
inline constexpr Owner set_up{"set-up of shots"};
inline constexpr Owner frame{"frame being written"};
inline constexpr Owner gathers{"gathers"};
inline constexpr Owner resampling{"gathers being brought to their sampling"};
inline constexpr Owner writing{"gathers being written"};
inline constexpr Owner drawing{"gathers being drawn"};
}  // namespace held

/// The row of a buffer of the host, of which no number wraps. \param name what the forecast calls it, in the words of
/// `onda check`. Rows add up to one item of the forecast whose names are the same before ": ". \param stretch of held.
inline Allocation host_row(std::string name, Owner stretch, std::int64_t elements, std::int64_t element_bytes,
                           std::int64_t count = 1) {
    return {std::move(name),
            Memory::host,
            stretch,
            elements,
            element_bytes,
            saturating_product(elements, element_bytes),
            count};
}

}  // namespace onda
