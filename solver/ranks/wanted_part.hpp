/// \file
/// What the process that leads a grid asks of the others for the snapshots of a shot.
#pragma once

#include <cstdint>
#include <filesystem>

#include "io/models/geometry.hpp"
#include "io/results/provenance.hpp"
#include "kernels/wavefield.hpp"

namespace onda {

/// What a member is to write of a shot.
struct WantedPart {
    int member = 0;
    std::int64_t shot = 0, frames = 0;
    Window window;          ///< in the nodes that it computes
    FileGeometry geometry;  ///< of that
    std::filesystem::path file;
    Provenance provenance;
};

}  // namespace onda
