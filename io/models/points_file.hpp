/// \file
/// Source and receiver positions and wavelets from CSV or HDF5. Formats: docs/file_formats.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace onda {

/// Positions are (x, y, z) in metres; y = 0 where the file has x and z only.
struct SourceTable {
    std::vector<std::array<double, 3>> position_m;
    std::vector<std::int64_t> shot;  ///< as long as position_m; empty where the file names no shots
    std::vector<double> amplitude;   ///< as long as position_m; 1 where the file names none
    std::vector<int> line;           ///< of a CSV file, on which each position stands; empty of an HDF5 file
};

/// A column that Onda hands on to the seismograms as it is, such as the names of stations.
struct CarriedColumn {
    std::string name;
    bool numbers = false;           ///< every text is a finite number or empty, and the column is not `name`
    std::vector<std::string> text;  ///< one a row, without leading and trailing blanks
    bool operator==(const CarriedColumn&) const = default;
};

struct ReceiverTable {
    std::vector<std::array<double, 3>> position_m;
    std::vector<std::int64_t> shot;      ///< empty: every shot records all of them
    std::vector<CarriedColumn> carried;  ///< in the order of the file; of a CSV file only
    std::vector<int> line;               ///< as of a SourceTable
};

/// A sampled source signature: sample n is at n * dt_s.
struct WaveletSeries {
    double dt_s = 0.;
    std::vector<double> amplitude;
};

/// A line in gathers, as times at offsets.
struct MutePicks {
    std::vector<std::array<double, 2>> picks;  ///< (offset [m], time [s]); offsets ascending, one at least
};

/// CSV with a header line (x, z, optional y, shot, amplitude in any order; units may follow as x_m) or HDF5. A table of
/// receivers may have columns of other names.
/// \throws Error(missing_input | bad_data) naming file, line and column (CSV) or dataset (HDF5), and the value.
SourceTable read_sources(const std::filesystem::path& file);
ReceiverTable read_receivers(const std::filesystem::path& file);
/// CSV time_s,amplitude with even sampling from 0, or HDF5 /wavelet with attribute dt_s.
WaveletSeries read_wavelet(const std::filesystem::path& file);
/// CSV offset_m,time_s, offsets ascending from 0 or more. \throws as the others do.
MutePicks read_mute_picks(const std::filesystem::path& file);

}  // namespace onda
