/// \file
/// Source and receiver positions and wavelets from CSV or HDF5, picks, well logs and tables of traces from CSV.
/// Formats: docs/file_formats.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/models/csv_table.hpp"

namespace onda {

/// Positions are (x, y, z) in metres; y = 0 where the file has x and z only.
struct SourceTable {
    std::vector<std::array<double, 3>> position_m;
    std::vector<std::int64_t> shot;  ///< as long as position_m; empty where the file names no shots
    std::vector<double> amplitude;   ///< as long as position_m; 1 where the file names none
    std::vector<int> line;           ///< of a CSV file, on which each position stands; empty of an HDF5 file
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

/// A line in gathers, as times at offsets or as one of each trace: one of both has one at least.
struct MutePicks {
    struct OfTrace {
        std::int64_t shot, receiver;  ///< numbers, from 1
        double time_s;
    };
    std::vector<std::array<double, 2>> at_offsets;  ///< (offset [m], time [s]); offsets ascending
    std::vector<OfTrace> of_traces;                 ///< ascending by shot and receiver, which differ
};

/// Velocities that were logged in a well.
struct WellLog {
    std::vector<double> depth_m;  ///< ascending
    std::vector<double> vp_m_s;
};

/// Codes of shots in supershots, one a row.
struct CodeTable {
    std::vector<std::int64_t> supershot;  ///< numbers, from 1
    std::vector<std::int64_t> shot;
    std::vector<int> code;  ///< 1 or -1
    std::vector<int> line;  ///< on which each stands
};

/// What the traces of an array are, in its order.
struct TraceTable {
    double dt_s = 0.;                                         ///< of all of them
    std::vector<std::array<double, 3>> source_m, receiver_m;  ///< (x, y, z) [m]; y = 0 where the file has none
    std::vector<std::int64_t> shot;                           ///< numbers, from 1; empty where the file names none
    std::vector<double> start_s;                              ///< of the first sample; empty where the file has none
};

/// CSV with a header line (x, z, optional y, shot, amplitude in any order; units may follow as x_m) or HDF5. A table of
/// receivers may have columns of other names.
/// \throws Error(missing_input | bad_data) naming file, line and column (CSV) or dataset (HDF5), and the value.
SourceTable read_sources(const std::filesystem::path& file);
ReceiverTable read_receivers(const std::filesystem::path& file);
/// CSV time_s,amplitude with even sampling from 0, or HDF5 /wavelet with attribute dt_s.
WaveletSeries read_wavelet(const std::filesystem::path& file);
/// CSV offset_m,time_s, offsets ascending from 0 or more, or shot,receiver,time_s. \throws as the others do.
MutePicks read_mute_picks(const std::filesystem::path& file);
/// CSV depth_m,vp_m_s, depths ascending. \throws as the others do, of velocities that no model has too.
WellLog read_well_log(const std::filesystem::path& file);
/// CSV supershot,shot,code. \throws as the others do, of codes other than 1 and -1 too.
CodeTable read_codes(const std::filesystem::path& file);
/// CSV source_x_m,source_z_m,receiver_x_m,receiver_z_m,dt_s and, if they are there, source_y_m, receiver_y_m, shot and
/// start_s, in any order; other columns are ignored. \throws as the others do.
TraceTable read_trace_table(const std::filesystem::path& file);
/// Where that of an array lies: "line_traces.csv" beside "line.npy".
std::filesystem::path table_beside(const std::filesystem::path& file);

}  // namespace onda
