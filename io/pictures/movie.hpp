/// \file
/// Movies of pictures: MP4 by ffmpeg where it is installed, and animated PNG, which browsers show, by zlib.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "io/files/atomic_file.hpp"
#include "io/pictures/drawing.hpp"

namespace onda {

/// Frames of one size.
struct Movie {
    std::size_t frames = 0;  ///< one at least
    double frames_per_second = 10.;
    std::function<Pixels(std::size_t i)> frame;  ///< asked for in order, once each
};

/// Where ffmpeg lies on the PATH; empty if it does not.
std::filesystem::path find_ffmpeg();

/// A finished movie, ready for its name: MP4 (H.264 where ffmpeg has it) if the name ends with ".mp4", GIF if with
/// ".gif", else an animated PNG (https://wiki.mozilla.org/APNG_Specification). \throws Error(cannot_create | io_error),
/// for MP4 also if there is no ffmpeg or it fails; Interrupted.
AtomicFile stage_movie(const std::filesystem::path& file, const Movie& movie, bool overwrite);

}  // namespace onda
