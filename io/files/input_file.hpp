/// \file
/// Input files: there, plain and readable, or an error that says which of these they are not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace onda {

/// The size of an input file in bytes. A folder, device or pipe is refused: reading it could go on for ever.
/// \throws Error(missing_input).
std::uintmax_t input_file_size(const std::filesystem::path& file);
/// An input file, opened for binary reading. \throws Error(missing_input).
std::ifstream open_input_file(const std::filesystem::path& file);

}  // namespace onda
