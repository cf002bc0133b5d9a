/// \file
/// How a gradient run keeps its forward field.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "kernels/imaging/field_ring.hpp"
#include "solver/discretisation/time_axis.hpp"

namespace onda {

/// How the forward field is kept until the adjoint field comes to it.
struct HistoryPlan {
    std::int64_t every = 1;  ///< time steps between levels that are kept and met
    std::int64_t slots = 1;  ///< levels on the device at the same time; with all of them nothing is computed twice
    std::int64_t checkpoints = 0;  ///< states that the host keeps, to compute levels anew from
    /// Where the rings lie from which the field is rebuilt backward, in one segment with a slot for the level that is
    /// met; without, levels are kept.
    std::optional<RingPlace> ring = std::nullopt;
    RingValues ring_values = RingValues::full;
    bool ring_pressures = false;             ///< whether rings hold what fluxes take
    std::filesystem::path ring_folder = {};  ///< of RingPlace::file
    std::int64_t ring_every = 1;             ///< time steps from one ring that is kept to the next

    /// The levels that are met.
    [[nodiscard]] std::int64_t levels(const TimeAxis& time) const { return time.steps / every; }
    /// "full", "ring" or "checkpoints", as configurations name it.
    [[nodiscard]] std::string_view storage(const TimeAxis& time) const;
    /// Segments of levels that are on the device together.
    [[nodiscard]] std::int64_t segments(const TimeAxis& time) const;
    /// The step that a segment ends with.
    [[nodiscard]] std::int64_t end_of_segment(const TimeAxis& time, std::int64_t segment) const;
    /// The levels whose rings a field is rebuilt from, from level `every` on.
    [[nodiscard]] RingLevels ring_levels(const TimeAxis& time) const;
    /// The level that a field which is rebuilt has come back to after so many steps of the adjoint run; at least the
    /// lowest that is met.
    [[nodiscard]] std::int64_t rebuilt_after(const TimeAxis& time, std::int64_t adjoint_steps) const {
        return std::max(every, time.steps - adjoint_steps);
    }
    /// The segment in which an adjoint run goes on that has taken so many steps, but not all.
    [[nodiscard]] std::int64_t segment_after(const TimeAxis& time, std::int64_t adjoint_steps) const;
    /// What is kept of a field that is rebuilt.
    [[nodiscard]] RingSize ring_size(const TimeAxis& time) const;
    /// Time steps of the forward field, those that are computed again included, or computed backward.
    [[nodiscard]] std::int64_t forward_steps(const TimeAxis& time) const;
    /// Time steps of both fields where the adjoint one goes on after so many of its own: the forward one is computed
    /// from its first step on, for levels that are still to be met.
    [[nodiscard]] std::int64_t steps_to_go_on(const TimeAxis& time, std::int64_t adjoint_steps) const;
};

/// The longest interval of levels whose products have no aliases: those of waves up to f reach 2 f, and what is beyond
/// the sampling frequency less that is folded onto zero. With 0.4 / (f dt), f where the wavelet has fallen to 1 %, the
/// gradient is exact to 5e-4; with 0.26 / (f dt) to 3e-7.
std::int64_t longest_interval(double highest_frequency_hz, double dt_s);

/// The longest interval of rings between which others are interpolated: 0.12 / (f dt), f where the wavelet has fallen
/// to 1 %. Gradients in double precision then differ by less than 1e-5 of their largest value from those of all rings.
std::int64_t longest_ring_interval(double highest_frequency_hz, double dt_s);

}  // namespace onda
