/// \file
/// The headers of SEG-Y rev 1 as files are written with them, by libsegyio. For the .cpp files of this folder alone.
#pragma once

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
