/// \file
/// Arrays of NumPy's (numpy.org, NEP 1 and numpy.lib.format), as files begin with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "io/files/number_format.hpp"

namespace onda {

/// The bytes before the numbers of an array of floats in the byte order of this machine, the last axis the fastest, in
/// version 1.0. \param shape of two axes at least.
std::string npy_header(std::initializer_list<std::int64_t> shape);

/// What the header of an array says.
struct NpyArray {
    std::vector<std::int64_t> shape;  ///< in the order of the indices, not negative
    std::string shape_text;           ///< as the file has it: "(5, 21, 176)"
    const NumberFormat* format = nullptr;
    bool is_big_endian = false;
    bool is_fortran_order = false;  ///< the first index is the fastest
    std::uintmax_t first_byte = 0;  ///< of the numbers
};
/// Reads it in versions 1 and 2, in which numpy.save() writes arrays of numbers. Whether the file has as many numbers
/// is not looked at. \throws Error(missing_input); Error(bad_data), naming the file, for what is no array of float32 or
/// float64.
NpyArray read_npy_header(const std::filesystem::path& file);

}  // namespace onda
