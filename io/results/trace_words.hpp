/// \file
/// The numbers of trace headers, for both orders of bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <segyio/segy.h>

namespace onda {

using TraceHeaderBytes = std::array<char, SEGY_TRACE_HEADER_SIZE>;
inline constexpr double kMicrosecond = 1e-6;  ///< in which headers tell sample intervals

/// Bytes of a trace header that are numbers of one size (table 3 of SEG-Y rev 1), as far as SU has the same ones; from
/// byte 181 on it has fields of its own, which stay zero but for the station.
struct Words {
    std::size_t first_byte, last_byte, bytes;
};
inline constexpr std::array<Words, 7> kSuWords{
    {{1, 28, 4}, {29, 36, 2}, {37, 68, 4}, {69, 72, 2}, {73, 88, 4}, {89, 180, 2}, {233, 236, 4}}};

/// Turns the numbers of a header from big endian into little endian, or back. libsegyio knows a list of fields to turn,
/// which depends on its version.
inline void reverse_words(TraceHeaderBytes& header) {
    for (const Words& words : kSuWords)
        for (std::size_t byte = words.first_byte; byte <= words.last_byte; byte += words.bytes)
            std::reverse(header.begin() + static_cast<std::ptrdiff_t>(byte - 1),
                         header.begin() + static_cast<std::ptrdiff_t>(byte - 1 + words.bytes));
}

}  // namespace onda
