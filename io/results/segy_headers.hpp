/// \file
/// SEG-Y and SU as files are written: headers, and traces after them. For the .cpp files of this folder alone.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/files/atomic_stream.hpp"
#include "io/files/segy_format.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"

namespace onda {

inline constexpr double kMicrosecond = 1e-6;  ///< in which headers tell sample intervals

inline constexpr std::int64_t kLargest32 = std::numeric_limits<std::int32_t>::max();

/// The 40 lines of the textual header, 80 characters each.
class TextualHeader {
public:
    static constexpr std::size_t kWords = 76;  ///< of a line, behind its number

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
    static constexpr std::size_t kColumns = 80;
    int next_ = 1;
    std::array<std::string, kLines> lines_;
};

/// A header, big endian.
template <std::size_t bytes, typename Field>
struct Header {
    std::array<char, bytes> data{};
    void operator()(Field field, std::int64_t value) { set_number(data.data(), field, value); }
};
using BinaryHeader = Header<kBinaryHeaderBytes, BinaryNumber>;
using TraceHeader = Header<kTraceHeaderBytes, TraceNumber>;

/// A number of 32 bits. \throws Error(internal).
inline std::int64_t fitting(double value, const std::string& what) {
    if (std::abs(value) <= static_cast<double>(kLargest32)) return std::llround(value);
    throw Error(ExitCode::internal, what + " " + shortest(value) + " does not fit the 32 bits of a trace header");
}

/// The binary header of traces of one length, in metres. \param interval of samples. \param format as SEG-Y numbers
/// them.
inline BinaryHeader begin_binary_header(std::int64_t interval, std::int64_t samples, int format) {
    constexpr int metres = 1, revision_1 = 0x100;
    BinaryHeader set;
    for (const BinaryNumber field : {BinaryNumber::job, BinaryNumber::line, BinaryNumber::reel}) set(field, 1);
    for (const BinaryNumber field : {BinaryNumber::interval, BinaryNumber::interval_recorded}) set(field, interval);
    for (const BinaryNumber field : {BinaryNumber::samples, BinaryNumber::samples_recorded}) set(field, samples);
    set(BinaryNumber::format, format);
    set(BinaryNumber::ensemble_fold, 1);
    set(BinaryNumber::measurement_system, metres);
    set(BinaryNumber::revision, revision_1);
    set(BinaryNumber::fixed_length, 1);
    set(BinaryNumber::textual_headers, 0);
    return set;
}

/// A file of traces of one length while it is written, under a temporary name; its faults are errors with its name.
class TracesInProgress {
public:
    /// \throws Error(cannot_create | io_error).
    TracesInProgress(const std::filesystem::path& path, bool overwrite) : output_(path, overwrite) {}

    [[nodiscard]] std::int64_t count() const { return count_; }
    /// \throws Error(io_error), as all that follow.
    void write_heads(const std::string& text, const BinaryHeader& binary) {
        output_.put(ebcdic_of(text));
        output_.put({binary.data.data(), binary.data.size()});
    }
    /// The next trace. \param samples as the file has them, byte by byte.
    void write(const std::array<char, kTraceHeaderBytes>& header, const std::vector<float>& samples) {
        output_.put({header.data(), header.size()});
        output_.put({reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(float)});
        ++count_;
    }
    /// Closes and syncs the file: it is ready for its name.
    AtomicFile finish() { return output_.finish(); }

private:
    AtomicStream output_;
    std::int64_t count_ = 0;
};

}  // namespace onda
