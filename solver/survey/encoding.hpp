/// \file
/// Supershots: all shots of a survey fire together, each with the code +1 or -1 that it has in the supershot (Krebs et
/// al. 2009, Geophysics 74(6), WCC177). Fields and seismograms are linear in the sources, so that those of a supershot
/// are the same sum of those of the shots.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "io/config/config.hpp"
#include "kernels/companions/packed_codes.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// The supershots of a survey.
struct Encoding {
    PackedCodes codes;  ///< (supershots, shots); supershot j has the number j + 1
    Shots shots;        ///< that fire in each of them, ascending by number
    bool undoes;        ///< whether E'E is a multiple of the identity: decoded() gives the shots exactly
};

/// A way to make codes: the vocabulary of survey.encoding.
struct EncodingRow {
    std::string_view name;
    std::string_view help;
    /// Makes codes for the shots with these numbers; null where each fires alone. \throws Error(config | bad_data)
    PackedCodes (*make)(const SurveyConfig& config, std::span<const std::int64_t> shots, const ConfigOrigin& origin);
};
std::span<const EncodingRow> encodings();

/// Replaces the shots of `data` by their supershots. \returns the encoding; null where each shot fires alone.
/// \throws Error(config | bad_data): receivers that shots do not share, more than kMostSources in all, codes that do
/// not fit.
std::shared_ptr<const Encoding> encode(const SurveyConfig& config, Shots::Data& data, const ConfigOrigin& origin);

/// "4 supershots of 16 shots each, by random codes (seed 1)".
std::string describe_encoding(const SurveyConfig& config, const Encoding& encoding);

}  // namespace onda
