/// \file
/// Which sources fire together, and what a user should hear of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/survey/shots_data.hpp"
#include "solver/survey/survey_entries.hpp"

namespace onda {

/// The shots of sources that are given none: the numbers from 1 on that no source is given, each once.
class FreeShotNumbers {
public:
    explicit FreeShotNumbers(std::span<const SourceGroup> entries);
    std::int64_t next();

private:
    std::vector<std::int64_t> given_;  ///< ascending
    std::size_t passed_ = 0;
    std::int64_t last_ = 0;
};

/// Which sources fire together, by their entries, in words; empty where every shot is of one source that cannot have
/// been meant to fire with another.
/// \param entry of each source of `data`, under `sources` in the configuration.
std::string describe_firing(std::span<const SourceGroup> entries, const Shots::Data& data,
                            std::span<const std::int32_t> entry);

/// Warnings of sources in the same place and of shots that radiate nothing.
std::vector<std::string> doubts_of_sources(const Grid& grid, const Shots::Data& data);

}  // namespace onda
