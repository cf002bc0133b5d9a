/// \file
/// Images of the subsurface as other programs read them: SEG-Y rev 1, a trace for each column of nodes, and NumPy.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/models/geometry.hpp"

namespace onda {

/// An image [z][y][x] that is read by boxes of nodes.
struct ImageToExport {
    FileGeometry geometry;
    std::string program, title, what;  ///< for the textual header
    std::function<std::vector<float>(const std::array<std::int64_t, 3>& first,
                                     const std::array<std::int64_t, 3>& count)>
        read;
};

/// A row: a format of images.
struct ImageFormat {
    std::string_view name;                ///< of the flag: "segy"
    std::vector<std::string> extensions;  ///< that of files without a name first: ".segy"
    /// \throws Error(cannot_create | io_error); Error(usage) for an image that the format does not hold.
    AtomicFile (*write)(const ImageToExport& image, const std::filesystem::path& file, bool overwrite);
};
/// SEG-Y: CDP x and y (bytes 181-188), inline and crossline numbers from 1 (189-196), inlines along x; in 2-D CDP
/// numbers (21-24) count the columns. Sample intervals are depths in mm as microseconds, as interpretation programs
/// read them, or in m where 16 bits do not hold those; the textual header says which.
/// NumPy: float32 [z][x], in 3-D [z][y][x].
const std::vector<ImageFormat>& image_formats();

}  // namespace onda
