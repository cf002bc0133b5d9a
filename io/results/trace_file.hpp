/// \file
/// Seismograms as other programs read them, trace after trace: SEG-Y rev 1 and SU (Seismic Unix).
///
/// SEG-Y rev 1: SEG Technical Standards Committee (2002), SEG Y rev 1 Data Exchange format. A textual header of 3200
/// bytes (its figure 1), a binary one of 400 (table 2), and for each trace a header of 240 (table 3) and its samples,
/// all big endian. SU: the same trace headers up to byte 180 and IEEE floats, here little endian, and nothing before
/// them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/files/atomic_file.hpp"
#include "io/models/geometry.hpp"
#include "io/results/seismograms.hpp"

namespace onda {

/// What the 16 bits of the headers hold.
struct TraceLimits {
    std::string_view name;
    std::int64_t most_interval_us = 0, most_samples = 0;

    /// The sampling nearest to this one that the headers hold: whole microseconds, one at least.
    [[nodiscard]] double nearest_interval_s(double dt_s) const;
    /// Why the headers cannot hold a sample interval, or a number of samples, in words; empty where they can.
    [[nodiscard]] std::string unfit_interval(double dt_s) const;
    [[nodiscard]] std::string unfit_samples(std::int64_t samples) const;
};
/// Rev 1 has two's complement integers only.
inline constexpr TraceLimits kSegyLimits{"SEG-Y rev 1", 32767, 32767};
/// Seismic Unix declares ns and dt as unsigned short.
inline constexpr TraceLimits kSuLimits{"SU", 65535, 65535};

enum class TraceFormat { segy_ieee, segy_ibm, su };

/// How many parts of a metre coordinates and depths are written in: 10000, 1000, 100, 10 or 1, the most for which
/// places up to `largest_m` from zero fit 32 bits; 0 if none does. Headers say it as a negative scaler (SCALCO,
/// SCALEL).
std::int64_t coordinate_parts(double largest_m);

/// What the 32 bits of trace headers do not hold of a survey, in words; empty where they hold it: places so far from
/// zero, a shot of this number, so many traces.
std::string unfit_places(double farthest_m);
std::string unfit_shot(std::int64_t shot);
std::string unfit_traces(std::int64_t traces);

/// What is the same for all traces of a file.
struct TraceFileContents {
    TraceFormat format = TraceFormat::segy_ieee;
    std::string program, title;  ///< for the textual header; what is not ASCII there becomes '?'
    int dimensions = 3;
    double dt_s = 0.;  ///< whole microseconds within the limits of the format
    std::int64_t samples = 0;
    std::int64_t most_receivers = 0;              ///< of any shot
    std::int64_t parts = 1;                       ///< as coordinate_parts() tells
    std::optional<FileGeometry> grid{};           ///< of the finite differences, where it is known
    const GatherQuantity* quantity = &kPressure;  ///< what the samples are
};

/// Collects the traces of shots in a temporary file. Nothing in it depends on when or where it is written.
///
/// CDP numbers count bins of midpoints from the origin of the grid. A bin is half as wide as the receivers of the first
/// shot are apart along the axis; where these are not at multiples of one distance there are no numbers. In 3-D bins
/// along x give crossline numbers, those along y inline numbers.
class TraceFileWriter {
public:
    /// \throws Error(cannot_create | io_error).
    TraceFileWriter(const std::filesystem::path& file, const TraceFileContents& contents, bool overwrite);
    ~TraceFileWriter();
    TraceFileWriter(TraceFileWriter&&) noexcept;
    /// The traces that follow are those of a shot, in the order of its receivers. The first shot's wavelet and
    /// receivers are told in the textual header. \param header of it, without samples. \throws Error(internal) for
    /// another sampling than the contents', or a shot number or place that does not fit 32 bits.
    void begin_shot(const ShotGather& header);
    /// Appends the next traces of the shot, [receiver][sample]. \throws Error(io_error); Error(internal) for more than
    /// it has, or a trace number that does not fit 32 bits.
    void write_traces(std::span<const float> pressure);
    /// Writes a shot as a whole: begin_shot() and write_traces().
    void write(const ShotGather& gather);
    /// Closes the file, opens it again and counts its traces, and syncs it: it is ready for its name.
    /// \throws Error(io_error).
    AtomicFile finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Bytes of such a file before its first trace, and with all of them.
std::int64_t trace_file_head_bytes(TraceFormat format);
std::int64_t trace_file_bytes(TraceFormat format, std::int64_t traces, std::int64_t samples);

}  // namespace onda
