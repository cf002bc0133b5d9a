/// \file
/// Animated GIF (GIF89a): 256 colours a frame, for programs that show no other moving pictures.
#pragma once

#include "io/files/atomic_file.hpp"
#include "io/pictures/movie.hpp"

namespace onda {

/// A finished file, ready for its name. Frames are repeated without end; each has the 256 colours that most of its
/// pixels have, to 5 bits a channel, and others the nearest of these. \throws Error(cannot_create | io_error);
/// Interrupted.
AtomicFile stage_gif(const std::filesystem::path& file, const Movie& movie, bool overwrite);

}  // namespace onda
