/// \file
/// SEG-Y and SU as files are written, by libsegyio: headers, in both orders of bytes, and traces after them. For the
/// .cpp files of this folder alone.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <segyio/segy.h>
#include <string>
#include <utility>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/plain_file.hpp"
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

/// The binary header of traces of one length, in metres. \param interval of samples. \param format as SEG-Y numbers
/// them.
inline BinaryHeader begin_binary_header(std::int64_t interval, std::int64_t samples, int format) {
    constexpr int first_byte = 3201, revision_byte = 3501, metres = 1;
    BinaryHeader set;
    for (const int field : {SEGY_BIN_JOB_ID, SEGY_BIN_LINE_NUMBER, SEGY_BIN_REEL_NUMBER}) set(field, 1);
    for (const int field : {SEGY_BIN_INTERVAL, SEGY_BIN_INTERVAL_ORIG}) set(field, interval);
    for (const int field : {SEGY_BIN_SAMPLES, SEGY_BIN_SAMPLES_ORIG}) set(field, samples);
    set(SEGY_BIN_FORMAT, format);
    set(SEGY_BIN_ENSEMBLE_FOLD, 1);
    set(SEGY_BIN_MEASUREMENT_SYSTEM, metres);
    // Revision 1.0: later versions of libsegyio take its two bytes for two fields.
    set.data[revision_byte - first_byte] = 1;
    set(SEGY_BIN_TRACE_FLAG, 1);
    set(SEGY_BIN_EXT_HEADERS, 0);
    return set;
}

/// A file of traces of one length while it is written, under a temporary name; its faults are errors with its name.
class TracesInProgress {
public:
    /// \param head_bytes before the first trace. \throws Error(cannot_create | io_error).
    TracesInProgress(const std::filesystem::path& path, bool overwrite, std::int64_t head_bytes, std::int64_t samples)
        : output_(path, overwrite),
          file_(segy_open(output_.temporary().c_str(), "w+")),
          head_bytes_(static_cast<long>(head_bytes)),
          trace_bytes_(segy_trace_bsize(static_cast<int>(samples))) {
        if (!file_) throw_system_fault(creation_fault(errno), path, "cannot create it", errno);
        errno = 0;
    }

    [[nodiscard]] std::int64_t count() const { return count_; }
    /// \throws Error(io_error), as all that follow.
    void write_heads(const std::string& text, const BinaryHeader& binary) {
        check(segy_write_textheader(file_.get(), 0, text.c_str()));
        check(segy_write_binheader(file_.get(), binary.data.data()));
    }
    /// The next trace. \param samples as the file has them, byte by byte.
    void write(const TraceHeaderBytes& header, const std::vector<float>& samples) {
        errno = 0;
        const int number = static_cast<int>(count_);
        check(segy_write_traceheader(file_.get(), number, header.data(), head_bytes_, trace_bytes_));
        check(segy_writetrace(file_.get(), number, samples.data(), head_bytes_, trace_bytes_));
        ++count_;
    }
    /// Closes the file, opens it again and counts its traces, and syncs it: it is ready for its name.
    AtomicFile finish() {
        errno = 0;
        check(segy_flush(file_.get(), false));
        check(segy_close(file_.release()));
        read_back();
        AtomicFile written = std::move(output_);
        written.finish();
        return written;
    }

private:
    struct Closer {
        void operator()(segy_file* file) const { segy_close(file); }
    };
    using Open = std::unique_ptr<segy_file, Closer>;

    /// \param fault of libsegyio.
    void check(int fault) const {
        if (fault != SEGY_OK)
            throw_system_fault(ExitCode::io_error, output_.path(),
                               "cannot write it (libsegyio's code " + std::to_string(fault) + ")",
                               errno != 0 ? errno : EIO);
    }
    /// Finds what a failed or cut write has lost.
    void read_back() const {
        const Open again(segy_open(output_.temporary().c_str(), "r"));
        if (!again) check(SEGY_FOPEN_ERROR);
        int found = 0;
        if (count_ == 0) return;
        check(segy_traces(again.get(), &found, head_bytes_, trace_bytes_));
        if (found != count_) check(SEGY_TRACE_SIZE_MISMATCH);
    }

    AtomicFile output_;
    Open file_;
    long head_bytes_;
    int trace_bytes_;
    std::int64_t count_ = 0;
};

}  // namespace onda
