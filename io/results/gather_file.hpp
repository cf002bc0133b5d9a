/// \file
/// The gathers of a survey in one file for other programs: a row for each format. A run writes those that its
/// configuration asks for, `onda export` any of them from seismograms.h5, with the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/models/geometry.hpp"
#include "io/results/seismograms.hpp"

namespace onda {

/// Where the items of a dimension are, as formats with regular axes say it: item i at first + i * step.
struct GatherAxis {
    std::string label, unit;
    double first = 1., step = 1.;
};

/// What is the same for all traces of a file, and what it tells before the first of them.
struct GatherContents {
    std::string program, title;
    int dimensions = 3;
    double farthest_m = 0.;  ///< the farthest that any place is from zero along an axis
    double dt_s = 0.;
    std::int64_t samples = 0;
    std::int64_t shots = 0, traces = 0;  ///< shots with receivers
    std::int64_t most_receivers = 0;     ///< of any shot
    std::int64_t last_shot = 0;          ///< the largest number
    GatherAxis receiver{"Receiver", ""}, shot{"Shot", ""};
    std::vector<std::string> columns{};           ///< of receiver tables, that are handed on
    std::optional<FileGeometry> grid{};           ///< of the finite differences, where it is known
    const GatherQuantity* quantity = &kPressure;  ///< what the samples are

    /// Whether all shots have the same number of receivers.
    [[nodiscard]] bool is_even() const { return traces == shots * most_receivers; }
};

/// A file that is written shot by shot. Nothing in it depends on when, where or in which pieces it is written.
class GatherFile {
public:
    virtual ~GatherFile() = default;
    /// The traces that follow are those of a shot, in the order of its receivers. Shots come in the order of their
    /// numbers. \param header of the shot, without samples. \throws Error(io_error); Error(internal).
    virtual void begin_shot(const ShotGather& header) = 0;
    /// The next traces of the shot, [receiver][sample], in the unit of the contents' quantity. \throws Error(io_error);
    /// Error(internal).
    virtual void put(std::span<const float> pressure) = 0;
    /// The file, and further ones that belong to it, ready for their names; the file itself is the last.
    /// \throws Error(io_error).
    [[nodiscard]] virtual std::vector<AtomicFile> finish() = 0;
};

/// Where a file goes.
struct GatherTarget {
    std::filesystem::path file;
    std::string samples;  ///< of GatherFormat::samples
    bool overwrite = false;
};

/// A row.
struct GatherFormat {
    std::string_view name;  ///< "segy"
    std::string_view what;  ///< "SEG-Y rev 1"
    /// The first is that of files whose name nobody has chosen: ".segy".
    std::vector<std::string> extensions;
    /// How samples may be stored; the first one where nobody says. Empty: there is no choice.
    std::vector<std::string> samples;
    /// What a file of this format does not hold of a survey, in words; empty where it holds all.
    std::string (*unfit)(const GatherContents& contents);
    /// \throws Error(cannot_create | io_error) of the file and those that belong to it.
    std::unique_ptr<GatherFile> (*open)(const GatherTarget& target, const GatherContents& contents);
    /// Bytes of the file; 0 where they follow from the values.
    std::int64_t (*bytes)(const GatherContents& contents);
};

/// All formats.
std::span<const GatherFormat> gather_formats();
/// The format of this name, which is there. \throws Error(internal).
const GatherFormat& gather_format(std::string_view name);
/// The format whose files have the extension of this one; null if there is none.
const GatherFormat* gather_format_of(const std::filesystem::path& file);
/// How a file stores samples: as asked, or, where that is empty, as the format does by default.
/// \throws Error(usage) for what the format does not have.
std::string samples_of(const GatherFormat& format, const std::string& asked);
/// The names of all formats, as messages list them. \param before each: "--segy, --su".
std::string names_of_gather_formats(const std::string& before = "");

}  // namespace onda
