/// \file
/// Which shots of a survey are finished, and whose they are to compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "solver/run/run_files.hpp"

namespace onda {

/// What a finished shot left.
struct ShotRecord {
    std::int64_t shot = 0;
    std::string seismograms;  ///< hash of its samples; empty without receivers
    std::string wavefield;    ///< hash of its last wavefield
    /// [Pa]; of traces, as recorded and as written, and of the wavefield on the user's grid at every check of
    /// stability, at every snapshot and at the end.
    double largest_observed_pressure = 0.;
    /// One for each output format that has a file of each shot, in the order of output_formats(); without a name where
    /// the shot has none.
    std::vector<FileRecord> files;

    bool operator==(const ShotRecord&) const = default;
};

/// Shots are known by their place in the survey, from 0. Threads of one process may claim and finish at the same time.
class ShotLedger {
public:
    virtual ~ShotLedger() = default;
    [[nodiscard]] virtual bool is_finished(std::size_t i) const = 0;
    /// Whether shot `i` is the caller's to compute from now on: neither finished nor claimed by anybody before.
    [[nodiscard]] virtual bool claim(std::size_t i) = 0;
    /// Writes down what claimed shots left, makes it last, and gives the claims up. \throws Error(io_error).
    virtual void finish(const std::vector<std::pair<std::size_t, ShotRecord>>& shots) = 0;
};

}  // namespace onda
