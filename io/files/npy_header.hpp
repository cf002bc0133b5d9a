/// \file
/// Arrays of NumPy's (numpy.lib.format, version 1.0), as files begin with them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace onda {

/// The bytes before the numbers of an array of floats in the byte order of this machine, the last axis the fastest.
/// \param shape of two axes at least.
inline std::string npy_header(std::initializer_list<std::int64_t> shape) {
    std::string extents;
    for (const std::int64_t extent : shape) extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
    std::string words = std::string("{'descr': '") + (std::endian::native == std::endian::little ? '<' : '>') +
                        "f4', 'fortran_order': False, 'shape': (" + extents + "), }";
    constexpr std::size_t before = 10, multiple = 64;  // NumPy maps numbers that begin there
    words.resize((before + words.size() + 1 + multiple - 1) / multiple * multiple - before, ' ');
    words.back() = '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(words.size() % 256);
    header += static_cast<char>(words.size() / 256);
    return header + words;
}

}  // namespace onda
