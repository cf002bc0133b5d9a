/// \file
/// What the HDF5 files of a run share: provenance at the root, one group a shot, complete or absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/results/provenance.hpp"

namespace onda {

/// An HDF5 file under a temporary name, with /shots and the root attributes `format`, `format_version` and provenance.
class ResultFile {
public:
    /// \throws Error(cannot_create | io_error).
    ResultFile(const std::filesystem::path& file, const std::string& format, const Provenance& provenance,
               bool overwrite);

    [[nodiscard]] hdf5::File& root() { return *root_; }
    /// /shots/<shot>. \throws Error(internal) if it is there already.
    hdf5::Group create_shot(std::int64_t shot);
    /// Makes /shots/<shot> stand for the same group of another file, named from the folder of this one.
    void link_shot(std::int64_t shot, const std::string& file);
    /// Closes the file and opens it again for `verify`; it is to be finished, which needs no turn at HDF5, and has its
    /// temporary name. All other objects must have been closed.
    AtomicFile close(const std::function<void(const hdf5::File&)>& verify);
    /// Runs what reads the file back after close(). \throws Error(io_error) for whatever it finds wrong.
    void read_back(const std::function<void()>& verify) const;

private:
    std::filesystem::path path_;
    AtomicFile output_;
    std::optional<hdf5::File> root_;
    std::optional<hdf5::Group> shots_;
};

/// The version written as `format_version`; readers refuse larger ones.
inline constexpr std::int64_t kResultFormatVersion = 1;

/// Opens a result file for reading. \throws Error(missing_input | bad_data) if it is not of this format.
hdf5::File open_result(const std::filesystem::path& file, const std::string& format);
/// The file that holds a shot: `file` itself, or the one beside it that its link of the shot leads to.
/// \throws Error(missing_input | bad_data) if `file` is not of this format, or the link leads elsewhere.
std::filesystem::path path_of_shot(const std::filesystem::path& file, const std::string& format, std::int64_t shot);
/// Opens the file that path_of_shot() finds. \throws Error(missing_input | bad_data) if `file` or that one is not of
/// this format.
hdf5::File open_file_of_shot(const std::filesystem::path& file, const std::string& format, std::int64_t shot);
/// The shot numbers, ascending.
std::vector<std::int64_t> shots_of(const hdf5::File& file);

/// A one-dimensional dataset of coordinates, made a dimension scale.
hdf5::Dataset write_coordinates(hdf5::Group& group, const std::string& name, const std::string& units,
                                std::span<const double> values);

/// Puts the values of a box, [first, first + count), into those of the whole, both in the order of the file.
void put_box(std::span<const float> values, const hdf5::Extents& first, const hdf5::Extents& count,
             const hdf5::Extents& whole_extents, std::span<float> whole);

/// Bytes of a chunked, checksummed dataset with its chunk index.
std::int64_t dataset_bytes(const hdf5::Extents& extents, const hdf5::Extents& chunk, std::size_t element_bytes);
/// Bytes of a file before any shot is in it.
std::int64_t result_file_bytes(std::int64_t provenance_bytes);

}  // namespace onda
