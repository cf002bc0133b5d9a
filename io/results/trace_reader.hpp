/// \file
/// Traces of other programs, SEG-Y or SU, as recorded data: where each was shot and received, and its samples.
///
/// SEG-Y rev 0, 1 and 2 (Barry, Cavers & Kneale 1975; SEG Technical Standards Committee 2002, 2017), big endian or, of
/// rev 2, little endian, with traces of one length, of IBM floats, IEEE floats or integers; SU in either order of
/// bytes. Positions are in metres, z counts down from the datum of elevations: a source lies at its depth below the
/// surface less the elevation of the surface there, a receiver at minus its elevation. What the trace header extension
/// of rev 2 has overrides the header, as the standard says.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/trace_bytes.hpp"

namespace onda {

/// What the header of a trace, or its row of a table, says.
struct RecordedTrace {
    std::array<double, 3> source_m{}, receiver_m{};  ///< (x, y, z)
    std::int64_t record = 0;                         ///< field record number: bytes 9-12; 0 where it is not known
    double start_s = 0.;                             ///< of the first sample, after the source began
    bool is_dead = false;                            ///< trace identification code 2: bytes 29-30
};

/// The extension of a file's name in lower case: ".sgy".
std::string lower_extension(const std::filesystem::path& file);
/// Whether a file's name is .sgy, .segy or .su in any case.
bool is_segy_or_su(const std::filesystem::path& file);

/// A file of traces, opened for reading. All traces have the samples of the file.
class TraceFileReader {
public:
    /// Reads all headers. \param bytes where traces have their fields.
    /// \throws Error(missing_input); Error(bad_data) naming file, trace and bytes that are wrong.
    explicit TraceFileReader(std::filesystem::path file, const TraceBytes& bytes = {});

    /// In the order of the file; messages count them from 1.
    [[nodiscard]] const std::vector<RecordedTrace>& traces() const { return traces_; }
    [[nodiscard]] double dt_s() const { return dt_s_; }
    [[nodiscard]] std::int64_t samples() const { return samples_; }
    /// The unit of the coarsest coordinates and depths.
    [[nodiscard]] double resolution_m() const { return resolution_m_; }
    /// "SEG-Y, format 5 (IEEE floats)", "SEG-Y rev 2, little endian, format 6 (IEEE doubles)", "SU, little endian".
    [[nodiscard]] const std::string& format() const { return format_; }

    /// The samples of a trace, as many as `samples` holds, at most samples(). May be called by several threads.
    /// \throws Error(io_error).
    void read(std::size_t trace, std::span<float> samples) const;

private:
    void open_segy(std::uintmax_t size);
    void open_su(std::uintmax_t size);
    void find_traces(const class HeaderView& header, std::uintmax_t size);
    void read_headers();
    void read_header(std::ifstream& in, std::size_t trace);
    /// The depth of a source below the surface, and the elevation of the surface.
    struct SourceHeight {
        double depth_m, surface_m;
    };
    void read_extension(const class HeaderView& extension, std::size_t trace, SourceHeight& height);
    void check_sampling(std::size_t trace, std::int64_t samples, double dt_s);
    [[noreturn]] void fail(const std::string& message) const;
    [[noreturn]] void fail_at(std::size_t trace, const std::string& message) const;

    std::filesystem::path file_;
    TraceBytes bytes_;
    std::string format_;
    int revision_ = 0;  ///< of SEG-Y
    /// Where the first trace begins; of the headers of a trace, and of all of it.
    std::uintmax_t first_ = 0, header_bytes_ = kTraceHeaderBytes, trace_bytes_ = 0;
    const struct SampleFormat* sample_format_ = nullptr;
    bool is_little_endian_ = false;
    double dt_s_ = 0., resolution_m_ = 0., metres_per_unit_ = 1.;
    std::int64_t samples_ = 0;
    std::vector<RecordedTrace> traces_;
};

}  // namespace onda
