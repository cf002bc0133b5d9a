/// \file
/// The headers of SEG-Y and SU: as files are written with them, by libsegyio, and their numbers in both orders of
/// bytes. For the .cpp files of this folder alone.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <segyio/segy.h>
#include <string>

#include "io/text/error.hpp"
#include "io/text/number_text.hpp"

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

inline constexpr std::int64_t kLargest32 = std::numeric_limits<std::int32_t>::max();

/// The 40 lines of the textual header, 80 characters each.
class TextualHeader {
public:
    void add(const std::string& line) { put(next_++, line); }
    /// Words of users, as far as they fit after `what`.
    void add_foreign(const std::string& what, const std::string& words) { add((what + words).substr(0, kWords)); }
    /// \throws Error(internal) for words that do not fit.
    void put(int line, const std::string& words) {
        if (words.size() > kWords)
            throw Error(ExitCode::internal, "a line of the textual header has room for " + std::to_string(kWords) +
                                                " characters, not for \"" + words + "\"");
        std::string text = (line < 10 ? "C0" : "C") + std::to_string(line) + " " + words;
        text.resize(kColumns, ' ');
        for (char& c : text)
            if (c < ' ' || c > '~') c = '?';
        lines_[static_cast<std::size_t>(line - 1)] = text;
    }
    [[nodiscard]] std::string text() {
        for (int line = next_; line < kLines - 1; ++line) put(line, "");
        put(kLines - 1, "SEG Y REV1");
        put(kLines, "END TEXTUAL HEADER");
        std::string all;
        for (const std::string& line : lines_) all += line;
        return all;
    }

private:
    static constexpr int kLines = 40;
    static constexpr std::size_t kColumns = 80, kWords = 76;
    int next_ = 1;
    std::array<std::string, kLines> lines_;
};

/// A header of libsegyio, big endian; fields are named by their first byte.
template <std::size_t bytes, auto set>
struct Header {
    std::array<char, bytes> data{};
    void operator()(int field, std::int64_t value) {
        if (set(data.data(), field, static_cast<std::int32_t>(value)) != SEGY_OK)
            throw Error(ExitCode::internal, "libsegyio has no header field at byte " + std::to_string(field));
    }
};
using BinaryHeader = Header<SEGY_BINARY_HEADER_SIZE, segy_set_bfield>;
using TraceHeader = Header<SEGY_TRACE_HEADER_SIZE, segy_set_field>;

/// A number of 32 bits. \throws Error(internal).
inline std::int64_t fitting(double value, const std::string& what) {
    if (std::abs(value) <= static_cast<double>(kLargest32)) return std::llround(value);
    throw Error(ExitCode::internal, what + " " + shortest(value) + " does not fit the 32 bits of a trace header");
}

struct SegyCloser {
    void operator()(segy_file* file) const { segy_close(file); }
};
using OpenSegy = std::unique_ptr<segy_file, SegyCloser>;

}  // namespace onda
