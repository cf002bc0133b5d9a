/// \file
/// The shot queue: which shots of a survey are finished, and whose they are to compute.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "solver/outputs/shot_record.hpp"

namespace onda {

/// A shot queue. Shots are known by their place in the survey, from 0. Threads of one process may claim and finish at
/// the same time.
class ShotLedger {
public:
    virtual ~ShotLedger() = default;
    [[nodiscard]] virtual bool is_finished(std::size_t i) const = 0;
    /// Whether shot `i` is the caller's to compute from now on: neither finished nor claimed by anybody before.
    [[nodiscard]] virtual bool claim(std::size_t i) = 0;
    /// Writes down what claimed shots left and gives the claims up; it lasts soon, whatever ends the program at once,
    /// and the machine's power seconds later. \throws Error(io_error).
    virtual void finish(const std::vector<std::pair<std::size_t, ShotRecord>>& shots) = 0;
};

}  // namespace onda
