/// \file
/// Velocity models in other programs' formats, for `onda convert`. One row of the table is one format; each reader is
/// a file of its own.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/number_format.hpp"
#include "io/models/geometry.hpp"
#include "io/models/model_file.hpp"
#include "io/text/error.hpp"

namespace onda {

/// The options that the user gives for a file where the file itself does not say; empty: not given. Triples are (x, y,
/// z), pairs (x, z).
struct ForeignOptions {
    std::vector<std::int64_t> shape;
    std::string axes;  ///< letters, slowest first: "xz" is [x][z] with z fastest
    std::vector<double> spacing_m, origin_m;
    std::string units;   ///< of the values: m/s or km/s, of a density kg/m3 or g/cm3
    std::string dtype;   ///< float32 | float64
    std::string endian;  ///< little | big
    std::int64_t header_bytes = 0;
    std::filesystem::path data_file;     ///< where the numbers are, instead of where the header says
    const Quantity* quantity = nullptr;  ///< what the values are; null: velocities
    /// Memory that may be taken: a model is held whole, as its axes may be in any order.
    std::uintmax_t available_bytes = std::numeric_limits<std::uintmax_t>::max();
};

/// A model as another program stored it.
struct ForeignModel {
    FileGeometry geometry;
    std::string axes;                     ///< letters, slowest first
    const Quantity* quantity = nullptr;   ///< null: velocities
    VelocityUnit unit{};                  ///< by name, and how many of m/s, or of the quantity's first unit, it is
    std::string place;                    ///< for messages: the file with the numbers
    std::filesystem::path numbers;        ///< that file
    std::vector<float> values;            ///< in the file's order and unit
    std::vector<std::string> notes = {};  ///< what the user should know

    /// The ny * nx values [y][x] of one z plane, in m/s or in the quantity's first unit.
    /// \throws Error(bad_data) for values that no rock has, with index and position.
    void plane(std::int64_t z, std::span<float> plane) const;
};

struct ForeignFormat {
    std::string_view name, extensions, help;  ///< extensions: ".bin .raw"
    /// Names of the command line's options that the format takes and needs, with blanks around each.
    std::string_view options, required;
    std::string_view example;  ///< what a command line needs beside the files: "--axes zx --spacing-m DX"
    /// \throws Error(missing_input | bad_data | usage | out_of_memory).
    ForeignModel (*read)(const std::filesystem::path&, const ForeignOptions&);
};
std::span<const ForeignFormat> foreign_formats();

/// Raw binary: numbers in a row after an optional header. The file's size must be exactly what shape and type say.
ForeignModel read_raw_model(const std::filesystem::path& file, const ForeignOptions& options);
/// Madagascar RSF (ahay.org, Guide to RSF file format): n#, d#, o#, label#, unit#, in, data_format, esize; the last
/// value of a key wins; data inline after the bytes 0C 0C 04 where in="stdin". A data file outside the header's folder
/// is read only if options.data_file names it.
ForeignModel read_rsf_model(const std::filesystem::path& file, const ForeignOptions& options);

/// NumPy arrays of float32 or float64, versions 1 and 2, C and Fortran order; options.axes names the indices in their
/// order: "zx" is vp[z, x].
ForeignModel read_npy_model(const std::filesystem::path& file, const ForeignOptions& options);
/// SEG-Y, IBM or IEEE floats: a trace is a column of the model. The places of traces come from inline and crossline
/// numbers (bytes 189-196), which count along y and x, or from CDP X and Y (bytes 181-188), or from options.shape, in
/// the order of the file with x fastest unless options.axes is "xyz". Spacings come from CDP X and Y, to which a
/// regular grid of any direction is fitted within the resolution of their scaler, and, along z, from the sampling in
/// thousandths of a metre (bytes 3217-3218 and 117-118, which must agree), or from options.spacing_m: one number is of
/// x and y.
ForeignModel read_segy_model(const std::filesystem::path& file, const ForeignOptions& options);

/// How the user makes a model file of one in another format, where the name says that it is one:
/// "is a NumPy array: make a model file of it with `onda convert vp.npy vp.h5 --axes zx --spacing-m DX`"; else empty.
std::string conversion_hint(const std::filesystem::path& file);
/// Refuses a model of another program, which its name tells, where an HDF5 file is wanted. \throws Error(bad_data) with
/// the hint; Error(missing_input) for such a name that is not there.
void refuse_foreign_model(const std::filesystem::path& file);

/// The unit of the values: that of the options, else `stored`, the file's, else m/s or the quantity's first.
/// \param place of `stored`, for messages. \throws Error(usage | bad_data) for other units.
VelocityUnit stored_unit(const ForeignOptions& options, const std::string& stored, const std::string& place);

/// Reads `count` numbers from byte `offset` to the end of the file.
/// \throws Error(bad_data) if the file is not exactly that long.
std::vector<float> read_numbers(const std::filesystem::path& file, std::uintmax_t offset, std::uintmax_t count,
                                const NumberFormat& format, bool big_endian);
/// The number of nodes. \throws Error(fault) on overflow or a number below 1, naming `place`.
std::uintmax_t count_nodes(const std::vector<std::int64_t>& shape, const std::string& place, ExitCode fault);
/// Checks the memory for so many numbers. \throws Error(out_of_memory) naming `file` if they do not fit into
/// options.available_bytes.
void check_room(const std::filesystem::path& file, std::uintmax_t count, const ForeignOptions& options);
/// The spacings of a file that tells them, with those that the user gives in their place: one is of x and y, and the
/// depth stays what the file says; else one each. \param of_file (x, y, z) or (x, z).
std::vector<double> with_given(const std::vector<double>& given, std::vector<double> of_file);
/// \throws Error(usage) for spacings and origins given that no model has.
void check_given(const ForeignOptions& options);
/// Whether a length in a file that does not tell its unit is likely to be a spacing in metres: 0.1 m to 10 km.
bool is_usual_spacing(double spacing_m);
/// The geometry made of numbers of nodes, one spacing for all axes or one each, and an origin (empty: zeros), all (x,
/// y, z) or (x, z).
/// \param of_file where numbers come from that are not options; empty: all are.
/// \throws Error(usage) naming the option that is wrong; Error(bad_data) naming `of_file` where numbers are the file's.
/// Spacings are from 1e-9 to 1e6 m, origins within 1e9 m, as in configurations.
FileGeometry make_geometry(const std::vector<std::int64_t>& shape, const std::vector<double>& spacing_m,
                           const std::vector<double>& origin_m, const std::string& of_file = "");
/// Checks the letters of axes. \throws Error(usage) unless axes is a permutation of "xz" or "xyz".
void check_axes(const std::string& axes, int dimensions);

}  // namespace onda
