/// \file
/// Input files: there, plain and readable, or an error that says which of these they are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace onda {

/// The size of an input file in bytes. A folder, device or pipe is refused: reading it could go on for ever.
/// \throws Error(missing_input).
std::uintmax_t input_file_size(const std::filesystem::path& file);
/// What a file holds that need not be plain: a terminal, or a pipe as /dev/stdin and a shell's <(command) are. A pipe
/// that no program has open for writing is refused after two seconds, by which one that is started beside this one has
/// opened it. \param most bytes that are read. \throws Error(missing_input | io_error).
std::string read_input_stream(const std::filesystem::path& file, std::size_t most);
/// An input file, opened for binary reading. \throws Error(missing_input).
std::ifstream open_input_file(const std::filesystem::path& file);
/// Why a file has not given bytes that it had when it was opened: the fault of the system, or that it has become
/// shorter. Asked right after the read.
std::string why_unread(const std::ifstream& in);

/// Whether these bytes, the first of a file, are those of HDF5.
bool begins_as_hdf5(std::string_view bytes);
/// Whether the file begins so. \throws Error(missing_input) where it cannot be read.
bool is_hdf5_file(const std::filesystem::path& file);

}  // namespace onda
