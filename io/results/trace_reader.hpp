/// \file
/// Traces of other programs, SEG-Y or SU, as recorded data: where each was shot and received, and its samples.
///
/// SEG-Y rev 0 and 1 (Barry, Cavers & Kneale 1975; SEG Technical Standards Committee 2002), big endian, with samples of
/// 4-byte IBM or IEEE floats or integers of 1, 2 or 4 bytes; SU in either order of bytes. Positions are in metres, z
/// counts down from the datum of elevations: a source lies at its depth below the surface less the elevation of the
/// surface there, a receiver at minus its elevation.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace onda {

/// What the header of a trace says.
struct RecordedTrace {
    std::array<double, 3> source_m{}, receiver_m{};  ///< (x, y, z)
    std::int64_t record = 0;                         ///< field record number: bytes 9-12
    double start_s = 0.;                             ///< of the first sample, after the source began
    bool is_dead = false;                            ///< trace identification code 2: bytes 29-30
};

/// Whether a file's name is that of traces: .sgy, .segy or .su in any case.
bool is_trace_file(const std::filesystem::path& file);

/// A file of traces, opened for reading. All traces have the samples of the file.
class TraceFileReader {
public:
    /// Reads all headers. \throws Error(missing_input); Error(bad_data) naming file, trace and bytes that are wrong.
    explicit TraceFileReader(std::filesystem::path file);

    /// In the order of the file; messages count them from 1.
    [[nodiscard]] const std::vector<RecordedTrace>& traces() const { return traces_; }
    [[nodiscard]] double dt_s() const { return dt_s_; }
    [[nodiscard]] std::int64_t samples() const { return samples_; }
    /// The unit of the coarsest coordinates and depths.
    [[nodiscard]] double resolution_m() const { return resolution_m_; }
    /// "SEG-Y, format 5 (IEEE floats)", "SU, little endian".
    [[nodiscard]] std::string_view format() const { return format_; }

    /// The samples of a trace, as many as `samples` holds, at most samples(). May be called by several threads.
    /// \throws Error(io_error).
    void read(std::size_t trace, std::span<float> samples) const;

private:
    void open_segy(std::uintmax_t size);
    void open_su(std::uintmax_t size);
    void read_headers(double metres_per_unit);
    [[noreturn]] void fail(const std::string& message) const;

    std::filesystem::path file_;
    std::string_view format_;
    std::uintmax_t first_ = 0, trace_bytes_ = 0;  ///< where the first trace begins; of a trace with its header
    int sample_format_ = 0;                       ///< as SEG-Y numbers them
    std::size_t sample_bytes_ = 4;
    bool is_little_endian_ = false;
    double dt_s_ = 0., resolution_m_ = 0.;
    std::int64_t samples_ = 0;
    std::vector<RecordedTrace> traces_;
};

}  // namespace onda
