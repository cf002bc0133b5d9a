/// \file
/// Where a survey was shot, as the field has it: SPS and P1/90.
///
/// SPS, rev 0 and 2.1 (SEG Technical Standards Committee, Shell processing support format for land 3-D surveys, 1995
/// and 2006): a file of sources (.sps), one of receivers (.rps) and the relation of both (.xps), or all records in one.
/// P1/90 (UKOOA, Post plot data exchange tape 1990 format): sources, each followed by its receiver groups. Both have
/// lines of 80 columns.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace onda {

/// A shot and the receivers that recorded it. Places are (x, y, z) in metres: easting, northing, and z down from the
/// datum of elevations.
struct FieldShot {
    std::int64_t number = 0;  ///< field record (SPS) or point (P1/90); 0 where that is no whole number from 1
    std::array<double, 3> source_m{};
    std::vector<std::array<double, 3>> receivers_m;
};

struct FieldGeometry {
    /// As the relation, or the order of P1/90, tells them; empty: sources and receivers alone are known.
    std::vector<FieldShot> shots;
    std::vector<std::array<double, 3>> sources_m, receivers_m;  ///< of all records, in their order
    bool has_source_depths = true;                              ///< P1/90 has none: their z is 0
    std::string units;  ///< a line on how coordinates became metres; empty: they were metres
};

/// Whether a file's name is that of such a file: .sps, .rps, .xps, .p190 in any case.
bool is_field_geometry(const std::filesystem::path& file);
/// The files that are read where one of them is named: of SPS those beside it with the same name, and .sps, .rps or
/// .xps written as its own is; the one that is named among them.
std::vector<std::filesystem::path> files_of_geometry(const std::filesystem::path& file);

/// \throws Error(missing_input); Error(bad_data) naming file, line and column: what is no number, points that a
/// relation names and nobody has, coordinates in feet without their factor to metre, more than 50 million traces.
FieldGeometry read_field_geometry(const std::filesystem::path& file);

}  // namespace onda
